//! What each line of input asks for, found out in another way than the server does. An id is
//! *readable* when it is a string or an integer of 64 bits, and stands only once at the top level of
//! an object that is within the bounds of a line: it must come back in exactly one answer, whatever
//! else is wrong with its line. So must every other line that is no notification, no response and
//! not blank be answered, under any id or none.

use super::{Answers, LINE, NESTING};
use anyhow::{Result, ensure};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What the answers to an input have to be.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// How many lines have each readable id.
    readable: BTreeMap<String, usize>,
    /// How often each id was cancelled: so many answers may be missing.
    cancelled: BTreeMap<String, usize>,
    /// Lines that are answered under an id which is not foretold.
    loose: usize,
}

/// What a line asks for.
enum Line {
    Nothing,
    Answer(Option<String>),
    Cancel(String),
}

impl Expected {
    pub(super) fn of(input: &[u8]) -> Self {
        let mut expected = Self::default();
        let input = input.strip_suffix(b"\n").unwrap_or(input);
        for line in input.split(|byte| *byte == b'\n') {
            match look(line) {
                Line::Nothing => {}
                Line::Answer(Some(id)) => *expected.readable.entry(id).or_insert(0) += 1,
                Line::Answer(None) => expected.loose += 1,
                Line::Cancel(id) => *expected.cancelled.entry(id).or_insert(0) += 1,
            }
        }
        expected
    }

    pub(super) fn compare(&self, answers: &Answers) -> Result<()> {
        let all: usize = answers.values().sum();
        let (mut surplus, mut forgiven, mut lines) = (all, 0, self.loose);
        for (id, count) in &self.readable {
            let answered = answers.get(&Some(id.clone())).copied().unwrap_or(0);
            let cancelled = self.cancelled.get(id).copied().unwrap_or(0).min(*count);
            ensure!(
                answered + cancelled >= *count,
                "{answered} answers to {count} lines with {id}"
            );
            surplus -= answered.min(*count);
            forgiven += cancelled;
            lines += count;
        }
        // An id that is not plainly readable may have been cancelled too, as `-0` by 0.
        let others = self.cancelled.iter().filter(|(id, _)| !self.readable.contains_key(*id));
        forgiven += others.map(|(_, count)| count).sum::<usize>().min(self.loose);
        ensure!(all + forgiven >= lines, "{all} answers to {lines} lines");
        ensure!(surplus <= self.loose, "{surplus} answers to {} other lines", self.loose);
        Ok(())
    }
}

fn look(line: &[u8]) -> Line {
    let is_long = line.len() > LINE;
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() && !is_long {
        return Line::Nothing;
    }
    let mut members = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(line);
    let read = Collect(&mut members).deserialize(&mut reader).and_then(|()| reader.end());
    let answer = Line::Answer(readable(&members).filter(|_| read.is_ok() && !is_long));
    let mut names = BTreeSet::new();
    let is_sound = read.is_ok() && members.iter().all(|(name, _)| names.insert(name));
    if is_long || !is_sound || depth(line) > NESTING + 3 {
        return answer;
    }
    let get = |name| members.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
    let is_response = get("result").is_some() || get("error").is_some();
    match (get("jsonrpc"), get("method")) {
        (Some("\"2.0\""), None) if is_response => Line::Nothing,
        (Some("\"2.0\""), Some(method)) if get("id").is_none() => {
            match serde_json::from_str::<String>(method).as_deref() {
                Ok("notifications/cancelled") => cancelled(get("params")),
                Ok(_) => Line::Nothing,
                Err(_) => answer,
            }
        }
        _ => answer,
    }
}

fn cancelled(params: Option<&str>) -> Line {
    let params = params.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    let id = params.as_ref().and_then(|params| params.get("requestId"));
    id.map_or(Line::Nothing, |id| Line::Cancel(id.to_string()))
}

/// The id among members, as JSON text. An integer in another spelling, such as `-0`, is not readable.
fn readable(members: &[(String, String)]) -> Option<String> {
    let mut ids = members.iter().filter(|(name, _)| name == "id");
    let (Some((_, id)), None) = (ids.next(), ids.next()) else { return None };
    if id.starts_with('"') {
        return serde_json::from_str::<String>(id).ok().map(|id| serde_json::json!(id).to_string());
    }
    id.parse::<i64>().ok().map(|number| number.to_string()).filter(|number| number == id)
}

/// Levels of arrays and objects in JSON.
fn depth(json: &[u8]) -> usize {
    let (mut level, mut deepest, mut bytes) = (0_usize, 0, json.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => level += 1,
            b']' | b'}' => level = level.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => {
                            bytes.next();
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        deepest = deepest.max(level);
    }
    deepest
}

/// Takes in the members of an object, as far as it can be read.
struct Collect<'a>(&'a mut Vec<(String, String)>);

impl<'de> DeserializeSeed<'de> for Collect<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Collect<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            // A name is worth noting even if there is no value: what was before it is complete.
            self.0.push((name, String::new()));
            let value: &RawValue = map.next_value()?;
            if let Some((_, last)) = self.0.last_mut() {
                value.get().clone_into(last);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(input: &str, answers: &[(Option<&str>, usize)]) -> Result<()> {
        let answers = answers.iter().map(|(id, count)| (id.map(str::to_owned), *count));
        Expected::of(input.as_bytes()).compare(&answers.collect())
    }

    const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;

    #[test]
    fn sees_what_is_missing_and_what_is_too_much() {
        assert!(compare(PING, &[(Some("7"), 1)]).is_ok());
        assert!(compare(PING, &[]).is_err());
        assert!(compare(PING, &[(Some("7"), 2)]).is_err());
        assert!(compare(PING, &[(None, 1)]).is_err());
        assert!(compare(PING, &[(Some("\"7\""), 1)]).is_err());
        assert!(compare("garbage", &[(None, 1)]).is_ok());
        assert!(compare("garbage", &[]).is_err());
        assert!(compare("", &[(None, 1)]).is_err());
        // Neither JSON nor an id of 64 bits: the answer needs no id.
        assert!(compare(r#"{"id":7,"x":"#, &[(None, 1)]).is_ok());
        assert!(compare(r#"{"id":7,"x":"#, &[]).is_err());
        let exotic = PING.replace('7', "9223372036854775808");
        assert!(compare(&exotic, &[(None, 1)]).is_ok() && compare(&exotic, &[]).is_err());
        let greatest = PING.replace('7', "9223372036854775807");
        assert!(compare(&greatest, &[(None, 1)]).is_err());
    }

    #[test]
    fn lets_requests_go_unanswered_that_are_cancelled_under_another_spelling() {
        let ping = r#"{"jsonrpc":"2.0","id":-0,"method":"ping"}"#;
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}"#;
        let expected = Expected::of(format!("{ping}\n{cancel}\n").as_bytes());
        assert!(expected.compare(&Answers::new()).is_ok());
        let expected = Expected::of(format!("{ping}\n{ping}\n{cancel}\n").as_bytes());
        assert!(expected.compare(&Answers::new()).is_err());
    }

    #[test]
    fn lets_cancelled_requests_go_unanswered() {
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        let input = format!("{PING}\n{cancel}\n");
        assert!(compare(&input, &[]).is_ok());
        assert!(compare(&input, &[(Some("7"), 1)]).is_ok());
        assert!(compare(&input, &[(Some("7"), 2)]).is_err());
        let input = format!("{input}{{\"id\":7}}}}");
        assert!(compare(&input, &[(Some("7"), 1)]).is_ok());
        assert!(compare(&input, &[]).is_err());
    }
}
