//! Where a fault or a warning stands in the program: the term of an operation or, inside the code of a
//! plain quote, the `eval` that runs it.

use super::state::State;
use crate::code::Image;
use pif_core::hint::Hint;
use pif_language::term::TermId;

/// The term of an operation.
pub(crate) struct Site {
    pub(crate) term: TermId,
    /// The `eval` that all faults and warnings name, inside the code of a plain quote.
    pub(crate) eval: Option<TermId>,
}

/// Returns the term of the operation at `pc`.
pub(crate) fn site(image: &Image, s: &State, pc: usize) -> Site {
    let mut pc = pc;
    // Stubs belong to no code. The call that pushed one is the operation before the return.
    if image.code_at(pc).is_none() {
        let frames = s.pending().iter().rev();
        let found = frames.map(|f| f.pc as usize).find(|pc| image.code_at(*pc).is_some());
        pc = found.map_or(pc, |pc| pc - 1);
    }
    let eval = image.code_at(pc).and_then(|code| code.site);
    Site { term: image.term(pc), eval }
}

/// Returns the term that a warning about the operation at `pc` names, as a fault would.
fn warned_at(image: &Image, s: &State, pc: usize) -> TermId {
    let Site { term, eval } = site(image, s, pc);
    eval.unwrap_or(term)
}

impl State {
    /// Warns of the form of the operation at `pc`, once for each code and place.
    pub(crate) fn warn(
        &mut self,
        image: &Image,
        pc: usize,
        code: &'static str,
        tell: impl FnOnce() -> (String, Hint),
    ) {
        let term = warned_at(image, self, pc);
        self.notes.add(&self.terms, code, term, tell);
    }
}
