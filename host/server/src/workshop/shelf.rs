//! The file format that moves the bindings of a session between stores: each with its term and the
//! term's hash. The file may also hold the tools that the terms name.

use std::collections::BTreeSet;

use pif_domain::text::{self, quote_one};
use pif_domain::{Excess, Fault, FaultCode, Limit, Place, fault};
use pif_store::session::{Capacity, LONGEST_NAME, ensure_title, is_name, is_recent};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::bundle::{self, Packed};
use super::refusal::too_large;

/// The value of `format` that identifies such a file.
const FORMAT: &str = "mcp-pif session";

/// The current version of the format.
const VERSION: u32 = 1;

/// The most characters of a quoted parser error.
const MOST_REASON: usize = 300;

/// The most characters that stand before and behind the place of an error.
const AROUND: usize = 30;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shelf {
    format: String,
    version: u32,
    /// Words for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) title: String,
    /// In the order of their names.
    pub(super) bindings: Vec<Shelved>,
    /// In the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Packed>,
}

/// A binding in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shelved {
    pub(super) name: String,
    /// The kind of the value.
    pub(super) kind: String,
    /// sha256 of the canonical text of `term`.
    pub(super) sha256: String,
    /// The term of the value.
    pub(super) term: Box<RawValue>,
}

/// The members that identify a file. Others are ignored here.
#[derive(Debug, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// The text of a file.
pub(super) fn write(
    title: String,
    bindings: Vec<Shelved>,
    tools: Vec<Packed>,
) -> Result<String, Fault> {
    let shelf = Shelf { format: FORMAT.to_owned(), version: VERSION, title, bindings, tools };
    serde_json::to_string_pretty(&shelf).map_err(|error| {
        fault(FaultCode::Internal, format!("the bindings cannot be written: {error}"), None)
    })
}

/// Parses the text of a file, and checks all that can be checked without the evaluator.
pub(super) fn read(text: &str, most: &Capacity) -> Result<Shelf, Fault> {
    let longest = Limit::SessionFile.fixed_count();
    if text.len() > longest {
        return Err(too_large(Limit::SessionFile, "the file", text.len(), longest));
    }
    let unreadable = |error| unreadable(text, &error);
    let Header { format, version } = serde_json::from_str(text).map_err(unreadable)?;
    if format != FORMAT {
        let message = format!("the format of the file is {}, not `{FORMAT}`", quote_one(&format));
        let hint = (format == bundle::FORMAT).then_some("`mcp-pif import` takes it");
        return Err(at("/format", fault(FaultCode::Malformed, message, hint)));
    }
    if !(1..=VERSION).contains(&version) {
        let message = format!("the file has version {version}, this mcp-pif knows {VERSION}");
        let fault = fault(FaultCode::Malformed, message, Some("use a later mcp-pif"));
        return Err(at("/version", fault));
    }
    let mut shelf: Shelf = serde_json::from_str(text).map_err(unreadable)?;
    ensure_title(&shelf.title)
        .map_err(|error| at("/title", fault(FaultCode::Malformed, error.to_string(), None)))?;
    ensure_room(&shelf.bindings, most)?;
    ensure_names(&shelf.bindings)?;
    bundle::settle(&mut shelf.tools).map_err(|fault| at("/tools", fault))?;
    Ok(shelf)
}

/// The fault at a place of the file.
pub(super) fn at(place: &str, fault: Fault) -> Fault {
    Fault { at: format!("{place}{}", fault.at), ..fault }
}

/// The place of a binding in the file.
pub(super) fn place(index: usize, member: &str) -> String {
    format!("/bindings/{index}/{member}")
}

/// The store refuses too much as well. This is before each term is checked.
fn ensure_room(bindings: &[Shelved], most: &Capacity) -> Result<(), Fault> {
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let bytes = bindings.iter().map(|it| count(it.term.get().len())).sum();
    for (limit, used, most, what) in [
        (Limit::SessionBindings, count(bindings.len()), most.bindings, "bindings"),
        (Limit::SessionSize, bytes, most.bytes, "bytes of bindings"),
    ] {
        if used > most {
            let message = format!("the file has {used} {what}, more than the {most} of a session");
            let excess = Excess { name: limit, used, limit: most };
            let fault = fault(FaultCode::SessionLimit, message, None).by(Some(excess));
            return Err(at("/bindings", fault));
        }
    }
    Ok(())
}

fn ensure_names(bindings: &[Shelved]) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    for (index, Shelved { name, .. }) in bindings.iter().enumerate() {
        let quoted = quote_one(name);
        let reason = if !is_name(name) {
            format!("{quoted} is no name of a binding")
        } else if is_recent(name) {
            format!("{quoted} is one of the last values, which are not imported")
        } else if !seen.insert(name) {
            format!("the file has the binding {quoted} twice")
        } else {
            continue;
        };
        let hint =
            format!("use a letter or `_`, then letters, digits and `_`, {LONGEST_NAME} at most");
        let hint = (!is_name(name)).then_some(hint.as_str());
        return Err(at(&place(index, "name"), fault(FaultCode::Malformed, reason, hint)));
    }
    Ok(())
}

/// The fault of a text that is no such file, with the line and the column of the error.
fn unreadable(text: &str, error: &serde_json::Error) -> Fault {
    let (line, column) = (error.line(), error.column());
    let told = error.to_string();
    let told = told.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&told);
    let message = format!("the file cannot be read: {}", text::line(told, MOST_REASON));
    let hint = "`mcp-pif session export` writes such a file";
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let caret = caret(text, line, column);
    let place = Place { line: count(line), column: count(column), caret };
    Fault { place: Some(Box::new(place)), ..fault(FaultCode::Malformed, message, Some(hint)) }
}

/// A piece of a line, and below it a mark at a place, which the parser counts in bytes from 1.
fn caret(text: &str, line: usize, column: usize) -> String {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let place = line.floor_char_boundary(column.saturating_sub(1));
    let (before, behind) = line.split_at(place);
    let skipped = before.chars().count().saturating_sub(AROUND);
    let before: String = before.chars().skip(skipped).collect();
    let before = text::line(&before, usize::MAX);
    let behind: String = behind.chars().take(AROUND).collect();
    let behind = text::line(&behind, usize::MAX);
    format!("{before}{behind}\n{}^", " ".repeat(before.chars().count()))
}
