//! Any text as a program in the notation: it is refused, with its place, or read; and what a term is
//! written as reads back as that term.

use anyhow::{Context, Result, ensure};
use pif::notation;
use pif::parse::{Reading, parse};
use pif::print;
use pif::term::{Origin, TermId, Terms};

/// Names that are variables of every text.
const FREE: [&str; 2] = ["data", "input"];

/// Reads the text as a whole, and its lines.
pub fn check(bytes: &[u8]) -> Result<()> {
    let Ok(text) = str::from_utf8(bytes) else { return Ok(()) };
    check_text(text)?;
    if text.contains('\n') {
        text.split('\n').try_for_each(check_text)?;
    }
    Ok(())
}

fn check_text(text: &str) -> Result<()> {
    let mut terms = Terms::default();
    match notation::parse(&mut terms, text, Origin::Code, &FREE) {
        Ok(parsed) => round_trip(&terms, parsed.root).map(|_| ())?,
        Err(fault) => ensure!(fault.place.is_some(), "{text}: {fault} has no place"),
    }
    round_trip_of(text).map(|_| ())
}

/// The notation of a term that is written in JSON; nothing if it is none.
pub fn round_trip_of(code: &str) -> Result<Option<String>> {
    let mut terms = Terms::default();
    let Ok(parsed) = parse(&mut terms, code, Origin::Code, Reading::Code) else { return Ok(None) };
    round_trip(&terms, parsed.root).map(Some)
}

/// The notation of a term, which reads back as it, and is written so again.
fn round_trip(terms: &Terms, root: TermId) -> Result<String> {
    let canonical = print::term(terms, root);
    let written = notation::print(terms, root);
    let mut others = Terms::default();
    let other = notation::parse(&mut others, &written, Origin::Code, &FREE)
        .with_context(|| format!("{canonical} is written\n{written}"))?;
    let again = print::term(&others, other.root);
    ensure!(again == canonical, "{canonical} is written\n{written}\nwhich is\n{again}");
    let rewritten = notation::print(&others, other.root);
    ensure!(rewritten == written, "{canonical} is written\n{written}\nand then\n{rewritten}");
    Ok(written)
}
