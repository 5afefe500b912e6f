//! Chains of list forms, as one form each.

use super::facts::is_each;
use super::scratch::Scratch;
use pif_language::form::Form;
use pif_language::kinds::LIST;
use pif_language::term::TermId;

pub(super) fn rule(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let form = scratch.form(term);
    if let Some(plain) = copied(scratch, form, term) {
        return Some(plain);
    }
    match form {
        Form::Map => mapped(scratch, term).or_else(|| identity(scratch, term)),
        Form::Filter => filtered(scratch, term).or_else(|| identity(scratch, term)),
        Form::Fold => paired(scratch, term),
        Form::Reduce => reduced(scratch, term),
        Form::FlatMap => flat_mapped(scratch, term),
        Form::Any | Form::All | Form::Find => searched(scratch, form, term),
        Form::Length => counted(scratch, term),
        _ => None,
    }
}

/// The body of a function of one parameter that is written out.
fn of_one(scratch: &Scratch, function: TermId) -> Option<TermId> {
    let body = scratch.body(function)?;
    (scratch.terms.names(function).len() == 1).then_some(body)
}

/// Whether a function that is written out surely has a value, and calls nobody.
fn is_total(scratch: &mut Scratch, function: TermId) -> bool {
    of_one(scratch, function).is_some_and(|body| scratch.is_total(body))
}

/// Whether two functions that are written out may take turns, instead of one after the other.
fn may_take_turns(scratch: &mut Scratch, first: TermId, second: TermId) -> bool {
    match (scratch.body(first), scratch.body(second)) {
        (Some(first), Some(second)) => scratch.may_swap(first, second),
        _ => false,
    }
}

/// A function of an element: the second of what the first gives.
fn composed(scratch: &mut Scratch, at: TermId, first: TermId, second: TermId) -> TermId {
    let name = scratch.fresh();
    let element = scratch.variable(at, name);
    let given = scratch.make(Form::App, at, &[first, element]);
    let body = scratch.make(Form::App, at, &[second, given]);
    scratch.bind(Form::Lam, at, &[body], &[name])
}

/// `map` of a `map`.
fn mapped(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [second, inner] = scratch.parts(Form::Map, term)?;
    let [first, list] = scratch.parts(Form::Map, inner)?;
    let is_plain = of_one(scratch, first).is_some() && of_one(scratch, second).is_some();
    if !is_plain || !may_take_turns(scratch, first, second) {
        return None;
    }
    let function = composed(scratch, term, first, second);
    Some(scratch.make(Form::Map, term, &[function, list]))
}

/// `filter` of a `filter`.
fn filtered(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [second, inner] = scratch.parts(Form::Filter, term)?;
    let [first, list] = scratch.parts(Form::Filter, inner)?;
    let is_plain = of_one(scratch, first).is_some() && of_one(scratch, second).is_some();
    if !is_plain || !may_take_turns(scratch, first, second) {
        return None;
    }
    let name = scratch.fresh();
    let tests = [first, second].map(|test| {
        let element = scratch.variable(term, name);
        scratch.make(Form::App, term, &[test, element])
    });
    let body = scratch.make(Form::And, term, &tests);
    let function = scratch.bind(Form::Lam, term, &[body], &[name]);
    Some(scratch.make(Form::Filter, term, &[function, list]))
}

/// A `map` that gives each element itself, a `filter` that takes all.
fn identity(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let form = scratch.form(term);
    let [function, list] = scratch.parts(form, term)?;
    let body = of_one(scratch, function)?;
    let is_identity = if form == Form::Map {
        let name = scratch.terms.only_name(function);
        scratch.form(body) == Form::Var && scratch.terms.only_name(body) == name
    } else {
        scratch.form(body) == Form::Boolean && scratch.terms.boolean(body)
    };
    (is_identity && scratch.is_of(list, LIST)).then_some(list)
}

/// A form that takes only a list, of a `map` that gives each element itself.
fn copied(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let at = match form {
        Form::Fold | Form::Reduce => 2,
        _ if is_each(form) => 1,
        Form::Sum | Form::Product | Form::Reverse | Form::Sort | Form::Distinct => 0,
        _ => return None,
    };
    let mut operands = scratch.terms.operands(term).to_vec();
    let place = operands.get_mut(at)?;
    let [function, list] = scratch.parts(Form::Map, *place)?;
    let body = of_one(scratch, function)?;
    let name = scratch.terms.only_name(function);
    if scratch.form(body) != Form::Var || scratch.terms.only_name(body) != name {
        return None;
    }
    *place = list;
    Some(scratch.make(form, term, &operands))
}

/// `fold` gets a pair where `reduce` gets two arguments.
fn paired(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [function, start, list] = scratch.parts(Form::Fold, term)?;
    of_one(scratch, function)?;
    let names = [scratch.fresh(), scratch.fresh()];
    let halves = names.map(|it| scratch.variable(term, it));
    let pair = scratch.make(Form::Pair, term, &halves);
    let body = scratch.make(Form::App, term, &[function, pair]);
    let function = scratch.bind(Form::Lam, term, &[body], &names);
    Some(scratch.make(Form::Reduce, term, &[function, start, list]))
}

/// `reduce` of a `map` or a `filter`.
fn reduced(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [second, start, inner] = scratch.parts(Form::Reduce, term)?;
    let form = scratch.form(inner);
    if !matches!(form, Form::Map | Form::Filter) || scratch.terms.names(second).len() != 2 {
        return None;
    }
    let [first, list] = scratch.parts(form, inner)?;
    of_one(scratch, first)?;
    // The start is evaluated before the list.
    if !may_take_turns(scratch, first, second) {
        return None;
    }
    let names = [scratch.fresh(), scratch.fresh()];
    let [sum, element] = names.map(|it| scratch.variable(term, it));
    let given = scratch.make(Form::App, term, &[first, element]);
    let body = if form == Form::Map {
        scratch.make(Form::App, term, &[second, sum, given])
    } else {
        let [sum, element, kept] =
            [names[0], names[1], names[0]].map(|it| scratch.variable(term, it));
        let next = scratch.make(Form::App, term, &[second, sum, element]);
        scratch.make(Form::If, term, &[given, next, kept])
    };
    let function = scratch.bind(Form::Lam, term, &[body], &names);
    Some(scratch.make(Form::Reduce, term, &[function, start, list]))
}

/// `flat_map` whose function gives lists of one element, or of one and none by a test.
fn flat_mapped(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [function, list] = scratch.parts(Form::FlatMap, term)?;
    let body = of_one(scratch, function)?;
    let name = scratch.terms.names(function).to_vec();
    if let Some([element]) = scratch.parts(Form::List, body) {
        let function = scratch.bind(Form::Lam, function, &[element], &name);
        return Some(scratch.make(Form::Map, term, &[function, list]));
    }
    let [test, then, otherwise] = scratch.parts(Form::If, body)?;
    let [element] = scratch.parts(Form::List, then)?;
    let is_empty = scratch.form(otherwise) == Form::Nil
        || scratch.form(otherwise) == Form::List && scratch.terms.operands(otherwise).is_empty();
    let is_itself = scratch.form(element) == Form::Var
        && scratch.terms.only_name(element) == scratch.terms.only_name(function);
    if !is_empty || !is_itself {
        return None;
    }
    let function = scratch.bind(Form::Lam, function, &[test], &name);
    Some(scratch.make(Form::Filter, term, &[function, list]))
}

/// `any` and `all` of a `map` that surely has a value, and `find` of a `filter` that has.
fn searched(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let [second, inner] = scratch.parts(form, term)?;
    of_one(scratch, second)?;
    let inner_form = if form == Form::Find { Form::Filter } else { Form::Map };
    let [first, list] = scratch.parts(inner_form, inner)?;
    if !is_total(scratch, first) {
        return None;
    }
    if form == Form::Find {
        let name = scratch.fresh();
        let tests = [first, second].map(|test| {
            let element = scratch.variable(term, name);
            scratch.make(Form::App, term, &[test, element])
        });
        let test = scratch.body(first).unwrap_or(first);
        if !scratch.is_of(test, pif_language::kinds::BOOLEAN) {
            return None;
        }
        let body = scratch.make(Form::And, term, &tests);
        let function = scratch.bind(Form::Lam, term, &[body], &[name]);
        return Some(scratch.make(Form::Find, term, &[function, list]));
    }
    let function = composed(scratch, term, first, second);
    Some(scratch.make(form, term, &[function, list]))
}

/// The length of a `map` that surely has a value, of a list that is turned or sorted.
fn counted(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [inner] = scratch.parts(Form::Length, term)?;
    if let Some([function, list]) = scratch.parts(Form::Map, inner) {
        let is_list = scratch.is_of(list, LIST);
        let is_same = is_list && is_total(scratch, function);
        return is_same.then(|| scratch.make(Form::Length, term, &[list]));
    }
    let [list] = scratch.parts(Form::Reverse, inner)?;
    scratch.is_of(list, LIST).then(|| scratch.make(Form::Length, term, &[list]))
}
