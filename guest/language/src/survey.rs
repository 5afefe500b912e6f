//! Surveys of terms: the forms they use and the tools they name.

use crate::form::Form;
use crate::forms::FORMS;
use pif_core::json::tape::TokenId;

use crate::term::{TermId, Terms};
use std::collections::BTreeMap;

/// Counts each form in a term, in the order of the table, and all its nodes.
pub fn count_forms(terms: &Terms, root: TermId) -> (Vec<(Form, u32)>, u64) {
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

/// Finds the tools that a term names literally, in `tool` and `code_of`, with the first place of
/// each. Also tells whether it computes any tool's name.
pub fn tools_named(terms: &Terms, root: TermId) -> (BTreeMap<&str, TokenId>, bool) {
    let mut names = BTreeMap::new();
    let mut computes_any = false;
    let mut open = vec![root];
    while let Some(term) = open.pop() {
        let operands = terms.operands(term);
        if let (Form::Tool | Form::CodeOf, [name]) = (terms.form(term), operands) {
            if terms.form(*name) == Form::Text {
                let token = terms.node(term).token;
                let first = names.entry(terms.text(*name)).or_insert(token);
                *first = token.min(*first);
            } else {
                computes_any = true;
            }
        }
        open.extend_from_slice(operands);
    }
    (names, computes_any)
}
