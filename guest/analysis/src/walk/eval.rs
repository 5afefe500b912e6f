//! One step of the walk: the type of a term by its form.

use super::{Core, Walk};
use crate::values::{ANY, Entry, EnvId, Function, Id, NEVER, Node, Record};
use pif_core::fault::Code;
use pif_language::form::Form;
use pif_language::kinds::{BOOLEAN, FLOAT, INTEGER, LIST, NULL, ODD, STRING};
use pif_language::term::{TermId, Terms};
use pif_language::typing::Rule;
use std::rc::Rc;

/// Longest text that is told apart from others.
const LONGEST: usize = 40;

impl Walk<'_> {
    /// The value of a term that has no operands.
    pub(crate) fn simple(&self, term: TermId, env: EnvId) -> Option<Id> {
        self.with(|core| {
            if core.state.is_dead {
                return Some(NEVER);
            }
            if let Some(left) = core.fuel.checked_sub(1) {
                core.fuel = left;
            } else {
                core.gave_up = true;
                core.state.is_dead = true;
                return Some(NEVER);
            }
            core.literal(self.terms, term).or_else(|| core.variable(self.terms, term, env))
        })
    }

    /// The value of a term.
    pub(crate) async fn evaluate(self, term: TermId, env: EnvId) -> Id {
        let form = self.terms.form(term);
        match form.row().map(|row| row.typing) {
            Some(Rule::Signature { takes, gives }) => {
                self.signature(term, env, takes, &gives).await
            }
            Some(Rule::Own { .. } | Rule::Missing) => self.own(form, term, env).await,
            None if form == Form::List => match self.operands(term, env).await {
                Some(elements) => self.with(|core| core.values.list_of(elements)),
                None => NEVER,
            },
            None => ANY,
        }
    }
}

impl Core {
    fn literal(&mut self, terms: &Terms, term: TermId) -> Option<Id> {
        let kinds = match terms.form(term) {
            Form::Unit => NULL,
            Form::Boolean => BOOLEAN,
            Form::Integer | Form::BigInteger => INTEGER,
            Form::FloatNumber if terms.float(term).is_finite() => FLOAT,
            Form::FloatNumber => FLOAT | ODD,
            Form::Nil => return Some(self.values.list_of(Vec::new())),
            Form::Text => {
                let text = terms.text(term);
                let texts = if text.len() > LONGEST { vec![] } else { vec![Rc::from(text)] };
                let node = Node { kinds: STRING, texts, ..Node::default() };
                return Some(self.values.make(node));
            }
            _ => return None,
        };
        Some(self.values.of(kinds))
    }

    fn variable(&mut self, terms: &Terms, term: TermId, env: EnvId) -> Option<Id> {
        match terms.form(term) {
            Form::Var => {}
            Form::Lam => {
                let held = Vec::new();
                let id = self.function(Function::Lambda { term, env, held, is_weak: false });
                if let Some(hole) = &mut self.hole {
                    hole.functions.extend(self.values.node(id).functions.iter().flatten());
                }
                return Some(id);
            }
            _ => return None,
        }
        let name = terms.only_name(term);
        if let Some(hole) = self.hole.as_mut().filter(|it| *it.name == *terms.name(name)) {
            hole.env = hole.env.or(Some(env));
            return Some(ANY);
        }
        match self.values.lookup(env, name) {
            Some(Entry::Value(id)) => {
                self.pass((term, 0));
                Some(id)
            }
            Some(Entry::Recursive { term: group, around, number }) => {
                self.pass((term, 0));
                let env = self.recursive(terms, group, around);
                let lambda = terms.operand(group, number as usize);
                let held = Vec::new();
                Some(self.function(Function::Lambda { term: lambda, env, held, is_weak: false }))
            }
            None => {
                self.fault((term, 0), Code::Unbound);
                Some(NEVER)
            }
        }
    }

    /// The environment of the functions of a `letrec`, in which they see one another.
    pub(crate) fn recursive(&mut self, terms: &Terms, group: TermId, around: EnvId) -> EnvId {
        let mut env = around;
        for (number, name) in (0..).zip(terms.names(group)) {
            let entry = Entry::Recursive { term: group, around, number };
            env = self.values.bind(env, *name, entry);
        }
        env
    }

    /// A list without elements, or with elements of which nothing is known.
    pub(crate) fn any_list(&mut self) -> Id {
        self.values.of(LIST)
    }

    /// The record that a handler of `try` gets.
    pub(crate) fn fault_record(&mut self) -> Id {
        let text = self.values.of(STRING);
        let text_or_null = self.values.of(STRING | NULL);
        let parts = [
            ("code", text),
            ("message", text),
            ("at", text),
            ("value", ANY),
            ("hint", text_or_null),
            ("reason", text_or_null),
            ("tool", text_or_null),
        ];
        let members = parts.into_iter().map(|(name, id)| (Rc::from(name), (id, false))).collect();
        self.record(Record { members, ..Record::default() })
    }
}
