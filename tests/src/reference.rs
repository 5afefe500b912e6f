//! The parts of the language's reference that are made from the table of forms.

use anyhow::{Context, Result, anyhow};
use pif::analysis;
use pif::form::{FORMS, Form, Row};
use pif_analysis::forms;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Characters of a line.
const WIDTH: usize = 110;

/// Where the reference is.
#[must_use]
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/LANGUAGE.md")
}

/// Where the work of the forms is described.
#[must_use]
pub fn path_of_work() -> PathBuf {
    path().with_file_name("FUEL.md")
}

/// The description of the work with its made part as the table has it now.
pub fn renew_work(text: &str) -> Result<String> {
    replace(text, "work", &work()?)
}

/// The reference with its made parts as the table has them now. They stand between comments that
/// name them.
pub fn renew(text: &str) -> Result<String> {
    let text = replace(text, "keys", &keys())?;
    let text = replace(&text, "forms", &tables()?)?;
    replace(&text, "prices", &prices()?)
}

/// A page with another text between the comments that name a part of it.
pub(crate) fn replace(text: &str, part: &str, made: &str) -> Result<String> {
    let (open, close) = (format!("<!-- {part} -->\n"), format!("<!-- /{part} -->\n"));
    let (before, rest) = text.split_once(&open).with_context(|| format!("no part `{part}`"))?;
    let (_, after) = rest.split_once(&close).with_context(|| format!("`{part}` has no end"))?;
    Ok(format!("{before}{open}{made}{close}{after}"))
}

/// All keys in the order in which they are looked for.
fn keys() -> String {
    let (mut text, mut line) = (String::new(), "`".to_owned());
    let mut rows: Vec<&Row> = FORMS.iter().collect();
    rows.sort_by_key(|row| row.form.precedence());
    for row in rows {
        if line.len() + row.name.len() >= WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line.clear();
        }
        line.push_str(row.name);
        line.push(' ');
    }
    format!("{text}{}`\n", line.trim_end())
}

/// The groups of forms, each with its title.
fn groups() -> impl Iterator<Item = (String, &'static [Row])> {
    FORMS.chunk_by(|a, b| a.group == b.group).map(|rows| {
        let group = rows.first().map_or("", |row| row.group);
        let title: String = group.chars().take(1).flat_map(char::to_uppercase).collect();
        (title + group.get(1..).unwrap_or_default(), rows)
    })
}

/// A table for each group, and what more there is to know about its forms.
fn tables() -> Result<String> {
    let mut text = String::new();
    for (title, rows) in groups() {
        writeln!(text, "### {title}\n")?;
        writeln!(
            text,
            "| form | type | meaning | example | as JSON | result |\n|---|---|---|---|---|---|"
        )?;
        for row in rows {
            let Row { syntax, doc, example, result, .. } = row;
            let shape = forms::shape_of(row).map_err(|it| anyhow::Error::msg(it.message))?;
            let shape = code(&shape.to_string());
            let syntax = syntax.split(" or {").collect::<Vec<_>>().join("` or `{");
            let (syntax, doc) = (cell(&syntax), cell(doc));
            let (notation, example, result) =
                (code(&notation(example)?), code(example), code(result));
            writeln!(text, "| `{syntax}` | {shape} | {doc} | {notation} | {example} | {result} |")?;
        }
        text.push('\n');
        let details =
            rows.iter().flat_map(|row| row.notes.details.iter().map(|it| (*it, row.name)));
        for (details, names) in together(details) {
            text.push_str(&wrapped(&format!("- **`{}`** {details}", names.join(" "))));
        }
        text.push('\n');
    }
    Ok(format!("{}\n", text.trim_end().replace("\n\n\n", "\n\n")))
}

/// The work of the forms, a table for each group.
fn work() -> Result<String> {
    let mut text = String::new();
    for (title, rows) in groups() {
        let works = rows.iter().map(|row| (row.notes.work, row.name));
        let works = together(works.filter(|(work, _)| !work.is_empty()));
        if works.is_empty() {
            continue;
        }
        writeln!(text, "### {title}\n\n| form | units of work |\n|---|---|")?;
        for (work, names) in works {
            writeln!(text, "| `{}` | {} |", names.join(" "), cell(work))?;
        }
        text.push('\n');
    }
    Ok(format!("{}\n", text.trim_end()))
}

/// Each text once, with the names of all forms that have it.
fn together<'t>(all: impl Iterator<Item = (&'t str, &'t str)>) -> Vec<(&'t str, Vec<&'t str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for (text, name) in all {
        match found.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(name),
            None => found.push((text, vec![name])),
        }
    }
    found
}

/// An item of a list, in lines.
fn wrapped(item: &str) -> String {
    let (mut text, mut length) = (String::new(), 0);
    for word in item.split(' ') {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > WIDTH {
            text.push_str("\n  ");
            length = 2;
        } else if length > 0 {
            text.push(' ');
            length += 1;
        }
        text.push_str(word);
        length += letters;
    }
    text + "\n"
}

/// A text as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Code as a cell of a table. Code with a backtick stands in two.
fn code(text: &str) -> String {
    let text = cell(text);
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A term in the notation, on one line.
fn notation(example: &str) -> Result<String> {
    let notation = analysis::notation(example).map_err(|fault| anyhow!("{example}: {fault}"))?;
    let lines: Vec<&str> = notation.lines().map(str::trim).collect();
    Ok(lines.join(" "))
}

/// What a visit, an application and a unit of work cost, a table for each.
fn prices() -> Result<String> {
    let visits = list("a visit of", "literals and lists, ", &|form| form.visit_price().into())?;
    let applications =
        list("an application that is made by", "", &|form| form.application_price().into())?;
    let works = list("a unit of the work of", "", &Form::work_price)?;
    Ok([visits, applications, works].join("\n"))
}

/// The forms by their price, from the lowest on; those of the most frequent one are not named.
fn list(title: &str, cheapest: &str, price: &dyn Fn(Form) -> u64) -> Result<String> {
    let mut prices: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    // A form without a price makes nothing of the kind.
    for row in FORMS.iter().filter(|row| price(row.form) > 0) {
        prices.entry(price(row.form)).or_default().push(row.name);
    }
    let most = prices.values().map(Vec::len).max();
    let (named, others): (Vec<_>, Vec<_>) =
        prices.into_iter().partition(|(_, forms)| Some(forms.len()) != most);
    let mut first = cheapest;
    let mut text = format!("| {title} | fuel |\n|---|---|\n");
    for (price, forms) in named {
        writeln!(text, "| {first}`{}` | {price} |", forms.join(" "))?;
        first = "";
    }
    for (price, _) in others {
        writeln!(text, "| any other form | {price} |")?;
    }
    Ok(text)
}
