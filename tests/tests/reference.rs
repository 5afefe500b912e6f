//! The language's reference says what the table of forms says.

use anyhow::{Context, Result, anyhow, ensure};
use pif_guest::request::{Argument, Program, Source};
use pif_tests::case::{LIMITS, canonical};
use pif_tests::{library, native, pages, reference};
use serde_json::{Value, json};
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
        let blocks: Vec<&str> = section.split("```json\n").skip(1).collect();
        ensure!(blocks.len() >= LEAST_PROGRAMS, "{} blocks of {title}", blocks.len());
        for block in blocks {
            works(block.split("```").next().unwrap_or(block))?;
        }
    }
    Ok(())
}

fn works(block: &str) -> Result<()> {
    let shown: Value = serde_json::from_str(block).with_context(|| block.to_owned())?;
    let run = native::run(&program(&shown)?, &LIMITS, u64::MAX);
    ensure!(run.warnings().is_empty(), "{:?}: {block}", run.warnings());
    if let Some(fuel) = shown["fuel"].as_u64() {
        assert_eq!(run.fuel, fuel, "{block}");
    }
    match run.result {
        Ok(value) => assert_eq!(value.json, canonical(&shown["value"]), "{block}"),
        Err(fault) => {
            let told = json!({"code": fault.code, "at": fault.at, "hint": fault.hint});
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
    let code = match pattern["tool"].as_str() {
        Some(tool) => Source::Tool(tool.to_owned()),
        None => Source::Term(text("code").context("neither `code` nor `tool`")?),
    };
    let argument = text("data").map_or(Argument::None, Argument::Data);
    let tools = pattern["tools"].as_object().into_iter().flatten();
    let tools = tools.map(|(name, source)| (name.clone(), source.to_string())).collect();
    Ok(Program { code, argument, context: text("context"), tools, step: 0, debug: false })
}
