//! The inputs that fuzzing starts from, made of the corpus of cases, and the words it inserts.
//! `cargo x fuzz seeds` writes them; files that were put beside them by hand stay.

use super::program::encode;
use super::wire;
use crate::case::{Case, corpus};
use crate::generate::Random;
use crate::native;
use anyhow::Result;
use pif::form::FORMS;
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What the names of the files begin with.
const PREFIX: &str = "case-";

/// Bytes of the longest seed: long ones only slow everything down.
const LONGEST: usize = 1000;

/// Seeds whose bytes are choices.
const GENERATED: u64 = 10;

/// Calls in one seed of the wire.
const CALLS: usize = 6;

/// Words of the protocol and of JSON.
const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\u0000",
    "\\ud83d\\ude00",
    "null",
    "true",
    "false",
    "1e3",
    "2.5",
    "-0",
    "9223372036854775808",
    "1e999",
    "\n",
    "\ninput ",
    "\ndata ",
    "\ncontext ",
    "\nstep 1",
    "\ntool t ",
    "\"body\":",
    "\"cond\":",
    "\"then\":",
    "\"else\":",
    "\"func\":",
    "\"arg\":",
    "\"args\":",
    "\"in\":",
    "\"head\":",
    "\"tail\":",
    "\"input\":",
    "\"jsonrpc\":\"2.0\"",
    "\"id\":1",
    "\"id\":\"a\"",
    "\"method\":",
    "\"params\":",
    "\"name\":",
    "\"arguments\":",
    "\"code\":",
    "\"tool\":",
    "\"result\":{}",
    "\"error\":{}",
    "\"_meta\":",
    "\"tools/call\"",
    "\"tools/list\"",
    "\"ping\"",
    "\"initialize\"",
    "\"server/discover\"",
    "\"subscriptions/listen\"",
    "\"notifications/cancelled\"",
    "\"notifications/initialized\"",
    "\"requestId\":1",
    "\"progressToken\":1",
    "\"cursor\":\"after:\"",
    "\"run\"",
    "\"evolve\"",
    "\"check\"",
    "\"list\"",
    "\"help\"",
    "\"server_info\"",
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}",
];

/// Writes the seeds below `folder` in place of those that are there, and says how many.
pub fn write(folder: &Path) -> Result<usize> {
    let cases: Vec<(String, Case)> = corpus()?
        .into_iter()
        .flat_map(|file| file.cases.into_iter().map(move |case| (file.topic.clone(), case)))
        .collect();
    let programs = programs(&cases);
    let wires = wires(&cases);
    let count = programs.len() + wires.len();
    replace(&folder.join("corpus/program"), programs)?;
    replace(&folder.join("corpus/wire"), wires)?;
    fs::write(folder.join("dictionary.txt"), dictionary())?;
    Ok(count)
}

type Seed = (String, Vec<u8>);

fn replace(folder: &Path, seeds: Vec<Seed>) -> Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            fs::remove_file(entry.path())?;
        }
    }
    for (name, bytes) in seeds {
        fs::write(folder.join(format!("{PREFIX}{name}")), bytes)?;
    }
    Ok(())
}

/// As few programs as show each form with a value and with each fault that it appears with, and some
/// made of choices.
fn programs(cases: &[(String, Case)]) -> Vec<Seed> {
    let mut left: Vec<_> = cases.iter().filter_map(candidate).collect();
    let mut seen = BTreeSet::new();
    let mut seeds = Vec::new();
    loop {
        for (_, pairs) in &mut left {
            pairs.retain(|pair| !seen.contains(pair));
        }
        // The first of those that show most.
        let best = (0..left.len()).rev().max_by_key(|index| left[*index].1.len());
        let Some((seed, pairs)) = best.map(|index| left.swap_remove(index)) else { break };
        if pairs.is_empty() {
            break;
        }
        seen.extend(pairs);
        seeds.push(seed);
    }
    for seed in 0..GENERATED {
        let mut random = Random::new(seed);
        let length = 100 + random.below(400);
        let choices = (0..length).map(|_| u8::try_from(random.below(256)).unwrap_or_default());
        seeds.push((format!("generated-{seed}"), std::iter::once(b'#').chain(choices).collect()));
    }
    seeds
}

/// The seed of a case, and the pairs of form and ending that it shows.
fn candidate((topic, case): &(String, Case)) -> Option<(Seed, Vec<(&'static str, String)>)> {
    let text = encode(&case.program).filter(|text| text.len() <= LONGEST)?;
    let limits = Limits { fuel: 100_000, ..case.limits };
    let end = native::run(&case.program, &limits, u64::MAX).result;
    let end = end.map_or_else(|fault| fault.code, |_| "value".to_owned());
    let forms = FORMS.iter().map(|row| row.name);
    let forms = forms.filter(|form| text.contains(&format!("\"{form}\":")));
    let pairs = forms.map(|form| (form, end.clone())).collect();
    Some(((format!("{topic}-{}", slug(&case.name)), text.into_bytes()), pairs))
}

fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_lowercase();
    slug.chars().take(50).collect()
}

/// One session for each file of cases.
fn wires(cases: &[(String, Case)]) -> Vec<Seed> {
    let mut seeds: Vec<Seed> = Vec::new();
    let mut calls = 0;
    for (topic, case) in cases {
        if seeds.last().is_none_or(|(last, _)| last != topic) {
            seeds.push((topic.clone(), vec![wire::BEGUN]));
            calls = 0;
        }
        let Some((_, text)) = seeds.last_mut() else { continue };
        if calls == CALLS {
            continue;
        }
        let lines = session(&case.program, calls);
        if lines.iter().all(|line| line.len() < LONGEST) && text.len() < 3 * LONGEST {
            calls += 1;
            text.extend(lines.join("").into_bytes());
        }
    }
    seeds
}

/// The calls that evolve the tools of a program and run it.
fn session(program: &Program, number: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, source) in &program.tools {
        let arguments = json!({"name": name, "description": "a tool", "code": source});
        lines.push(call(&json!(format!("{number}-{name}")), "evolve", &arguments));
    }
    let mut arguments = match &program.code {
        Source::Term(code) => json!({"code": raw(code)}),
        Source::Tool(tool) => json!({"tool": tool}),
    };
    match &program.argument {
        Argument::None | Argument::Unapplied => {}
        Argument::Input(text) => arguments["input"] = raw(text),
        Argument::Data(text) => arguments["data"] = raw(text),
    }
    if let Some(context) = &program.context {
        arguments["context"] = raw(context);
    }
    lines.push(call(&json!(number), "run", &arguments));
    lines
}

/// JSON where it is JSON, else its text.
fn raw(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn call(id: &Value, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#) + "\n"
}

/// In the notation of libFuzzer, the keys of all forms among them.
fn dictionary() -> String {
    let forms: Vec<String> = FORMS.iter().map(|row| format!("\"{}\":", row.name)).collect();
    let words = WORDS.iter().copied().chain(forms.iter().map(String::as_str));
    let quote = |word: &str| {
        let bytes = word.bytes().map(|byte| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        });
        format!("\"{}\"\n", bytes.collect::<String>())
    };
    words.map(quote).collect()
}
