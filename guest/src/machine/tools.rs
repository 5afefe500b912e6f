//! Operations that look up a tool: `tool`, `self`, `code_of`, `continue`, and calls of functions of
//! tools.

use crate::algorithm::record;
use crate::algorithm::trouble::Trouble;
use crate::code::slots::calls;
use crate::code::{Slot, TOOL_END};
use crate::memory::heap::{Heap, NO_CLOSURE};
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use pif_core::limits::to_u32;
use pif_language::kinds;
use pif_language::names::Names;

use crate::memory::word::{
    HOLE, KIND_CONTINUATION, KIND_RECORD, NIL, OBJECT, UNIT, Word, header, is_list, pointer,
    quoted, small,
};

impl State {
    fn text(&self, v: Word) -> Result<String, Exit> {
        if self.heap.is_text(v) {
            return Ok(self.heap.string(v));
        }
        Err(self.wrong_type(0, v, kinds::STRING))
    }

    /// Finds the tool of this name.
    fn find_tool(&self, name: &str) -> Result<Option<usize>, Exit> {
        self.known_tool(name).copied().ok_or_else(|| Exit::Lookup(name.to_owned()))
    }

    /// Returns the index of the tool that the code belongs to. `tool` counts from 1. Submitted code
    /// has no name and is not a tool.
    fn evolved(&self, tool: u16) -> Result<usize, Trouble> {
        let tool = usize::from(tool).checked_sub(1);
        let is_named = |tool: &usize| self.tools.get(*tool).is_some_and(|it| !it.name.is_empty());
        tool.filter(is_named).ok_or(Trouble::OutsideTool)
    }

    /// Puts a tool's value into slot `d`. Evaluates its source first, if that is still to be done.
    fn tool_value(&mut self, tool: usize, d: usize, deeper: u8) -> Result<(), Exit> {
        let known = self.tool_values.get(tool).copied();
        let known = known.ok_or_else(|| Exit::defect("the value of a tool is lost"))?;
        if known != HOLE {
            self.set(self.base + d, known);
            return Ok(());
        }
        let entry = self.tools.get(tool).ok_or_else(|| Exit::defect("a tool is lost"))?;
        if let Err(fault) = &entry.source {
            return Err(Trouble::Elsewhere(fault.clone()).into());
        }
        let Some(entry) = entry.entry else { return Err(Exit::CompileTool(tool)) };
        self.push_stub(TOOL_END, d)?;
        self.give_back_for(tool);
        let id = i64::try_from(tool).unwrap_or_default();
        self.set(self.base + d, small(id));
        self.base += d + 1;
        self.closure = NO_CLOSURE;
        self.depth += u32::from(deeper);
        self.pc = entry as usize;
        Ok(())
    }
}

/// Does `tool`: gets the value of the tool named `x`.
pub(super) fn tool(s: &mut State, x: Word, d: u8, deeper: u8) -> Result<(), Exit> {
    let name = s.text(x)?;
    match s.find_tool(&name)? {
        Some(tool) => s.tool_value(tool, usize::from(d), deeper),
        None => Err(Trouble::UnknownTool(name).into()),
    }
}

/// The most bytes of a name that a function of a tool can have: more than any host gives one.
const LONGEST_NAME: u64 = 512;

/// Gets the function of a tool that the name in slot `a` means.
pub(super) fn member(c: &mut Context<'_>, [d, a, deeper]: [Slot; 3], to: u32) -> Result<(), Exit> {
    let Some(tool) = named_function(c.s, a)? else {
        c.s.pc = to as usize;
        return Ok(());
    };
    if c.s.slot(a + 1) == UNIT {
        c.s.make_room(Heap::record_words(0), c.s.live(&[d]))?;
        let empty = record::make(&mut c.s.heap, &[])?;
        c.s.set_slot(a + 1, empty);
    }
    c.s.tool_value(tool, usize::from(d), deeper)
}

/// The tool whose value is the function that a call means: of the name in slot `a`, with the arguments
/// after it.
fn named_function(s: &State, a: Slot) -> Result<Option<usize>, Exit> {
    let [name, arguments] = [s.slot(a), s.slot(a + 1)];
    let is_short = s.heap.text_size(name).is_some_and(|(bytes, _)| bytes <= LONGEST_NAME);
    if !is_short || (arguments != UNIT && s.heap.object_kind(arguments) != KIND_RECORD) {
        return Ok(None);
    }
    let name = s.heap.string(name);
    if name.contains('.') { s.find_tool(&name) } else { Ok(None) }
}

/// Takes the next of the calls in slot `d` apart. What cannot be a call of a function has no name.
pub(super) fn next_call(c: &mut Context<'_>, d: Slot, to: u32) -> Result<(), Exit> {
    let list = c.s.heap.without_match(c.s.slot(d));
    if !is_list(list) {
        return Err(c.refuse(0, list));
    }
    if list == NIL {
        c.s.pc = to as usize;
        return Ok(());
    }
    let [element, rest] = c.s.heap.next(list);
    let (mut name, mut arguments) = (UNIT, UNIT);
    if c.s.heap.object_kind(element) == KIND_RECORD {
        let value = |key: &str| record::value(&c.s.heap, element, key.as_bytes());
        if value("options").is_none() {
            name = value("tool").unwrap_or(UNIT);
            arguments = value("args").unwrap_or(UNIT);
        }
    }
    c.s.set_part(d, calls::ELEMENT, element);
    c.s.set_part(d, calls::NAME, name);
    c.s.set_part(d, calls::ARGUMENTS, arguments);
    c.s.set_slot(d, rest);
    Ok(())
}

/// Does `self`: gets the value of the tool or the submitted code that the code belongs to.
pub(super) fn self_tool(s: &mut State, tool: u16, d: u8, deeper: u8) -> Result<(), Exit> {
    match usize::from(tool).checked_sub(1) {
        Some(tool) => s.tool_value(tool, usize::from(d), deeper),
        None => Err(Trouble::OutsideTool.into()),
    }
}

/// Does `code_of`: gets the source of the tool named `x`, quoted in that tool's context.
pub(super) fn code_of(s: &mut State, x: Word, current: u16) -> Result<Word, Exit> {
    let name = s.text(x)?;
    let found = match s.find_tool(&name)? {
        Some(tool) => tool,
        None if name == "self" => s.evolved(current)?,
        None => return Err(Trouble::UnknownTool(name).into()),
    };
    let Some(tool) = s.tools.get(found) else { return Ok(UNIT) };
    match &tool.source {
        Ok(term) => Ok(quoted(*term, to_u32(found + 1))),
        Err(fault) => Err(Trouble::Elsewhere(fault.clone()).into()),
    }
}

/// Does `continue`. There must be room for 3 words.
pub(super) fn continuation(s: &mut State, input: Word, tool: u16) -> Result<Word, Exit> {
    s.evolved(tool)?;
    let at = s.heap.claim(3);
    let step = i64::try_from(s.step.saturating_add(1)).unwrap_or(i64::MAX / 4);
    s.heap.put(at, &[header(KIND_CONTINUATION, 3, u32::from(tool)), input, small(step)]);
    Ok(pointer(at, OBJECT))
}

/// The sources of tools that a program brings.
#[derive(Debug, Default)]
pub(super) struct Sources {
    names: Names,
    /// The source of each name.
    texts: Vec<String>,
}

impl Sources {
    /// Of two sources of one tool the later counts.
    pub(super) fn of(tools: Vec<(String, String)>) -> Self {
        let mut sources = Self::default();
        for (name, text) in tools {
            let known = sources.names.id(&name).and_then(|id| sources.texts.get_mut(id as usize));
            if let Some(known) = known {
                *known = text;
            } else {
                sources.names.add(&name);
                sources.texts.push(text);
            }
        }
        sources
    }

    pub(super) fn of_tool(&self, name: &str) -> Option<&str> {
        let id = self.names.id(name)?;
        self.texts.get(id as usize).map(String::as_str)
    }
}
