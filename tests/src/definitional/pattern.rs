//! Regular expressions: those of the Rust crates by the `regex` crate, those of JavaScript by
//! `script`.

use super::compiled::{Compiled, Spans};
use super::members::record;
use super::replacement::{has_groups, names_a_group_otherwise, pieces, script_pieces};
use super::value::{Match, Value};
use super::{Evaluated, Evaluator, script, text};
use pif::fault::Code;
use pif::form::Form;
use pif::javascript;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A regular expression as JavaScript writes it.
pub(super) fn literal((pattern, flags): &(String, String)) -> String {
    format!("/{}/{flags}", if pattern.is_empty() { "(?:)" } else { pattern })
}

/// The texts of a match and its groups.
fn parts(s: &str, spans: &Spans) -> Vec<Value> {
    let part =
        |span: &Option<(usize, usize)>| span.map_or(Value::Unit, |(a, b)| text::text(&s[a..b]));
    spans.iter().map(part).collect()
}

/// The record of the named groups, or null if there are none.
fn named(regex: &Compiled, parts: &[Value]) -> Value {
    let mut names = regex.names();
    if names.is_empty() {
        return Value::Unit;
    }
    names.sort_by_key(|(_, number)| *number);
    record(names.into_iter().map(|(name, number)| (name, parts[number].clone())))
}

/// The character at a byte.
fn index(s: &str, at: usize) -> usize {
    s[..at].chars().count()
}

pub(super) fn whole(spans: &Spans) -> (usize, usize) {
    spans.first().copied().flatten().unwrap_or_default()
}

fn flag(value: Option<&Value>) -> Result<bool, Code> {
    match value {
        None => Ok(false),
        Some(Value::Boolean(flag)) => Ok(*flag),
        Some(_) => Err(Code::TypeMismatch),
    }
}

impl Evaluator {
    pub(super) fn regex(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        if form == Form::Regex {
            let [Value::Text(pattern), Value::Text(flags)] = operands else {
                return Err(Code::TypeMismatch);
            };
            self.make_regex(pattern, flags)?;
            return Ok(Value::Regex(Rc::new((pattern.to_string(), flags.to_string()))));
        }
        let [Value::Text(s), pattern, rest @ ..] = operands else {
            return Err(Code::TypeMismatch);
        };
        if !matches!(pattern, Value::Text(_) | Value::Regex(_)) {
            return Err(Code::TypeMismatch);
        }
        let is_regex = matches!(pattern, Value::Regex(_));
        match (form, rest) {
            (Form::RegexSplit | Form::Split, rest) if is_regex => {
                self.script_split(s, pattern, rest.first())
            }
            (Form::RegexReplace, [Value::Text(to)]) => {
                let regex = self.searched(s, pattern, None)?;
                if names_a_group_otherwise(to) {
                    self.warnings.arise("likely-mistake", self.at);
                }
                let dollars = self.dollars(to)?;
                let pieces = pieces(&regex, to)?;
                if has_groups(&pieces) {
                    regex.must_have_groups()?;
                }
                self.replaced(s, &regex.find(s, true), &pieces, dollars)
            }
            (Form::Substitute, [Value::Text(to), all @ ..]) => {
                let (regex, all) = self.sought(s, pattern, flag(all.first())?)?;
                let dollars = self.dollars(to)?;
                let pieces = script_pieces(&regex, to);
                if has_groups(&pieces) {
                    regex.must_have_groups()?;
                }
                self.replaced(s, &regex.find(s, all), &pieces, dollars)
            }
            (Form::RegexParts, all) => {
                let (regex, all) = self.sought(s, pattern, flag(all.first())?)?;
                self.regex_parts(s, &regex, all)
            }
            (Form::RegexMatch | Form::RegexMatchAll, []) => {
                let regex = self.searched(s, pattern, Some(""))?;
                if form == Form::RegexMatch && regex.is_global() {
                    let found = regex.find(s, true);
                    if found.is_empty() {
                        return Ok(Value::Unit);
                    }
                    let found = found.iter().map(|spans| parts(s, spans)[0].clone());
                    return self.made_list(found.collect());
                }
                let found = self.matches(s, &regex, form == Form::RegexMatchAll)?;
                if form == Form::RegexMatchAll {
                    return Ok(Value::List(found.into_iter().collect()));
                }
                Ok(found.into_iter().next().unwrap_or(Value::Unit))
            }
            (
                Form::Matches | Form::RegexSplit | Form::Captures | Form::FindAll | Form::IndexOf,
                [],
            ) => {
                let regex = self.searched(s, pattern, None)?;
                self.find_in(form, s, &regex)
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    fn find_in(&mut self, form: Form, s: &str, regex: &Compiled) -> Evaluated {
        match form {
            Form::Matches => Ok(Value::Boolean(match regex {
                Compiled::Rust(regex) => regex.is_match(s),
                regex => !regex.find(s, false).is_empty(),
            })),
            Form::IndexOf => {
                let found = regex.find(s, false).into_iter().next();
                let at = found.map(|spans| Value::Integer(index(s, whole(&spans).0).into()));
                Ok(at.unwrap_or(Value::Unit))
            }
            Form::RegexSplit => {
                let (mut parts, mut end) = (Vec::new(), 0);
                for spans in regex.find(s, true) {
                    let (start, stop) = whole(&spans);
                    parts.push(text::text(&s[end..start]));
                    end = stop;
                }
                parts.push(text::text(&s[end..]));
                self.made_list(parts)
            }
            Form::Captures => {
                regex.must_have_groups()?;
                let names: BTreeMap<usize, String> =
                    regex.names().into_iter().map(|(name, number)| (number, name)).collect();
                let mut records = Vec::new();
                for spans in regex.find(s, true) {
                    self.work(1 + spans.len() as u64)?;
                    let parts = parts(s, &spans).into_iter().enumerate();
                    let member = |(number, part): (usize, Value)| {
                        let name = names.get(&number).cloned();
                        (name.unwrap_or_else(|| number.to_string()), part)
                    };
                    records.push(record(parts.map(member)));
                }
                Ok(Value::List(records.into_iter().collect()))
            }
            _ => {
                let found = regex.find(s, true);
                let found = found.iter().map(|spans| parts(s, spans)[0].clone());
                self.made_list(found.collect())
            }
        }
    }

    /// A compiled pattern, when the search of a text is paid for.
    fn searched(
        &mut self,
        s: &str,
        pattern: &Value,
        flags: Option<&str>,
    ) -> Result<Compiled, Code> {
        let (regex, size) = match pattern {
            Value::Text(text) => self.compile(text, flags)?,
            Value::Regex(regex) => self.compile(&regex.0, Some(&regex.1))?,
            _ => return Err(Code::TypeMismatch),
        };
        self.work(s.len() as u64 * (8 + size) / 16)?;
        Ok(regex)
    }

    /// What is looked for, and whether all of it.
    fn sought(&mut self, s: &str, pattern: &Value, all: bool) -> Result<(Compiled, bool), Code> {
        if let Value::Text(part) = pattern {
            self.charge_texts(&[s, part])?;
            return Ok((Compiled::Text(part.to_string()), all));
        }
        let regex = self.searched(s, pattern, None)?;
        let is_global = regex.is_global();
        Ok((regex, all || is_global))
    }

    /// The matches as values.
    fn matches(&mut self, s: &Rc<str>, regex: &Compiled, all: bool) -> Result<Vec<Value>, Code> {
        regex.must_have_groups()?;
        let mut found = Vec::new();
        for spans in regex.find(s, all) {
            self.work(1 + spans.len() as u64)?;
            let parts = parts(s, &spans);
            let (index, groups) = (index(s, whole(&spans).0), named(regex, &parts));
            let list = parts.into_iter().collect();
            found.push(Value::Match(Rc::new(Match { list, index, input: s.clone(), groups })));
        }
        Ok(found)
    }

    fn regex_parts(&mut self, s: &Rc<str>, regex: &Compiled, all: bool) -> Evaluated {
        regex.must_have_groups()?;
        let (mut all_parts, mut end) = (Vec::new(), 0);
        for spans in regex.find(s, all) {
            self.work(1 + spans.len() as u64)?;
            let (start, stop) = whole(&spans);
            all_parts.push(text::text(&s[end..start]));
            let mut found = parts(s, &spans);
            let groups = named(regex, &found);
            found.push(Value::Integer(index(s, start).into()));
            found.push(Value::Text(s.clone()));
            if !matches!(groups, Value::Unit) {
                found.push(groups);
            }
            all_parts.push(Value::List(found.into_iter().collect()));
            end = stop;
        }
        all_parts.push(text::text(&s[end..]));
        Ok(Value::List(all_parts.into_iter().collect()))
    }

    fn script_split(&mut self, s: &str, pattern: &Value, limit: Option<&Value>) -> Evaluated {
        let limit = text::limit(limit)?;
        let regex = self.searched(s, pattern, None)?;
        if regex.groups() > 1 {
            regex.must_have_groups()?;
        }
        // The flag y counts for nothing.
        let found = match &regex {
            Compiled::Script(parsed) if parsed.flags.sticky => {
                let mut flags = parsed.flags;
                flags.sticky = false;
                let pattern = match pattern {
                    Value::Regex(regex) => &regex.0,
                    _ => return Err(Code::Internal),
                };
                let parsed =
                    javascript::regex::parse(pattern, flags).map_err(|_| Code::Internal)?;
                script::matches(&parsed, s, true)
            }
            regex => regex.find(s, true),
        };
        let (mut pieces, mut end) = (Vec::new(), 0);
        let is_nothing = s.is_empty() && !found.is_empty();
        for spans in found {
            let (start, stop) = whole(&spans);
            if stop == end || start >= s.len() {
                continue;
            }
            pieces.push(text::text(&s[end..start]));
            pieces.extend(parts(s, &spans).into_iter().skip(1));
            end = stop;
        }
        if !is_nothing {
            pieces.push(text::text(&s[end..]));
        }
        pieces.truncate(limit);
        self.made_list(pieces)
    }
}
