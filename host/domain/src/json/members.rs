//! A JSON object that is read only down to its members. The values stay text as they were sent, so
//! numbers lose no digits.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object in the order they were written.
#[derive(Debug)]
pub struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object. The values are checked to be JSON, without recursion.
    pub fn parse(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The text of the member with this name.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Whether a member has this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// Each member: its name and the text of its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), value.get()))
    }

    /// Returns a name that occurs more than once.
    #[must_use]
    pub fn duplicate(&self) -> Option<&str> {
        duplicate(self.iter().map(|(key, _)| key))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// The name of a member, borrowed if it is written without escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// An object that keeps its text, cut into its members once.
#[derive(Debug, Clone)]
pub struct Object {
    text: Arc<str>,
    /// Each name, and where the value stands in the text.
    members: Vec<(Box<str>, Range<usize>)>,
}

impl Default for Object {
    fn default() -> Self {
        Self { text: "{}".into(), members: Vec::new() }
    }
}

impl Object {
    /// Reads an object. The values are checked to be JSON, without recursion.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        let place = |value: &str| {
            let start = value.as_ptr().addr() - text.as_ptr().addr();
            start..start + value.len()
        };
        let members = Members::parse(text)?;
        let members = members.iter().map(|(name, value)| (name.into(), place(value))).collect();
        Ok(Self { text: text.into(), members })
    }

    /// The object with these members.
    pub fn of<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut text = String::from("{");
        let mut places = Vec::new();
        for (name, value) in members {
            push(&mut text, name, value);
            places.push((name.into(), text.len() - value.len()..text.len()));
        }
        text.push('}');
        Self { text: text.into(), members: places }
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The text of the member with this name.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Each member: its name and the text of its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let value = |place: &Range<usize>| self.text.get(place.clone()).unwrap_or_default();
        self.members.iter().map(move |(name, place)| (&**name, value(place)))
    }
}

/// Returns a name that occurs more than once.
#[must_use]
pub fn duplicate<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.windows(2).find_map(|pair| match pair {
        [first, second] if first == second => Some(*first),
        _ => None,
    })
}

/// The text of an object with these members.
pub fn object<'a>(members: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::from("{");
    members.for_each(|(name, value)| push(&mut text, name, value));
    text.push('}');
    text
}

/// Adds a member to the text of an object that has no end yet.
fn push(text: &mut String, name: &str, value: &str) {
    let separator = if text.len() == 1 { "" } else { "," };
    let name = serde_json::Value::from(name);
    // Writing to a string cannot fail.
    let _ = write!(text, "{separator}{name}:{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_values_as_they_were_written() {
        let text =
            r#"{"a": 1e400, "b\u0062": [ {"x":1,"x":2} ], "c": 123456789012345678901234567890}"#;
        let members = Members::parse(text).expect("an object");
        assert_eq!(members.raw("a"), Some("1e400"));
        assert_eq!(members.raw("bb"), Some(r#"[ {"x":1,"x":2} ]"#));
        assert_eq!(members.raw("c"), Some("123456789012345678901234567890"));
        assert_eq!(members.duplicate(), None);
    }

    #[test]
    fn an_object_keeps_its_text_and_is_cut_once() {
        let read = Object::parse(r#" {"a": [1, 2] , "b\u0062":"x"} "#).expect("an object");
        assert_eq!((read.raw("a"), read.raw("bb")), (Some("[1, 2]"), Some(r#""x""#)));
        assert_eq!(&**read.text(), r#" {"a": [1, 2] , "b\u0062":"x"} "#);
        let made = Object::of(read.iter().chain([("c", "3")]));
        assert_eq!(&**made.text(), r#"{"a":[1, 2],"bb":"x","c":3}"#);
        assert_eq!(
            (made.raw("bb"), made.raw("c"), made.raw("d")),
            (Some(r#""x""#), Some("3"), None)
        );
        assert_eq!(&**Object::of([]).text(), "{}");
    }

    #[test]
    fn reads_any_depth() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(500_000), "]".repeat(500_000));
        assert!(Members::parse(&deep).is_ok());
    }

    #[test]
    fn finds_duplicates() {
        let members = Members::parse(r#"{"a":1,"b":2,"\u0061":3}"#).expect("an object");
        assert_eq!(members.duplicate(), Some("a"));
    }
}
