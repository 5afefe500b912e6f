//! Displays entries: as a short line for people, and as a complete line of JSON.

use pif_domain::text::{self, quote_one, time};
use serde::Serialize;

use super::entry::{Body, Entry, ONLY_CHAIN};

/// The most characters of a word.
const MOST_WORD: usize = 64;

/// The columns of an entry before the members of its body.
#[derive(Serialize)]
struct Columns<'a> {
    entry: i64,
    time: String,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    ending: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<i64>,
}

/// The columns after the members of the body.
#[derive(Serialize)]
struct Chain<'a> {
    /// A text that is not a body, because it was tampered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    ends: i64,
    hash: String,
}

impl Entry {
    /// The parsed body; None if it was tampered with.
    #[must_use]
    pub fn read_body(&self) -> Option<Body> {
        serde_json::from_str(&self.body).ok()
    }

    /// The whole entry as one line of JSON: its columns, and the members of the body unchanged.
    /// Hidden characters are escaped.
    #[must_use]
    pub fn to_json(&self) -> String {
        let columns = Columns {
            entry: self.id,
            time: time::format(self.time),
            kind: &self.kind,
            subject: self.subject.as_deref(),
            ending: &self.ending,
            fuel: self.fuel,
            component: self.component.as_deref(),
            principal: self.principal.as_deref(),
            chain: (self.chain != ONLY_CHAIN).then_some(self.chain),
        };
        let is_body = self.read_body().is_some();
        let chain = Chain {
            body: (!is_body).then_some(&self.body),
            ends: self.ends,
            hash: self.hash.to_string(),
        };
        let body = if is_body { self.body.as_str() } else { "{}" };
        let parts = [members(&columns), strip(body).to_owned(), members(&chain)];
        let parts: Vec<&str> =
            parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        text::line(&format!("{{{}}}", parts.join(",")), usize::MAX)
    }

    /// The entry as a short line.
    #[must_use]
    pub fn to_line(&self) -> String {
        let word = |text: &str| text::line(text, MOST_WORD);
        let mut line = format!("{} {} {}", self.id, time::format(self.time), word(&self.kind));
        if let Some(subject) = &self.subject {
            line = format!("{line} {}", quote_one(subject));
        }
        line = format!("{line}: {}", word(&self.ending));
        if let Some(fuel) = self.fuel {
            line = format!("{line}, {fuel} fuel");
        }
        if let Some(principal) = &self.principal {
            line = format!("{line}, by {}", word(principal));
        }
        match self.read_body() {
            None => format!("{line}, with a body that cannot be read"),
            Some(Body { micros: 0, .. }) => line,
            Some(Body { micros, .. }) => format!("{line}, {}", span(micros)),
        }
    }
}

/// The members of an object as JSON text, without the braces around them.
fn members(object: &impl Serialize) -> String {
    // This cannot fail: texts and numbers are JSON.
    strip(&serde_json::to_string(object).unwrap_or_default()).to_owned()
}

fn strip(object: &str) -> &str {
    object.trim().trim_start_matches('{').strip_suffix('}').unwrap_or_default()
}

/// A duration for people.
fn span(micros: u64) -> String {
    let (whole, tenth) = (micros / 1_000, micros % 1_000 / 100);
    match whole {
        0 => format!("{micros} µs"),
        1..1_000 => format!("{whole}.{tenth} ms"),
        _ => format!("{}.{} s", whole / 1_000, whole % 1_000 / 100),
    }
}
