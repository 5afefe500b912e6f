//! A text in the notation, to terms.

use crate::emit::emit;
use crate::hint::fault_in_notation;
use crate::lower::lower;
use crate::syntax;
use pif_core::fault::{Code, Fault};
use pif_language::parse::{Notation, Parsed, read_all};
use pif_language::term::{Origin, Terms, Written};

/// Bytes of the longest text, and tokens of the largest program.
const LONGEST: usize = 1 << 28;

/// Reads a program in the notation, in which these names are variables.
pub fn parse(
    terms: &mut Terms,
    text: &str,
    origin: Origin,
    free: &[&str],
) -> Result<Parsed, Fault> {
    let defect = || Fault::defect("a text was refused without a reason");
    let first = |faults: Vec<Fault>| faults.into_iter().next().unwrap_or_else(defect);
    read_text(terms, text, origin, free, 1).map_err(first)
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
    let (first, bytes) = (terms.tape.len(), terms.tape.text.len());
    let read =
        syntax::parse(text).and_then(|ast| lower(text, ast, free)).and_then(|(tree, root)| {
            let too_long =
                || Fault::new(Code::TooLarge, "the texts of this run are longer than 2 GiB");
            let source = terms.tape.add_text(text).ok_or_else(|| vec![too_long().into()])?;
            let starts = emit(&mut terms.tape, &tree, text, root).map_err(|wrong| vec![wrong])?;
            Ok((source, starts))
        });
    match read {
        Ok((source, starts)) => {
            terms.add_origin(first, origin);
            terms.add_written(Written { root: first, source, starts });
            let read = read_all(terms, first, Notation::Code, most);
            read.map_err(|faults| faults.into_iter().map(fault_in_notation).collect())
        }
        Err(wrong) => {
            terms.tape.cut(first, bytes);
            Err(wrong.into_iter().take(most.max(1)).map(|wrong| *wrong).collect())
        }
    }
}

/// Tells whether a fault is of a text that no other way of reading would take.
pub(crate) fn is_too_long(fault: &Fault) -> bool {
    fault.code == Code::TooLarge
}
