//! `trace`, and the lines of a debug run.

use crate::data::show;
use crate::memory::word::Word;
use crate::run::context::Context;
use crate::run::state::Exit;
use pif_core::text::quote::{shorten, visible};
use pif_language::form::Form;
use std::rc::Rc;

/// Most lines of trace of a run, and bytes of each.
const TRACE_LINES: usize = 100;
const TRACE_BYTES: usize = 200;

/// Fuel of a line of trace.
const TRACE_WORK: u64 = 256;

/// Does `trace`: notes a label and a value, and pays for the line.
pub(super) fn trace(c: &mut Context<'_>, [label, x]: [Word; 2]) -> Result<(), Exit> {
    if c.s.trace.len() >= TRACE_LINES {
        return Ok(());
    }
    c.bulk(TRACE_WORK)?;
    let shown = |v| show::excerpt(&c.s.heap, &c.s.terms, &c.s.names(), v, TRACE_BYTES);
    let label = if c.s.heap.is_text(label) {
        // A character has up to 4 bytes. A longer text is not read further.
        let beginning = c.s.heap.beginning(label, 4 * TRACE_BYTES);
        beginning.map_or_else(|| shown(label), |text| text.chars().take(TRACE_BYTES).collect())
    } else {
        shown(label)
    };
    let line = format!("{}: {}", visible(&label), shown(x));
    c.s.trace.push(line);
    Ok(())
}

/// Most names in scope in a debug line.
const DEBUG_NAMES: usize = 32;
/// Debug lines kept between two calls of `debug`.
const DEBUG_LINES: usize = 100_000;

/// Writes a debug line about a visit: term, place, depth, and the names in scope.
pub(super) fn debug(c: &mut Context<'_>, visit: u32) {
    let Some(visited) = c.image.visits.get(visit as usize) else { return };
    if c.s.debug.len() >= DEBUG_LINES {
        return;
    }
    let terms = Rc::clone(&c.s.terms);
    let form = terms.form(visited.term);
    let (tool, at) = terms.place(terms.node(visited.term).token);
    let names = c.image.debug_names.get(visit as usize).map(Vec::as_slice).unwrap_or_default();
    let more = names.len().saturating_sub(DEBUG_NAMES);
    let shown = names.iter().take(DEBUG_NAMES).map(|name| shorten(terms.name(*name)));
    let mut names: Vec<String> = shown.collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    let what = match form {
        Form::Lam => "creates a closure",
        Form::App => "applies a function",
        Form::Tool | Form::CodeOf => "looks up a tool",
        Form::SelfRef => "is the running function",
        Form::Eval => "evaluates a quoted term",
        _ => "",
    };
    let place = tool.map_or_else(|| format!("`{at}`"), |tool| format!("`{at}` of {tool}"));
    let depth = c.s.depth + u32::from(visited.depth);
    let mut line =
        format!("eval {} at {place}, depth {depth}, names [{}]", form.name(), names.join(" "));
    if !what.is_empty() {
        line.push_str(", ");
        line.push_str(what);
    }
    c.s.debug.push(line);
}
