//! Secrets: where they come from, and how they get into what servers are started with. They leave
//! the broker in no other way.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::file;
use super::learned::Learned;
use super::reader::Node;
use super::rules::located;
use crate::config::variable;
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

/// Reads `{NAME: {"env": …} | {"file": …}}`. One that is wrong takes nothing from the others.
pub(super) fn read(
    node: &Node<'_>,
    directory: &Path,
    warnings: &mut Vec<String>,
) -> Result<BTreeMap<String, Secret>, Error> {
    let mut secrets = BTreeMap::new();
    for (name, member) in node.members()? {
        match read_one(name, &member, directory) {
            Ok(secret) => drop(secrets.insert(name.to_owned(), secret)),
            Err(error) => warnings.push(error.to_string()),
        }
    }
    Ok(secrets)
}

fn read_one(name: &str, member: &Node<'_>, directory: &Path) -> Result<Secret, Error> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_letter) {
        return Err(member.wrong("the name of a secret has letters, digits and `_` only"));
    }
    member.only(&["env", "file"])?;
    let variable = member.read("env", |node| Ok(node.text()?.to_owned()))?;
    let path = member.read("file", |node| Ok(located(directory, node.text()?)))?;
    match (variable, path) {
        (Some(variable), None) => Ok(Secret::Variable(variable)),
        (None, Some(path)) => Ok(Secret::File(path)),
        _ => Err(member.wrong("write either {\"env\": NAME} or {\"file\": NAME}")),
    }
}

/// A text with `${NAME}` in it: the name of a secret, or of a variable of the environment, which may
/// have a default, `${NAME:-default}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Secret(String),
    /// A variable of the environment, with its text.
    Setting(String, String),
}

impl Template {
    /// Reads a text in which these secrets are named, and variables of the environment.
    pub(super) fn read(node: &Node<'_>, secrets: &BTreeMap<String, Secret>) -> Result<Self, Error> {
        let mut rest = node.text()?;
        let mut pieces = Vec::new();
        while let Some((before, after)) = rest.split_once("${") {
            let Some((inside, after)) = after.split_once('}') else {
                return Err(node.wrong("`${` has no `}` behind it"));
            };
            let (name, default) = match inside.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inside, None),
            };
            let name = name.strip_prefix("env:").unwrap_or(name);
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(if secrets.contains_key(name) {
                Piece::Secret(name.to_owned())
            } else {
                let text = variable(name).or_else(|| default.map(str::to_owned));
                let text = text.ok_or_else(|| node.wrong(unset(name, secrets)))?;
                Piece::Setting(name.to_owned(), text)
            });
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The text with the variables of the environment, and the names of secrets.
    #[must_use]
    pub fn written(&self) -> String {
        let told = self.0.iter().map(|piece| match piece {
            Piece::Text(text) | Piece::Setting(_, text) => text.clone(),
            Piece::Secret(name) => format!("${{{name}}}"),
        });
        told.collect()
    }

    /// Whether no secret is in it.
    pub(super) fn is_plain(&self) -> bool {
        self.secrets().next().is_none()
    }

    /// The names of the secrets in it.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Secret(name) => Some(name.as_str()),
            Piece::Text(_) | Piece::Setting(..) => None,
        })
    }
}

/// What to do about a name that stands for nothing.
fn unset(name: &str, secrets: &BTreeMap<String, Secret>) -> String {
    let hint = match similar(name, secrets.keys().map(String::as_str)) {
        Some(similar) => format!("did you mean `${{{similar}}}`?"),
        None => format!("set it, or write a default: `${{{name}:-…}}`"),
    };
    let name = text::line(name, text::MOST_NAME);
    format!("no secret and no variable of the environment is named `{name}`; {hint}")
}

/// A text that other processes can see, so that no secret may be in it.
pub(super) fn plain(node: &Node<'_>, secrets: &BTreeMap<String, Secret>) -> Result<String, Error> {
    let template = Template::read(node, secrets)?;
    let text = template.written();
    match text.as_str() {
        "" => Err(node.wrong("the text is empty")),
        text if text.contains('\0') => Err(node.wrong("the text has a null character")),
        _ if !template.is_plain() => Err(node
            .wrong("other users would see a secret here; put it into `env`, `headers` or `url`")),
        _ => Ok(text),
    }
}

/// The texts of secrets, by their names.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>, Learned);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Shorter texts are not taken out of answers: they would be found in everything.
const LEAST: usize = 4;

impl Secrets {
    /// Gets those that can be got. The others are told by their names.
    pub fn get(named: &BTreeMap<String, Secret>) -> (Self, BTreeMap<String, String>) {
        let (mut texts, mut missing) = (BTreeMap::new(), BTreeMap::new());
        for (name, secret) in named {
            let text = match secret {
                Secret::Variable(named) => variable(named)
                    .ok_or_else(|| format!("the environment has no variable `{named}`")),
                Secret::File(path) => {
                    file::read_secret(path).map_err(|error| format!("{}: {error}", path.display()))
                }
            };
            match text {
                Ok(text) => drop(texts.insert(name.clone(), text)),
                Err(why) => drop(missing.insert(name.clone(), format!("/secrets/{name}: {why}"))),
            }
        }
        (Self(texts, Learned::default()), missing)
    }

    /// Adds a text that is no secret by name and must not show either.
    fn hide(&mut self, name: &str, text: &str) {
        self.0.entry(name.to_owned()).or_insert_with(|| text.to_owned());
    }

    /// Learns a secret of a server while the broker works. Whoever has a copy of these secrets does, too.
    pub(in super::super) fn learn(&self, server: &str, text: &str) {
        self.1.add(&format!("login of {server}"), text);
    }

    /// A text with the names of secrets where their texts were.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, secret) in self.by_length() {
            if text.contains(&secret) {
                text = text.replace(&secret, &format!("[{name}]"));
            }
        }
        text
    }

    /// Replaces secrets in JSON text, where some characters are escaped.
    #[must_use]
    pub fn redact_json(&self, json: &str) -> String {
        let mut json = json.to_owned();
        for (name, secret) in self.by_length() {
            let escaped = serde_json::to_string(&secret).unwrap_or_default();
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
    fn by_length(&self) -> Vec<(String, String)> {
        let own = self.0.iter().map(|(name, text)| (name.clone(), text.clone()));
        let mut secrets: Vec<_> = own.chain(self.1.all()).collect();
        secrets.retain(|(_, text)| text.len() >= LEAST);
        secrets.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
        secrets
    }
}

/// A template with the texts of its secrets.
#[must_use]
pub(in super::super) fn fill(template: &Template, secrets: &Secrets) -> String {
    let told = template.0.iter().map(|piece| match piece {
        Piece::Text(text) | Piece::Setting(_, text) => text.as_str(),
        Piece::Secret(name) => secrets.0.get(name).map_or("", String::as_str),
    });
    told.collect()
}

/// Words in the names of what is secret, though it stands in the file.
const TELLING: [&str; 6] = ["token", "key", "secret", "password", "authorization", "cookie"];

/// Whether a name says that its value is secret.
pub(super) fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TELLING.iter().any(|word| name.contains(word))
}

/// Hides values of the file and of the environment whose names say that they are secret.
pub(super) fn hide_plain(name: &str, template: &Template, secrets: &mut Secrets) {
    for piece in &template.0 {
        if let Piece::Setting(name, text) = piece
            && text.len() >= 8
            && is_telling(name)
        {
            secrets.hide(name, text);
        }
    }
    let text = template.written();
    if template.is_plain() && text.len() >= 8 && is_telling(name) {
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
        let texts = texts.iter().map(|(name, text)| ((*name).into(), (*text).into()));
        Secrets(texts.collect(), Learned::default())
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
