//! Operations that leave the run or look at more than values: evals, tools, effects, traces.

use super::state::{Exit, State, closure_index, to_u32};
use crate::code::{EVAL_END, Image, TOOL_END};
use crate::form::Form;
use crate::heap::{Frame, NO_CLOSURE};
use crate::limits::EVAL_DEPTH;
use crate::output;
use crate::primitive::{Trouble, type_name, weight};
use crate::quote::{shorten, visible};
use crate::value::{
    CONS, HOLE, IMMEDIATE, KIND_CONTINUATION, KIND_QUOTED, NIL, OBJECT, UNIT, Word, aux, header,
    kind, pointer, quoted, size, small, tag,
};
use std::rc::Rc;

impl State {
    /// Pushes where the current operation goes on, then a stub that ends what begins now.
    fn push_stub(&mut self, stub: u32, slot: usize) -> Result<(), Exit> {
        let Self { pc, base, closure, depth, .. } = *self;
        let (pc, base) = (to_u32(pc), to_u32(base));
        self.push_frame(Frame { pc, base, closure, depth })?;
        let base = base + to_u32(slot);
        self.push_frame(Frame { pc: stub, base, closure: NO_CLOSURE, depth })?;
        Ok(())
    }

    fn text(&self, v: Word) -> Result<String, Exit> {
        if self.heap.is_text(v) {
            return Ok(self.heap.string(v));
        }
        let found = type_name(&self.heap, v);
        Err(Trouble::Type { operand: 0, wanted: "a string", found }.into())
    }

    /// The tool of this name.
    fn find_tool(&self, name: &str) -> Result<Option<usize>, Exit> {
        match self.tool_ids.get(name) {
            Some(found) => Ok(*found),
            None => Err(Exit::Lookup(name.to_owned())),
        }
    }

    /// The tool that code belongs to, counted from 1. The submitted code is none that has a name.
    fn evolved(&self, tool: u16) -> Result<usize, Trouble> {
        let tool = usize::from(tool).checked_sub(1);
        let is_named = |tool: &usize| self.tools.get(*tool).is_some_and(|it| !it.name.is_empty());
        tool.filter(is_named).ok_or(Trouble::OutsideTool)
    }

    /// Gives a tool's value to slot `d`, evaluating its source first if that was not done yet.
    fn tool_value(&mut self, tool: usize, d: usize, deeper: u8) -> Result<(), Exit> {
        let known = self.values.get(1 + tool).copied().unwrap_or(UNIT);
        if known != HOLE {
            self.set(self.base + d, known);
            return Ok(());
        }
        let Some(entry) = self.tools.get(tool) else { return Ok(()) };
        if let Err(fault) = &entry.source {
            return Err(Trouble::Elsewhere(fault.clone()).into());
        }
        let Some(entry) = entry.entry else { return Err(Exit::CompileTool(tool)) };
        self.push_stub(TOOL_END, d)?;
        let id = i64::try_from(tool).unwrap_or_default();
        self.set(self.base + d, small(id));
        self.base += d + 1;
        self.closure = NO_CLOSURE;
        self.depth += u32::from(deeper);
        self.pc = entry as usize;
        Ok(())
    }
}

/// `tool`: the value of the tool that `x` names.
pub(super) fn tool(s: &mut State, x: Word, d: u8, deeper: u8) -> Result<(), Exit> {
    let name = s.text(x)?;
    match s.find_tool(&name)? {
        Some(tool) => s.tool_value(tool, usize::from(d), deeper),
        None => Err(Trouble::UnknownTool(name).into()),
    }
}

/// `self`: the value of the tool or the submitted code that the code belongs to.
pub(super) fn self_tool(s: &mut State, tool: u16, d: u8, deeper: u8) -> Result<(), Exit> {
    match usize::from(tool).checked_sub(1) {
        Some(tool) => s.tool_value(tool, usize::from(d), deeper),
        None => Err(Trouble::OutsideTool.into()),
    }
}

/// `code_of`: the source of the tool that `x` names, quoted in that tool's context.
pub(super) fn code_of(s: &mut State, x: Word, current: u16) -> Result<(), Exit> {
    let name = s.text(x)?;
    let found = match s.find_tool(&name)? {
        Some(tool) => tool,
        None if name == "self" => s.evolved(current)?,
        None => return Err(Trouble::UnknownTool(name).into()),
    };
    let Some(tool) = s.tools.get(found) else { return Ok(()) };
    match &tool.source {
        Ok(term) => s.give(quoted(*term, to_u32(found + 1))),
        Err(fault) => return Err(Trouble::Elsewhere(fault.clone()).into()),
    }
    Ok(())
}

/// `eval`: enters the code of a quoted term, compiled for the names at the place of the `eval`.
/// Fuel: the weight of the term, whether it has been compiled before or not.
pub(super) fn eval(
    image: &Image,
    s: &mut State,
    at: usize,
    [d, a, deeper]: [u8; 3],
    scope: u16,
) -> Result<(), Exit> {
    let x = s.slot(a);
    if tag(x) != IMMEDIATE || kind(x) != KIND_QUOTED {
        let found = type_name(&s.heap, x);
        return Err(Trouble::Type { operand: 0, wanted: "a quoted term", found }.into());
    }
    if s.active_evals >= EVAL_DEPTH {
        return Err(Trouble::EvalDepth.into());
    }
    let (term, tool) = (aux(x), to_u32(size(x)));
    let key = (term, scope, tool);
    let Some((id, weight)) = s.evaluated.get(&key).copied() else {
        let left = s.budget(image, at);
        let weight = weight::of_term(&s.terms, term, left);
        if weight > left {
            s.bulk(image, at, weight)?;
        }
        return Err(Exit::CompileTerm(term, scope, tool));
    };
    s.bulk(image, at, weight)?;
    let Some(code) = image.codes.get(id as usize) else { return Ok(()) };
    let live = s.base + 1 + usize::from(d.max(a));
    let inner = if code.captures.is_empty() { UNIT } else { s.close(code, id, s.base, live)? };
    s.push_stub(EVAL_END, usize::from(d))?;
    s.active_evals += 1;
    s.base += usize::from(d);
    s.closure = closure_index(inner);
    s.depth += u32::from(deeper);
    s.pc = code.entry as usize;
    Ok(())
}

/// `continue`: there is room for 3 words.
pub(super) fn continuation(s: &mut State, input: Word, tool: u16) -> Result<(), Exit> {
    s.evolved(tool)?;
    let at = s.heap.claim(3);
    let step = i64::try_from(s.step.saturating_add(1)).unwrap_or(i64::MAX / 4);
    s.heap.put(at, &[header(KIND_CONTINUATION, 3, u32::from(tool)), input, small(step)]);
    s.give(pointer(at, OBJECT));
    Ok(())
}

/// `record`: the values are in a list, the last first.
pub(super) fn record(
    image: &Image,
    s: &mut State,
    keys: u32,
    list: Word,
    live: usize,
) -> Result<(), Exit> {
    let keys = image.keys.get(keys as usize).map(Vec::as_slice).unwrap_or_default();
    s.give(list);
    s.make_room(1 + 2 * keys.len(), live)?;
    let mut rest = s.values.first().copied().unwrap_or(NIL);
    let mut members = Vec::with_capacity(2 * keys.len());
    for key in keys.iter().rev() {
        if tag(rest) != CONS {
            break;
        }
        let [value, next] = s.heap.next(rest);
        members.extend([value, s.constants.get(*key as usize).copied().unwrap_or_default()]);
        rest = next;
    }
    members.reverse();
    let record = s.heap.record(&members)?;
    s.give(record);
    Ok(())
}

/// Lines of trace that a run may write, and bytes of each.
const TRACE_LINES: usize = 100;
const TRACE_BYTES: usize = 200;

/// Fuel of a line of trace.
const TRACE_WORK: u64 = 256;

/// `trace`: notes a label and a value, and pays for the line.
pub(super) fn trace(
    image: &Image,
    s: &mut State,
    at: usize,
    [label, x]: [Word; 2],
) -> Result<(), Exit> {
    if s.trace.len() >= TRACE_LINES {
        return Ok(());
    }
    s.bulk(image, at, TRACE_WORK)?;
    let shown = |v| output::excerpt(&s.heap, &s.terms, &s.names(), v, TRACE_BYTES);
    let label = if s.heap.is_text(label) {
        // A character has up to 4 bytes; what is longer than that is not looked at.
        let beginning = s.heap.beginning(label, 4 * TRACE_BYTES);
        beginning.map_or_else(|| shown(label), |text| text.chars().take(TRACE_BYTES).collect())
    } else {
        shown(label)
    };
    let line = format!("{}: {}", visible(&label), shown(x));
    s.trace.push(line);
    Ok(())
}

/// `perform`: the exit that asks the host.
pub(super) fn perform(s: &State, d: u8, x: Word, name: u16) -> Exit {
    Exit::Perform(d, s.terms.name(u32::from(name)).to_owned(), x)
}

/// Names in scope that a debug line tells.
const DEBUG_NAMES: usize = 32;
/// Debug lines kept between two calls of `debug`.
const DEBUG_LINES: usize = 100_000;

/// A debug line about one visit: term, place, depth, and the names in scope.
pub(super) fn debug(image: &Image, s: &mut State, visit: u32) {
    let Some(visited) = image.visits.get(visit as usize) else { return };
    if s.debug.len() >= DEBUG_LINES {
        return;
    }
    let terms = Rc::clone(&s.terms);
    let form = terms.form(visited.term);
    let (tool, at) = terms.place(terms.node(visited.term).token);
    let names = image.debug_names.get(visit as usize).map(Vec::as_slice).unwrap_or_default();
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
    let depth = s.depth + u32::from(visited.depth);
    let mut line =
        format!("eval {} at {place}, depth {depth}, names [{}]", form.name(), names.join(" "));
    if !what.is_empty() {
        line.push_str(", ");
        line.push_str(what);
    }
    s.debug.push(line);
}

impl State {
    /// Names of the tools met so far, for continuations.
    pub(super) fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.name.as_str()).collect()
    }
}
