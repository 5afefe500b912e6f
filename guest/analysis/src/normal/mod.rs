//! Normal forms: programs with one normal form are equal.
//!
//! The normal form of a program gives for every input an equal value, or a fault where the program
//! gives one. Limits and fuel do not count. A program is rewritten by rules until none applies:
//! functions are applied, bindings that are used once take their places, constants are computed, parts of literal
//! records and lists are taken, branches of known conditions chosen, and chains of list forms
//! fused. At last bound names become canonical.

mod branches;
mod constants;
mod facts;
mod lists;
mod names;
mod observed;
mod parts;
mod pass;
mod scratch;
mod uses;
mod variables;

use crate::Request;
use observed::Observed;
use pass::Ended;
use pif_core::fault::Fault;
use pif_language::print;
use pif_language::term::{Origin, TermId, Terms};
use scratch::Scratch;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The normal form of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normal {
    /// The term, as canonical JSON.
    pub json: String,
    /// The same term in the notation.
    pub notation: String,
    /// sha256 of `json`, if the normal form is complete. Programs with one hash are equal.
    pub hash: Option<String>,
    /// Whether no rule applies any more. If not, the steps were used up before.
    pub complete: bool,
}

/// Steps for any program.
const STEPS: u64 = 2_000_000;
/// Steps for each term of a program.
const STEPS_PER_TERM: u64 = 200;

/// Finds the normal form of a program.
pub fn normal(request: &Request<'_>) -> Result<Normal, Fault> {
    let mut terms = Terms::default();
    let free = request.free_names();
    let root = pif_notation::read_code(&mut terms, request.code, Origin::Code, &free)?.root;
    Ok(normal_term(terms, root, request))
}

/// Finds the normal form of the program at `root`, whose code has been read.
#[must_use]
pub fn normal_term(terms: Terms, root: TermId, request: &Request<'_>) -> Normal {
    let observed = Observed::of(&terms, root);
    let steps = STEPS + STEPS_PER_TERM * u64::from(terms.len());
    let mut scratch = Scratch::new(terms, observed, request.fuel.unwrap_or(steps));
    let (root, complete) = rewritten(&mut scratch, root);
    let json = print::term(&scratch.terms, root);
    let notation = pif_notation::print(&scratch.terms, root);
    let hash = complete.then(|| hex(&Sha256::digest(json.as_bytes())));
    Normal { json, notation, hash, complete }
}

/// The program with the rules applied, as far as its own steps allow, and whether that is all.
fn rewritten(scratch: &mut Scratch, root: TermId) -> (TermId, bool) {
    if scratch.observed.names {
        return (root, true);
    }
    let mut root = names::unique(scratch, root);
    let mut complete = true;
    while !scratch.observed.places {
        match pass::once(scratch, root) {
            Ended::Changed(next) => root = next,
            Ended::Fixed => {
                // What is gone observes nothing.
                let observed = Observed::of(&scratch.terms, root);
                if observed == scratch.observed {
                    break;
                }
                scratch.observed = observed;
            }
            Ended::OutOfSteps => {
                complete = false;
                break;
            }
        }
    }
    (names::canonical(scratch, root), complete)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
