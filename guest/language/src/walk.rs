//! Walks through terms, and terms rebuilt with others inside. A list of work replaces recursion.

use crate::form::Form;
use crate::scope::Scope;
use crate::term::{NameId, TermId, Terms};

/// Returns the quote level of a term's operands. The term itself has `level`.
pub(super) fn inner_level(form: Form, level: u32) -> u32 {
    match form {
        Form::Quote => level + 1,
        Form::Unquote => level.saturating_sub(1),
        _ => level,
    }
}

/// Iterates over the nodes of a term, each before its operands.
pub fn nodes(terms: &Terms, root: TermId) -> impl Iterator<Item = TermId> + '_ {
    let mut open = vec![root];
    std::iter::from_fn(move || {
        let term = open.pop()?;
        open.extend(terms.operands(term).iter().rev());
        Some(term)
    })
}

/// A step of a walk that knows what is bound.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A term at a level of quotes. Only terms at level 0 are evaluated.
    Enter(TermId, u32),
    /// A name is bound by a term.
    Bind(NameId, TermId),
    /// The binding of a name ends.
    Unbind(NameId),
}

/// Schedules the operands of a term at a level of quotes, each within the names that it sees. Quoted
/// terms bind nothing.
pub fn schedule(terms: &Terms, (term, level): (TermId, u32), steps: &mut Vec<Step>) {
    let (form, operands) = (terms.form(term), terms.operands(term));
    let inner = inner_level(form, level);
    let names = terms.names(term);
    // How many operands see earlier names only: of `let` the terms, not the body.
    let (names, values) = match form.scope() {
        Scope::All if level == 0 => (names, 0),
        Scope::Later if level == 0 => (names, names.len()),
        Scope::All | Scope::Later | Scope::None => (&[][..], 0),
    };
    let (values, others) = operands.split_at(values);
    let enter = |term: &TermId| Step::Enter(*term, inner);
    steps.extend(names.iter().map(|name| Step::Unbind(*name)));
    steps.extend(others.iter().rev().map(enter));
    for (at, name) in names.iter().enumerate().rev() {
        steps.push(Step::Bind(*name, term));
        steps.extend(values.get(at).map(enter));
    }
}

/// Returns a term with others in the places of some of its nodes. `other` gets each node from the
/// left, each before its operands, with the level of quotes around it within the term. Parts without
/// others are not copied.
pub fn rebuild(
    terms: &mut Terms,
    root: TermId,
    mut other: impl FnMut(&Terms, TermId, u32) -> Option<TermId>,
) -> TermId {
    enum Work {
        Enter(TermId, u32),
        Leave(TermId),
    }
    let mut work = vec![Work::Enter(root, 0)];
    let mut done = Vec::new();
    while let Some(step) = work.pop() {
        match step {
            Work::Enter(term, level) => {
                let operands = terms.operands(term);
                if let Some(other) = other(terms, term, level) {
                    done.push(other);
                } else if operands.is_empty() {
                    done.push(term);
                } else {
                    let level = inner_level(terms.form(term), level);
                    work.push(Work::Leave(term));
                    work.extend(operands.iter().rev().map(|term| Work::Enter(*term, level)));
                }
            }
            Work::Leave(term) => {
                let old = terms.operands(term);
                let new: Vec<TermId> = done.split_off(done.len().saturating_sub(old.len()));
                if new == old {
                    done.push(term);
                    continue;
                }
                let node = terms.node(term);
                let names = terms.names(term).to_vec();
                done.push(terms.add(node.form, node.token, &new, &names));
            }
        }
    }
    done.pop().unwrap_or_default()
}
