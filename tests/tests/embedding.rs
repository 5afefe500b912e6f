//! The examples of guest/EMBEDDING.md and guest/README.md: requests are evaluated, conversations
//! held, and program text stands in the programs that `cargo x examples` runs.

use anyhow::{Context, Result, bail, ensure};
use pif::envelope::evaluate;
use pif::limits::Limits;
use pif::machine::Machine;
use pif::request::{Answer, Argument, Call, Outcome, Program, Source, Step};
use pif_tests::embedding;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The fenced blocks of a document, with their languages.
fn blocks(document: &str) -> Result<Vec<(String, String)>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest").join(document);
    let text = fs::read_to_string(path)?;
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push((language.to_owned(), block.join("\n")));
        }
    }
    ensure!(!found.is_empty(), "{document} has no examples");
    Ok(found)
}

fn json_blocks(document: &str) -> Result<Vec<String>> {
    let blocks = blocks(document)?.into_iter();
    Ok(blocks.filter(|(language, _)| language == "json").map(|(_, text)| text).collect())
}

/// Each object is a request; the next one is its answer.
fn requests_are_answered(document: &str, least: usize) -> Result<()> {
    let objects: Vec<String> =
        json_blocks(document)?.into_iter().filter(|text| text.starts_with('{')).collect();
    ensure!(objects.len() >= 2 * least, "{document} has only {} objects", objects.len());
    for pair in objects.chunks(2) {
        let [request, answer] = pair else { bail!("{document}: no answer to {pair:?}") };
        let (given, shown) = (evaluate(request), serde_json::from_str(answer)?);
        ensure!(holds(&serde_json::from_str(&given)?, &shown), "{document}: {given}\n{shown}");
    }
    Ok(())
}

/// Whether a value is as shown, but for members that were added since.
fn holds(value: &Value, shown: &Value) -> bool {
    match (value, shown) {
        (Value::Object(members), Value::Object(shown)) => shown
            .iter()
            .all(|(name, shown)| members.get(name).is_some_and(|value| holds(value, shown))),
        _ => value == shown,
    }
}

#[test]
fn requests_of_the_page_are_answered_so() -> Result<()> {
    requests_are_answered("EMBEDDING.md", 2)
}

#[test]
fn requests_of_the_readme_are_answered_so() -> Result<()> {
    requests_are_answered("README.md", 2)
}

#[test]
fn conversations_go_so() -> Result<()> {
    let mut turns = 0;
    for text in json_blocks("EMBEDDING.md")?.iter().filter(|text| text.starts_with('[')) {
        let told: Vec<Value> = serde_json::from_str(text)?;
        let (first, rest) = told.split_first().context("a conversation without turns")?;
        let mut machine = start(&first["start"])?;
        for turn in rest {
            let slice = turn["slice"].as_u64().context("a slice")?;
            let step = machine.resume(answer(&turn["resume"])?, slice);
            assert_eq!(tell(step), turn["step"], "{turn}");
            turns += 1;
        }
    }
    ensure!(turns >= 4, "only {turns} turns are shown");
    Ok(())
}

fn start(told: &Value) -> Result<Machine> {
    let text = |name: &str| told[name].as_str().map(str::to_owned).with_context(|| name.to_owned());
    let program = Program {
        code: Source::Tool(text("tool")?),
        argument: Argument::Data(text("data")?),
        ..Program::term("null")
    };
    let fuel = told["fuel"].as_u64().context("fuel")?;
    let limits = Limits { fuel, depth: 100, memory: 1 << 20, output: 1 << 16 };
    Machine::start(program, limits).map_err(|fault| anyhow::anyhow!("{}", fault.message))
}

fn answer(told: &Value) -> Result<Answer> {
    if told == "none" {
        return Ok(Answer::None);
    }
    if told == "no source" {
        return Ok(Answer::Source(None));
    }
    let text = |name: &str| told[name].as_str().map(str::to_owned);
    match (text("source"), text("value")) {
        (Some(source), None) => Ok(Answer::Source(Some(source))),
        (None, Some(value)) => Ok(Answer::Outcomes(vec![Outcome::Value(value)])),
        _ => bail!("{told} is no answer"),
    }
}

fn tell(step: Step) -> Value {
    match step {
        Step::Done(done) => json!({"done": done.json}),
        Step::Recall(name) => json!({"recall": name}),
        Step::Lookup(name) => json!({"lookup": name}),
        Step::Perform(calls) => {
            let call = |it: &Call| json!({"tool": it.tool, "args": it.args});
            json!({"perform": calls.calls.iter().map(call).collect::<Vec<_>>()})
        }
        Step::Wait(wait) => json!({"wait": wait.millis}),
        Step::Enter(name) => json!({"enter": name}),
        Step::Leave(left) => json!({"leave": left.fuel}),
        Step::Paused => json!("paused"),
        Step::Continuation(..) => json!("continuation"),
        Step::Failed(fault) => json!({"failed": fault.message}),
    }
}

/// What the page shows of a program is part of the one that is run.
#[test]
fn program_text_is_that_of_the_examples() -> Result<()> {
    let files =
        [("rust", "embed.rs"), ("python", "embed.py"), ("js", "embed.mjs"), ("sh", "embed.sh")];
    for (language, file) in files {
        let program = fs::read_to_string(embedding::folder().join(file))?;
        let shown: Vec<_> =
            blocks("EMBEDDING.md")?.into_iter().filter(|(it, _)| it == language).collect();
        ensure!(!shown.is_empty(), "nothing is shown of {file}");
        for (_, text) in shown {
            ensure!(program.contains(&text), "{file} does not hold\n{text}");
        }
    }
    Ok(())
}
