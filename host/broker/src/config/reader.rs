//! Values of the file, read by serde. A mistake has its place, a JSON Pointer.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::path::Path;

use pif_domain::text;
use pif_domain::text::similar::similar;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use super::error::Error;

/// The most characters of what serde says.
const LONGEST: usize = 300;

/// Reads JSON as editors keep it: with a mark in front, comments, and commas behind last elements.
pub(super) fn parse(text: &str) -> Result<Value, Error> {
    let mut text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    json_strip_comments::strip(&mut text)
        .map_err(|error| Error(format!("this is no JSON: {error}")))?;
    // What was removed has become blanks, so that places stay.
    serde_json::from_str(&text).map_err(|error| Error(format!("this is no JSON: {error}")))
}

/// A place of the file, and what texts there may refer to.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    /// A JSON Pointer; empty for the whole file.
    at: String,
    /// The names of secrets.
    pub(super) secrets: &'a BTreeSet<String>,
    /// The directory that names of files are relative to.
    pub(super) directory: &'a Path,
}

impl<'a> Place<'a> {
    /// The whole file.
    pub(super) fn root(secrets: &'a BTreeSet<String>, directory: &'a Path) -> Self {
        Self { at: String::new(), secrets, directory }
    }

    /// The place of a member, or of an element.
    pub(super) fn member(&self, name: impl Display) -> Self {
        Self { at: format!("{}{}", self.at, step(&name.to_string())), ..*self }
    }

    /// A mistake at this place.
    pub(super) fn wrong(&self, message: impl Display) -> Error {
        wrong(&self.at, message)
    }

    /// Reads what stands here.
    pub(super) fn read<T: DeserializeOwned>(&self, value: &Value) -> Result<T, Error> {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let at = format!("{self}{}", pointer(error.path()));
            match expected_of_secret(&at) {
                Some(expected) => wrong(&at, format_args!("write {expected}")),
                None => wrong(&at, text::line(&error.inner().to_string(), LONGEST)),
            }
        })
    }

    /// The members that are not known, each with whether its name is near a known one: then somebody
    /// relies on it.
    pub(super) fn unknown(&self, object: &Object, known: &[&str]) -> Vec<(Error, bool)> {
        let unknown = object.keys().filter(|name| !known.contains(&name.as_str()));
        let mistake = |name: &String| match similar(name, known.iter().copied()) {
            Some(near) => {
                let message = format!("no member has this name; did you mean `{near}`?");
                (self.member(name).wrong(message), true)
            }
            None => (self.member(name).wrong("no member has this name: it is ignored"), false),
        };
        unknown.map(mistake).collect()
    }
}

impl Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.at)
    }
}

/// An object of the file.
pub(super) type Object = Map<String, Value>;

/// A member of an object, unless it is missing or null.
pub(super) fn find<'a>(object: &'a Object, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

fn wrong(at: &str, message: impl Display) -> Error {
    let at = if at.is_empty() { "the file" } else { at };
    Error(format!("{at}: {message}"))
}

/// A step of a JSON Pointer.
fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    let written = |segment: &Segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key: name } | Segment::Enum { variant: name } => step(name),
        Segment::Unknown => String::new(),
    };
    path.iter().map(written).collect()
}

/// What to write at a place where a secret may stand. No mistake there quotes the value.
fn expected_of_secret(at: &str) -> Option<&'static str> {
    let steps: Vec<&str> = at.split('/').skip(1).collect();
    match steps.as_slice() {
        ["secrets", ..] => Some("{\"env\": NAME} or {\"file\": NAME}"),
        ["mcpServers", _, "env", ..] => Some("texts by the names of variables"),
        ["mcpServers", _, "headers", ..] => Some("texts by the names of headers"),
        ["mcpServers", _, "oauth", ..] => Some(
            "texts as `client_id` and `client_secret`, a list of texts as `scopes`, and a port \
             from 1 to 65535 as `callback_port`",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_no_mistakes() {
        let text = "\u{feff}{// é\n\"a\": /* , */ [1, \"// no, /* no */ ,}\", ], }";
        let expected = serde_json::json!({"a": [1, "// no, /* no */ ,}"]});
        assert_eq!(parse(text).expect("JSON"), expected);
        for wrong in ["", "[1 /* open", "[1,,]", "{\"a\": // 1\n}"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
