//! What a term takes from its surroundings: the variables that it does not bind, and the tool that
//! it stands in.

use crate::form::Form;
use crate::scope::Scope;
use crate::term::{NameId, TermId, Terms};
use crate::walk::inner_level;
use pif_core::numbers::Numbers;

/// What a term takes from its surroundings.
#[derive(Debug, Default)]
pub struct Uses {
    /// Variables that it evaluates and does not bind.
    pub free: Numbers,
    /// Names of variables in its quotes, which an `eval` may look up.
    pub quoted: Numbers,
    /// All its names.
    pub names: Numbers,
    /// Whether it evaluates quoted terms, which may name any variable.
    pub has_eval: bool,
    /// The nodes that mean the tool that they stand in: `self`, `continue`, `code_of`.
    pub of_tool: Vec<TermId>,
}

enum Walk {
    /// A term at a level of quotes.
    Enter(TermId, u32),
    Bind(NameId),
    Unbind(NameId),
}

impl Uses {
    /// Finds what the term at `root` takes.
    #[must_use]
    pub fn of(terms: &Terms, root: TermId) -> Self {
        let mut uses = Self::default();
        let mut bound = Numbers::default();
        let mut walk = vec![Walk::Enter(root, 0)];
        while let Some(step) = walk.pop() {
            match step {
                Walk::Enter(term, level) => uses.enter(terms, (term, level), &bound, &mut walk),
                Walk::Bind(name) => {
                    bound.insert(name, bound.get(name).unwrap_or_default() + 1);
                }
                Walk::Unbind(name) => {
                    bound.insert(name, bound.get(name).unwrap_or_default().saturating_sub(1));
                }
            }
        }
        uses
    }

    fn enter(
        &mut self,
        terms: &Terms,
        (term, level): (TermId, u32),
        bound: &Numbers,
        walk: &mut Vec<Walk>,
    ) {
        let (form, names, operands) = (terms.form(term), terms.names(term), terms.operands(term));
        for name in names {
            self.names.add(*name);
        }
        if form == Form::Var {
            let name = terms.only_name(term);
            if level > 0 {
                self.quoted.add(name);
            } else if bound.get(name).is_none_or(|times| times == 0) {
                self.free.add(name);
            }
        }
        let inner = inner_level(form, level);
        let scope = if level > 0 { Scope::None } else { form.scope() };
        if level == 0 {
            self.has_eval |= form == Form::Eval;
            if matches!(form, Form::SelfRef | Form::Continue | Form::CodeOf) {
                self.of_tool.push(term);
            }
        }
        match scope {
            Scope::None => {}
            Scope::All => walk.extend(names.iter().map(|name| Walk::Unbind(*name))),
            Scope::Later => {
                walk.extend(names.iter().map(|name| Walk::Unbind(*name)));
                let (values, body) = operands.split_at(names.len().min(operands.len()));
                walk.extend(body.iter().map(|term| Walk::Enter(*term, inner)));
                for (name, term) in names.iter().zip(values).rev() {
                    walk.extend([Walk::Bind(*name), Walk::Enter(*term, inner)]);
                }
                return;
            }
        }
        walk.extend(operands.iter().rev().map(|term| Walk::Enter(*term, inner)));
        if scope == Scope::All {
            walk.extend(names.iter().map(|name| Walk::Bind(*name)));
        }
    }
}
