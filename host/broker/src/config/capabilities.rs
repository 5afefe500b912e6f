//! The whole file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use super::endpoint::Endpoint;
use super::error::Error;
use super::install::{Install, installs};
use super::pattern::Pattern;
use super::reader::{self, Object, Place, find};
use super::secret::{Secret, Secrets, is_exposed};
use super::server::{Server, Transport};
use super::{endpoint, file, secret, server};

/// The members that the file may have.
const MEMBERS: &[&str] = &[
    "$schema",
    "mcpServers",
    "secrets",
    "allow_install",
    "allow_shadowing",
    "model_may_approve",
    "embeddings",
    "models",
];

const NO_SERVERS: &str = "there is no member `mcpServers`; write {\"mcpServers\": {\"name\": {…}}}";

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
    /// Who tells what texts mean.
    pub embeddings: Option<Endpoint>,
    /// Who writes programs.
    pub model: Option<Endpoint>,
    /// What is passed over.
    pub warnings: Vec<String>,
}

impl Capabilities {
    /// Reads the file. It must belong to this user and be writable by nobody else.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let with_path = |error: Error| Error(format!("{}: {error}", path.display()));
        let text = file::read(path).map_err(with_path)?;
        let directory = path.parent().unwrap_or(Path::new("."));
        Self::parse(&text, directory).map_err(with_path)
    }

    /// Reads its text. Relative names of files are relative to the directory.
    pub fn parse(text: &str, directory: &Path) -> Result<Self, Error> {
        let none = BTreeSet::new();
        let file = Place::root(&none, directory);
        let root: Object = file.read(&reader::parse(text)?)?;
        let mut read = Self::default();
        let unknown = file.unknown(&root, MEMBERS);
        let servers = find(&root, "mcpServers").ok_or_else(|| {
            let misspelt = unknown.iter().find(|(_, is_near)| *is_near);
            misspelt.map_or_else(|| file.wrong(NO_SERVERS), |(error, _)| error.clone())
        })?;
        read.warnings.extend(unknown.iter().map(|(error, _)| error.to_string()));
        let mut warnings = Vec::new();
        let secrets = find(&root, "secrets")
            .map(|it| secret::read(it, &file.member("secrets"), &mut warnings));
        read.secrets = read.sound(secrets).unwrap_or_default();
        read.warnings.append(&mut warnings);
        let names = read.secrets.keys().cloned().collect();
        let file = Place::root(&names, directory);
        let place = file.member("mcpServers");
        for (id, value) in place.read::<Object>(servers)? {
            let server = server::read(&id, &value, &place.member(&id), &mut read.warnings);
            if server::is_id(&id) {
                read.servers.insert(id, server);
            }
        }
        let member = |name: &str| find(&root, name).map(|value| (value, file.member(name)));
        let installs = member("allow_install").map(|(it, place)| installs(it, &place));
        read.allow_install = read.sound(installs).unwrap_or_default();
        let shadowing = member("allow_shadowing").map(|(it, place)| place.read(it));
        read.allow_shadowing = read.sound(shadowing).unwrap_or(false);
        let approvable = member("model_may_approve").map(|(it, place)| place.read(it));
        read.model_may_approve = read.sound(approvable).unwrap_or_default();
        let embeddings = member("embeddings").map(|(it, place)| endpoint::read(it, &place));
        read.embeddings = read.sound(embeddings);
        let mut warnings = Vec::new();
        let model =
            member("models").map(|(it, place)| endpoint::read_models(it, &place, &mut warnings));
        read.model = read.sound(model);
        read.warnings.append(&mut warnings);
        read.warn_of_exposed();
        Ok(read)
    }

    /// What a member says, unless it is wrong: then it is as if it were not there, with a warning.
    fn sound<T>(&mut self, member: Option<Result<T, Error>>) -> Option<T> {
        member?.map_err(|error| self.warnings.push(format!("{error}: it is ignored"))).ok()
    }

    /// How long the longest call of a server may take.
    #[must_use]
    pub fn longest(&self) -> Duration {
        let on = self.servers.values().filter(|server| !server.disabled);
        on.map(|server| server.limits.longest()).max().unwrap_or_default()
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

    /// The texts of secrets. A server whose secret cannot be got, or cannot be one, is off.
    pub fn texts(&mut self) -> Secrets {
        let (secrets, missing) = Secrets::get(&self.secrets);
        self.warnings.extend(missing.values().cloned());
        for (id, server) in &mut self.servers {
            let why = server.manner.secrets().find_map(|name| missing.get(name)).cloned();
            if let Some(why) = why {
                self.warnings.push(format!("the server `{id}` is off: {why}"));
                server.manner = Transport::Off(why);
            }
        }
        for (endpoint, what) in [
            (&mut self.embeddings, "nobody is asked what texts mean: a secret is missing"),
            (&mut self.model, "no model writes programs: a secret is missing"),
        ] {
            let is_missing = endpoint
                .as_ref()
                .is_some_and(|it| it.secrets().any(|name| missing.contains_key(name)));
            if is_missing {
                self.warnings.push(what.to_owned());
                *endpoint = None;
            }
        }
        secrets
    }

    /// Warns of texts that look like secrets: only what stands under `secrets` is hidden.
    fn warn_of_exposed(&mut self) {
        let servers = self.servers.iter().map(|(id, server)| {
            let member = match server.manner {
                Transport::Http { .. } => "headers",
                Transport::Process { .. } | Transport::Off(_) => "env",
            };
            (format!("/mcpServers/{id}/{member}"), server.manner.named())
        });
        let endpoints =
            [("/embeddings", &self.embeddings), ("/models/default", &self.model)].into_iter();
        let endpoints = endpoints.filter_map(|(at, endpoint)| {
            Some((format!("{at}/headers"), endpoint.as_ref()?.headers.as_slice()))
        });
        let mut warnings = Vec::new();
        for (at, named) in servers.chain(endpoints) {
            for (name, _) in named.iter().filter(|(name, text)| is_exposed(name, text)) {
                warnings.push(format!(
                    "{at}/{name} looks like a secret and is not hidden in answers: \
                     put it under `secrets`"
                ));
            }
        }
        self.warnings.append(&mut warnings);
    }

    /// What is granted for a tool.
    #[must_use]
    pub fn may_model_approve(&self, name: &str) -> bool {
        self.model_may_approve.iter().any(|pattern| pattern.matches(name))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

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
        let told = Capabilities::parse("{\n  \"mcpServers\": {;}\n}", Path::new("/etc"));
        let told = told.expect_err("refused").to_string();
        assert!(
            told.starts_with("this is no JSON: ") && told.contains("line 2 column 18"),
            "{told}"
        );
    }
}
