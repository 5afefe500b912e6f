//! Parts of literal records, lists and pairs.

use super::scratch::Scratch;
use pif_language::form::Form;
use pif_language::kinds::{LIST, NULL, STRING};
use pif_language::term::{NameId, TermId};

/// Which part is taken.
#[derive(Clone, Debug)]
enum Key {
    At(usize),
    Name(String),
}

pub(super) fn rule(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    match scratch.form(term) {
        Form::Get | Form::Nth | Form::Fst | Form::Snd | Form::Head | Form::Tail => {
            taken(scratch, term)
        }
        Form::Length | Form::IsEmpty => counted(scratch, term),
        Form::Put | Form::Merge => changed(scratch, term),
        Form::Cons | Form::Append => lengthened(scratch, term),
        Form::Let => opened(scratch, term),
        Form::GetIn => stepped(scratch, term),
        _ => None,
    }
}

/// Which part a form takes, and of what.
fn key(scratch: &Scratch, term: TermId) -> Option<(TermId, Key)> {
    let form = scratch.form(term);
    let operands = scratch.terms.operands(term);
    match (form, operands) {
        (Form::Fst | Form::Head, [of]) => Some((*of, Key::At(0))),
        (Form::Snd, [of]) => Some((*of, Key::At(1))),
        (Form::Get, [of, key, ..]) | (Form::Nth, [of, key]) => match scratch.form(*key) {
            Form::Integer => Some((*of, Key::At(scratch.terms.literal(*key)?))),
            Form::Text if form == Form::Get => {
                Some((*of, Key::Name(scratch.terms.text(*key).to_owned())))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Which operand of a literal is the part.
fn place(scratch: &Scratch, form: Form, literal: TermId, key: &Key) -> Option<usize> {
    let count = scratch.terms.operands(literal).len();
    match (scratch.form(literal), key) {
        (Form::List, Key::At(at)) => {
            let is_pair = !matches!(form, Form::Fst | Form::Snd) || count == 2;
            (is_pair && *at < count).then_some(*at)
        }
        (Form::Pair, Key::At(at)) => (*at < 2 && form != Form::Head).then_some(*at),
        (Form::Record, Key::Name(name)) => {
            let is_it = |it: &NameId| scratch.terms.name(*it) == name;
            scratch.terms.names(literal).iter().position(is_it)
        }
        _ => None,
    }
}

/// What a term is known to be: a literal, or what is bound to a variable.
fn literal_of(scratch: &Scratch, term: TermId) -> TermId {
    if scratch.form(term) != Form::Var {
        return term;
    }
    let bound = scratch.bound.get(&scratch.terms.only_name(term)).copied();
    bound.filter(|it| *it != scratch.unknown).unwrap_or(term)
}

fn is_atom(scratch: &Scratch, term: TermId) -> bool {
    let form = scratch.form(term);
    form == Form::Var || form.is_literal()
}

fn taken(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let form = scratch.form(term);
    if form == Form::Tail {
        return rest(scratch, term);
    }
    let (of, key) = key(scratch, term)?;
    if let Some([value, body]) = scratch.parts(Form::Let, of) {
        let name = scratch.terms.only_name(of);
        let others = scratch.terms.operands(term).get(1..).unwrap_or_default().to_vec();
        let body = scratch.make(form, term, &[&[body], &others[..]].concat());
        return Some(scratch.let_one(name, value, body));
    }
    let literal = literal_of(scratch, of);
    let default = scratch.terms.operands(term).get(2).copied();
    let place = place(scratch, form, literal, &key);
    let operands = scratch.terms.operands(literal).to_vec();
    let part = place.and_then(|place| operands.get(place).copied());
    let taken = match (part, default) {
        (Some(part), None) => part,
        // What is null is null, or the default.
        (Some(part), Some(default)) => {
            let is_null = scratch.form(default) == Form::Unit;
            let is_there = scratch.kinds(part) & NULL == 0 && scratch.is_total(default);
            (is_null || is_there).then_some(part)?
        }
        (None, Some(default)) => is_missing(scratch, literal, &key).then_some(default)?,
        (None, None) => return length(scratch, term, of, &key),
    };
    if literal != of {
        return is_atom(scratch, taken).then_some(taken);
    }
    if part.is_none() {
        return Some(picked(scratch, term, &operands, |_, _| taken));
    }
    let place = place.unwrap_or_default();
    Some(picked(scratch, term, &operands, |_, parts| parts.get(place).copied().unwrap_or(taken)))
}

/// Whether a literal surely has no such part.
fn is_missing(scratch: &Scratch, literal: TermId, key: &Key) -> bool {
    match (scratch.form(literal), key) {
        (Form::List, Key::At(at)) => *at >= scratch.terms.operands(literal).len(),
        (Form::Record, Key::Name(name)) => {
            !scratch.terms.names(literal).iter().any(|it| scratch.terms.name(*it) == name)
        }
        _ => false,
    }
}

/// The member `length` of a list or a text is its length.
fn length(scratch: &mut Scratch, term: TermId, of: TermId, key: &Key) -> Option<TermId> {
    let is_length = matches!(key, Key::Name(name) if name == "length");
    let is_sized = is_length && scratch.is_of(of, LIST | STRING);
    is_sized.then(|| scratch.make(Form::Length, term, &[of]))
}

/// What is made of the parts of a literal: those that are evaluated first are bound, unless nothing
/// shows when they are.
fn picked(
    scratch: &mut Scratch,
    at: TermId,
    operands: &[TermId],
    made: impl FnOnce(&mut Scratch, &[TermId]) -> TermId,
) -> TermId {
    if operands.iter().all(|it| scratch.is_total(*it)) {
        return made(scratch, operands);
    }
    scratch.let_all(operands, |scratch, names| {
        let parts: Vec<TermId> = names.iter().map(|it| scratch.variable(at, *it)).collect();
        made(scratch, &parts)
    })
}

fn rest(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [of] = scratch.parts(Form::Tail, term)?;
    let literal = literal_of(scratch, of);
    let operands = scratch.terms.operands(literal).to_vec();
    if scratch.form(literal) != Form::List || operands.is_empty() {
        return None;
    }
    if literal != of && !operands.iter().all(|it| is_atom(scratch, *it)) {
        return None;
    }
    Some(picked(scratch, term, &operands, |scratch, parts| {
        scratch.make(Form::List, term, parts.get(1..).unwrap_or_default())
    }))
}

fn counted(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let of = scratch.terms.operand(term, 0);
    let literal = literal_of(scratch, of);
    let operands = scratch.terms.operands(literal).to_vec();
    match scratch.form(literal) {
        Form::List | Form::Nil => {}
        _ => return None,
    }
    let is_length = scratch.form(term) == Form::Length;
    let count = i64::try_from(operands.len()).unwrap_or(i64::MAX);
    let answer = |scratch: &mut Scratch| {
        if is_length {
            scratch.integer(term, pif_core::json::number::Integer::Small(count))
        } else {
            scratch.boolean(term, count == 0)
        }
    };
    if literal != of {
        return Some(answer(scratch));
    }
    Some(picked(scratch, term, &operands, |scratch, _| answer(scratch)))
}

/// A literal record with other members.
fn changed(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let operands = scratch.terms.operands(term).to_vec();
    let record = *operands.first()?;
    if scratch.form(record) != Form::Record {
        return None;
    }
    let (new_names, new_values) = match (scratch.form(term), &operands[1..]) {
        (Form::Put, [key, value]) if scratch.form(*key) == Form::Text => {
            let name = scratch.terms.text(*key).to_owned();
            (vec![scratch.terms.intern(&name)], vec![*value])
        }
        (Form::Merge, [other]) if scratch.form(*other) == Form::Record => {
            let terms = &scratch.terms;
            (terms.names(*other).to_vec(), terms.operands(*other).to_vec())
        }
        _ => return None,
    };
    let names = scratch.terms.names(record).to_vec();
    let values = scratch.terms.operands(record).to_vec();
    let is_new = new_names.iter().all(|it| !names.contains(it));
    let all_names = [names.clone(), new_names.clone()].concat();
    let all_values = [values, new_values].concat();
    if is_new {
        return Some(scratch.bind(Form::Record, term, &all_values, &all_names));
    }
    Some(picked(scratch, term, &all_values, |scratch, parts| {
        let mut members: Vec<(NameId, TermId)> = Vec::new();
        for (name, part) in all_names.iter().zip(parts) {
            match members.iter_mut().find(|it| it.0 == *name) {
                Some(member) => member.1 = *part,
                None => members.push((*name, *part)),
            }
        }
        let (names, values): (Vec<NameId>, Vec<TermId>) = members.into_iter().unzip();
        scratch.bind(Form::Record, term, &values, &names)
    }))
}

/// A literal list with more elements.
fn lengthened(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let operands = scratch.terms.operands(term).to_vec();
    let elements = |scratch: &Scratch, it: TermId| match scratch.form(it) {
        Form::List => Some(scratch.terms.operands(it).to_vec()),
        Form::Nil => Some(Vec::new()),
        _ => None,
    };
    let [first, second] = operands[..] else { return None };
    let more = elements(scratch, second)?;
    let mut all = match scratch.form(term) {
        Form::Cons => vec![first],
        _ => elements(scratch, first)?,
    };
    all.extend(more);
    Some(scratch.make(Form::List, term, &all))
}

/// Names the parts of a literal that is bound, where a part of it is taken by name.
fn opened(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [value, body] = scratch.parts(Form::Let, term)?;
    let form = scratch.form(value);
    if !matches!(form, Form::List | Form::Record | Form::Pair) {
        return None;
    }
    let operands = scratch.terms.operands(value).to_vec();
    if operands.iter().all(|it| is_atom(scratch, *it)) {
        return None;
    }
    let name = scratch.terms.only_name(term);
    if !is_taken_apart(scratch, body, name, value) {
        return None;
    }
    let names = scratch.terms.names(value).to_vec();
    Some(scratch.let_all(&operands, |scratch, parts| {
        let parts: Vec<TermId> = parts.iter().map(|it| scratch.variable(value, *it)).collect();
        let literal = scratch.bind(form, value, &parts, &names);
        scratch.let_one(name, literal, body)
    }))
}

/// Whether a term takes a part of a variable that is bound to a literal.
fn is_taken_apart(scratch: &mut Scratch, root: TermId, name: NameId, literal: TermId) -> bool {
    let mut left = vec![root];
    while let Some(term) = left.pop() {
        scratch.step();
        let form = scratch.form(term);
        if form == Form::Quote {
            continue;
        }
        let is_it =
            |it: TermId| scratch.form(it) == Form::Var && scratch.terms.only_name(it) == name;
        if let Some((of, key)) = key(scratch, term)
            && is_it(of)
            && place(scratch, form, literal, &key).is_some()
        {
            return true;
        }
        if form == Form::Tail && is_it(scratch.terms.operand(term, 0)) {
            return true;
        }
        left.extend(scratch.terms.operands(term));
    }
    false
}

/// `get_in` of a literal path is a `get` for each step, where nothing stands for what is missing.
fn stepped(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [of, path] = scratch.parts(Form::GetIn, term)?;
    let steps = scratch.terms.operands(path).to_vec();
    let is_key = |it: &TermId| scratch.form(*it) == Form::Text;
    if scratch.form(path) != Form::List || steps.is_empty() || !steps.iter().all(is_key) {
        return None;
    }
    if scratch.observed.order {
        return None;
    }
    Some(steps.iter().fold(of, |of, step| scratch.make(Form::Get, term, &[of, *step])))
}
