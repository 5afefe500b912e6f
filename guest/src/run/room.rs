//! Room for the stack, the frames and what lies on the heap, all of it within the memory limit.

use crate::algorithm::weight;
use crate::algorithm::weight::NODE;
use crate::language::term::TermId;
use crate::memory::heap::{Frame, Full};
use crate::run::state::{NO_FRAME, State, WINDOW, closure_index, closure_word};

/// Words that stack and frames grow by at most, if no more are needed: few enough to be in the cache
/// still when they are used.
const STEP: usize = 1 << 13;
/// Words of a frame.
const FRAME_WORDS: usize = size_of::<Frame>() / 8;

impl State {
    fn account(&mut self) -> Result<(), Full> {
        self.heap.account(self.stack.len() + self.frames.len() * FRAME_WORDS + self.built)
    }

    /// Whether a term of this weight may be built, which takes at least this much memory.
    pub(crate) fn may_build(&mut self, weight: u64) -> Result<(), Full> {
        const WORDS: u64 = 4;
        let nodes = weight / NODE;
        self.first_built.get_or_insert(self.terms.len());
        let free = self.heap.limit.saturating_sub(self.heap.outside);
        if nodes.saturating_mul(WORDS) > free as u64 { Err(Full) } else { Ok(()) }
    }

    /// Accounts for so many bytes of terms or code that have been built.
    pub(crate) fn account_built(&mut self, bytes: usize) -> Result<(), Full> {
        self.built += bytes.div_ceil(8);
        self.account()
    }

    /// Makes sure that a window can begin at `base`.
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

    /// Pending calls, the innermost last.
    pub(crate) fn pending(&self) -> &[Frame] {
        self.frames.get(..self.top).unwrap_or_default()
    }

    /// Makes room for `n` words; slots below `live` and the running closure are kept.
    pub(crate) fn collect(&mut self, n: usize, live: usize) -> Result<(), Full> {
        self.meter.note_depth(self.depth);
        if self.heap.has_room_in_place(n) {
            return Ok(());
        }
        self.collect_in_any_case(n, live)
    }

    /// Between two operations: collects what may stand in the way of the stack.
    #[cold]
    pub(crate) fn relieve(&mut self) -> Result<(), Full> {
        self.meter.note_depth(self.depth);
        self.collect_in_any_case(0, self.window_end())
    }

    /// Between two operations: sees to it that the constants of a term find no garbage in their way.
    pub(crate) fn relieve_for(&mut self, root: TermId) {
        let weight = weight::of_term(&self.terms, root, u64::MAX);
        let words = usize::try_from(weight).unwrap_or(usize::MAX);
        if !self.heap.could_have(words) {
            // They may need less.
            let _ = self.collect(words, self.window_end());
        }
    }

    /// Words that values, the stack and pending calls take and that no collection could give back.
    pub(crate) fn needed(&self) -> usize {
        let frames = self.pending();
        let live = self.stack.get(..self.window_end()).unwrap_or_default();
        let running = [self.failed, closure_word(self.closure)];
        let roots = live.iter().chain(&self.constants).chain(&self.tool_values).chain(&self.kept);
        let roots = roots.chain(&running);
        let values = self.heap.reachable(roots.copied(), frames);
        values + live.len() + FRAME_WORDS * frames.len() + self.built
    }

    /// Where the slots end that operations of the running function name.
    fn window_end(&self) -> usize {
        (self.base + WINDOW).min(self.stack.len())
    }

    fn collect_in_any_case(&mut self, n: usize, live: usize) -> Result<(), Full> {
        let Self { heap, stack, frames, top, constants, closure, .. } = self;
        debug_assert!(live <= stack.len(), "a root beyond the stack");
        let live = live.min(stack.len());
        let (stack, dead) = stack.split_at_mut(live);
        // A slot may come to count as in use before it is written. What an earlier call has left there
        // must not point to where something was before it moved.
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
