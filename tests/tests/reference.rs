//! The language's reference says what the table of forms says.

use anyhow::{Context, Result, anyhow, bail, ensure};
use pif::analysis;
use pif::request::{Argument, Program, Source};
use pif_tests::case::{LIMITS, canonical};
use pif_tests::{library, native, pages, reference};
use serde_json::{Map, Value, json};
use std::fs;

/// The sections whose blocks are programs.
const SECTIONS: [&str; 2] = ["Tour", "Patterns"];
/// Blocks of each of them, at least.
const LEAST_PROGRAMS: usize = 8;
/// Terms whose fuel it tells, at least.
const LEAST_EXAMPLES_OF_FUEL: usize = 8;

#[test]
fn the_reference_is_made_from_the_table() -> Result<()> {
    let text = fs::read_to_string(reference::path())?;
    ensure!(reference::renew(&text)? == text, "renew it by `cargo x reference`");
    let work = fs::read_to_string(reference::path_of_work())?;
    ensure!(reference::renew_work(&work)? == work, "renew FUEL.md by `cargo x reference`");
    Ok(())
}

/// Pages and the manifest are what the tables of the server make of them.
#[test]
fn the_pages_are_made_from_the_tables() -> Result<()> {
    for (path, text) in pages::made()? {
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &text)?;
        }
        let found = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        ensure!(found == text, "renew {} by `cargo x reference`", path.display());
    }
    Ok(())
}

/// What the section on patterns shows is so: each block runs and gives its value.
#[test]
fn the_page_of_the_library_is_made_from_its_files() -> Result<()> {
    let text = fs::read_to_string(library::page())?;
    ensure!(library::renew_page(&text)? == text, "renew it by `cargo x library`");
    Ok(())
}

/// Each block of these sections runs and gives its value, or its fault.
#[test]
fn the_programs_work() -> Result<()> {
    let text = fs::read_to_string(reference::path())?;
    for title in SECTIONS {
        let (_, rest) = text.split_once(&format!("\n## {title}\n")).context("no such section")?;
        let section = rest.split("\n## ").next().unwrap_or(rest);
        let blocks: Vec<(&str, &str)> =
            section.split("```").skip(1).step_by(2).filter_map(|it| it.split_once('\n')).collect();
        ensure!(blocks.len() >= LEAST_PROGRAMS, "{} blocks of {title}", blocks.len());
        for (language, block) in blocks {
            match language {
                "js" => works(block, &annotated(block)?)?,
                "json" => {
                    works(block, &serde_json::from_str(block).with_context(|| block.to_owned())?)?;
                }
                _ => bail!("{language} in {title}"),
            }
        }
    }
    Ok(())
}

/// A program in the notation and its comments, of a name and JSON each.
fn annotated(block: &str) -> Result<Value> {
    let mut shown = Map::new();
    shown.insert("text".to_owned(), block.into());
    for line in block.lines().filter_map(|line| line.strip_prefix("// ")) {
        let (name, json) = line.split_once(' ').with_context(|| line.to_owned())?;
        shown.insert(name.to_owned(), serde_json::from_str(json).with_context(|| line.to_owned())?);
    }
    Ok(Value::Object(shown))
}

fn works(block: &str, shown: &Value) -> Result<()> {
    let run = native::run(&program(shown)?, &LIMITS, u64::MAX);
    ensure!(run.warnings().is_empty(), "{:?}: {block}", run.warnings());
    if let Some(fuel) = shown["fuel"].as_u64() {
        assert_eq!(run.fuel, fuel, "{block}");
    }
    match run.result {
        Ok(value) => assert_eq!(value.json, canonical(&shown["value"]), "{block}"),
        Err(fault) => {
            let told = match fault.place.as_deref().and_then(|place| place.split_once(':')) {
                Some((line, column)) => {
                    let (line, column): (u32, u32) = (line.parse()?, column.parse()?);
                    json!({"code": fault.code, "line": line, "column": column, "hint": fault.hint})
                }
                None => json!({"code": fault.code, "at": fault.at, "hint": fault.hint}),
            };
            assert_eq!(told, shown["fault"], "{block}");
        }
    }
    Ok(())
}

/// The tables of terms and their fuel are right.
#[test]
fn the_examples_of_fuel_are_right() -> Result<()> {
    let path = reference::path();
    let pages = [fs::read_to_string(&path)?, fs::read_to_string(path.with_file_name("FUEL.md"))?];
    let mut rows = 0;
    for table in pages.iter().flat_map(|text| text.split("\n| term | fuel |").skip(1)) {
        for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
            let cells: Vec<&str> = row.split(" | ").collect();
            let [term, fuel, ..] = cells.as_slice() else { return Err(anyhow!("{row}")) };
            let term = term.trim_matches(|c| "| `".contains(c));
            let run = native::run(&Program::term(term), &LIMITS, u64::MAX);
            ensure!(run.fuel.to_string() == *fuel, "{} of {row}", run.fuel);
            rows += 1;
        }
    }
    ensure!(rows >= LEAST_EXAMPLES_OF_FUEL, "{rows} rows");
    Ok(())
}

fn program(pattern: &Value) -> Result<Program> {
    let text = |member: &str| pattern.get(member).map(Value::to_string);
    let code = match (pattern["tool"].as_str(), pattern["text"].as_str()) {
        (Some(tool), _) => Source::Tool(tool.to_owned()),
        (None, Some(text)) => Source::Term(text.to_owned()),
        (None, None) => Source::Term(text("code").context("neither `code` nor `tool`")?),
    };
    let argument = text("data").map_or(Argument::None, Argument::Data);
    let tools = pattern["tools"].as_object().into_iter().flatten();
    let source = |source: &Value| match source.as_str() {
        Some(text) => analysis::check(text).map(|it| it.canonical).map_err(|it| anyhow!("{it:?}")),
        None => Ok(source.to_string()),
    };
    let tools = tools.map(|(name, it)| Ok((name.clone(), source(it)?))).collect::<Result<_>>()?;
    Ok(Program {
        code,
        argument,
        context: text("context"),
        bindings: Vec::new(),
        tools,
        step: 0,
        debug: false,
        keep: false,
    })
}
