//! Warnings of a running program. The parser's warnings come before them.

use pif_core::fault::Note;
use pif_core::hint::Hint;
use pif_language::term::{TermId, Terms};
use pif_notation::note_in_notation;

/// Warnings kept. Of the rest, only the number is.
const MOST: usize = 20;

/// Warnings counted.
const MOST_COUNTED: usize = 1000;

/// The warnings of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    lines: Vec<String>,
    /// Place and code of each warning, sorted, since a restarted operation warns again.
    known: Vec<(TermId, &'static str)>,
}

impl Notes {
    /// Warns of a term, unless this code has warned of it. Calls `tell` for the message and the
    /// hint only if the warning is kept, since finding a place takes time.
    pub(crate) fn add(
        &mut self,
        terms: &Terms,
        code: &'static str,
        term: TermId,
        tell: impl FnOnce() -> (String, Hint),
    ) {
        let Err(place) = self.known.binary_search(&(term, code)) else { return };
        if self.known.len() >= MOST_COUNTED {
            return;
        }
        self.known.insert(place, (term, code));
        if self.lines.len() >= MOST {
            return;
        }
        let (message, hint) = tell();
        let token = terms.node(term).token;
        let (tool, at) = terms.place(token);
        let at = tool.map_or_else(|| at.clone(), |tool| format!("{at} in `{tool}`"));
        let note = Note { at, ..terms.note(code, token, message, Some(hint)) };
        self.lines.push(note_in_notation(note).to_string());
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.known.len()
    }

    /// Iterates over all warnings, a line each.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let more = self.known.len() - self.lines.len();
        let more = (more > 0).then(|| format!("… and {more} more"));
        self.lines.iter().cloned().chain(more)
    }
}
