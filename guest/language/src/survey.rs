//! Surveys of terms: the forms they use and the tools they name.

use crate::form::Form;
use crate::forms::FORMS;
use pif_core::json::tape::TokenId;
use pif_core::text::order::order_of;

use crate::term::{TermId, Terms};
use crate::walk::nodes;

/// Counts each form in a term, in the order of the table, and all its nodes.
#[must_use]
pub fn count_forms(terms: &Terms, root: TermId) -> (Vec<(Form, u32)>, u64) {
    let mut counts = vec![0_u32; FORMS.len()];
    let mut all = 0_u64;
    for term in nodes(terms, root) {
        all += 1;
        if let Some(count) = counts.get_mut(terms.form(term) as usize) {
            *count += 1;
        }
    }
    let mut used = Vec::new();
    for (row, count) in FORMS.iter().zip(counts) {
        if count > 0 {
            used.push((row.form, count));
        }
    }
    (used, all)
}

/// Names in their order, each with its first place, and whether others are computed.
pub type Named<'t> = (Vec<(&'t str, TokenId)>, bool);

/// Finds the tools that a term names literally, in `tool` and `code_of`.
#[must_use]
pub fn tools_named(terms: &Terms, root: TermId) -> Named<'_> {
    named(terms, root, |terms, term| match (terms.form(term), terms.operands(term)) {
        (Form::Tool | Form::CodeOf, [name]) => vec![*name],
        _ => Vec::new(),
    })
}

/// Finds the tools of other servers that a term names literally, in `call`, `perform` and `calls`.
#[must_use]
pub fn needs_named(terms: &Terms, root: TermId) -> Named<'_> {
    named(terms, root, |terms, term| match (terms.form(term), terms.operands(term)) {
        (Form::Call | Form::Perform, [name, ..]) => vec![*name],
        (Form::Calls, [list, ..]) if terms.form(*list) == Form::List => {
            terms.operands(*list).iter().map(|call| named_by(terms, *call)).collect()
        }
        (Form::Calls, [list, ..]) => vec![*list],
        _ => Vec::new(),
    })
}

/// Returns the member `tool` of a record, or a term that is no literal text.
fn named_by(terms: &Terms, record: TermId) -> TermId {
    let is_record = terms.form(record) == Form::Record;
    let mut members = terms.names(record).iter().zip(terms.operands(record));
    let tool = members.find(|(name, _)| is_record && terms.name(**name) == "tool");
    tool.map_or(record, |(_, tool)| *tool)
}

/// Finds names, each with its first place. `naming` returns the terms that name something in a term.
fn named(terms: &Terms, root: TermId, naming: fn(&Terms, TermId) -> Vec<TermId>) -> Named<'_> {
    let mut places: Vec<(&str, TokenId)> = Vec::new();
    let mut computes_any = false;
    for term in nodes(terms, root) {
        for name in naming(terms, term) {
            if terms.form(name) == Form::Text {
                places.push((terms.text(name), terms.node(term).token));
            } else {
                computes_any = true;
            }
        }
    }
    let name = |at: usize| places.get(at).map_or("", |(name, _)| *name);
    let mut first: Vec<(&str, TokenId)> = Vec::new();
    for (name, token) in order_of(places.len(), &name).filter_map(|at| places.get(at)) {
        match first.last_mut().filter(|last| last.0 == *name) {
            Some((_, place)) => *place = *token.min(place),
            None => first.push((name, *token)),
        }
    }
    (first, computes_any)
}
