//! The files of the standard library as they are to be: terms in their canonical spelling, their
//! hashes, one layout. Whoever edits them writes terms in any spelling. The source of a tool may
//! stand in the notation, in a file of its own: that of the tool `t` of `f.json` in `f/t.js`.

use crate::reference;
use anyhow::{Context, Result, ensure};
use pif::analysis;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Characters of a line, unless there is no place to break it.
const WIDTH: usize = 140;

/// The files, by name.
pub fn files() -> Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/server/library");
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    ensure!(!files.is_empty(), "the library is empty");
    Ok(files)
}

/// Where the page about the library is.
#[must_use]
pub fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/docs/library.md")
}

/// The page with its tables as the files have them now.
pub fn renew_page(text: &str) -> Result<String> {
    let files = files()?;
    let tables = files.iter().map(|file| table(file)).collect::<Result<Vec<_>>>()?;
    reference::replace(text, "library", &tables.join("\n"))
}

/// The tools of a file by name and description, below its name. Earlier revisions are left out.
fn table(file: &Path) -> Result<String> {
    let name = file.file_stem().and_then(|name| name.to_str()).context("a name")?;
    let mut title = name.to_owned();
    title[..1].make_ascii_uppercase();
    let mut text = format!("## {title}\n\n| tool | what it does |\n|---|---|\n");
    for tool in tools(&fs::read_to_string(file)?)?.iter().filter(|tool| !is_pinned(tool)) {
        let member = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default();
        let description = member("description").replace('|', "\\|");
        writeln!(text, "| `{}` | {description} |", member("name"))?;
    }
    Ok(text)
}

/// Whether a revision is kept for those that name it, and is not the current one.
fn is_pinned(tool: &Map<String, Value>) -> bool {
    tool.get("pinned") == Some(&json!(true))
}

/// The tools of a file.
pub fn tools(text: &str) -> Result<Vec<Map<String, Value>>> {
    let mut file: Value = serde_json::from_str(text)?;
    Ok(serde_json::from_value(file["tools"].take())?)
}

/// What a file has to hold: its tools in order, and everything that follows from their terms.
pub fn renew(file: &Path) -> Result<String> {
    let mut tools = tools(&fs::read_to_string(file)?)?;
    tools.sort_by_key(|tool| (tool["name"].to_string(), !is_pinned(tool)));
    let folder = file.with_extension("");
    let renewed = |tool| renew_tool(tool, &folder).context(tool["name"].to_string());
    let tools = tools.iter().map(renewed);
    let tools = tools.collect::<Result<Vec<String>>>()?;
    let head = "{\n  \"format\": \"mcp-pif export\",\n  \"version\": 1,\n  \"tools\": [\n";
    Ok(format!("{head}{}\n  ]\n}}\n", tools.join(",\n")))
}

fn renew_tool(tool: &Map<String, Value>, folder: &Path) -> Result<String> {
    let member = |name: &str| tool.get(name).with_context(|| format!("`{name}` is missing"));
    let name = member("name")?.as_str().context("a name")?;
    let notation = folder.join(name).with_extension("js");
    let source = if notation.exists() && !is_pinned(tool) {
        fs::read_to_string(notation)?
    } else {
        member("source")?.to_string()
    };
    let summary = analysis::check(&source);
    let summary = summary.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    ensure!(summary.notes.is_empty(), "{:?}", summary.notes);
    ensure!(summary.free.is_empty(), "nothing binds {:?}", summary.free);
    let mut text = format!("    {{\n      \"name\": {},\n", json!(name));
    writeln!(text, "      \"sha256\": \"{}\",", summary.hash)?;
    writeln!(text, "      \"description\": {},", member("description")?)?;
    if is_pinned(tool) {
        writeln!(text, "      \"pinned\": true,")?;
    }
    let source: Value = serde_json::from_str(&summary.canonical)?;
    writeln!(text, "      \"source\": {},", lay_out(&source, 6))?;
    let examples = member("examples")?.as_array().context("examples")?;
    let examples: Vec<String> = examples.iter().map(|it| format!("        {it}")).collect();
    write!(text, "      \"examples\": [\n{}\n      ]\n    }}", examples.join(",\n"))?;
    Ok(text)
}

/// JSON over as many lines as it needs, each part on one if it fits there.
fn lay_out(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    if indent + line.chars().count() <= WIDTH {
        return line;
    }
    let inner = indent + 2;
    let member =
        |(key, value): (&String, &Value)| format!("{}:{}", json!(key), lay_out(value, inner));
    let (open, parts, close) = match value {
        Value::Array(items) => ('[', items.iter().map(|it| lay_out(it, inner)).collect(), ']'),
        Value::Object(members) => ('{', members.iter().map(member).collect(), '}'),
        _ => return line,
    };
    let parts: Vec<String> = parts;
    let blanks = " ".repeat(inner);
    format!(
        "{open}\n{blanks}{}\n{}{close}",
        parts.join(&format!(",\n{blanks}")),
        " ".repeat(indent)
    )
}
