//! How a fault of the evaluator becomes one of the host.

use std::fmt;

use super::bindings::{Exceeded, Limits, Note, Place as Spot, Told, Usage};
use crate::domain::{Excess, Fault, FaultCode, Limit, Place, fault};

/// Characters of a message or hint that are kept. The evaluator's are far shorter; this bounds
/// what anything else in its place could say.
const LONGEST: usize = 4_000;

/// The hint of faults that no program should be able to cause.
pub(super) const DEFECT: &str =
    "this is a defect in the evaluator, not in your program: please report it with the program";

impl From<Told> for Fault {
    fn from(told: Told) -> Self {
        let Told { code, message, at, tool, hint, calls, excerpt, warnings, limit: _, place } =
            told;
        let Some(code) = FaultCode::find(&code) else {
            let message = format!("the evaluator reports a fault with an unknown code: {code}");
            return Self { at, tool, ..fault(FaultCode::Internal, cut(message), Some(DEFECT)) };
        };
        let (message, hint, excerpt) = (cut(message), hint.map(cut), excerpt.map(cut));
        let (limit, mismatches, place) = (None, None, place.map(|it| Box::new(it.into())));
        Self { code, message, at, tool, hint, calls, excerpt, warnings, limit, mismatches, place }
    }
}

impl From<Spot> for Place {
    fn from(Spot { line, column, caret }: Spot) -> Self {
        Self { line, column, caret: cut(caret) }
    }
}

/// The limit that a fault is the work of, with what was used of it.
pub(super) fn excess(exceeded: Exceeded, limits: Limits, used: Usage) -> Option<Excess> {
    let (name, used, limit) = match exceeded {
        Exceeded::Fuel => (Limit::Fuel, used.fuel, limits.fuel),
        Exceeded::Depth => (Limit::Depth, used.peak_depth.into(), limits.depth.into()),
        Exceeded::Memory => (Limit::Memory, used.peak_memory, limits.memory),
        // The message names it: nobody can set it.
        Exceeded::Output => return None,
    };
    Some(Excess { name, used, limit })
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, at, message, hint, .. } = self;
        f.write_str(code)?;
        if !at.is_empty() {
            write!(f, " at {at}")?;
        }
        write!(f, ": {message}")?;
        hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}
