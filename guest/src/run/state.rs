//! The registers, stack, heap and roots of a run, and their rarer changes.

use crate::algorithm::trouble::Trouble;
use crate::code::{Code, Image, Place, Slot};
use crate::memory::heap::{Frame, Full, Heap, NO_CLOSURE};
use crate::run::meter::{Meter, Stop};
use crate::run::named::Named;
use crate::run::notes::Notes;
use crate::run::steps::Steps;
use crate::run::trial::{Endings, Trial};
use pif_core::fault::Fault;
use pif_core::limits::{Limits, to_u32};

use crate::algorithm::regex::{Pattern, Source};
use crate::memory::word::{
    CLOSURE, HOLE, KIND_CLOSURE, NIL, UNIT, Word, aux, header, index, pointer, tag,
};
use crate::request::{Calls, Outcome, Refusal};
use pif_language::names::Names;
use pif_language::term::{TermId, Terms};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

/// Slots above the beginning of a function's window: those that operations name, and some behind
/// them.
pub(crate) const WINDOW: usize = 256 + 8;
/// The reason why `run` returned.
#[derive(Debug)]
pub(crate) enum Exit {
    /// The value of the outermost evaluation.
    Value(Word),
    /// A fault at the current operation, which is not paid yet.
    Trouble(Trouble),
    Stop(Stop),
    /// The machine needs the source of this tool.
    Lookup(String),
    /// The source of this tool must be compiled.
    CompileTool(usize),
    /// This term must be compiled, in this scope and for this tool.
    CompileTerm(TermId, u16, u32),
    /// The host must tell what comes of these calls. Then the operation goes on.
    Perform(Box<Calls>),
    /// The host must hear that the step of this name begins.
    Enter(String),
    /// The host must hear that the innermost step has this value, and how much fuel the run has spent.
    Leave(Word, u64),
}

impl Exit {
    /// The fault of a state that cannot be.
    #[cold]
    pub(crate) fn defect(what: &str) -> Self {
        Trouble::Here(Box::new(Fault::defect(what))).into()
    }
}

impl From<Trouble> for Exit {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<Full> for Exit {
    fn from(full: Full) -> Self {
        Self::Trouble(full.into())
    }
}

impl From<Stop> for Exit {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

pub(crate) const NO_FRAME: Frame = Frame { pc: 0, base: 0, closure: NO_CLOSURE, depth: 0 };

/// A tool that the run has met.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// Its source, or the fault in it.
    pub(crate) source: Result<TermId, Box<Fault>>,
    /// The beginning of its code, once compiled.
    pub(crate) entry: Option<u32>,
}

/// Recent patterns to keep. They need not be paid for again.
const KEPT: usize = 8;

/// A pattern that the run has compiled.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) source: Source,
    pub(crate) pattern: Rc<Pattern>,
    /// What its first search pays for it.
    pub(crate) owed: u64,
}

/// The changing state of a run.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) terms: Rc<Terms>,
    pub(crate) heap: Heap,
    pub(crate) stack: Vec<Word>,
    /// Pending calls. The innermost is at `top - 1`.
    pub(crate) frames: Vec<Frame>,
    pub(crate) top: usize,
    pub(crate) meter: Meter,
    /// Constants of the image.
    pub(crate) constants: Vec<Word>,
    /// The value of the last `fail`.
    pub(crate) failed: Word,
    /// Values of tools, or `HOLE`, in the order of `tools`.
    pub(crate) tool_values: Vec<Word>,
    /// Words to update if they move while room is made.
    pub(crate) kept: Vec<Word>,
    pub(crate) tools: Vec<Tool>,
    /// Names of tools that are known, and of each the tool, or `None` if there is none.
    tool_names: Names,
    tool_ids: Vec<Option<usize>>,
    /// Codes and weights of evaluated terms, by term, scope and tool.
    pub(crate) evaluated: BTreeMap<(TermId, u16, u32), (u32, u64)>,
    /// Words of terms and code made of values. They stay until the end of the run.
    pub(crate) built: usize,
    /// The first term that may be made of values.
    pub(crate) first_built: Option<TermId>,
    pub(crate) active_evals: u32,
    /// Recent patterns, the last one first.
    pub(crate) patterns: VecDeque<Known>,
    /// How many calls of other servers the run has made.
    pub(crate) calls: u32,
    /// Open `try`s and `retry`s, the innermost last.
    pub(crate) trials: Vec<Trial>,
    pub(crate) endings: Endings,
    /// The steps of the program, if the host wants to know of them.
    pub(crate) named: Option<Box<Named>>,
    /// The operation whose call is beginning.
    pub(crate) call: usize,
    pub(crate) trace: Vec<String>,
    pub(crate) notes: Notes,
    pub(crate) debug: Vec<String>,
    pub(crate) steps: Steps,
    pub(crate) step: u64,
    /// What came of the calls that the next operation asked for.
    pub(crate) answer: Option<Result<Vec<Outcome>, Box<Refusal>>>,
    /// The next operation.
    pub(crate) pc: usize,
    /// The beginning of the running function's window on the stack.
    pub(crate) base: usize,
    /// Heap index of the running closure, or `NO_CLOSURE`.
    pub(crate) closure: u32,
    pub(crate) depth: u32,
}

impl State {
    /// Keeps a pattern as the last one, and forgets the oldest of too many.
    pub(crate) fn know(&mut self, pattern: Known) {
        self.patterns.truncate(KEPT - 1);
        self.patterns.push_front(pattern);
        self.note_untold();
    }

    pub(crate) fn new(limits: &Limits, step: u64) -> Self {
        Self {
            terms: Rc::default(),
            heap: Heap::new(limits.memory),
            stack: vec![0; 7 * WINDOW / 2],
            frames: vec![NO_FRAME; 56],
            top: 0,
            meter: Meter::new(limits),
            constants: vec![NIL, HOLE],
            failed: UNIT,
            tool_values: Vec::new(),
            kept: Vec::new(),
            tools: Vec::new(),
            tool_names: Names::default(),
            tool_ids: Vec::new(),
            evaluated: BTreeMap::new(),
            built: 0,
            first_built: None,
            active_evals: 0,
            patterns: VecDeque::new(),
            calls: 0,
            trials: Vec::new(),
            endings: Endings::default(),
            named: None,
            call: 0,
            trace: Vec::new(),
            notes: Notes::default(),
            debug: Vec::new(),
            steps: Steps::default(),
            step,
            answer: None,
            pc: 0,
            base: 0,
            closure: NO_CLOSURE,
            depth: 0,
        }
    }

    /// Returns what is known of the tool of this name: its index, or that there is none.
    pub(crate) fn known_tool(&self, name: &str) -> Option<&Option<usize>> {
        self.tool_ids.get(self.tool_names.id(name)? as usize)
    }

    pub(crate) fn note_tool(&mut self, name: &str, found: Option<usize>) {
        let id = self.tool_names.id(name).unwrap_or_else(|| self.tool_names.add(name));
        self.tool_ids.resize(self.tool_names.len(), None);
        if let Some(known) = self.tool_ids.get_mut(id as usize) {
            *known = found;
        }
    }

    /// Returns the names of the tools met so far, for continuations.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    /// Returns the word in a slot counted from the beginning of the stack.
    pub(crate) fn at(&self, slot: usize) -> Word {
        self.stack.get(slot).copied().unwrap_or_default()
    }

    pub(crate) fn slot(&self, slot: Slot) -> Word {
        self.at(self.base + usize::from(slot))
    }

    pub(crate) fn set(&mut self, slot: usize, word: Word) {
        if let Some(place) = self.stack.get_mut(slot) {
            *place = word;
        }
    }

    /// Makes a closure of `code` from the places of the running function.
    pub(crate) fn close(&mut self, code: &Code, id: u32, live: usize) -> Result<Word, Full> {
        let words = code.captures.len() + 1;
        if !self.heap.has_room(words) {
            self.collect(words, live)?;
        }
        let at = self.heap.claim(words);
        self.heap.put(at, &[header(KIND_CLOSURE, words, id)]);
        for (i, place) in code.captures.iter().enumerate() {
            let word = self.value(*place);
            self.heap.put(at + 1 + i, &[word]);
        }
        Ok(pointer(at, CLOSURE))
    }

    /// Returns the value in a place.
    pub(crate) fn value(&self, place: Place) -> Word {
        match place {
            Place::Slot(slot) => self.slot(slot),
            Place::Captured(i) => self.captured(usize::from(i)),
            Place::Constant(k) => self.constants.get(k as usize).copied().unwrap_or_default(),
        }
    }

    /// Puts the closures in these slots where others of them captured the slots.
    pub(crate) fn tie(&mut self, image: &Image, slots: Range<Slot>) {
        for slot in slots.clone() {
            let closure = self.slot(slot);
            let code = image.codes.get(aux(self.heap.header(closure)) as usize);
            for (i, place) in code.iter().flat_map(|code| &code.captures).enumerate() {
                if let Place::Slot(slot) = place
                    && slots.contains(slot)
                {
                    let word = self.slot(*slot);
                    self.heap.put(index(closure) + 1 + i, &[word]);
                }
            }
        }
    }

    /// Returns a captured value of the running closure.
    pub(crate) fn captured(&self, i: usize) -> Word {
        self.heap.word(self.closure as usize + 1 + i)
    }

    /// Continues in the frame below.
    pub(crate) fn leave(&mut self) {
        let Some(top) = self.top.checked_sub(1) else { return };
        let Some(frame) = self.frames.get(top) else { return };
        self.top = top;
        (self.pc, self.base, self.depth) = (frame.pc as usize, frame.base as usize, frame.depth);
        self.closure = frame.closure;
    }
}

pub(crate) fn closure_word(index: u32) -> Word {
    if index == NO_CLOSURE { UNIT } else { pointer(index as usize, CLOSURE) }
}

pub(crate) fn closure_index(closure: Word) -> u32 {
    if tag(closure) == CLOSURE { to_u32(index(closure)) } else { NO_CLOSURE }
}
