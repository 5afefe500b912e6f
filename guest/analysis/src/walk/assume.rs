//! What a test tells of the values that it looks at.

use super::Core;
use crate::places::{ABSENT, Asked, Step};
use crate::values::{EVERY, Entry, EnvId, Id, NEVER, PlaceId};
use pif_language::form::Form;
use pif_language::kinds::{self, BOOLEAN, FUNCTION, Kinds, NULL, NUMBER, ODD, STRING};
use pif_language::term::{NameId, TermId, Terms};
use std::rc::Rc;

/// Longest path from a variable that a test may look at.
const LONGEST_PATH: usize = 7;
/// Most parts of a test.
const MOST_PARTS: usize = 32;

impl Core {
    /// The environment where a test is true, or false.
    pub(crate) fn assume(
        &mut self,
        terms: &Terms,
        test: TermId,
        truth: bool,
        mut env: EnvId,
    ) -> EnvId {
        let mut left = vec![(test, truth)];
        let mut parts = 0;
        while let Some((test, truth)) = left.pop() {
            parts += 1;
            if parts > MOST_PARTS {
                break;
            }
            let operands = terms.operands(test);
            match (terms.form(test), operands) {
                (Form::Not, [inner]) => left.push((*inner, !truth)),
                (Form::Truth, [inner]) => {
                    left.push((*inner, truth));
                    env = self.assume_truth(terms, *inner, truth, env);
                }
                (Form::And | Form::Both, parts) if truth => {
                    left.extend(parts.iter().map(|it| (*it, true)));
                }
                (Form::Or | Form::Either, parts) if !truth => {
                    left.extend(parts.iter().map(|it| (*it, false)));
                }
                (Form::Eq, [first, second]) => {
                    env = self.assume_equal(terms, *first, *second, truth, env);
                    env = self.assume_equal(terms, *second, *first, truth, env);
                }
                (Form::NumberIs, [subject, _]) if truth => {
                    env = self.assume_kinds(terms, *subject, NUMBER | ODD, env);
                }
                (Form::Has, [subject, _]) if truth => {
                    env = self.assume_kinds(terms, *subject, !(NULL | NUMBER | BOOLEAN), env);
                }
                _ => {}
            }
        }
        env
    }

    fn assume_truth(&mut self, terms: &Terms, term: TermId, truth: bool, env: EnvId) -> EnvId {
        let kinds = if truth { !NULL } else { NULL | BOOLEAN | NUMBER | STRING | ODD };
        self.assume_kinds(terms, term, kinds, env)
    }

    fn assume_equal(
        &mut self,
        terms: &Terms,
        subject: TermId,
        other: TermId,
        truth: bool,
        env: EnvId,
    ) -> EnvId {
        let (form, operands) = (terms.form(subject), terms.operands(subject));
        if let (Form::TypeOf | Form::Typeof, [inner], Form::Text) =
            (form, operands, terms.form(other))
        {
            let named = kinds_of_name(form, terms.text(other));
            let Some(named) = named else { return env };
            return self.assume_kinds(terms, *inner, if truth { named } else { !named }, env);
        }
        let known = match terms.form(other) {
            Form::Unit => NULL,
            _ if !truth => return env,
            Form::Boolean => BOOLEAN,
            Form::Integer | Form::BigInteger | Form::FloatNumber => NUMBER,
            Form::Text => STRING,
            _ => return env,
        };
        self.assume_kinds(terms, subject, if truth { known } else { !known }, env)
    }

    /// Notes that the value of a variable, or of a path from one, has one of these kinds.
    fn assume_kinds(&mut self, terms: &Terms, term: TermId, kinds: Kinds, env: EnvId) -> EnvId {
        let Some((name, id, place)) = self.subject(terms, term, env) else { return env };
        if let Some(place) = place {
            let missing = if kinds & NULL == 0 { 0 } else { ABSENT };
            self.state.assume(place, Asked::from(kinds) | missing);
        }
        match name {
            Some(name) => {
                let narrowed = self.restrict(id, kinds);
                if self.kinds(narrowed) == 0 {
                    self.state.is_dead = true;
                }
                self.values.bind(env, name, Entry::Value(narrowed))
            }
            None => env,
        }
    }

    /// What a term stands for: a variable and its value, or a path; and the part of the input that it
    /// surely is.
    fn subject(
        &self,
        terms: &Terms,
        term: TermId,
        env: EnvId,
    ) -> Option<(Option<NameId>, Id, Option<PlaceId>)> {
        let mut keys: Vec<Rc<str>> = Vec::new();
        let mut at = term;
        while terms.form(at) == Form::Get {
            let [inner, key, ..] = *terms.operands(at) else { return None };
            if terms.form(key) != Form::Text || keys.len() > LONGEST_PATH {
                return None;
            }
            if let Some(default) = terms.operands(at).get(2)
                && terms.form(*default) != Form::Unit
            {
                return None;
            }
            keys.push(Rc::from(terms.text(key)));
            at = inner;
        }
        if terms.form(at) != Form::Var {
            return None;
        }
        let name = terms.only_name(at);
        let Entry::Value(id) = self.values.lookup(env, name)? else { return None };
        let strong = |core: &Self| {
            let node = core.values.node(id);
            let it = *node.refs.first()?;
            // Null beside the part, as `?.` leaves it, is where the part is missing.
            let is_only = node.refs.len() == 1 && node.kinds & !NULL == 0 && it.is_strong;
            (is_only && (node.kinds == 0 || !keys.is_empty())).then_some(it.place)
        };
        let mut place = strong(self);
        for key in keys.iter().rev() {
            place = place.and_then(|it| self.places.find(it, Step::Member(Rc::clone(key))));
        }
        if keys.is_empty() {
            return Some((Some(name), id, place));
        }
        place.map(|place| (None, NEVER, Some(place)))
    }
}

/// The kinds that `type_of` or `typeof` calls so.
fn kinds_of_name(form: Form, name: &str) -> Option<Kinds> {
    if form == Form::Typeof {
        return Some(match name {
            "number" => NUMBER | ODD,
            "string" => STRING,
            "boolean" => BOOLEAN,
            "function" => FUNCTION,
            "object" => EVERY & !(NUMBER | ODD | STRING | BOOLEAN | FUNCTION),
            _ => return None,
        });
    }
    let at = kinds::names().iter().position(|it| *it == name)?;
    let kind = 1 << at;
    Some(match kind {
        kinds::FLOAT => kind | ODD,
        _ => kind,
    })
}
