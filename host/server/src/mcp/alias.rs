//! Names and spellings of the server's ClojureScript ancestor. A call by one of them becomes the
//! equivalent call of a current tool. Its values keep their text.

use std::sync::Arc;

use pif_domain::json::{Object, decoded};
use pif_domain::text::quote_one;
use pif_domain::{Fault, SPELLINGS};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::{self, decode, malformed, record};

const EXECUTE: &str = "execute-tool";
const EVOLVE: &str = "meta-evolve";

/// `capabilities` of one tool, by its name.
const DESCRIBE: [&str; 2] = ["describe_capability", "describe-capability"];

/// The call that an alias stands for.
#[derive(Debug)]
pub(super) struct Meant {
    pub(super) name: String,
    pub(super) arguments: Arc<Object>,
    /// Whether the tool's name was an argument. An unknown name is then a fault of that argument.
    pub(super) is_argument: bool,
    /// Notes on the translation.
    pub(super) notes: Vec<String>,
}

/// Translates a call of an alias; None if the name is not an alias.
pub(super) fn resolve(
    name: &str,
    arguments: &Object,
    nesting: usize,
) -> Option<Result<Meant, Fault>> {
    // The names of these two are reserved in both spellings.
    match name {
        EXECUTE | "execute_tool" => Some(execute(arguments, nesting)),
        EVOLVE | "meta_evolve" => Some(evolve(arguments)),
        _ if DESCRIBE.contains(&name) => Some(Ok(describe(arguments))),
        "reset" => Some(Ok(reset(arguments))),
        _ => {
            let (_, meant) = SPELLINGS.iter().find(|(alias, _)| *alias == name)?;
            Some(Ok(plain(meant, renamed(meant, &spell(arguments)))))
        }
    }
}

fn plain(name: &str, arguments: Object) -> Meant {
    let arguments = Arc::new(arguments);
    Meant { name: name.to_owned(), arguments, is_argument: false, notes: Vec::new() }
}

/// `reset`: forgets all that its session, or the default one, binds.
fn reset(arguments: &Object) -> Meant {
    let meant = "session_forget";
    let members = renamed(meant, &spell(arguments));
    let all = members.raw("all").is_none().then_some(("all", "true"));
    plain(meant, Object::of(members.iter().chain(all)))
}

/// Arguments that the tools of sessions have under other names.
const RENAMED: [(&str, &str, &str); 5] = [
    ("session_eval", "program", "code"),
    ("session_eval", "expression", "code"),
    ("session_", "session_id", "session"),
    ("session_save", "label", "name"),
    ("session_restore", "label", "name"),
];

fn renamed(tool: &str, members: &Object) -> Object {
    let meant = |name: &str| {
        let row = RENAMED.iter().find(|(of, old, _)| tool.starts_with(of) && *old == name);
        row.map(|(_, _, new)| *new).filter(|new| members.raw(new).is_none())
    };
    Object::of(members.iter().map(|(name, value)| (meant(name).unwrap_or(name), value)))
}

/// What `execute-tool` takes.
#[derive(Debug, Deserialize, JsonSchema)]
struct Execute {
    /// the name of the tool to call
    tool_name: String,
    #[serde(default)]
    #[schemars(schema_with = "record")]
    arguments: Option<Box<RawValue>>,
}

/// `execute-tool`: calls the tool that its arguments name, with the arguments in them.
fn execute(arguments: &Object, nesting: usize) -> Result<Meant, Fault> {
    let spelled = spell(arguments);
    let given: Vec<(&str, &str)> = spelled.iter().collect();
    let Execute { tool_name: name, arguments } = arguments::read(&given, EXECUTE)?;
    let passed = arguments.as_deref().map_or("{}", RawValue::get);
    let passed = decoded(passed, '{', nesting);
    if !passed.starts_with('{') {
        let hint = "write them as for a direct call, such as {\"input\": 7}";
        return Err(malformed("`arguments` must be an object", Some(hint)));
    }
    let passed = Object::parse(&passed)
        .map_err(|error| malformed(format!("the arguments cannot be read: {error}"), None))?;
    match resolve_once(&name, &passed, nesting)? {
        Some(meant) => Ok(Meant { is_argument: true, ..meant }),
        None => Ok(Meant { name, is_argument: true, ..plain("", spell(&passed)) }),
    }
}

/// `execute-tool` may call another alias, but not itself.
fn resolve_once(name: &str, arguments: &Object, nesting: usize) -> Result<Option<Meant>, Fault> {
    if matches!(name, EXECUTE | "execute_tool") {
        let hint = "give the name and the arguments of the tool itself";
        return Err(malformed("`execute-tool` does not call itself", Some(hint)));
    }
    resolve(name, arguments, nesting).transpose()
}

/// `describe_capability`: its argument may be called `name` or `capability`.
fn describe(arguments: &Object) -> Meant {
    let members = spell(arguments);
    let named = |name| if matches!(name, "name" | "capability") { "tool" } else { name };
    let renamed = Object::of(members.iter().map(|(name, value)| (named(name), value)));
    plain("capabilities", renamed)
}

/// `meta-evolve`: only adding a tool is still supported.
fn evolve(arguments: &Object) -> Result<Meant, Fault> {
    let members = spell(arguments);
    let kind = members.raw("type").map(|raw| decode("type", raw)).transpose()?;
    match kind.as_deref() {
        Some("add-tool" | "modify-tool") => {}
        other => {
            let message = match other {
                None => "the argument `type` is missing".to_owned(),
                Some(other) => format!("`meta-evolve` has no type {}", quote_one(other)),
            };
            let hint = "write \"type\": \"add-tool\", or call `evolve`, which needs no type";
            return Err(malformed(message, Some(hint)));
        }
    }
    if members.raw("name").is_some() && members.raw("tool_name").is_some() {
        let message = "`name` and `tool-name` are both given";
        return Err(malformed(message, Some("give only one of them")));
    }
    let code = members.raw("code").map(arrow).transpose()?.flatten();
    let mut notes = Vec::new();
    let mut kept = Vec::new();
    for (name, value) in members.iter() {
        match name {
            "type" => {}
            "tool_name" => kept.push(("name", value)),
            // The term determines the argument of a tool.
            "tool_type" | "schema" => {
                let shown = name.replace('_', "-");
                notes.push(format!("`{shown}` is ignored: a term does not need it"));
            }
            "code" => kept.push(("code", code.as_deref().unwrap_or(value))),
            name => kept.push((name, value)),
        }
    }
    Ok(Meant { notes, ..plain("evolve", Object::of(kept)) })
}

/// Turns code that is a function in JavaScript into an arrow function of the notation. Other code
/// gives none.
fn arrow(code: &str) -> Result<Option<String>, Fault> {
    if !code.starts_with('"') {
        return Ok(None);
    }
    let text = decode("code", code)?;
    let function = text.trim().strip_prefix("function").and_then(|rest| {
        let (name, rest) = rest.split_once('(')?;
        let (parameters, body) = rest.split_once(')')?;
        let is_name = name.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        is_name.then(|| format!("({parameters}) => {}", body.trim_start()))
    });
    Ok(function.map(|function| Value::from(function).to_string()))
}

/// The arguments with each `-` in their names replaced by `_`.
fn spell(arguments: &Object) -> Object {
    let names: Vec<(String, &str)> =
        arguments.iter().map(|(name, value)| (name.replace('-', "_"), value)).collect();
    Object::of(names.iter().map(|(name, value)| (name.as_str(), *value)))
}
