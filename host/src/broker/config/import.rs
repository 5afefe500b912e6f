//! The configuration of another client, as ours: its servers by ids that we take, its references to
//! the environment as secrets, and nothing of what it approves.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::capabilities::Capabilities;
use super::error::Error;
use super::reader::Node;

/// Where clients keep servers: most under the first, some under the others.
const PLACES: [&str; 4] = ["/mcpServers", "/servers", "/mcp/servers", "/context_servers"];

/// Members that are taken over.
const KEPT: [&str; 10] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "type",
    "disabled",
    "timeout",
    "description",
];

/// The text of our configuration, and what was left out of it.
pub fn imported(text: &str) -> Result<(String, Vec<String>), Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let read: Value =
        serde_json::from_str(text).map_err(|error| Error(format!("this is no JSON: {error}")))?;
    let servers = PLACES.iter().find_map(|place| read.pointer(place));
    let root = Node::root(&read);
    let servers =
        servers.ok_or_else(|| root.wrong("there is no member `mcpServers` or `servers`"))?;
    let (mut taken, mut secrets, mut notes) = (Map::new(), BTreeMap::new(), Vec::new());
    for (name, server) in Node::root(servers).members()? {
        let id = identify(name);
        if id != name {
            notes.push(format!("the server `{name}` is named `{id}` here"));
        }
        let mut members = Map::new();
        for (member, value) in server.members()? {
            if KEPT.contains(&member) {
                members.insert(member.to_owned(), named(value.value, &mut secrets));
            } else {
                notes.push(format!("`{member}` of `{name}` is left out"));
            }
        }
        members.insert("grants".to_owned(), json!({}));
        if taken.insert(id.clone(), Value::Object(members)).is_some() {
            return Err(server.wrong(format!("two servers would be named `{id}`")));
        }
    }
    let mut whole = Map::new();
    whole.insert("mcpServers".to_owned(), taken.into());
    if !secrets.is_empty() {
        let secrets = secrets.into_iter().map(|(name, variable)| (name, json!({"env": variable})));
        whole.insert("secrets".to_owned(), Value::Object(secrets.collect()));
    }
    notes
        .push("nothing is granted yet: write \"grants\": {\"*\": \"read\"} or the like".to_owned());
    let text = serde_json::to_string_pretty(&whole).map_err(|error| Error(error.to_string()))?;
    // What we print we can read.
    Capabilities::parse(&text, std::path::Path::new("."))?;
    Ok((text, notes))
}

/// An id that is near a name.
fn identify(name: &str) -> String {
    let letters =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let id: String = letters.take(32).collect();
    let id = id.trim_matches('-');
    if id.is_empty() { "server".to_owned() } else { id.to_owned() }
}

/// A value in which `${env:NAME}` and `${input:NAME}` have become `${NAME}`.
fn named(value: &Value, secrets: &mut BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => named_text(text, secrets).into(),
        Value::Array(elements) => elements.iter().map(|it| named(it, secrets)).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, it)| (name.clone(), named(it, secrets)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn named_text(text: &str, secrets: &mut BTreeMap<String, String>) -> String {
    let (mut told, mut rest) = (String::new(), text);
    while let Some((before, (inside, after))) =
        rest.split_once("${").and_then(|(before, it)| Some((before, it.split_once('}')?)))
    {
        let variable = inside.rsplit(':').next().unwrap_or(inside);
        let is_letter = |c: char| c.is_ascii_alphanumeric();
        let name: String = variable.chars().map(|c| if is_letter(c) { c } else { '_' }).collect();
        told.extend([before, "${", &name, "}"]);
        secrets.insert(name.clone(), name);
        rest = after;
    }
    told + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_of_another_client_becomes_ours() {
        let theirs = r#"{"servers": {"Git Hub": {"type": "http", "url": "https://x.test/mcp",
            "headers": {"Authorization": "Bearer ${input:github-token}"}, "autoApprove": ["*"]}}, "inputs": []}"#;
        let (text, notes) = imported(theirs).expect("ours");
        let ours: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(ours["secrets"], json!({"github_token": {"env": "github_token"}}));
        let header = &ours["mcpServers"]["git-hub"]["headers"]["Authorization"];
        assert_eq!(*header, json!("Bearer ${github_token}"));
        assert!(notes.iter().any(|note| note.contains("`autoApprove` of `Git Hub`")), "{notes:?}");
    }
}
