//! What is known at a place in a program: what its variables are, and which terms have got their values
//! on the way there.

use crate::facts::{is_strict, subject};
use crate::term::{Name, Term, free};
use crate::types::Type;
use pif_language::form::Form;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An input of the program: plain data.
    Input,
    /// The value of a term.
    Value(Term),
    /// An element of the list that is the value of a term.
    Element(Term),
    /// What a `reduce`, this term, has gathered so far.
    Gathered(Term),
    /// A value of a type that is taken for granted.
    Assumed(Type),
    /// Any value.
    Unknown,
}

/// One thing that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A variable.
    Bound(Name, Origin),
    /// A term that has a value.
    Valued(Term),
    /// A term that is true.
    True(Term),
}

/// All that is known at a place, from the outside in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context(Vec<Entry>);

impl Context {
    /// The context with one thing more.
    #[must_use]
    pub fn with(&self, entry: Entry) -> Self {
        let mut entries = self.0.clone();
        entries.push(entry);
        Self(entries)
    }

    /// The context in which a term has got its value.
    #[must_use]
    pub fn valued(&self, term: &Term) -> Self {
        self.with(Entry::Valued(Arc::clone(term)))
    }

    /// The context within a function of one parameter that is applied to the elements of a list.
    #[must_use]
    pub fn element(&self, function: &Term, list: &Term) -> Self {
        let mut inner = self.valued(list);
        if let Some(name) = function.names.first() {
            inner.0.push(Entry::Bound(Arc::clone(name), Origin::Element(Arc::clone(list))));
        }
        inner
    }

    /// What a variable is, with what is known where it is bound.
    #[must_use]
    pub fn find(&self, name: &Name) -> Option<(&Origin, Self)> {
        let is_it = |it: &Entry| matches!(it, Entry::Bound(bound, _) if bound == name);
        let place = self.0.iter().rposition(is_it)?;
        let Some(Entry::Bound(_, origin)) = self.0.get(place) else { return None };
        Some((origin, Self(self.0.get(..place)?.to_vec())))
    }

    /// The term of an entry that has a value, and whether it is true. None if a variable of it means
    /// another here.
    #[must_use]
    pub fn known(&self, index: usize) -> Option<(&Term, bool)> {
        let (term, is_true) = match self.0.get(index)? {
            Entry::Bound(..) => return None,
            Entry::Valued(term) => (term, false),
            Entry::True(term) => (term, true),
        };
        let mut names = BTreeSet::new();
        free(term, &mut names);
        let later = self.0.get(index + 1..)?.iter();
        let mut bound =
            later.filter_map(|it| if let Entry::Bound(name, _) = it { Some(name) } else { None });
        (!bound.any(|it| names.contains(it))).then_some((term, is_true))
    }

    /// The context in which the variable that is bound last by this name has a type.
    #[must_use]
    pub fn assume(mut self, name: &Name, assumed: &Type) -> Self {
        let last = self.0.iter_mut().rev().find_map(|it| match it {
            Entry::Bound(bound, origin) if bound == name => Some(origin),
            _ => None,
        });
        if let Some(origin) = last {
            *origin = Origin::Assumed(assumed.clone());
        }
        self
    }

    /// Counts the entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The context within an operand of a term, which stands here.
    #[must_use]
    pub fn inside(&self, term: &Term, operand: usize) -> Self {
        let mut inner = self.clone();
        for (at, before) in term.operands.iter().enumerate().take(operand) {
            match term.form {
                Form::If if at == 0 && operand == 1 => {
                    inner.0.push(Entry::True(Arc::clone(before)));
                }
                Form::And => inner.0.push(Entry::True(Arc::clone(before))),
                Form::If if at > 0 => {}
                Form::Cond | Form::Try | Form::Letrec => {}
                Form::Or | Form::Either | Form::Both | Form::Coalesce => {
                    inner.0.push(Entry::Valued(Arc::clone(before)));
                }
                form if at == 0 || is_strict(form, at) => {
                    inner.0.push(Entry::Valued(Arc::clone(before)));
                }
                _ => {}
            }
        }
        for name in term.bound_in(operand) {
            let origin = match (term.form, term.operands.first()) {
                (Form::Let, Some(value)) => Origin::Value(Arc::clone(value)),
                _ => Origin::Unknown,
            };
            inner.0.push(Entry::Bound(Arc::clone(name), origin));
        }
        inner
    }

    /// The context within the body of a function that a form applies to the elements of a list.
    #[must_use]
    pub fn callback(&self, term: &Term) -> Option<Self> {
        let list = term.operands.get(subject(term.form)?)?;
        let function = term.operands.first().filter(|it| it.form == Form::Lam)?;
        match (term.form, &function.names[..]) {
            (Form::Reduce, [sum, element]) => {
                let mut inner = self.valued(list);
                inner.0.push(Entry::Bound(Arc::clone(sum), Origin::Gathered(Arc::clone(term))));
                // The list is named outside of the accumulator.
                let mut names = BTreeSet::new();
                free(list, &mut names);
                let origin = if names.contains(sum) {
                    Origin::Unknown
                } else {
                    Origin::Element(Arc::clone(list))
                };
                inner.0.push(Entry::Bound(Arc::clone(element), origin));
                Some(inner)
            }
            (Form::Reduce, _) => None,
            (_, [_]) => Some(self.element(function, list)),
            _ => None,
        }
    }
}

/// What is known at a place in a program.
pub fn descend(program: &Term, place: &[usize], calls_itself: bool) -> Result<Context, String> {
    let mut context = Context::default();
    let mut current = program;
    let mut rest = place;
    if let (Form::Lam, Some((0, inner))) = (program.form, place.split_first())
        && !calls_itself
    {
        for name in &program.names {
            context.0.push(Entry::Bound(Arc::clone(name), Origin::Input));
        }
        current = program.operands.first().ok_or("a function has no body")?;
        rest = inner;
    }
    while let Some((operand, after)) = rest.split_first() {
        let next = current.operands.get(*operand).ok_or("there is no such place")?;
        let called = if *operand == 0 { context.callback(current) } else { None };
        (context, current, rest) = match (called, after.split_first(), next.operands.first()) {
            (Some(inner), Some((0, after)), Some(body)) => (inner, body, after),
            _ => (context.inside(current, *operand), next, after),
        };
    }
    Ok(context)
}
