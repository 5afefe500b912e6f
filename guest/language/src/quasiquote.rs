//! Quotes with holes: which terms of a quote are evaluated, and how their values take their places.
//!
//! An `unquote` belongs to the innermost quote around it that no other `unquote` has closed, as in
//! Scheme's quasiquotation. The evaluation of a quote fills the holes that belong to it. Holes of
//! inner quotes stay until those are evaluated.

use crate::form::Form;
use crate::term::{TermId, Terms};
use crate::walk::{inner_level, rebuild};

/// Notes which terms fill the holes of every quote below `root`. Fails with an `unquote` that
/// belongs to no quote.
pub fn note_holes(terms: &mut Terms, root: TermId) -> Result<(), TermId> {
    enum Walk {
        Enter(TermId),
        Close,
        Reopen(TermId, Vec<TermId>),
    }
    // Of each quote around: its holes so far.
    let mut quotes: Vec<(TermId, Vec<TermId>)> = Vec::new();
    let (mut walk, mut found) = (vec![Walk::Enter(root)], Vec::new());
    while let Some(step) = walk.pop() {
        let term = match step {
            Walk::Enter(term) => term,
            Walk::Close => {
                found.extend(quotes.pop());
                continue;
            }
            Walk::Reopen(quote, holes) => {
                quotes.push((quote, holes));
                continue;
            }
        };
        match terms.form(term) {
            Form::Quote => {
                quotes.push((term, Vec::new()));
                walk.push(Walk::Close);
            }
            Form::Unquote => {
                let (quote, mut holes) = quotes.pop().ok_or(term)?;
                holes.push(terms.operand(term, 0));
                walk.push(Walk::Reopen(quote, holes));
            }
            _ => {}
        }
        walk.extend(terms.operands(term).iter().rev().map(|t| Walk::Enter(*t)));
    }
    for (quote, holes) in found {
        if !holes.is_empty() && terms.evaluated(quote).is_empty() {
            terms.set_holes(quote, holes);
        }
    }
    Ok(())
}

/// Iterates over the nodes of a quote that stay when its holes are filled.
pub fn outline(terms: &Terms, quote: TermId) -> impl Iterator<Item = TermId> + '_ {
    let mut open = vec![(terms.operand(quote, 0), 0)];
    std::iter::from_fn(move || {
        loop {
            let (term, level) = open.pop()?;
            let form = terms.form(term);
            if form == Form::Unquote && level == 0 {
                continue;
            }
            let level = inner_level(form, level);
            open.extend(terms.operands(term).iter().rev().map(|t| (*t, level)));
            return Some(term);
        }
    })
}

/// Returns the term in a quote, with these terms in place of its holes. Parts without holes are not
/// copied.
pub fn fill(terms: &mut Terms, quote: TermId, parts: &[TermId]) -> TermId {
    let (mut parts, mut has_holes) = (parts.iter().copied(), false);
    let inner = terms.operand(quote, 0);
    let filled = rebuild(terms, inner, |terms, term, level| {
        let is_unquote = terms.form(term) == Form::Unquote;
        has_holes |= is_unquote && level > 0;
        if is_unquote && level == 0 { parts.next() } else { None }
    });
    if has_holes {
        // The parts have no holes outside their own quotes, so this cannot fail.
        let _ = note_holes(terms, filled);
    }
    filled
}
