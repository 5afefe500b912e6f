//! The arguments of a call, read no deeper than they have to be. Every fault names the argument
//! and says what to write.

use serde_json::value::RawValue;

use crate::domain::{Fault, FaultCode, fault};
use crate::json::Members;
use crate::quantity::parse_size;
use crate::similar::similar;

/// What was passed to a tool. A null is as good as nothing, except where a term is expected.
#[derive(Debug)]
pub(super) struct Arguments<'a>(Members<'a>);

impl<'a> Arguments<'a> {
    /// Reads the arguments of a tool that knows these names.
    pub(super) fn parse(text: &'a str, tool: &str, known: &[&str]) -> Result<Self, Fault> {
        let members = Members::parse(text)
            .map_err(|error| malformed(format!("the arguments cannot be read: {error}"), None))?;
        if let Some(name) = members.duplicate() {
            let message = format!("the argument `{name}` is given twice");
            return Err(malformed(message, Some("give it once")));
        }
        if let Some((unknown, _)) = members.iter().find(|(name, _)| !known.contains(name)) {
            return Err(refuse(unknown, tool, known));
        }
        Ok(Self(members))
    }

    /// The text of an argument of any kind.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.raw(name).filter(|raw| *raw != "null")
    }

    /// The text of a term: here null is itself a term.
    pub(super) fn term(&self, name: &str) -> Option<&'a str> {
        self.0.raw(name)
    }

    /// An argument that is a string.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Fault> {
        self.raw(name).map(|raw| decode(name, raw)).transpose()
    }

    /// The same, where there has to be one.
    pub(super) fn required(&self, name: &str, meaning: &str) -> Result<String, Fault> {
        self.text(name)?.ok_or_else(|| {
            malformed(format!("the argument `{name}` is missing"), Some(&format!("add {meaning}")))
        })
    }

    /// An argument that is a list of strings.
    pub(super) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Fault> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let items: Vec<&RawValue> = serde_json::from_str(raw)
            .map_err(|_| malformed(format!("`{name}` must be a list of strings"), None))?;
        items.iter().map(|item| decode(name, item.get())).collect::<Result<_, _>>().map(Some)
    }

    /// An argument that counts something. Digits in a string count too.
    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, Fault> {
        self.number(name, "a whole number, such as 1000", |text| text.parse().ok())
    }

    /// An argument that is a number of bytes.
    pub(super) fn size(&self, name: &str) -> Result<Option<u64>, Fault> {
        self.number(name, "a number of bytes, such as 67108864 or \"64MiB\"", |text| {
            parse_size(text).ok()
        })
    }

    /// An argument that is true or false.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Fault> {
        match self.raw(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(malformed(format!("`{name}` must be true or false"), None)),
        }
    }

    fn number(
        &self,
        name: &str,
        kind: &str,
        read: impl Fn(&str) -> Option<u64>,
    ) -> Result<Option<u64>, Fault> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        match read(raw.trim_matches('"')) {
            Some(number) => Ok(Some(number)),
            None => Err(malformed(format!("`{name}` must be {kind}"), None)),
        }
    }
}

/// The text of a JSON string.
pub(super) fn decode(name: &str, raw: &str) -> Result<String, Fault> {
    serde_json::from_str(raw).map_err(|_| {
        // The text was read as JSON before, so a string fails only for a surrogate on its own.
        let reason = if raw.starts_with('"') {
            "holds half of a surrogate pair, which is no character"
        } else {
            "must be a string"
        };
        malformed(format!("`{name}` {reason}"), None)
    })
}

/// The fault of arguments that are not as they should be.
pub(super) fn malformed(message: impl Into<String>, hint: Option<&str>) -> Fault {
    fault(FaultCode::Malformed, message.into(), hint)
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
