//! What README.md and the other pages show: settings are read in their language and speak the
//! client's words, commands print what stands beside them, links lead somewhere.

#[path = "snippets/commands.rs"]
mod commands;
#[path = "snippets/links.rs"]
mod links;
#[path = "snippets/pages.rs"]
mod pages;
#[path = "snippets/top.rs"]
mod top;

use anyhow::{Context, Result, bail, ensure};
use pages::Block;
use pif_broker::config::Capabilities;
pub(crate) use pif_tests::server::binary;
use serde_json::{Map, Value};
use std::path::Path;
use yaml_rust2::{Yaml, YamlLoader};

const COMMAND: &str = "/path/to/mcp-pif";

/// How a client is told of a server.
struct Client {
    name: &'static str,
    /// The file it reads, as the pages call it.
    file: &'static str,
    language: &'static str,
    /// The member that holds all servers.
    servers: &'static str,
    /// The member that names the program.
    command: &'static str,
    /// Members that must be as they are here.
    fixed: &'static [(&'static str, &'static str)],
    /// Other members that it knows.
    more: &'static [&'static str],
}

const CLIENTS: [Client; 7] = [
    Client {
        name: "Claude Desktop",
        file: "claude_desktop_config.json",
        language: "json",
        servers: "mcpServers",
        command: "command",
        fixed: &[],
        more: &["args", "env"],
    },
    Client {
        name: "Claude Code",
        file: ".mcp.json",
        language: "json",
        servers: "mcpServers",
        command: "command",
        fixed: &[],
        more: &["args", "env", "type"],
    },
    Client {
        name: "Cursor",
        file: ".cursor/mcp.json",
        language: "json",
        servers: "mcpServers",
        command: "command",
        fixed: &[],
        more: &["args", "env", "type"],
    },
    Client {
        name: "VS Code",
        file: ".vscode/mcp.json",
        language: "json",
        servers: "servers",
        command: "command",
        fixed: &[("type", r#""stdio""#)],
        more: &["args", "env"],
    },
    Client {
        name: "Zed",
        file: "settings.json",
        language: "json",
        servers: "context_servers",
        command: "command",
        fixed: &[],
        more: &["args", "env"],
    },
    Client {
        name: "Codex",
        file: "~/.codex/config.toml",
        language: "toml",
        servers: "mcp_servers",
        command: "command",
        fixed: &[],
        more: &["args", "env"],
    },
    Client {
        name: "Goose",
        file: "~/.config/goose/config.yaml",
        language: "yaml",
        servers: "extensions",
        command: "cmd",
        fixed: &[("type", r#""stdio""#), ("name", r#""pif""#), ("enabled", "true")],
        more: &["args", "timeout"],
    },
];

/// The pages that show settings, the one with commands first.
const PAGES: [&str; 2] = ["host/docs/clients.md", "README.md"];

fn snippets() -> Result<Vec<Block>> {
    let blocks = PAGES.iter().map(|page| pages::blocks(page));
    Ok(blocks.collect::<Result<Vec<_>>>()?.concat())
}

fn parse(snippet: &Block) -> Result<Value> {
    match snippet.language.as_str() {
        "json" => Ok(serde_json::from_str(&snippet.text)?),
        "toml" => Ok(basic_toml::from_str(&snippet.text)?),
        "yaml" => {
            let documents = YamlLoader::load_from_str(&snippet.text)?;
            let [document] = documents.as_slice() else { bail!("not one document") };
            from_yaml(document)
        }
        other => bail!("{other} is no language of settings"),
    }
}

fn from_yaml(yaml: &Yaml) -> Result<Value> {
    Ok(match yaml {
        Yaml::String(text) => text.as_str().into(),
        Yaml::Integer(number) => (*number).into(),
        Yaml::Boolean(flag) => (*flag).into(),
        Yaml::Array(items) => items.iter().map(from_yaml).collect::<Result<Vec<_>>>()?.into(),
        Yaml::Hash(members) => {
            let member = |(key, value): (&Yaml, &Yaml)| {
                let key = key.as_str().context("a key that is no text")?;
                anyhow::Ok((key.to_owned(), from_yaml(value)?))
            };
            members.iter().map(member).collect::<Result<Map<_, _>>>()?.into()
        }
        other => bail!("{other:?} has no place in settings"),
    })
}

fn check(client: &Client, settings: &Value) -> Result<()> {
    let all = settings.as_object().context("settings are an object")?;
    ensure!(all.keys().eq([client.servers]), "only `{}` belongs there", client.servers);
    let servers = all[client.servers].as_object().context("servers are an object")?;
    ensure!(servers.keys().eq(["pif"]), "the server is called pif");
    let server = servers["pif"].as_object().context("a server is an object")?;
    ensure!(server.get(client.command).is_some_and(|it| it == COMMAND), "`{}`", client.command);
    if let Some(arguments) = server.get("args") {
        ensure!(arguments.as_array().is_some_and(Vec::is_empty), "it takes no arguments");
    }
    for (name, value) in client.fixed {
        let found = server.get(*name).map(Value::to_string);
        ensure!(found.as_deref() == Some(value), "`{name}` is {found:?} and not {value}");
    }
    for name in server.keys() {
        let is_fixed = client.fixed.iter().any(|(fixed, _)| fixed == name);
        let is_known = is_fixed || name == client.command || client.more.contains(&name.as_str());
        ensure!(is_known, "{} has no member `{name}`", client.name);
    }
    Ok(())
}

#[test]
fn every_client_is_told_in_its_own_words() -> Result<()> {
    let snippets = snippets()?;
    for client in &CLIENTS {
        let label = format!("{} (`{}`)", client.name, client.file);
        let of_client = snippets.iter().find(|it| it.label.contains(&label));
        let snippet = of_client.with_context(|| format!("nothing is said of {label}"))?;
        ensure!(snippet.language == client.language, "{label} is in {}", snippet.language);
        parse(snippet).and_then(|it| check(client, &it)).context(label)?;
    }
    Ok(())
}

#[test]
fn all_settings_are_of_a_known_client() -> Result<()> {
    let mut seen = 0;
    for snippet in snippets()? {
        if !matches!(snippet.language.as_str(), "json" | "toml" | "yaml") {
            continue;
        }
        let settings = parse(&snippet).with_context(|| snippet.label.clone())?;
        if snippet.label.contains("capabilities.json") {
            Capabilities::parse(&snippet.text, Path::new("/"))?;
            continue;
        }
        let fits = CLIENTS
            .iter()
            .any(|client| snippet.label.contains(client.name) && check(client, &settings).is_ok());
        ensure!(fits, "{}: {}", snippet.label, snippet.text);
        seen += 1;
    }
    ensure!(seen >= 5, "only {seen} pieces of settings");
    Ok(())
}

#[test]
fn commands_that_add_the_server_name_it_so() -> Result<()> {
    let snippets = snippets()?;
    let shell = snippets.iter().find(|it| it.language == "sh").context("no commands")?;
    let mut lines = shell.text.lines();
    for program in ["claude", "codex"] {
        let expected = format!("{program} mcp add pif -- {COMMAND}");
        ensure!(lines.next() == Some(expected.as_str()), "{expected}");
    }
    let added = lines.next().and_then(|line| line.strip_prefix("code --add-mcp '"));
    let added = added.and_then(|rest| rest.strip_suffix('\'')).context("code --add-mcp")?;
    let added: Value = serde_json::from_str(added)?;
    let expected = serde_json::json!({"name": "pif", "type": "stdio", "command": COMMAND});
    assert_eq!(added, expected);
    Ok(())
}
