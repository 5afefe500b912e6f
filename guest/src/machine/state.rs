//! The registers, stack, heap and roots of a run, and the rarer things that happen to them.

use super::meter::{Meter, Stop};
use super::notes::Notes;
use super::trial::{Endings, Trial};
use crate::code::{Code, Image, MOST_ARGUMENTS, Place, REST, Slot};
use crate::fault::Fault;
use crate::heap::{Frame, Full, Heap, NO_CLOSURE};
use crate::limits::Limits;
use crate::primitive::Trouble;
use crate::primitive::pattern::Pattern;
use crate::term::{TermId, Terms};
use crate::value::{
    CLOSURE, HOLE, KIND_CLOSURE, KIND_PARTIAL, NIL, PARTIAL, UNIT, Word, aux, header, index,
    pointer, size, small, tag,
};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

/// Slots that must exist above the beginning of a function's window: those that operations name,
/// and some right behind one that they name.
pub(super) const WINDOW: usize = 256 + 8;
/// Why `run` came back.
#[derive(Debug)]
pub(super) enum Exit {
    /// The outermost evaluation has this value.
    Value(Word),
    /// At this operation something is wrong; it has not been paid for.
    Trouble(Trouble),
    Stop(Stop),
    /// The source of this tool is needed.
    Lookup(String),
    /// The source of this tool must be compiled.
    CompileTool(usize),
    /// This term must be compiled in this scope, in the context of this tool.
    CompileTerm(TermId, u16, u32),
    /// The host must perform an effect and put its outcome into this slot.
    Perform(Slot, String, Word),
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

pub(super) const NO_FRAME: Frame = Frame { pc: 0, base: 0, closure: NO_CLOSURE, depth: 0 };

/// A tool that the run has met.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    /// Its source, or what was wrong with it.
    pub(super) source: Result<TermId, Box<Fault>>,
    /// Where its code begins, once compiled.
    pub(super) entry: Option<u32>,
}

/// Everything that changes while operations run.
#[derive(Debug)]
pub(super) struct State {
    pub(super) terms: Rc<Terms>,
    pub(super) heap: Heap,
    pub(super) stack: Vec<Word>,
    /// Pending calls, the innermost at `top - 1`.
    pub(super) frames: Vec<Frame>,
    pub(super) top: usize,
    pub(super) meter: Meter,
    /// Constants of the image.
    pub(super) constants: Vec<Word>,
    /// The value of the last `fail`.
    pub(super) failed: Word,
    /// Values of tools, or `HOLE`, in the order of `tools`.
    pub(super) tool_values: Vec<Word>,
    /// Words that are followed to where they move while room is made.
    pub(super) kept: Vec<Word>,
    pub(super) tools: Vec<Tool>,
    /// Tools by name; `None` if there is no such tool.
    pub(super) tool_ids: BTreeMap<String, Option<usize>>,
    /// Codes of evaluated terms and their weights, by term, scope and tool.
    pub(super) evaluated: BTreeMap<(TermId, u16, u32), (u32, u64)>,
    /// Words of terms and code made of values, which stay until the end of the run.
    pub(super) built: usize,
    /// The first term that may have been made of values, once there is one.
    pub(super) first_built: Option<TermId>,
    pub(super) active_evals: u32,
    /// Patterns used last, the last one first.
    pub(super) patterns: VecDeque<(String, Rc<Pattern>)>,
    /// `try`s whose terms are being evaluated, the innermost last.
    pub(super) trials: Vec<Trial>,
    pub(super) endings: Endings,
    /// The operation whose call is being entered.
    pub(super) call: usize,
    pub(super) trace: Vec<String>,
    pub(super) notes: Notes,
    pub(super) debug: Vec<String>,
    pub(super) step: u64,
    /// Whether operations are done by their shortcuts.
    pub(super) takes_shortcuts: bool,
    /// The operation that comes next.
    pub(super) pc: usize,
    /// Where the window of the running function begins on the stack.
    pub(super) base: usize,
    /// Heap index of the running closure, or `NO_CLOSURE`.
    pub(super) closure: u32,
    pub(super) depth: u32,
}

impl State {
    pub(super) fn new(limits: &Limits, step: u64) -> Self {
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
            tool_ids: BTreeMap::new(),
            evaluated: BTreeMap::new(),
            built: 0,
            first_built: None,
            active_evals: 0,
            patterns: VecDeque::new(),
            trials: Vec::new(),
            endings: Endings::default(),
            call: 0,
            trace: Vec::new(),
            notes: Notes::default(),
            debug: Vec::new(),
            step,
            takes_shortcuts: true,
            pc: 0,
            base: 0,
            closure: NO_CLOSURE,
            depth: 0,
        }
    }

    /// The word in a slot counted from the beginning of the stack.
    pub(super) fn at(&self, slot: usize) -> Word {
        self.stack.get(slot).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, slot: usize, word: Word) {
        if let Some(place) = self.stack.get_mut(slot) {
            *place = word;
        }
    }

    /// How many arguments a function still takes before its body runs.
    pub(super) fn missing_arguments(&self, image: &Image, f: Word) -> Option<usize> {
        let (closure, taken) = match tag(f) {
            CLOSURE => (f, 0),
            PARTIAL => (self.heap.word(index(f) + 1), size(self.heap.header(f)) - 2),
            _ => return None,
        };
        let code = image.codes.get(aux(self.heap.header(closure)) as usize)?;
        Some(usize::from(code.arity).saturating_sub(taken))
    }

    /// Fuel of giving `n` more arguments to a function that still waits for others.
    pub(super) fn fed_visits(&self, image: &Image, f: Word, n: u8) -> u8 {
        let (closure, taken) = match tag(f) {
            PARTIAL => (self.heap.word(index(f) + 1), size(self.heap.header(f)) - 2),
            _ => (f, 0),
        };
        let visits = |taken| merged(image, &self.heap, closure, taken);
        visits(taken + usize::from(n)) - visits(taken)
    }

    /// A closure of `code`, which captures its places of the running function.
    pub(super) fn close(&mut self, code: &Code, id: u32, live: usize) -> Result<Word, Full> {
        let words = code.captures.len() + 1;
        if !self.heap.has_room(words) {
            self.collect(words, live)?;
        }
        let at = self.heap.claim(words);
        self.heap.put(at, &[header(KIND_CLOSURE, words, id)]);
        for (i, place) in code.captures.iter().enumerate() {
            let word = match place {
                Place::Slot(slot) => self.slot(*slot),
                Place::Captured(i) => self.captured(usize::from(*i)),
                Place::Constant(k) => self.constants.get(*k as usize).copied().unwrap_or_default(),
            };
            self.heap.put(at + 1 + i, &[word]);
        }
        Ok(pointer(at, CLOSURE))
    }

    /// Puts the closures in these slots where they captured the slots, before all were made.
    pub(super) fn tie(&mut self, image: &Image, slots: Range<Slot>) {
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

    /// A captured value of the running closure.
    pub(super) fn captured(&self, i: usize) -> Word {
        self.heap.word(self.closure as usize + 1 + i)
    }

    /// Applies `f` to the `n` arguments at `base` in every case but the plain one of a closure
    /// that takes just so many: leading holes, partial applications, too few, too many.
    pub(super) fn enter(
        &mut self,
        image: &Image,
        f: Word,
        n: usize,
        base: usize,
    ) -> Result<(), Exit> {
        let (f, n) = (f, self.drop_holes(n, base));
        let Some(missing) = self.missing_arguments(image, f) else {
            return Err(self.not_a_function(f));
        };
        if base + n + WINDOW > self.stack.len() {
            self.grow_stack(base + n)?;
        }
        if missing > n {
            return self.take_some(image, f, n, base);
        }
        let (mut f, mut base) = (f, base);
        if n > missing {
            // The other arguments wait below the window of the call, and below them the place of
            // the call, for a fault.
            let rest = n - missing;
            if let Some(window) = self.stack.get_mut(base..=base + n) {
                window.rotate_right(1);
                if let Some(arguments) = window.get_mut(1..) {
                    arguments.rotate_left(missing);
                }
            }
            self.set(base, small(i64::try_from(self.call).unwrap_or_default()));
            let pc = REST + u32::try_from(rest).unwrap_or(MOST_ARGUMENTS);
            let depth = self.depth;
            self.push_frame(Frame { pc, base: to_u32(base), closure: NO_CLOSURE, depth })?;
            self.depth += 1;
            base += rest + 1;
        }
        if tag(f) == PARTIAL {
            f = self.unfold(image, f, missing, base)?;
        }
        let code = image.codes.get(aux(self.heap.header(f)) as usize);
        (self.closure, self.base) = (closure_index(f), base);
        self.pc = code.map_or(0, |code| code.entry as usize);
        Ok(())
    }

    /// Closes the gap of arguments that have been used already.
    fn drop_holes(&mut self, n: usize, base: usize) -> usize {
        let Some(window) = self.stack.get_mut(base..base + n) else { return 0 };
        let holes = window.iter().take_while(|word| **word == HOLE).count();
        window.rotate_left(holes);
        n - holes
    }

    /// Puts the arguments of a partial application before the `n` new ones.
    fn unfold(&mut self, image: &Image, f: Word, n: usize, base: usize) -> Result<Word, Exit> {
        let taken = size(self.heap.header(f)) - 2;
        if base + n + taken + WINDOW > self.stack.len() {
            self.grow_stack(base + n + taken)?;
        }
        for i in (0..n).rev() {
            self.set(base + taken + i, self.at(base + i));
        }
        for i in 0..taken {
            self.set(base + i, self.heap.word(index(f) + 2 + i));
        }
        let closure = self.heap.word(index(f) + 1);
        // The nodes visited when those arguments were taken have been paid for: the body pays
        // for all of them again.
        self.meter.fuel += i64::from(merged(image, &self.heap, closure, taken));
        Ok(closure)
    }

    /// Too few arguments: the value is a partial application.
    fn take_some(&mut self, image: &Image, f: Word, n: usize, base: usize) -> Result<(), Exit> {
        self.set(base + n, f);
        let (closure, taken) = match tag(f) {
            PARTIAL => (self.heap.word(index(f) + 1), size(self.heap.header(f)) - 2),
            _ => (f, 0),
        };
        let cost = self.afford(image, closure, taken, n)?;
        let words = 2 + taken + n;
        if !self.heap.has_room(words) {
            self.collect(words, base + n + 1)?;
        }
        let f = self.at(base + n);
        let closure = if taken > 0 { self.heap.word(index(f) + 1) } else { f };
        let at = self.heap.claim(words);
        self.heap.put(at, &[header(KIND_PARTIAL, words, 0), closure]);
        for i in 0..taken {
            let word = self.heap.word(index(f) + 2 + i);
            self.heap.put(at + 2 + i, &[word]);
        }
        for i in 0..n {
            let word = self.at(base + i);
            self.heap.put(at + 2 + taken + i, &[word]);
        }
        self.meter.fuel -= cost;
        self.set(base, pointer(at, PARTIAL));
        self.leave();
        Ok(())
    }

    /// The fuel for giving `n` more arguments to a closure that has `taken` and still waits for
    /// others, if there is as much.
    fn afford(
        &mut self,
        image: &Image,
        closure: Word,
        taken: usize,
        n: usize,
    ) -> Result<i64, Stop> {
        let visited = |taken| i64::from(merged(image, &self.heap, closure, taken));
        let (paid, due) = (visited(taken), visited(taken + n));
        if self.meter.left() < due - paid {
            let code = aux(self.heap.header(closure)) as usize;
            self.meter.visit_functions(image, code, paid)?;
        }
        Ok(due - paid)
    }

    /// Goes on in the frame below.
    pub(super) fn leave(&mut self) {
        let Some(top) = self.top.checked_sub(1) else { return };
        let Some(frame) = self.frames.get(top) else { return };
        self.top = top;
        (self.pc, self.base, self.depth) = (frame.pc as usize, frame.base as usize, frame.depth);
        self.closure = frame.closure;
    }
}

/// Nodes visited once a closure has taken so many arguments.
fn merged(image: &Image, heap: &Heap, closure: Word, taken: usize) -> u8 {
    let code = image.codes.get(aux(heap.header(closure)) as usize);
    code.and_then(|code| code.merged.get(taken)).copied().unwrap_or_default()
}

pub(super) fn closure_word(index: u32) -> Word {
    if index == NO_CLOSURE { UNIT } else { pointer(index as usize, CLOSURE) }
}

pub(super) fn closure_index(closure: Word) -> u32 {
    if tag(closure) == CLOSURE { to_u32(index(closure)) } else { NO_CLOSURE }
}

pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
