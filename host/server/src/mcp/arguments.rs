//! Parses the arguments of a call. Each tool has a struct for its arguments, read from the JSON
//! text of the call. Nested values stay text until they are needed. Each fault names the argument
//! and says how to correct it.

mod reader;
mod schema;

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) use self::schema::{
    any_item, any_value, json_schema, number, record, schema, term, terms, text,
};

use pif_domain::json::{Object, duplicate};
use pif_domain::text::similar::similar;
use pif_domain::{BuiltIn, Fault, FaultCode, fault, prefix};

use self::reader::{SIZE, Wrong, no_text};

/// The arguments of a tool.
pub(super) trait Arguments: Sized {
    /// The names of all arguments.
    fn names() -> Vec<&'static str>;

    /// The JSON Schema of the arguments. It does not forbid other arguments, because some clients
    /// cannot read that; the server itself refuses them.
    fn schema() -> Value;

    /// Reads the arguments. Unknown names are already refused.
    fn take(members: &[(&str, &str)]) -> Result<Self, Fault>;
}

impl<T: DeserializeOwned + JsonSchema> Arguments for T {
    fn names() -> Vec<&'static str> {
        reader::fields::<T>()
    }

    fn schema() -> Value {
        schema::of::<T>()
    }

    fn take(members: &[(&str, &str)]) -> Result<Self, Fault> {
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

/// The arguments with tools named as the server names them; None if they are so already. A client that
/// sees names with a prefix may write them so everywhere.
pub(super) fn unprefixed(tool: BuiltIn, arguments: &Object) -> Option<Object> {
    let prefix = prefix()?;
    let names = |member: &str| match tool {
        // These are tools of other servers.
        BuiltIn::Capabilities => false,
        BuiltIn::Evolve => member == "name",
        _ => member == "tool",
    };
    let bare = |raw: &str| Some(format!("\"{}", raw.strip_prefix('"')?.strip_prefix(prefix)?));
    let own = |(name, raw)| (name, raw, names(name).then(|| bare(raw)).flatten());
    let written: Vec<(&str, &str, Option<String>)> = arguments.iter().map(own).collect();
    let is_changed = written.iter().any(|(.., own)| own.is_some());
    let members = || written.iter().map(|(name, raw, own)| (*name, own.as_deref().unwrap_or(raw)));
    is_changed.then(|| Object::of(members()))
}

/// Reads the arguments of a call of `tool`. A null counts as absent, except in arguments that accept
/// any JSON.
pub(super) fn read<T: Arguments>(members: &[(&str, &str)], tool: &str) -> Result<T, Fault> {
    if let Some(name) = duplicate(members.iter().map(|(name, _)| *name)) {
        let message = format!("the argument `{name}` is given twice");
        return Err(malformed(message, Some("give it once")));
    }
    let known = T::names();
    if let Some((unknown, _)) = members.iter().find(|(name, _)| !known.contains(name)) {
        return Err(refuse(unknown, tool, &known));
    }
    T::take(members)
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

/// The fault of invalid arguments.
pub(super) fn malformed(message: impl Into<String>, hint: Option<&str>) -> Fault {
    fault(FaultCode::Malformed, message.into(), hint)
}

/// Decodes the JSON string `raw` of the argument `name`.
pub(super) fn decode(name: &str, raw: &str) -> Result<String, Fault> {
    serde_json::from_str(raw).map_err(|_| malformed(format!("`{name}` {}", no_text(raw)), None))
}

/// Reads an argument that accepts any JSON. Null is a value here.
pub(super) fn any<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(reader).map(Some)
}

/// The JSON text of an argument that is not parsed further.
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
