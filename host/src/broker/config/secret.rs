//! Secrets: where they come from, and how they get into what servers are started with. They leave
//! the broker in no other way.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::file;
use super::reader::Node;
use super::rules::located;
use crate::config::variable_of_secret;
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
}

impl Template {
    /// Reads a text in which only these secrets are named.
    pub(super) fn read(node: &Node<'_>, secrets: &BTreeMap<String, Secret>) -> Result<Self, Error> {
        let mut rest = node.text()?;
        let mut pieces = Vec::new();
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                return Err(node.wrong("`${` has no `}` behind it"));
            };
            if !secrets.contains_key(name) {
                let hint = match similar(name, secrets.keys().map(String::as_str)) {
                    Some(similar) => format!("did you mean `${{{similar}}}`?"),
                    None => format!("add it: \"secrets\": {{\"{name}\": {{\"env\": \"{name}\"}}}}"),
                };
                let name = text::line(name, text::MOST_NAME);
                return Err(node.wrong(format!("no secret is named `{name}`; {hint}")));
            }
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(Piece::Secret(name.to_owned()));
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
            Piece::Secret(name) => format!("${{{name}}}"),
        });
        told.collect()
    }

    /// Whether no secret is in it.
    fn is_plain(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, Piece::Text(_)))
    }
}

/// The texts of secrets, by their names.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Shorter texts are not taken out of answers: they would be found in everything.
const LEAST: usize = 4;

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
            texts.insert(name.clone(), text);
        }
        Ok(Self(texts))
    }

    /// Adds a text that is no secret by name and must not show either.
    fn hide(&mut self, name: &str, text: &str) {
        self.0.entry(name.to_owned()).or_insert_with(|| text.to_owned());
    }

    /// A text with the names of secrets where their texts were.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, secret) in self.by_length() {
            if text.contains(secret) {
                text = text.replace(secret, &format!("[{name}]"));
            }
        }
        text
    }

    /// Replaces secrets in JSON text, where some characters are escaped.
    #[must_use]
    pub fn redact_json(&self, json: &str) -> String {
        let mut json = json.to_owned();
        for (name, secret) in self.by_length() {
            let escaped = serde_json::to_string(secret).unwrap_or_default();
            let escaped = escaped.get(1..escaped.len().saturating_sub(1)).unwrap_or_default();
            // A number that looks like the secret would become a text that is no JSON.
            let is_number = secret.parse::<f64>().is_ok();
            if !is_number && !escaped.is_empty() && json.contains(escaped) {
                json = json.replace(escaped, &format!("[{name}]"));
            }
        }
        json
    }

    /// The longest first: one secret may be a part of another.
    fn by_length(&self) -> Vec<(&str, &str)> {
        let mut secrets: Vec<_> =
            self.0.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        secrets.retain(|(_, text)| text.len() >= LEAST);
        secrets.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
        secrets
    }
}

/// A template with the texts of its secrets.
#[must_use]
pub(in super::super) fn fill(template: &Template, secrets: &Secrets) -> String {
    let told = template.0.iter().map(|piece| match piece {
        Piece::Text(text) => text.as_str(),
        Piece::Secret(name) => secrets.0.get(name).map_or("", String::as_str),
    });
    told.collect()
}

/// Words in the names of what is secret, though it stands in the file.
const TELLING: [&str; 6] = ["token", "key", "secret", "password", "authorization", "cookie"];

/// Hides values of the file whose names say that they are secret.
pub(super) fn hide_plain(name: &str, template: &Template, secrets: &mut Secrets) {
    let text = template.written();
    let lower = name.to_ascii_lowercase();
    if template.is_plain() && text.len() >= 8 && TELLING.iter().any(|word| lower.contains(word)) {
        secrets.hide(name, &text);
        // What follows `Bearer` shows by itself.
        if let Some((_, token)) = text.split_once(' ') {
            secrets.hide(name, token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(texts: &[(&str, &str)]) -> Secrets {
        Secrets(texts.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect())
    }

    #[test]
    fn texts_of_secrets_become_their_names() {
        let secrets =
            secrets(&[("A", "hunter2"), ("B", "hunter2-long"), ("C", "x\"y\\z"), ("D", "12345")]);
        assert_eq!(secrets.redact("is hunter2-long, hunter2"), "is [B], [A]");
        assert_eq!(secrets.redact_json(r#"{"a":"x\"y\\z"}"#), r#"{"a":"[C]"}"#);
        assert_eq!(secrets.redact_json("[12345]"), "[12345]");
        assert_eq!(secrets.redact("pin 12345"), "pin [D]");
    }
}
