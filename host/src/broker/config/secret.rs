//! Secrets: where they come from, and how they get into what servers are started with. They leave
//! the broker in no other way.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::Error;
use super::file;
use super::reader::Node;
use super::redact::Spellings;
use super::rules::located;
use crate::config::variable_of_secret;
use crate::json::rewrite;
use crate::text;
use crate::text::similar::similar;

/// Where a secret comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Secret {
    /// A variable of the environment.
    Variable(String),
    /// A file.
    File(PathBuf),
}

/// Reads `{NAME: {"env": …} | {"file": …}}`.
pub(super) fn read(node: &Node<'_>, directory: &Path) -> Result<BTreeMap<String, Secret>, Error> {
    let mut secrets = BTreeMap::new();
    for (name, member) in node.members()? {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_letter) {
            return Err(member.wrong("the name of a secret has letters, digits and `_` only"));
        }
        member.only(&["env", "file"])?;
        let variable = member.read("env", |node| Ok(node.text()?.to_owned()))?;
        let path = member.read("file", |node| Ok(located(directory, node.text()?)))?;
        let secret = match (variable, path) {
            (Some(variable), None) => Secret::Variable(variable),
            (None, Some(path)) => Secret::File(path),
            _ => return Err(member.wrong("write either {\"env\": NAME} or {\"file\": NAME}")),
        };
        secrets.insert(name.to_owned(), secret);
    }
    Ok(secrets)
}

/// A text with `${NAME}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Secret(String),
    /// A variable of the environment, as it is written, and its text.
    Setting(String, String),
}

impl Template {
    /// Reads a text. `${NAME}` is the secret of this name, or else the variable of the environment;
    /// `${NAME:-text}` is the text where there is no such variable.
    pub(super) fn read(node: &Node<'_>, secrets: &BTreeMap<String, Secret>) -> Result<Self, Error> {
        let mut rest = node.text()?;
        let mut pieces = Vec::new();
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                return Err(node.wrong("`${` has no `}` behind it"));
            };
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(if secrets.contains_key(name) {
                Piece::Secret(name.to_owned())
            } else {
                Piece::Setting(name.to_owned(), setting(node, name, secrets)?)
            });
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The text as it stands in the file.
    #[must_use]
    pub fn written(&self) -> String {
        let told = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Secret(name) | Piece::Setting(name, _) => format!("${{{name}}}"),
        });
        told.collect()
    }
}

/// The text of a setting.
fn setting(
    node: &Node<'_>,
    written: &str,
    secrets: &BTreeMap<String, Secret>,
) -> Result<String, Error> {
    let (name, default) = match written.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (written, None),
    };
    variable_of_secret(name).or_else(|| default.map(str::to_owned)).ok_or_else(|| {
        let hint = match similar(name, secrets.keys().map(String::as_str)) {
            Some(similar) => format!("did you mean `${{{similar}}}`?"),
            None => format!("add it: \"secrets\": {{\"{name}\": {{\"env\": \"{name}\"}}}}"),
        };
        let name = text::line(name, text::MOST_NAME);
        node.wrong(format!(
            "no secret and no variable of the environment is named `{name}`; {hint}"
        ))
    })
}

/// The texts of secrets, by their names, and how each may be spelled.
#[derive(Clone, Default)]
pub struct Secrets {
    texts: BTreeMap<String, String>,
    spellings: Arc<Spellings>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.texts.keys()).finish()
    }
}

/// Characters of a secret: a shorter one would be found in everything.
const LEAST: usize = 6;

/// Words that are no secrets: they would be found in everything.
const COMMON: [&str; 40] = [
    "0.0.0.0",
    "000000",
    "111111",
    "123456",
    "12345678",
    "123456789",
    "127.0.0.1",
    "admin",
    "always",
    "changeme",
    "database",
    "default",
    "development",
    "disabled",
    "enabled",
    "example",
    "false",
    "github",
    "google",
    "http://localhost",
    "info",
    "localhost",
    "master",
    "message",
    "normal",
    "null",
    "number",
    "object",
    "password",
    "postgres",
    "private",
    "production",
    "public",
    "secret",
    "server",
    "staging",
    "string",
    "true",
    "undefined",
    "warning",
];

/// Why a text cannot be a secret.
fn unfit(text: &str) -> Option<String> {
    let is_common = COMMON.iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    if text.trim().chars().count() >= LEAST && !is_common {
        return None;
    }
    let what = if is_common { "is a common word" } else { "has less than 6 characters" };
    Some(format!(
        "it {what}, so it would be hidden in every answer; a setting that is no secret is written \
         as `${{VARIABLE}}` without a row under `secrets`"
    ))
}

impl Secrets {
    /// Gets all of them.
    pub fn get(named: &BTreeMap<String, Secret>) -> Result<Self, Error> {
        let mut texts = BTreeMap::new();
        for (name, secret) in named {
            let place = format!("/secrets/{name}");
            let text = match secret {
                Secret::Variable(variable) => variable_of_secret(variable).ok_or_else(|| {
                    Error(format!("{place}: the environment has no variable `{variable}`"))
                })?,
                Secret::File(path) => file::read_secret(path)
                    .map_err(|error| Error(format!("{place}: {}: {error}", path.display())))?,
            };
            if let Some(why) = unfit(&text) {
                return Err(Error(format!("{place}: {why}")));
            }
            texts.insert(name.clone(), text);
        }
        Ok(Self::of(texts))
    }

    fn of(texts: BTreeMap<String, String>) -> Self {
        let named = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let spellings = Arc::new(Spellings::of(named));
        Self { texts, spellings }
    }

    /// A text with the names of secrets where their texts were.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.spellings.redact(text).unwrap_or_else(|| text.to_owned())
    }

    /// The same for the strings of a JSON text. Its numbers and words stay.
    #[must_use]
    pub fn redact_json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        if self.texts.is_empty() {
            return Cow::Borrowed(json);
        }
        rewrite(json, |text| self.spellings.redact(text))
    }
}

/// A template with the texts of its secrets.
#[must_use]
pub(in super::super) fn fill(template: &Template, secrets: &Secrets) -> String {
    let told = template.0.iter().map(|piece| match piece {
        Piece::Text(text) => text.as_str(),
        Piece::Secret(name) => secrets.texts.get(name).map_or("", String::as_str),
        Piece::Setting(_, text) => text,
    });
    told.collect()
}

/// Words in the names of what is secret.
const TELLING: [&str; 6] = ["token", "key", "secret", "password", "authorization", "cookie"];

/// Whether a text of the file looks like a secret that is none: it is not hidden in answers.
pub(super) fn is_exposed(name: &str, template: &Template) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_plain = template.0.iter().all(|piece| matches!(piece, Piece::Text(_)));
    is_plain && template.written().len() >= 8 && TELLING.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(texts: &[(&str, &str)]) -> Secrets {
        Secrets::of(texts.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect())
    }

    #[test]
    fn texts_of_secrets_become_their_names() {
        let secrets = secrets(&[
            ("A", "hunter2"),
            ("B", "hunter2-long"),
            ("C", "x\"y\\z-1"),
            ("D", "8675309"),
        ]);
        assert_eq!(secrets.redact("is hunter2-long, hunter2"), "is [B], [A]");
        assert_eq!(secrets.redact_json(r#"{"a":"x\"y\\z-1"}"#), r#"{"a":"[C]"}"#);
        assert_eq!(secrets.redact_json(r#"[8675309, "8675309"]"#), r#"[8675309, "[D]"]"#);
        assert_eq!(secrets.redact("pin 8675309"), "pin [D]");
    }

    #[test]
    fn what_is_found_everywhere_is_no_secret() {
        for text in ["", "true", "info", "12345", "LocalHost", "password"] {
            assert!(unfit(text).is_some(), "{text}");
        }
        assert_eq!(unfit("hunter2"), None);
    }
}
