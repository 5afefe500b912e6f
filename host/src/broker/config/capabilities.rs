//! The whole file.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::error::Error;
use super::install::{Install, installs};
use super::pattern::Pattern;
use super::reader::Node;
use super::rules::patterns;
use super::secret::{Secret, Secrets, is_exposed};
use super::server::{Manner, Server};
use super::telemetry::Telemetry;
use super::{file, secret, server, telemetry};

/// The members that the file may have.
const MEMBERS: &[&str] = &[
    "$schema",
    "mcpServers",
    "secrets",
    "allow_install",
    "allow_shadowing",
    "model_may_approve",
    "telemetry",
];

/// All that the file says.
#[derive(Debug, Clone, Default)]
pub struct Capabilities {
    /// The servers, by their ids.
    pub servers: BTreeMap<String, Server>,
    /// Where secrets come from, by their names.
    pub secrets: BTreeMap<String, Secret>,
    /// Commands that a model may install servers with.
    pub allow_install: Vec<Install>,
    /// Whether a native capability may have the name of a server, and answers for it then.
    pub allow_shadowing: bool,
    /// Tools whose calls the model may approve itself, as patterns of `SERVER.TOOL`.
    pub model_may_approve: Vec<Pattern>,
    /// Where traces are sent.
    pub telemetry: Option<Telemetry>,
    /// What is passed over.
    pub warnings: Vec<String>,
}

impl Capabilities {
    /// Reads the file. It must belong to this user and be writable by nobody else.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let told = |error: Error| Error(format!("{}: {error}", path.display()));
        let text = file::read(path).map_err(told)?;
        let directory = path.parent().unwrap_or(Path::new("."));
        Self::parse(&text, directory).map_err(told)
    }

    /// Reads its text. Relative names of files are relative to the directory.
    pub fn parse(text: &str, directory: &Path) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Error(format!("this is no JSON: {error}")))?;
        let root = Node::root(&value);
        root.only(MEMBERS)?;
        let mut read = Self::default();
        if let Some(secrets) = root.get("secrets") {
            read.secrets = secret::read(&secrets, directory)?;
        }
        let servers = root.get("mcpServers").ok_or_else(|| {
            root.wrong("there is no member `mcpServers`; write {\"mcpServers\": {\"name\": {…}}}")
        })?;
        for (id, node) in servers.members()? {
            let server = server::read(id, &node, &read.secrets, directory, &mut read.warnings)?;
            read.servers.insert(id.to_owned(), server);
        }
        read.allow_install =
            root.read("allow_install", |it| installs(it, directory))?.unwrap_or_default();
        read.allow_shadowing = root.read("allow_shadowing", Node::flag)?.unwrap_or(false);
        read.model_may_approve = root.read("model_may_approve", patterns)?.unwrap_or_default();
        read.telemetry = root.read("telemetry", |it| telemetry::read(it, &read.secrets))?;
        read.warn_of_exposed();
        Ok(read)
    }

    /// Variables of the environment that hold secrets.
    #[must_use]
    pub fn variables(&self) -> Vec<String> {
        let variables = self.secrets.values().filter_map(|secret| match secret {
            Secret::Variable(name) => Some(name.clone()),
            Secret::File(_) => None,
        });
        variables.collect()
    }

    /// The texts of secrets.
    pub fn texts(&self) -> Result<Secrets, Error> {
        Secrets::get(&self.secrets)
    }

    /// Warns of texts of the file that look like secrets: only what stands under `secrets` is hidden.
    fn warn_of_exposed(&mut self) {
        let named = self.servers.iter().flat_map(|(id, server)| {
            let (at, named) = match &server.manner {
                Manner::Process { env, .. } => ("env", env),
                Manner::Http { headers, .. } => ("headers", headers),
            };
            named
                .iter()
                .map(move |(name, text)| (format!("/mcpServers/{id}/{at}/{name}"), name, text))
        });
        let exposed = named.filter(|(_, name, text)| is_exposed(name, text));
        let warnings: Vec<String> = exposed
            .map(|(at, ..)| {
                format!(
                    "{at} looks like a secret and is not hidden in answers: put it under `secrets`"
                )
            })
            .collect();
        self.warnings.extend(warnings);
    }

    /// What is granted for a tool.
    #[must_use]
    pub fn may_model_approve(&self, name: &str) -> bool {
        self.model_may_approve.iter().any(|pattern| pattern.matches(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        name: String,
        config: Value,
        #[serde(default)]
        error: Option<String>,
        #[serde(default)]
        warning: Option<String>,
    }

    /// Each configuration of the file is read, or refused with the message that stands beside it.
    #[test]
    fn every_mistake_is_told_with_its_place() {
        let cases: Vec<Case> =
            serde_json::from_str(include_str!("cases.json")).expect("a list of cases");
        assert!(cases.len() > 40, "{}", cases.len());
        for Case { name, config, error, warning } in cases {
            let read = Capabilities::parse(&config.to_string(), Path::new("/etc"));
            match (read, error) {
                (Err(told), Some(expected)) => assert_eq!(told.to_string(), expected, "{name}"),
                (Ok(read), None) => {
                    let told = read.warnings.first();
                    assert_eq!(told.map(String::as_str), warning.as_deref(), "{name}");
                }
                (read, expected) => panic!("{name}: {read:?}, expected {expected:?}"),
            }
        }
    }

    #[test]
    fn text_that_is_no_json_is_told_with_line_and_column() {
        let told = Capabilities::parse("{\n  \"mcpServers\": {,}\n}", Path::new("/etc"));
        let told = told.expect_err("refused").to_string();
        assert!(
            told.starts_with("this is no JSON: ") && told.contains("line 2 column 18"),
            "{told}"
        );
    }
}
