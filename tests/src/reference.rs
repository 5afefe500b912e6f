//! The parts of the language's reference that are made from the table of forms.

use anyhow::{Context, Result, anyhow};
use pif_guest::analysis;
use pif_guest::form::{FORMS, Form, Row};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Characters of a line of the list of keys.
const WIDTH: usize = 120;

/// Where the reference is.
#[must_use]
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/LANGUAGE.md")
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
    for row in FORMS {
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

/// A table for each group, in the order of first sight.
fn tables() -> Result<String> {
    let mut groups: Vec<&str> = Vec::new();
    for row in FORMS {
        if !groups.contains(&row.group) {
            groups.push(row.group);
        }
    }
    let mut text = String::new();
    for group in groups {
        let title: String = group.chars().take(1).flat_map(char::to_uppercase).collect();
        writeln!(text, "### {title}{}\n", group.get(1..).unwrap_or_default())?;
        writeln!(text, "| form | meaning | example | as JSON | result |\n|---|---|---|---|---|")?;
        for Row { syntax, doc, example, result, .. } in FORMS.iter().filter(|it| it.group == group)
        {
            let syntax = syntax.split(" or {").collect::<Vec<_>>().join("` or `{");
            let (syntax, doc) = (cell(&syntax), cell(doc));
            let (notation, example, result) =
                (code(&notation(example)?), code(example), code(result));
            writeln!(text, "| `{syntax}` | {doc} | {notation} | {example} | {result} |")?;
        }
        text.push('\n');
    }
    Ok(format!("{}\n", text.trim_end()))
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
