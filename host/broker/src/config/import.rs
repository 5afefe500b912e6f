//! The configuration of another client, as ours: its servers by ids that we take, its references to
//! the environment, those that tell of secrets as secrets, and nothing of what it approves.

use std::collections::BTreeMap;
use std::env;

use serde_json::{Map, Value, json};

use super::capabilities::Capabilities;
use super::error::Error;
use super::reader::parse;
use super::secret::is_telling;
use super::server::{OWN, is_id};

/// Where clients keep servers: most under the first, some under the others.
const PLACES: [&str; 5] = ["/mcpServers", "/servers", "/mcp/servers", "/context_servers", "/mcp"];

/// Members that are taken over.
const KEPT: [&str; 11] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "oauth",
    "type",
    "disabled",
    "timeout",
    "description",
];

/// Members by other names that some clients give them.
const RENAMED: [(&str, &str); 4] =
    [("httpUrl", "url"), ("serverUrl", "url"), ("environment", "env"), ("transport", "type")];

/// Kinds of servers by the names that some clients give them.
const KINDS: [(&str, &str); 2] = [("local", "stdio"), ("remote", "http")];

/// The text of our configuration, and what was left out of it.
pub fn imported(text: &str) -> Result<(String, Vec<String>), Error> {
    let read = parse(text)?;
    let mut found = ImportReport::default();
    let lists = lists(&read);
    if lists.is_empty() {
        let told = "there is no member `mcpServers`, `servers`, `context_servers` or `mcp`";
        return Err(Error(format!("the file: {told}")));
    }
    for servers in lists {
        for (name, server) in servers {
            found.server(name, server)?;
        }
    }
    found.finish()
}

/// All servers of the file: for every project, and those of the project that we are in.
fn lists(read: &Value) -> Vec<&Map<String, Value>> {
    let common = PLACES.iter().find_map(|place| read.pointer(place)?.as_object());
    let here = env::current_dir().ok();
    let here = here.as_deref().and_then(|path| path.to_str());
    let projects = read.get("projects").and_then(Value::as_object);
    let own = projects.and_then(|it| it.get(here?)?.get("mcpServers")?.as_object());
    common.into_iter().chain(own).collect()
}

/// What was taken over so far.
#[derive(Default)]
struct ImportReport {
    servers: Map<String, Value>,
    secrets: BTreeMap<String, String>,
    notes: Vec<String>,
}

impl ImportReport {
    fn server(&mut self, name: &str, server: &Value) -> Result<(), Error> {
        let id = self.identify(name);
        if id != name {
            self.notes.push(format!("the server `{name}` is named `{id}` here"));
        }
        let mut members = Map::new();
        let theirs = server.as_object();
        let theirs = theirs.ok_or_else(|| Error(format!("/{name}: write an object")))?;
        for (member, value) in theirs {
            let renamed = RENAMED.iter().find(|(theirs, _)| theirs == member);
            let ours = renamed.map_or(member.as_str(), |(_, ours)| ours);
            match (ours, value) {
                ("enabled", Value::Bool(enabled)) => {
                    members.insert("disabled".to_owned(), (!enabled).into());
                }
                // A command in one list with its arguments.
                ("command", Value::Array(words)) => {
                    let words = self.named(words.iter());
                    if let Some((command, args)) = words.split_first() {
                        members.insert("command".to_owned(), command.clone());
                        members.insert("args".to_owned(), args.into());
                    }
                }
                // A command in one object with its arguments.
                ("command", Value::Object(inner)) => {
                    let theirs = [("path", "command"), ("args", "args"), ("env", "env")];
                    for (theirs, ours) in theirs {
                        if let Some(value) = inner.get(theirs) {
                            members.insert(ours.to_owned(), self.value(theirs, value));
                        }
                    }
                }
                ("type", Value::String(kind)) => {
                    let ours = KINDS.iter().find(|(theirs, _)| theirs == kind);
                    let kind = ours.map_or(kind.as_str(), |(_, ours)| ours);
                    members.insert("type".to_owned(), kind.into());
                }
                // opencode switches logins off so; here nobody has to log in.
                ("oauth", Value::Bool(_)) => {}
                (ours, value) if KEPT.contains(&ours) => {
                    members.insert(ours.to_owned(), self.value(ours, value));
                }
                _ => self.notes.push(format!("`{member}` of `{name}` is left out")),
            }
        }
        members.insert("grants".to_owned(), json!({}));
        self.servers.insert(id, Value::Object(members));
        Ok(())
    }

    /// An id that is near a name, and new.
    fn identify(&self, name: &str) -> String {
        let letters = name.chars().map(|c| match c {
            c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
            _ => '-',
        });
        let id: String = letters.take(28).collect();
        let id = match id.trim_matches('-') {
            _ if is_id(name) && name != OWN => name,
            "" => "server",
            id => id,
        };
        let others = (2..).map(|number| format!("{id}-{number}"));
        let mut free = [id.to_owned()].into_iter().chain(others);
        free.find(|id| !self.servers.contains_key(id)).unwrap_or_default()
    }

    fn named<'a>(&mut self, elements: impl Iterator<Item = &'a Value>) -> Vec<Value> {
        elements.map(|it| self.value("", it)).collect()
    }

    /// A value in which references to the environment have become ours.
    fn value(&mut self, name: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(name, text).into(),
            Value::Array(elements) => self.named(elements.iter()).into(),
            Value::Object(members) => {
                let members = members.iter().map(|(name, it)| (name.clone(), self.value(name, it)));
                Value::Object(members.collect())
            }
            other => other.clone(),
        }
    }

    /// `${env:NAME}`, `{env:NAME}` and `${input:NAME}` become `${NAME}`. Where the name of the variable
    /// or of the member tells of a secret, it becomes one; so does what somebody had to type.
    fn text(&mut self, member: &str, text: &str) -> String {
        // opencode writes no `$`.
        let text =
            if text.contains("${") { text.to_owned() } else { text.replace("{env:", "${env:") };
        let mut told = String::new();
        let mut rest = text.as_str();
        while let Some((before, (inside, after))) =
            rest.split_once("${").and_then(|(before, it)| Some((before, it.split_once('}')?)))
        {
            let (variable, default) = match inside.split_once(":-") {
                Some((variable, default)) => (variable, Some(default)),
                None => (inside, None),
            };
            let (is_typed, variable) = match variable.split_once(':') {
                Some((kind, variable)) => (kind == "input", variable),
                None => (false, variable),
            };
            let is_letter = |c: char| c.is_ascii_alphanumeric();
            let name: String =
                variable.chars().map(|c| if is_letter(c) { c } else { '_' }).collect();
            let is_secret = is_typed || is_telling(member) || is_telling(variable);
            match default {
                Some(default) => told.extend([before, "${", &name, ":-", default, "}"]),
                None => told.extend([before, "${", &name, "}"]),
            }
            if is_secret && default.is_none() {
                self.secrets.insert(name.clone(), name);
            }
            rest = after;
        }
        told + rest
    }

    fn finish(self) -> Result<(String, Vec<String>), Error> {
        let Self { servers, secrets, mut notes } = self;
        let mut whole = Map::new();
        whole.insert("mcpServers".to_owned(), servers.into());
        if !secrets.is_empty() {
            let secrets =
                secrets.into_iter().map(|(name, variable)| (name, json!({"env": variable})));
            whole.insert("secrets".to_owned(), Value::Object(secrets.collect()));
        }
        let text =
            serde_json::to_string_pretty(&whole).map_err(|error| Error(error.to_string()))?;
        // What we print we can read, and what is off then is told now.
        let read = Capabilities::parse(&text, std::path::Path::new("."))?;
        notes.extend(read.warnings);
        let message = "nothing is granted yet: write \"grants\": {\"*\": \"read\"} or the like";
        notes.push(message.to_owned());
        Ok((text, notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(theirs: &str) -> (Value, Vec<String>) {
        let (text, notes) = imported(theirs).expect("ours");
        (serde_json::from_str(&text).expect("JSON"), notes)
    }

    #[test]
    fn a_configuration_of_another_client_becomes_ours() {
        let theirs = r#"{"servers": {"Git Hub": {"type": "http", "url": "https://x.test/mcp",
            "headers": {"Authorization": "Bearer ${input:github-token}"}, "autoApprove": ["*"]}}, "inputs": []}"#;
        let (ours, notes) = import(theirs);
        assert_eq!(ours["secrets"], json!({"github_token": {"env": "github_token"}}));
        let header = &ours["mcpServers"]["git-hub"]["headers"]["Authorization"];
        assert_eq!(*header, json!("Bearer ${github_token}"));
        assert!(notes.iter().any(|note| note.contains("`autoApprove` of `Git Hub`")), "{notes:?}");
    }

    #[test]
    fn each_client_writes_its_servers_in_its_own_way() {
        let process = json!({"command": "x", "args": ["-y", "z"], "grants": {}});
        let address = json!({"url": "https://x.test/mcp", "grants": {}});
        for (theirs, ours) in [
            (r#"{"mcpServers": {"a": {"command": "x", "args": ["-y", "z"]}}}"#, &process),
            (
                "{ // Zed\n\"context_servers\": {\"a\": {\"command\": {\"path\": \"x\", \"args\": [\"-y\", \"z\",]},}},}",
                &process,
            ),
            (
                r#"{"context_servers": {"a": {"source": "custom", "command": "x", "args": ["-y", "z"]}}}"#,
                &process,
            ),
            (r#"{"mcp": {"a": {"command": ["x", "-y", "z"]}}}"#, &process),
            (r#"{"mcp": {"servers": {"a": {"command": "x", "args": ["-y", "z"]}}}}"#, &process),
            (r#"{"mcpServers": {"a": {"httpUrl": "https://x.test/mcp"}}}"#, &address),
            (r#"{"mcpServers": {"a": {"serverUrl": "https://x.test/mcp"}}}"#, &address),
        ] {
            let (told, _) = import(theirs);
            assert_eq!(told["mcpServers"]["a"], *ours, "{theirs}");
        }
        let theirs = r#"{"mcp": {"a": {"type": "local", "command": ["x"], "enabled": false, "environment": {"A": "b"}}}}"#;
        let ours = json!({"type": "stdio", "command": "x", "args": [], "disabled": true, "env": {"A": "b"}, "grants": {}});
        assert_eq!(import(theirs).0["mcpServers"]["a"], ours);
    }

    #[test]
    fn variables_stay_settings_unless_they_tell_of_secrets() {
        let theirs = r#"{"mcpServers": {"a": {"command": "${HOME}/x", "args": ["--level", "${LEVEL:-info}"],
            "env": {"LOG_LEVEL": "${LOG_LEVEL:-info}", "KEY": "{env:MY_KEY}", "DIR": "${env:HOME}"}},
            "b": {"url": "${API_BASE:-https://x.test}/mcp"}}}"#;
        let (ours, _) = import(theirs);
        assert_eq!(ours["secrets"], json!({"MY_KEY": {"env": "MY_KEY"}}));
        let a = &ours["mcpServers"]["a"];
        assert_eq!(a["command"], "${HOME}/x");
        assert_eq!(a["args"][1], "${LEVEL:-info}");
        let named =
            json!({"LOG_LEVEL": "${LOG_LEVEL:-info}", "KEY": "${MY_KEY}", "DIR": "${HOME}"});
        assert_eq!(a["env"], named);
        assert_eq!(ours["mcpServers"]["b"]["url"], "${API_BASE:-https://x.test}/mcp");
    }

    #[test]
    fn a_client_for_logins_is_taken_over() {
        let theirs = r#"{"mcpServers": {"a": {"url": "https://x.test/mcp",
            "oauth": {"clientId": "c", "clientSecret": "${env:SHOP_SECRET}", "callbackPort": 8765}}}}"#;
        let (ours, _) = import(theirs);
        assert_eq!(ours["secrets"], json!({"SHOP_SECRET": {"env": "SHOP_SECRET"}}));
        let record =
            json!({"clientId": "c", "clientSecret": "${SHOP_SECRET}", "callbackPort": 8765});
        assert_eq!(ours["mcpServers"]["a"]["oauth"], record);
    }

    #[test]
    fn names_that_would_be_one_id_become_two() {
        let (ours, _) =
            import(r#"{"mcpServers": {"a b": {"command": "x"}, "a.b": {"command": "y"}}}"#);
        assert_eq!(ours["mcpServers"]["a-b"]["command"], "x");
        assert_eq!(ours["mcpServers"]["a-b-2"]["command"], "y");
    }
}
