//! `mcp-pif grammar`: the notation as a `TextMate` grammar, for editors that color programs. All its
//! words come from the evaluator's tables.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use pif_domain::Limit;
use pif_sandbox::Watch;
use pif_server::config::Options;
use serde::Deserialize;
use serde_json::{Value, json};

use super::open::open_if_any;
use super::print::{fail, print};
use super::settings::{Directory, start};

#[derive(Debug, Args)]
pub(super) struct Grammar {
    #[command(flatten)]
    place: Directory,
}

/// A row of the table of forms.
#[derive(Debug, Deserialize)]
struct Form {
    name: String,
}

/// The marks and words of the notation.
#[derive(Debug, Deserialize)]
struct GrammarWords {
    operators: Vec<String>,
    constants: Vec<String>,
    keywords: Vec<String>,
    aliases: Vec<String>,
}

/// Marks that are no operators between two operands.
const MARKS: [&str; 7] = ["=>", "...", "?.", "!", "?", ":", "="];

impl Grammar {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let workshop = open_if_any(config)?;
        let (forms, words) = match workshop.sandbox.tables(&watch) {
            Ok(tables) => tables,
            Err(fault) => return Ok(fail(&[fault])),
        };
        let forms: Vec<Form> = serde_json::from_str(&forms).context("the table of forms")?;
        let words: GrammarWords =
            serde_json::from_str(&words).context("the words of the notation")?;
        Ok(print(&format!("{:#}", grammar(&forms, &words))))
    }
}

fn grammar(forms: &[Form], words: &GrammarWords) -> Value {
    let names = forms.iter().map(|form| form.name.as_str()).chain(texts(&words.aliases));
    let marks = texts(&words.operators).chain(MARKS);
    json!({
        "name": "mcp-pif",
        "scopeName": "source.pif",
        "fileTypes": ["pif"],
        "patterns": [{"include": "#program"}],
        "repository": {
            "program": {"patterns": [
                {"name": "comment.line.double-slash.pif", "match": "//.*$"},
                {"name": "comment.block.pif", "begin": "/\\*", "end": "\\*/"},
                quoted("string.quoted.double.pif", "\""),
                quoted("string.quoted.single.pif", "'"),
                {"include": "#template"},
                {"name": "entity.name.function.tool.pif", "match": "@(?:\"[^\"]*\"|[A-Za-z_][\\w@]*)"},
                {"name": "constant.numeric.pif", "match": "(?<![\\w$])(?:\\d[\\d_]*(?:\\.\\d[\\d_]*)?|\\.\\d[\\d_]*)(?:[eE][+-]?\\d+)?"},
                {"name": "constant.language.pif", "match": word(texts(&words.constants))},
                {"name": "keyword.control.pif", "match": word(texts(&words.keywords))},
                {"name": "support.function.pif", "match": format!("{}(?=\\s*\\()", word(camels(names)))},
                {"name": "variable.other.property.pif", "match": "(?<=\\.)[A-Za-z_$][\\w$]*"},
                {"name": "variable.other.pif", "match": "[A-Za-z_$][\\w$]*"},
                {"name": "keyword.operator.pif", "match": any(marks)},
                {"begin": "\\{", "end": "\\}", "patterns": [{"include": "#program"}]},
            ]},
            "template": {
                "name": "string.template.pif",
                "begin": "`",
                "end": "`",
                "patterns": [
                    {"name": "constant.character.escape.pif", "match": "\\\\."},
                    {
                        "name": "meta.embedded.pif",
                        "begin": "\\$\\{",
                        "end": "\\}",
                        "patterns": [{"include": "#program"}],
                    },
                ],
            },
        },
    })
}

fn texts(list: &[String]) -> impl Iterator<Item = &str> {
    list.iter().map(String::as_str)
}

/// A text between two of these marks.
fn quoted(name: &str, mark: &str) -> Value {
    let escape = json!({"name": "constant.character.escape.pif", "match": "\\\\."});
    json!({"name": name, "begin": mark, "end": format!("{mark}|$"), "patterns": [escape]})
}

/// Each name, and in `camelCase` too where that differs.
fn camels<'a>(names: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
    names.flat_map(|name| {
        let camel = camel(name);
        let other = (camel != name).then_some(camel);
        std::iter::once(name.to_owned()).chain(other)
    })
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
        camel
    })
}

/// A pattern of one of these words as a whole.
fn word(words: impl Iterator<Item = impl AsRef<str>>) -> String {
    format!("(?<![\\w$]){}(?![\\w$])", any(words))
}

/// A pattern of one of these texts. The longest comes first, since the first match wins.
fn any(texts: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut texts: Vec<String> = texts.map(|text| escape(text.as_ref())).collect();
    texts.sort_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
    texts.dedup();
    format!("(?:{})", texts.join("|"))
}

/// A text as a pattern of itself.
fn escape(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if !(c.is_alphanumeric() || c == '_') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
