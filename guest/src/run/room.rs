//! Room for the stack, the frames and the heap, within the memory limit.

use crate::algorithm::weight;
use crate::algorithm::weight::NODE;
use crate::memory::heap::{Frame, Full};
use crate::run::state::{NO_FRAME, State, WINDOW, closure_index, closure_word};
use pif_language::term::TermId;

/// Words of the largest growth step of stack and frames, if no more are needed. They are still in
/// the cache when they are used.
const STEP: usize = 1 << 13;
/// Words of a frame.
const FRAME_WORDS: usize = size_of::<Frame>() / 8;

impl State {
    fn account(&mut self) -> Result<(), Full> {
        self.heap.account(self.stack.len() + self.frames.len() * FRAME_WORDS + self.built)
    }

    /// Checks whether a term of this weight may be built: its memory is at least this much.
    pub(crate) fn may_build(&mut self, weight: u64) -> Result<(), Full> {
        const WORDS: u64 = 4;
        let nodes = weight / NODE;
        self.first_built.get_or_insert(self.terms.len());
        let free = self.heap.limit.saturating_sub(self.heap.outside);
        if nodes.saturating_mul(WORDS) > free as u64 { Err(Full) } else { Ok(()) }
    }

    /// Counts bytes of terms or code that the run has built.
    pub(crate) fn account_built(&mut self, bytes: usize) -> Result<(), Full> {
        self.built += bytes.div_ceil(8);
        self.account()
    }

    /// Makes the stack large enough for a window at `base`.
    pub(crate) fn grow_stack(&mut self, base: usize) -> Result<(), Full> {
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

    pub(crate) fn push_frame(&mut self, frame: Frame) -> Result<(), Full> {
        if self.top >= self.frames.len() {
            self.grow_frames()?;
        }
        if let Some(slot) = self.frames.get_mut(self.top) {
            *slot = frame;
            self.top += 1;
        }
        Ok(())
    }

    /// Returns the pending calls, the innermost last.
    pub(crate) fn pending(&self) -> &[Frame] {
        self.frames.get(..self.top).unwrap_or_default()
    }

    /// Makes room for `n` words. Keeps slots below `live` and the running closure.
    pub(crate) fn collect(&mut self, n: usize, live: usize) -> Result<(), Full> {
        self.meter.note_depth(self.depth);
        if self.heap.has_room_in_place(n) {
            return Ok(());
        }
        self.collect_in_any_case(n, live)
    }

    /// Collects garbage that may stand in the way of the stack. Only between two operations.
    #[cold]
    pub(crate) fn relieve(&mut self) -> Result<(), Full> {
        self.meter.note_depth(self.depth);
        self.collect_in_any_case(0, self.window_end())
    }

    /// Makes room for the constants of a term, so that no garbage stands in their way. Only between
    /// two operations.
    pub(crate) fn relieve_for(&mut self, root: TermId) {
        let weight = weight::of_term(&self.terms, root, u64::MAX);
        let words = usize::try_from(weight).unwrap_or(usize::MAX);
        if !self.heap.could_have(words) {
            // They may need less, so a failure here is no fault.
            let _ = self.collect(words, self.window_end());
        }
    }

    /// Counts words of values, the stack and pending calls that no collection could free.
    pub(crate) fn needed(&self) -> usize {
        let frames = self.pending();
        let live = self.stack.get(..self.window_end()).unwrap_or_default();
        let running = [self.failed, closure_word(self.closure)];
        let roots = live.iter().chain(&self.constants).chain(&self.tool_values).chain(&self.kept);
        let roots = roots.chain(&running);
        let values = self.heap.reachable(roots.copied(), frames);
        values + live.len() + FRAME_WORDS * frames.len() + self.built
    }

    /// Returns the end of the slots that operations of the running function name.
    fn window_end(&self) -> usize {
        (self.base + WINDOW).min(self.stack.len())
    }

    fn collect_in_any_case(&mut self, n: usize, live: usize) -> Result<(), Full> {
        let Self { heap, stack, frames, top, constants, closure, .. } = self;
        debug_assert!(live <= stack.len(), "a root beyond the stack");
        let live = live.min(stack.len());
        let (stack, dead) = stack.split_at_mut(live);
        // A slot can count as in use before it is written. A word of an earlier call must not point
        // to an object's old place there.
        dead.fill(0);
        let frames = frames.get_mut(..*top).unwrap_or_default();
        let mut running = closure_word(*closure);
        let roots = &mut [
            &mut constants[..],
            std::slice::from_mut(&mut self.failed),
            &mut self.tool_values[..],
            &mut self.kept[..],
            std::slice::from_mut(&mut running),
        ];
        let collected = heap.collect(n, stack, frames, roots);
        *closure = closure_index(running);
        collected
    }
}

/// Reserves room for `len` elements and much more, so that a growing vector seldom moves. Memory
/// that is never written costs nothing. The first size stays within a component's initial memory,
/// since growing that is costly: `State::new` makes a size that reaches just below it after some
/// growth by half. The excess is at most a quarter of the limit, in words: a component gets twice
/// the limit, and the memory that moved vectors leave behind counts.
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
