//! Where an operation stands in the program: the term that a fault or a warning is reported at.

use super::state::State;
use crate::code::Image;
use crate::language::term::TermId;

/// The term that an operation stands for.
pub(crate) struct Site {
    pub(crate) term: TermId,
    /// Set inside the code of a plain quote: everything is reported at this `eval`.
    pub(crate) eval: Option<TermId>,
}

/// The term that the operation at `pc` stands for.
pub(crate) fn site(image: &Image, s: &State, pc: usize) -> Site {
    let mut pc = pc;
    // Stubs belong to no code: the call that pushed them is the operation before the return.
    if image.code_at(pc).is_none() {
        let frames = s.pending().iter().rev();
        let found = frames.map(|f| f.pc as usize).find(|pc| image.code_at(*pc).is_some());
        pc = found.map_or(pc, |pc| pc - 1);
    }
    let eval = image.code_at(pc).and_then(|code| code.site);
    Site { term: image.term(pc), eval }
}

/// The term that a warning about the operation at `pc` stands at: where a fault would.
fn warned_at(image: &Image, s: &State, pc: usize) -> TermId {
    let Site { term, eval } = site(image, s, pc);
    eval.unwrap_or(term)
}

impl State {
    /// Warns of the form of the operation at `pc`: once for each code and place.
    pub(crate) fn warn(
        &mut self,
        image: &Image,
        pc: usize,
        code: &'static str,
        tell: impl FnOnce() -> (String, String),
    ) {
        let term = warned_at(image, self, pc);
        self.notes.add(&self.terms, code, term, tell);
    }
}
