//! Secrets: where they come from, and how they get into what servers are started with. They leave
//! the broker in no other way.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pif_domain::json::rewrite;
use pif_domain::text;
use pif_domain::text::similar::similar;
use pif_system::variable;
use serde::Deserialize;
use serde_json::Value;

use super::error::Error;
use super::file;
use super::login_secrets::SecretTexts;
use super::reader::{Object, Place};
use super::redact::Spellings;

/// Where a secret comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Secret {
    /// A variable of the environment.
    Variable(String),
    /// A file.
    File(PathBuf),
}

/// Where a secret comes from, as the file writes it.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawSecret {
    Env(String),
    File(PathBuf),
}

/// Reads `{NAME: {"env": …} | {"file": …}}`. One that is wrong takes nothing from the others.
pub(super) fn read(
    value: &Value,
    place: &Place<'_>,
    warnings: &mut Vec<String>,
) -> Result<BTreeMap<String, Secret>, Error> {
    let mut secrets = BTreeMap::new();
    for (name, value) in place.read::<Object>(value)? {
        match read_one(&name, &value, &place.member(&name)) {
            Ok(secret) => drop(secrets.insert(name, secret)),
            Err(error) => warnings.push(error.to_string()),
        }
    }
    Ok(secrets)
}

fn read_one(name: &str, value: &Value, place: &Place<'_>) -> Result<Secret, Error> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_letter) {
        return Err(place.wrong("the name of a secret has letters, digits and `_` only"));
    }
    Ok(match place.read(value)? {
        RawSecret::Env(variable) => Secret::Variable(variable),
        RawSecret::File(path) => Secret::File(place.directory.join(path)),
    })
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
    pub(super) fn read(text: &str, place: &Place<'_>) -> Result<Self, Error> {
        let mut rest = text;
        let mut pieces = Vec::new();
        while let Some((before, after)) = rest.split_once("${") {
            let Some((inside, after)) = after.split_once('}') else {
                return Err(place.wrong("`${` has no `}` behind it"));
            };
            let (name, default) = match inside.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inside, None),
            };
            let name = name.strip_prefix("env:").unwrap_or(name);
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(if place.secrets.contains(name) {
                Piece::Secret(name.to_owned())
            } else {
                let text = variable(name).or_else(|| default.map(str::to_owned));
                let text = text.ok_or_else(|| place.wrong(unset(name, place.secrets)))?;
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

/// Reads texts by their names.
pub(super) fn templates<'a>(
    named: impl Iterator<Item = (&'a String, &'a String)>,
    place: &Place<'_>,
    is_name: impl Fn(&str) -> bool,
) -> Result<Vec<(String, Template)>, Error> {
    let read = |(name, text): (&String, &String)| {
        let place = place.member(name);
        if !is_name(name) {
            return Err(place.wrong("invalid name"));
        }
        Ok((name.clone(), Template::read(text, &place)?))
    };
    named.map(read).collect()
}

/// What to do about a name that stands for nothing.
fn unset(name: &str, secrets: &BTreeSet<String>) -> String {
    let hint = match similar(name, secrets.iter().map(String::as_str)) {
        Some(similar) => format!("did you mean `${{{similar}}}`?"),
        None => format!("set it, or write a default: `${{{name}:-…}}`"),
    };
    let name = text::line(name, text::MOST_NAME);
    format!("no secret and no variable of the environment is named `{name}`; {hint}")
}

/// A text that other processes can see, so that no secret may be in it.
pub(super) fn plain(text: &str, place: &Place<'_>) -> Result<String, Error> {
    let template = Template::read(text, place)?;
    let text = template.written();
    match text.as_str() {
        "" => Err(place.wrong("the text is empty")),
        text if text.contains('\0') => Err(place.wrong("the text has a null character")),
        _ if !template.is_plain() => Err(place
            .wrong("other users would see a secret here; put it into `env`, `headers` or `url`")),
        _ => Ok(text),
    }
}

/// The texts of secrets, by their names, and how each may be spelled.
#[derive(Clone, Default)]
pub struct Secrets {
    texts: BTreeMap<String, String>,
    spellings: Arc<Spellings>,
    learned: SecretTexts,
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

/// A text that can be a secret, or why it cannot.
fn fit(text: String) -> Result<String, String> {
    let is_common = COMMON.iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    if text.trim().chars().count() >= LEAST && !is_common {
        return Ok(text);
    }
    let what = if is_common { "is a common word" } else { "has less than 6 characters" };
    Err(format!(
        "it {what}, so it would be hidden in every answer; a setting that is no secret is written \
         as `${{VARIABLE}}` without a row under `secrets`"
    ))
}

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
            match text.and_then(fit) {
                Ok(text) => drop(texts.insert(name.clone(), text)),
                Err(why) => drop(missing.insert(name.clone(), format!("/secrets/{name}: {why}"))),
            }
        }
        (Self::of(texts), missing)
    }

    fn of(texts: BTreeMap<String, String>) -> Self {
        let named = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let spellings = Arc::new(Spellings::of(named));
        Self { texts, spellings, learned: SecretTexts::default() }
    }

    /// Learns a secret of a server while the broker works. Whoever has a copy of these secrets does, too.
    pub(in super::super) fn learn(&self, server: &str, text: &str) {
        if let Ok(text) = fit(text.to_owned()) {
            self.learned.add(&format!("login of {server}"), &text);
        }
    }

    /// A text with the names of secrets where their texts were.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.redacted(text).unwrap_or_else(|| text.to_owned())
    }

    /// Redacts the strings of a JSON text. Its numbers and words stay.
    #[must_use]
    pub fn redact_json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        if self.texts.is_empty() && self.learned.is_empty() {
            return Cow::Borrowed(json);
        }
        rewrite(json, |text| self.redacted(text))
    }

    /// A text without secrets; None: there are none in it.
    fn redacted(&self, text: &str) -> Option<String> {
        let own = if self.texts.is_empty() { None } else { self.spellings.redact(text) };
        if self.learned.is_empty() {
            return own;
        }
        let learned = self.learned.spellings();
        learned.redact(own.as_deref().unwrap_or(text)).or(own)
    }
}

/// A template with the texts of its secrets.
#[must_use]
pub(in super::super) fn fill(template: &Template, secrets: &Secrets) -> String {
    let told = template.0.iter().map(|piece| match piece {
        Piece::Text(text) | Piece::Setting(_, text) => text.as_str(),
        Piece::Secret(name) => secrets.texts.get(name).map_or("", String::as_str),
    });
    told.collect()
}

/// Words in the names of what is secret.
const TELLING: [&str; 6] = ["token", "key", "secret", "password", "authorization", "cookie"];

/// Whether a name says that its value is secret.
pub(super) fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TELLING.iter().any(|word| name.contains(word))
}

/// Whether a text of the file looks like a secret that is none: it is not hidden in answers.
pub(super) fn is_exposed(name: &str, template: &Template) -> bool {
    template.is_plain() && template.written().len() >= 8 && is_telling(name)
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
            assert!(fit(text.to_owned()).is_err(), "{text}");
        }
        assert_eq!(fit("hunter2".to_owned()).as_deref(), Ok("hunter2"));
    }
}
