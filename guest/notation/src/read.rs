//! A text in the notation, to terms.

use crate::build::{build, too_long};
use crate::hint::fault_in_notation;
use crate::lower::lower;
use crate::syntax;
use pif_core::fault::{Code, Fault};
use pif_language::parse::builder::Builder;
use pif_language::parse::{Parsed, first, within};
use pif_language::term::{Origin, Terms};

/// Bytes of the longest text.
const LONGEST: usize = 1 << 28;

/// Reads a program in the notation, in which these names are variables.
pub fn parse(
    terms: &mut Terms,
    text: &str,
    origin: Origin,
    free: &[&str],
) -> Result<Parsed, Fault> {
    first(read_text(terms, text, origin, free, 1))
}

/// Reads a program and reports up to `most` faults.
pub(crate) fn read_text(
    terms: &mut Terms,
    text: &str,
    origin: Origin,
    free: &[&str],
    most: usize,
) -> Result<Parsed, Vec<Fault>> {
    if text.len() > LONGEST {
        return Err(vec![Fault::new(
            Code::TooLarge,
            "the text of the program is longer than 256 MiB",
        )]);
    }
    let lowered = syntax::parse(text).and_then(|ast| lower(text, ast, free));
    let (tree, root) = match lowered {
        Ok(lowered) => lowered,
        Err(wrong) => {
            let faults = wrong.into_iter().take(most.max(1));
            return Err(faults.map(|fault| within(*fault, &origin)).collect());
        }
    };
    if terms.begin_program(text, origin).is_none() {
        return Err(vec![too_long()]);
    }
    let mut builder = Builder::new(terms, most);
    build(&mut builder, &tree, text, root);
    builder.end_program();
    builder.end().map_err(|faults| faults.into_iter().map(fault_in_notation).collect())
}

/// Tells whether a fault is of a text that no other way of reading would take.
pub(crate) fn is_too_long(fault: &Fault) -> bool {
    fault.code == Code::TooLarge
}
