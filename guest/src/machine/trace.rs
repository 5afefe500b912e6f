//! `trace`, and the lines of a debug run.

use crate::code::Place;
use crate::data::show;
use crate::memory::heap::Heap;
use crate::memory::word::{KIND_RECORD, NIL, Word, is_list};
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use pif_core::text::quote::{shorten, visible};
use pif_language::form::Form;
use pif_language::prices::units;
use pif_language::term::{NameId, TermId};

/// Most lines of trace of a run, and bytes of each.
const TRACE_LINES: usize = 100;
const TRACE_BYTES: usize = 200;

/// Does `trace`: notes a label and a value, and pays for the line.
pub(super) fn trace(c: &mut Context<'_>, [label, x]: [Word; 2]) -> Result<(), Exit> {
    if c.s.trace.len() >= TRACE_LINES {
        return Ok(());
    }
    c.bulk(units::TRACE_LINE)?;
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

/// Bytes of a value in a debug line.
const DEBUG_BYTES: usize = 60;
/// Most elements of a list that are counted for a debug line.
const COUNTED: usize = 10_000;
/// Debug lines kept between two calls of `debug`.
const DEBUG_LINES: usize = 100_000;

/// Writes a debug line about a visit: term, place, depth, and the names in reach with their values.
/// Between two names is `, `, which no value has outside a text.
pub(super) fn debug(c: &mut Context<'_>, visit: u32) {
    let Some(visited) = c.image.visits.get(visit as usize) else { return };
    c.s.steps.visit(visited.term, c.s.depth + u32::from(visited.depth));
    let form = c.s.terms.form(visited.term);
    let what = match form {
        Form::Lam => ", creates a closure",
        Form::App => ", applies a function",
        Form::Tool | Form::CodeOf => ", looks up a tool",
        Form::SelfRef => ", is the running function",
        Form::Eval => ", evaluates a quoted term",
        _ => "",
    };
    let names = c.image.debug_names.get(visit as usize).map(Vec::as_slice).unwrap_or_default();
    line(c, visited.term, visited.depth, |s, place| {
        let known = |(name, place): &(NameId, Place)| {
            format!("{} = {}", shorten(s.terms.name(*name)), shown(s, *place))
        };
        let names: Vec<String> = names.iter().map(known).collect();
        format!("eval {} at {place}{what}, names [{}]", form.name(), names.join(", "))
    });
}

/// Writes a debug line about the value that a term came to.
pub(super) fn told(c: &mut Context<'_>, value: u32) {
    let Some(told) = c.image.told.get(value as usize) else { return };
    let value = shown(c.s, told.place);
    let depth = c.s.depth + u32::from(told.depth);
    c.s.steps.tell(&c.s.terms, told.term, depth, &value);
    line(c, told.term, told.depth, |_, place| format!("value at {place}: {value}"));
}

/// Notes the value of a run.
pub(super) fn ended(s: &mut State, value: Word) {
    let shown = text(s, value);
    s.steps.end(&s.terms, &shown);
}

/// Writes a debug line about a term, from its place and depth, unless there are too many.
fn line(c: &mut Context<'_>, term: TermId, depth: u16, write: impl Fn(&State, &str) -> String) {
    if c.s.debug.len() >= DEBUG_LINES {
        return;
    }
    let token = c.s.terms.node(term).token;
    let (tool, at) = c.s.terms.place(token);
    let tool = tool.map(|tool| format!(" of {tool}")).unwrap_or_default();
    let byte = c.s.terms.byte(token).map(|byte| format!(" (byte {byte})")).unwrap_or_default();
    let depth = c.s.depth + u32::from(depth);
    let line = write(c.s, &format!("`{at}`{tool}{byte}, depth {depth}"));
    c.s.debug.push(line);
}

fn shown(s: &State, place: Place) -> String {
    text(s, s.value(place))
}

/// Returns the beginning of a value, and how much there is of one that is cut.
fn text(s: &State, value: Word) -> String {
    let mut text = show::excerpt(&s.heap, &s.terms, &s.names(), value, DEBUG_BYTES);
    if !text.ends_with('…') {
        return text;
    }
    if ends_in_text(&text) {
        text.push('"');
    }
    size(&s.heap, value).map_or_else(|| text.clone(), |size| format!("{text} ({size})"))
}

/// Tells whether the beginning of JSON ends within a text.
fn ends_in_text(json: &str) -> bool {
    let mut bytes = json.bytes();
    let mut is_within = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'"' => is_within = !is_within,
            _ => {}
        }
    }
    is_within
}

/// Returns the size of a text, a list or a record, in words.
fn size(heap: &Heap, value: Word) -> Option<String> {
    if let Some((_, characters)) = heap.text_size(value) {
        return Some(format!("{characters} characters"));
    }
    if heap.object_kind(value) == KIND_RECORD {
        return Some(format!("{} members", heap.count_members(value)));
    }
    let (rest, n) = heap.after(value, COUNTED);
    let more = if rest == NIL { "" } else { "more than " };
    is_list(value).then(|| format!("{more}{n} elements"))
}
