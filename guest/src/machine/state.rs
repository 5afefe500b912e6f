//! The registers, stack, heap and roots of a run, and the rarer things that happen to them.

use super::meter::{Meter, Stop};
use super::trial::Trial;
use crate::code::{Code, Image, MOST_ARGUMENTS, Place, REST, Slot};
use crate::fault::Fault;
use crate::heap::{Frame, Full, Heap, NO_CLOSURE};
use crate::limits::Limits;
use crate::primitive::Trouble;
use crate::primitive::pattern::Pattern;
use crate::primitive::weight::NODE;
use crate::term::{TermId, Terms};
use crate::value::{
    CLOSURE, HOLE, KIND_PARTIAL, NIL, PARTIAL, UNIT, Word, aux, header, index, pointer, size,
    small, tag,
};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Slots that must exist above the beginning of a function's window: those that operations name,
/// and some right behind one that they name.
pub(super) const WINDOW: usize = 256 + 8;
/// Words that stack and frames grow by at most, if no more are needed: few enough to be in the cache
/// still when they are used.
const STEP: usize = 1 << 13;
/// Words of a frame.
const FRAME_WORDS: usize = size_of::<Frame>() / 8;

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

const NO_FRAME: Frame = Frame { pc: 0, base: 0, closure: NO_CLOSURE, depth: 0 };

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
    /// Values of tools, or `HOLE`, in the order of `tools`; then the function to be applied.
    pub(super) values: Vec<Word>,
    pub(super) tools: Vec<Tool>,
    /// Tools by name; `None` if there is no such tool.
    pub(super) tool_ids: BTreeMap<String, Option<usize>>,
    /// Codes of evaluated terms and their weights, by term, scope and tool.
    pub(super) evaluated: BTreeMap<(TermId, u16, u32), (u32, u64)>,
    /// Words of terms and code made of values, which stay until the end of the run.
    built: usize,
    /// The first term that may have been made of values, once there is one.
    pub(super) first_built: Option<TermId>,
    pub(super) active_evals: u32,
    /// Patterns used last, the last one first.
    pub(super) patterns: VecDeque<(String, Rc<Pattern>)>,
    /// `try`s whose terms are being evaluated, the innermost last.
    pub(super) trials: Vec<Trial>,
    /// The operation whose call is being entered.
    pub(super) call: usize,
    pub(super) trace: Vec<String>,
    pub(super) debug: Vec<String>,
    pub(super) step: u64,
    pub(super) pc: usize,
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
            values: vec![UNIT],
            tools: Vec::new(),
            tool_ids: BTreeMap::new(),
            evaluated: BTreeMap::new(),
            built: 0,
            first_built: None,
            active_evals: 0,
            patterns: VecDeque::new(),
            trials: Vec::new(),
            call: 0,
            trace: Vec::new(),
            debug: Vec::new(),
            step,
            pc: 0,
            base: 0,
            closure: NO_CLOSURE,
            depth: 0,
        }
    }

    fn account(&mut self) -> Result<(), Full> {
        self.heap.account(self.stack.len() + self.frames.len() * FRAME_WORDS + self.built)
    }

    /// Whether a term of this weight may be built, which takes at least this much memory.
    pub(super) fn may_build(&mut self, weight: u64) -> Result<(), Full> {
        const WORDS: u64 = 4;
        let nodes = weight / NODE;
        self.first_built.get_or_insert(self.terms.len());
        let free = self.heap.limit.saturating_sub(self.heap.outside);
        if nodes.saturating_mul(WORDS) > free as u64 { Err(Full) } else { Ok(()) }
    }

    /// Accounts for so many bytes of terms or code that have been built.
    pub(super) fn account_built(&mut self, bytes: usize) -> Result<(), Full> {
        self.built += bytes.div_ceil(8);
        self.account()
    }

    /// Makes sure that a window can begin at `base`.
    pub(super) fn grow_stack(&mut self, base: usize) -> Result<(), Full> {
        let need = base + 2 * WINDOW;
        let len = need.max(self.stack.len() + (self.stack.len() / 2).min(STEP));
        if len >= u32::MAX as usize || len > self.heap.limit {
            return Err(Full);
        }
        self.heap.account(self.heap.outside + len - self.stack.len())?;
        reserve(&mut self.stack, len, self.heap.limit)?;
        self.stack.resize(len, 0);
        self.account()
    }

    fn grow_frames(&mut self) -> Result<(), Full> {
        let more = (self.frames.len() / 2).min(STEP / FRAME_WORDS);
        self.heap.account(self.heap.outside + FRAME_WORDS * more)?;
        let len = self.frames.len() + more;
        reserve(&mut self.frames, len, self.heap.limit)?;
        self.frames.resize(len, NO_FRAME);
        self.meter.note_depth(self.depth);
        self.account()
    }

    pub(super) fn push_frame(&mut self, frame: Frame) -> Result<(), Full> {
        if self.top >= self.frames.len() {
            self.grow_frames()?;
        }
        if let Some(slot) = self.frames.get_mut(self.top) {
            *slot = frame;
            self.top += 1;
        }
        Ok(())
    }

    /// Pending calls, the innermost last.
    pub(super) fn pending(&self) -> &[Frame] {
        self.frames.get(..self.top).unwrap_or_default()
    }

    /// Makes room for `n` words; slots below `live` and the running closure are kept.
    pub(super) fn collect(&mut self, n: usize, live: usize) -> Result<(), Full> {
        self.meter.note_depth(self.depth);
        let Self { heap, stack, frames, top, constants, values, closure, .. } = self;
        if heap.has_room_in_place(n) {
            return Ok(());
        }
        debug_assert!(live <= stack.len(), "a root beyond the stack");
        let live = live.min(stack.len());
        let (stack, dead) = stack.split_at_mut(live);
        // A slot may come to count as in use before it is written. What an earlier call has left there
        // must not point to where something was before it moved.
        dead.fill(0);
        let frames = frames.get_mut(..*top).unwrap_or_default();
        let mut running = closure_word(*closure);
        let roots = &mut [&mut constants[..], &mut values[..], std::slice::from_mut(&mut running)];
        let collected = heap.collect(n, stack, frames, roots);
        *closure = closure_index(running);
        collected
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

    /// A closure of `code`, with what it captures taken from the window at `base`.
    pub(super) fn close(
        &mut self,
        code: &Code,
        id: u32,
        base: usize,
        live: usize,
    ) -> Result<Word, Full> {
        let words = code.captures.len() + 1;
        if !self.heap.has_room(words) {
            self.collect(words, live)?;
        }
        Ok(self.place_closure(code, id, base))
    }

    /// The same where there is room.
    pub(super) fn place_closure(&mut self, code: &Code, id: u32, base: usize) -> Word {
        let words = code.captures.len() + 1;
        let at = self.heap.claim(words);
        self.heap.put(at, &[header(crate::value::KIND_CLOSURE, words, id)]);
        for (i, place) in code.captures.iter().enumerate() {
            let word = match place {
                Place::Slot(slot) => self.at(base + usize::from(*slot)),
                Place::Captured(i) => self.captured(usize::from(*i)),
                Place::Constant(k) => self.constants.get(*k as usize).copied().unwrap_or_default(),
            };
            self.heap.put(at + 1 + i, &[word]);
        }
        pointer(at, CLOSURE)
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
            let found = crate::primitive::type_name(&self.heap, f);
            return Err(Trouble::NotAFunction { found }.into());
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

/// Makes a vector that goes on growing have room for `len`, and for much more, so that it is seldom
/// moved: memory that was never written to costs nothing. At first it is no more than a component
/// has from the beginning, because to grow costs that much more: half as much again, some times, from
/// what `State::new` makes is just below it. And never more ahead than a quarter of the limit, in
/// words: a component gets twice the limit, and what vectors leave behind when they move counts.
fn reserve<T>(vector: &mut Vec<T>, len: usize, limit: usize) -> Result<(), Full> {
    const FIRST: usize = 56 << 10;
    const MOST: usize = 32 << 20;
    if len <= vector.capacity() {
        return Ok(());
    }
    let elements = |bytes: usize| bytes / size_of::<T>();
    let ahead = (15 * len).min(elements(MOST.min(limit.saturating_mul(8) / 4)));
    let room = if len > elements(FIRST) { len + ahead } else { elements(FIRST) };
    let filled = vector.len();
    let reserved = vector.try_reserve_exact(room - filled);
    reserved.or_else(|_| vector.try_reserve_exact(len - filled)).map_err(|_| Full)
}

/// Nodes visited once a closure has taken so many arguments.
fn merged(image: &Image, heap: &Heap, closure: Word, taken: usize) -> u8 {
    let code = image.codes.get(aux(heap.header(closure)) as usize);
    code.and_then(|code| code.merged.get(taken)).copied().unwrap_or_default()
}

fn closure_word(index: u32) -> Word {
    if index == NO_CLOSURE { UNIT } else { pointer(index as usize, CLOSURE) }
}

pub(super) fn closure_index(closure: Word) -> u32 {
    if tag(closure) == CLOSURE { to_u32(index(closure)) } else { NO_CLOSURE }
}

pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
