//! What a term takes from its surroundings: the variables that it does not bind, and the tool that
//! it stands in.

use crate::form::Form;
use crate::term::{TermId, Terms};
use crate::walk::{Step, schedule};
use pif_core::ids::{IdMap, IdSet};

/// What a term takes from its surroundings.
#[derive(Debug, Default)]
pub struct Uses {
    /// Variables that it evaluates and does not bind.
    pub free: IdSet,
    /// Names of variables in its quotes, which an `eval` may look up.
    pub quoted: IdSet,
    /// All its names.
    pub names: IdSet,
    /// Whether it evaluates quoted terms, which may name any variable.
    pub has_eval: bool,
    /// The nodes that mean the tool that they stand in: `self`, `continue`, `code_of`.
    pub of_tool: Vec<TermId>,
}

impl Uses {
    /// Finds what the term at `root` takes.
    #[must_use]
    pub fn of(terms: &Terms, root: TermId) -> Self {
        let mut uses = Self::default();
        // How often each name is bound.
        let mut bound = IdMap::default();
        let mut steps = vec![Step::Enter(root, 0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(term, level) => {
                    uses.enter(terms, (term, level), &bound);
                    schedule(terms, (term, level), &mut steps);
                }
                Step::Bind(name, _) => {
                    bound.insert(name, bound.get(name).map_or(1, |times| times + 1));
                }
                Step::Unbind(name) => {
                    bound.insert(name, bound.get(name).map_or(0, |times| times - 1));
                }
            }
        }
        uses
    }

    fn enter(&mut self, terms: &Terms, (term, level): (TermId, u32), bound: &IdMap) {
        let form = terms.form(term);
        for name in terms.names(term) {
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
        if level == 0 {
            self.has_eval |= form == Form::Eval;
            if matches!(form, Form::SelfRef | Form::Continue | Form::CodeOf) {
                self.of_tool.push(term);
            }
        }
    }
}
