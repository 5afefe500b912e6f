//! The arguments of a call. Each tool has a struct for them; this reads it from the text of the
//! call, no deeper than it has to. Every fault names the argument and says what to write.

mod reader;
mod schema;

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) use self::schema::{any_value, json_schema, record, schema, term, text};

use self::reader::{SIZE, Wrong};
use crate::domain::{Fault, FaultCode, fault};
use crate::json::Members;
use crate::text::similar::similar;

/// What a tool takes.
pub(super) trait Arguments: Sized {
    /// The names of all arguments.
    fn names() -> Vec<&'static str>;

    /// Their schema. It does not say that there are no others, for some clients cannot read that:
    /// the server itself sees to those.
    fn schema() -> Value;

    /// Reads them. Names that are not known were refused before.
    fn take(members: &Members<'_>) -> Result<Self, Fault>;
}

impl<T: DeserializeOwned + JsonSchema> Arguments for T {
    fn names() -> Vec<&'static str> {
        reader::fields::<T>()
    }

    fn schema() -> Value {
        schema::of::<T>()
    }

    fn take(members: &Members<'_>) -> Result<Self, Fault> {
        reader::read(members).map_err(|Wrong { reason, missing }| {
            let hint = missing.map(|name| {
                let schema = Self::schema();
                let meaning = schema["properties"][&name]["description"].as_str();
                format!("add `{name}`: {}", meaning.unwrap_or("it has to be there"))
            });
            malformed(reason, hint.as_deref())
        })
    }
}

/// The arguments in the text of a call of `tool`. A null is as good as nothing, except where any
/// JSON is expected.
pub(super) fn read<T: Arguments>(text: &str, tool: &str) -> Result<T, Fault> {
    let members = Members::parse(text)
        .map_err(|error| malformed(format!("the arguments cannot be read: {error}"), None))?;
    if let Some(name) = members.duplicate() {
        let message = format!("the argument `{name}` is given twice");
        return Err(malformed(message, Some("give it once")));
    }
    let known = T::names();
    if let Some((unknown, _)) = members.iter().find(|(name, _)| !known.contains(name)) {
        return Err(refuse(unknown, tool, &known));
    }
    T::take(&members)
}

fn refuse(unknown: &str, tool: &str, known: &[&str]) -> Fault {
    let unknown: String = unknown.chars().take(64).collect();
    let hint = match similar(&unknown, known.iter().copied()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None if known.is_empty() => "pass no arguments".to_owned(),
        None => format!("its arguments are `{}`", known.join("`, `")),
    };
    malformed(format!("`{tool}` has no argument `{unknown}`"), Some(&hint))
}

/// The fault of arguments that are not as they should be.
pub(super) fn malformed(message: impl Into<String>, hint: Option<&str>) -> Fault {
    fault(FaultCode::Malformed, message.into(), hint)
}

/// The text of a JSON string.
pub(super) fn decode(name: &str, raw: &str) -> Result<String, Fault> {
    serde_json::from_str(raw).map_err(|_| malformed(format!("`{name}` {}", no_text(raw)), None))
}

/// What is wrong with a text that cannot be decoded.
fn no_text(raw: &str) -> &'static str {
    // It was read as JSON before, so a string fails only for a surrogate on its own.
    if raw.starts_with('"') {
        "holds half of a surrogate pair, which is no character"
    } else {
        "must be a string"
    }
}

/// Reads an argument that may be any JSON: here null is a value and not an omission.
pub(super) fn any<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(reader).map(Some)
}

/// The text of what is not read any further.
pub(super) fn text_of(raw: Box<RawValue>) -> String {
    String::from(Box::<str>::from(raw))
}

/// An argument that is a number of bytes.
#[derive(Debug, Clone, Copy, JsonSchema)]
#[schemars(transparent)]
pub(super) struct Size(pub(super) u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Size;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of bytes")
            }

            fn visit_u64<E>(self, bytes: u64) -> Result<Size, E> {
                Ok(Size(bytes))
            }
        }
        reader.deserialize_newtype_struct(SIZE, Bytes)
    }
}
