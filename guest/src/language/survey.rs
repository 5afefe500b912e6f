//! Surveys of terms: the forms they use and the tools they name.

use crate::json::tape::TokenId;
use crate::language::form::Form;
use crate::language::forms::FORMS;

use crate::language::term::{TermId, Terms};
use std::collections::BTreeMap;

/// Counts each form in a term, in the order of the table, and all its nodes.
pub(crate) fn count_forms(terms: &Terms, root: TermId) -> (Vec<(Form, u32)>, u64) {
    let mut counts = vec![0_u32; FORMS.len()];
    let mut nodes = 0_u64;
    let mut open = vec![root];
    while let Some(term) = open.pop() {
        nodes += 1;
        if let Some(count) = counts.get_mut(terms.form(term) as usize) {
            *count += 1;
        }
        open.extend_from_slice(terms.operands(term));
    }
    let used = FORMS.iter().zip(counts).filter(|(_, count)| *count > 0);
    (used.map(|(row, count)| (row.form, count)).collect(), nodes)
}

/// Names with the first place of each, and whether others are computed.
pub(crate) type Named<'t> = (BTreeMap<&'t str, TokenId>, bool);

/// Finds the tools that a term names literally, in `tool` and `code_of`.
pub(crate) fn tools_named(terms: &Terms, root: TermId) -> Named<'_> {
    named(terms, root, |form, operands| match (form, operands) {
        (Form::Tool | Form::CodeOf, [name]) => vec![*name],
        _ => Vec::new(),
    })
}

/// Finds the tools of other servers that a term names literally, in `call`, `perform` and `calls`.
pub(crate) fn needs_named(terms: &Terms, root: TermId) -> Named<'_> {
    named(terms, root, |form, operands| match (form, operands) {
        (Form::Call | Form::Perform, [name, _]) => vec![*name],
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

/// Finds names, each with its first place. `naming` returns the terms that name something in a form.
fn named(
    terms: &Terms,
    root: TermId,
    naming: impl Fn(Form, &[TermId]) -> Vec<TermId>,
) -> Named<'_> {
    let mut names = BTreeMap::new();
    let mut computes_any = false;
    let mut open = vec![root];
    while let Some(term) = open.pop() {
        let operands = terms.operands(term);
        for name in naming(terms.form(term), operands) {
            if terms.form(name) == Form::Text {
                let token = terms.node(term).token;
                let first = names.entry(terms.text(name)).or_insert(token);
                *first = token.min(*first);
            } else {
                computes_any = true;
            }
        }
        open.extend_from_slice(operands);
    }
    (names, computes_any)
}
