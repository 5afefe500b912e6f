//! Applications: of a function to exactly as many arguments as it takes, to too many, and to too few,
//! which makes a partial application.

use crate::code::{Image, MOST_ARGUMENTS, REST};
use crate::memory::heap::{Frame, NO_CLOSURE};
use crate::memory::word::{
    CLOSURE, KIND_PARTIAL, PARTIAL, Word, aux, header, index, pointer, size, small, tag,
};
use crate::run::state::{Exit, State, WINDOW, closure_index};
use pif_core::limits::to_u32;

impl State {
    /// Applies `f` to the `n` arguments at `base`: to exactly as many as it takes, to too few, to too
    /// many. It may be a partial application.
    pub(crate) fn enter(
        &mut self,
        image: &Image,
        f: Word,
        n: usize,
        base: usize,
    ) -> Result<(), Exit> {
        let Some(missing) = self.missing_arguments(image, f) else {
            return Err(self.not_a_function(f));
        };
        if base + n + WINDOW > self.stack.len() {
            self.grow_stack(base + n)?;
        }
        if missing > n {
            return self.take_some(f, n, base);
        }
        let (mut f, mut base) = (f, base);
        if n > missing {
            // The other arguments wait below the call's window. Below them is the place of the
            // call, for a fault.
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
            f = self.unfold(f, missing, base)?;
        }
        let Some(code) = image.codes.get(aux(self.heap.header(f)) as usize) else {
            return Err(Exit::defect("a function has no code"));
        };
        self.closure = closure_index(f);
        self.base = base;
        self.pc = code.entry as usize;
        Ok(())
    }

    /// Puts the arguments of a partial application before the `n` new ones.
    fn unfold(&mut self, f: Word, n: usize, base: usize) -> Result<Word, Exit> {
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
        Ok(self.heap.word(index(f) + 1))
    }

    /// Makes a partial application of too few arguments.
    fn take_some(&mut self, f: Word, n: usize, base: usize) -> Result<(), Exit> {
        self.set(base + n, f);
        let (_, taken) = self.application(f).unwrap_or((f, 0));
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
        self.set(base, pointer(at, PARTIAL));
        self.leave();
        Ok(())
    }

    /// Counts the arguments that a function still needs before its body runs.
    pub(crate) fn missing_arguments(&self, image: &Image, f: Word) -> Option<usize> {
        let (closure, taken) = self.application(f)?;
        let code = image.codes.get(aux(self.heap.header(closure)) as usize)?;
        Some(usize::from(code.arity).saturating_sub(taken))
    }

    /// The closure of a function, and the number of arguments that it has already.
    fn application(&self, f: Word) -> Option<(Word, usize)> {
        match tag(f) {
            CLOSURE => Some((f, 0)),
            PARTIAL => Some((self.heap.word(index(f) + 1), size(self.heap.header(f)) - 2)),
            _ => None,
        }
    }
}
