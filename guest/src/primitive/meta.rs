//! Looking at terms: which forms they use, which variables are free, which tools they name.

use crate::form::{FORMS, Form};
use crate::term::{NameId, TermId, Terms};
use std::collections::BTreeMap;

/// How often each form occurs in a term, in the order of the table, and how many nodes it has.
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

enum Walk {
    Term(TermId),
    Bind(NameId),
    Unbind(NameId),
}

/// Variables that nothing in the term binds, in order of first sight. Quoted terms are data but for
/// what is unquoted in them.
pub(crate) fn free_variables(terms: &Terms, root: TermId) -> Vec<NameId> {
    let mut bound: BTreeMap<NameId, u32> = BTreeMap::new();
    let mut free: Vec<NameId> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut walk = vec![Walk::Term(root)];
    while let Some(step) = walk.pop() {
        let term = match step {
            Walk::Term(term) => term,
            Walk::Bind(name) => {
                *bound.entry(name).or_default() += 1;
                continue;
            }
            Walk::Unbind(name) => {
                *bound.entry(name).or_default() -= 1;
                continue;
            }
        };
        let operands = terms.evaluated(term);
        match terms.form(term) {
            Form::Var => {
                let name = terms.only_name(term);
                if bound.get(&name).copied().unwrap_or_default() == 0 && seen.insert(name) {
                    free.push(name);
                }
            }
            Form::Lam => {
                let names = terms.names(term);
                walk.extend(names.iter().map(|name| Walk::Unbind(*name)));
                walk.extend(operands.iter().map(|t| Walk::Term(*t)));
                walk.extend(names.iter().map(|name| Walk::Bind(*name)));
            }
            Form::Let => {
                let Some((body, terms_bound)) = operands.split_last() else { continue };
                let names = terms.names(term);
                walk.extend(names.iter().map(|name| Walk::Unbind(*name)));
                walk.push(Walk::Term(*body));
                for (name, term) in names.iter().zip(terms_bound).rev() {
                    walk.extend([Walk::Bind(*name), Walk::Term(*term)]);
                }
            }
            _ => walk.extend(operands.iter().rev().map(|t| Walk::Term(*t))),
        }
    }
    free
}

/// Tools that a term names literally, in `tool` and `code_of`.
pub(crate) fn tools_named(terms: &Terms, root: TermId) -> Vec<String> {
    let mut names = std::collections::BTreeSet::new();
    let mut open = vec![root];
    while let Some(term) = open.pop() {
        let operands = terms.operands(term);
        if let (Form::Tool | Form::CodeOf, [name]) = (terms.form(term), operands)
            && terms.form(*name) == Form::Text
        {
            names.insert(terms.text(*name).to_owned());
        }
        open.extend_from_slice(operands);
    }
    names.into_iter().collect()
}
