//! Attacks as data, as the files in `attacks/` write them: requests that are too large to be
//! written down are described by their parts.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// A file of attacks. They are made one after another on the same server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// What the attacks have in common.
    pub about: String,
    /// Arguments of the server, beside a generous wall clock.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// MiB that the server may have in memory during any of them.
    pub rss: u64,
    /// The attacks.
    pub attacks: Vec<Attack>,
    /// The name of the file without its ending.
    #[serde(skip)]
    pub topic: String,
}

/// One attack and what must come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// What it is, unique in its file.
    pub name: String,
    /// A program to run.
    pub run: Option<Run>,
    /// A term to check.
    pub check: Option<Text>,
    /// A tool to call.
    pub call: Option<Call>,
    /// A line to send. Its id, if it has one, is "attack".
    pub line: Option<Text>,
    /// How often it is made, `{i}` counting in it.
    pub times: Option<usize>,
    /// What must come of it, each time.
    pub expect: Expect,
    /// MiB for this one.
    pub rss: Option<u64>,
    /// Whether it is made on the machine inside this process too.
    #[serde(default = "yes")]
    pub native: bool,
    /// Why it is there, for readers.
    #[serde(default, rename = "note")]
    _note: String,
}

fn yes() -> bool {
    true
}

/// The arguments of `run`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The term.
    pub code: Option<Text>,
    /// Whether the term is sent as a string that holds it.
    #[serde(default)]
    pub quoted: bool,
    /// The tool in place of a term.
    pub tool: Option<String>,
    /// Sources of tools, evolved first.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Its input.
    pub input: Option<Text>,
    /// Its data.
    pub data: Option<Text>,
    /// Its context.
    pub context: Option<Text>,
    /// Limits and whatever else `run` takes, as it stands.
    #[serde(default)]
    pub settings: Map<String, Value>,
}

/// A tool and its source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its source.
    pub code: Text,
}

/// A call of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments as JSON text.
    pub arguments: Text,
}

/// What must come of an attack.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// This value.
    Value(Value),
    /// A value of so many characters, too long to be shown.
    Truncated(u64),
    /// A fault with one of these codes.
    Fault(Vec<String>),
    /// An error of JSON-RPC with this code and the request's id.
    Error(i64),
    /// The same without an id, because none can be read.
    Nameless(i64),
    /// An answer that is no fault, whatever it says.
    Answer(String),
}

/// Text made of parts.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// As it stands.
    Plain(String),
    /// One part after another.
    Parts(Vec<Part>),
}

/// A part of a text.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// As it stands.
    Plain(String),
    /// Something that is made.
    Made(Made),
}

/// A part that is described.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Made {
    /// A text so many times.
    Repeat(Box<Text>, usize),
    /// A text so many times with something between, `{n}` in it counting from 0.
    Each(String, usize, String),
    /// A text so many times, so that all parts together have this length in bytes.
    Fill(String, usize),
    /// A text as a JSON string.
    Json(Box<Text>),
}

impl Text {
    /// The text.
    #[must_use]
    pub fn make(&self) -> String {
        let Self::Parts(parts) = self else {
            let Self::Plain(text) = self else { return String::new() };
            return text.clone();
        };
        let mut made: Vec<String> = parts.iter().map(Part::make).collect();
        let rest: usize = made.iter().map(String::len).sum();
        for (part, text) in parts.iter().zip(&mut made) {
            if let Part::Made(Made::Fill(unit, length)) = part {
                *text = unit.repeat(length.saturating_sub(rest) / unit.len().max(1));
            }
        }
        made.concat()
    }
}

impl Part {
    /// The part; nothing where it depends on the others.
    fn make(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Made(Made::Repeat(text, times)) => text.make().repeat(*times),
            Self::Made(Made::Each(text, times, between)) => {
                let each = (0..*times).map(|n| text.replace("{n}", &n.to_string()));
                each.collect::<Vec<_>>().join(between)
            }
            Self::Made(Made::Fill(..)) => String::new(),
            Self::Made(Made::Json(text)) => json!(text.make()).to_string(),
        }
    }
}

impl Run {
    /// The arguments of `run` as JSON text.
    #[must_use]
    pub fn arguments(&self) -> String {
        let code = self.code.as_ref().map(Text::make);
        let code = code.map(|code| if self.quoted { json!(code).to_string() } else { code });
        let tool = self.tool.as_ref().map(|tool| json!(tool).to_string());
        let settings = self.settings.iter().map(|(name, value)| (name.as_str(), value.to_string()));
        let texts = [
            ("code", code),
            ("tool", tool),
            ("input", self.input.as_ref().map(Text::make)),
            ("data", self.data.as_ref().map(Text::make)),
            ("context", self.context.as_ref().map(Text::make)),
        ];
        let given = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
        let members = given.chain(settings).map(|(name, text)| format!("\"{name}\":{text}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

/// Reads all files of attacks.
pub fn corpus() -> Result<Vec<File>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("attacks");
    let entries = folder.read_dir().with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    let files = paths.iter().map(|path| read(path).with_context(|| path.display().to_string()));
    files.collect()
}

fn read(path: &Path) -> Result<File> {
    let mut file: File = serde_json::from_str(&fs::read_to_string(path)?)?;
    file.topic = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut names: Vec<&str> = file.attacks.iter().map(|attack| attack.name.as_str()).collect();
    names.sort_unstable();
    if let Some([name, _]) = names.array_windows().find(|[a, b]| a == b) {
        bail!("two attacks are called `{name}`");
    }
    Ok(file)
}
