//! Derivations: why a term has a type, and why it surely has a value. Each rule is checked against the
//! term and against what the derivations that it stands on say.

use crate::context::{Context, Origin};
use crate::facts::{self, COMPOUND, FACTS, Fact, is_strict, needs, of_literal, sifted};
use crate::proof::Derivation;
use crate::term::{Term, is_same};
use crate::types::Type;
use pif_language::form::Form;
use pif_language::kinds::{ANY, BOOLEAN, FUNCTION, Kinds, LIST, RECORD};
use std::sync::Arc;

/// Checks that a term, whenever it has a value, has one of a type.
pub(super) fn has_type(
    context: &Context,
    term: &Term,
    derivation: &Derivation,
    wanted: &Type,
) -> Result<(), String> {
    let found = type_of(context, term, derivation)?;
    if found.is_within(wanted) {
        Ok(())
    } else {
        Err("the type that is derived is too wide".to_owned())
    }
}

/// The type that a derivation derives for a term.
pub fn type_of(context: &Context, term: &Term, derivation: &Derivation) -> Result<Type, String> {
    let premise = |at: usize| {
        derivation.from.get(at).ok_or_else(|| format!("`{}` stands on too little", derivation.by))
    };
    let operand = |at: usize| {
        term.operands.get(at).ok_or_else(|| format!("`{}` is of no such term", derivation.by))
    };
    let wanted = |is_it: bool| {
        if is_it { Ok(()) } else { Err(format!("`{}` is of no such term", derivation.by)) }
    };
    // What is derived for an operand, at its place.
    let inner =
        |at: usize, from: usize| type_of(&context.inside(term, at), operand(at)?, premise(from)?);
    match derivation.by.as_str() {
        "literal" => {
            let json = term.literal.as_ref().ok_or("it is no literal")?;
            Ok(Type::of(of_literal(term.form, json)))
        }
        "any" => Ok(Type::any()),
        "lambda" => wanted(term.form == Form::Lam).map(|()| Type::of(FUNCTION)),
        "variable" => {
            wanted(term.form == Form::Var)?;
            let (origin, around) =
                term.name().and_then(|it| context.find(it)).ok_or("the variable is not bound")?;
            match origin {
                Origin::Input => Ok(Type::data()),
                Origin::Value(value) => type_of(&around, value, premise(0)?),
                Origin::Element(list) => Ok(type_of(&around, list, premise(0)?)?.elements()),
                // Whatever it has gathered is of the type that `reduced` derives.
                Origin::Gathered(whole) if premise(0)?.by == "reduced" => {
                    type_of(&around, whole, premise(0)?)
                }
                Origin::Gathered(_) => Err("it is not derived how it gathers".to_owned()),
                Origin::Assumed(known) => Ok(known.clone()),
                Origin::Unknown => Err("nothing is known of the variable".to_owned()),
            }
        }
        "needed" => {
            let (parent, operand) = known(context, term, &derivation.at)?;
            let parent = parent.ok_or("nothing needs it")?;
            Ok(Type::of(needs(parent.form, operand, beside(&parent, operand))))
        }
        "both" => {
            Ok(type_of(context, term, premise(0)?)?.meet(type_of(context, term, premise(1)?)?))
        }
        "if" => {
            wanted(term.form == Form::If)?;
            Ok(inner(1, 0)?.join(inner(2, 1)?))
        }
        "let" => {
            wanted(term.form == Form::Let)?;
            inner(1, 0)
        }
        "list" => {
            wanted(term.form == Form::List)?;
            let none = Type { kinds: 0, is_deep: true, element: None };
            let each = (0..term.operands.len()).map(|at| inner(at, at));
            Ok(Type::list(each.collect::<Result<Vec<_>, _>>()?.into_iter().fold(none, Type::join)))
        }
        "record" => {
            wanted(term.form == Form::Record)?;
            let each = (0..term.operands.len()).map(|at| inner(at, at));
            let is_deep = each.collect::<Result<Vec<_>, _>>()?.iter().all(|it| it.is_deep);
            Ok(Type { kinds: RECORD, is_deep, element: None })
        }
        "either" => {
            let is_it = matches!(term.form, Form::Either | Form::Both | Form::Coalesce);
            wanted(is_it && !term.operands.is_empty())?;
            let each =
                (0..term.operands.len()).map(|at| inner(at, at)).collect::<Result<Vec<_>, _>>()?;
            each.into_iter().reduce(Type::join).ok_or_else(|| "it has no operands".to_owned())
        }
        "sifted" => {
            let at = sifted(term.form).ok_or("its elements are not those of an operand")?;
            Ok(Type::list(inner(at, 0)?.elements()))
        }
        "append" => {
            wanted(term.form == Form::Append && term.operands.len() == 2)?;
            let (a, b) = (inner(0, 0)?, inner(1, 1)?);
            wanted(a.kinds == LIST && b.kinds == LIST)?;
            Ok(Type::list(a.elements().join(b.elements())))
        }
        "mapped" => {
            wanted(term.form == Form::Map)?;
            let around = context.callback(term).ok_or("its function is not known")?;
            let body = operand(0)?.operands.first().ok_or("a function has no body")?;
            Ok(Type::list(type_of(&around, body, premise(0)?)?))
        }
        "reduced" => {
            wanted(term.form == Form::Reduce)?;
            let kinds = derivation.at.first().and_then(|it| Kinds::try_from(*it).ok());
            let kinds = kinds.filter(|it| it & COMPOUND == 0).ok_or("a type is missing")?;
            let assumed = Type::of(kinds);
            has_type(&context.inside(term, 1), operand(1)?, premise(0)?, &assumed)?;
            let (around, body) = reducing(context, term, &assumed)?;
            has_type(&around, &body, premise(1)?, &assumed)?;
            Ok(assumed)
        }
        "part" => {
            let is_it =
                matches!(term.form, Form::Get | Form::GetIn | Form::Nth | Form::Head | Form::Last);
            wanted(is_it)?;
            let whole = inner(0, 0)?;
            // A third operand stands in place of what is missing.
            let default = if term.operands.len() == 3 { inner(2, 1)?.is_deep } else { true };
            let is_list = whole.kinds == LIST && matches!(term.form, Form::Head | Form::Last);
            match (whole.is_deep && default, is_list) {
                (_, true) => Ok(whole.elements()),
                (true, false) => Ok(Type::data()),
                (false, false) => Err("it is no part of plain data".to_owned()),
            }
        }
        "fact" => {
            let fact = fact(term, derivation)?;
            let mut is_deep = fact.gives & COMPOUND == 0;
            if !derivation.from.is_empty() {
                let each = (0..term.operands.len()).map(|at| inner(at, at));
                let types = each.collect::<Result<Vec<_>, _>>()?;
                fits(fact, &types)?;
                let is_plain = fact.gives & !facts::PLAIN == 0;
                let is_operand = matches!(term.form, Form::Either | Form::Both | Form::Coalesce);
                is_deep |= (is_plain || is_operand) && types.iter().all(|it| it.is_deep);
            } else if fact.is_deep || fact.takes != [ANY] {
                return Err("the operands of a fact have no types".to_owned());
            }
            let element = facts::elements(term.form).map(|it| Box::new(Type::of(it)));
            let is_deep = is_deep || element.is_some();
            let kinds = fact.gives & if is_deep { facts::PLAIN } else { ANY };
            Ok(Type { kinds, is_deep, element })
        }
        other => Err(format!("`{other}` is no rule of types")),
    }
}

/// The fact that a derivation names: which of the facts of the form.
fn fact(term: &Term, derivation: &Derivation) -> Result<&'static Fact, String> {
    let mut facts = FACTS.iter().filter(|it| it.form == term.form);
    derivation
        .at
        .first()
        .and_then(|it| facts.nth(*it))
        .ok_or_else(|| "there is no such fact".to_owned())
}

/// Checks that operands are of the kinds that a fact takes.
pub fn fits(fact: &Fact, operands: &[Type]) -> Result<(), String> {
    if operands.len() < fact.takes.len() && fact.takes.len() > 1 {
        return Err("a fact is of more operands".to_owned());
    }
    for (at, found) in operands.iter().enumerate() {
        let kinds = fact.takes.get(at).or(fact.takes.last()).copied().unwrap_or_default();
        if found.kinds & !kinds != 0
            || fact.is_deep && !found.is_deep && found.kinds & !facts::LEVEL != 0
        {
            return Err("an operand of a fact has another type".to_owned());
        }
    }
    Ok(())
}

/// The kind of the literal beside an operand of two.
fn beside(parent: &Term, operand: usize) -> Kinds {
    let other = parent.operands.get(1 - operand.min(1)).filter(|_| parent.operands.len() == 2);
    match other.and_then(|it| Some((it.form, it.literal.as_ref()?))) {
        Some((form, json)) => of_literal(form, json),
        None => ANY,
    }
}

/// The place of a term within one that is known to have a value: the term around it, and which operand.
/// A place is an entry of the context and the operands on the way, each of which is evaluated whenever
/// the term around it is.
fn known(context: &Context, term: &Term, place: &[usize]) -> Result<(Option<Term>, usize), String> {
    let (entry, path) = place.split_first().ok_or("a place is missing")?;
    let (whole, mut is_true) = context.known(*entry).ok_or("that has no value here")?;
    let (mut current, mut parent) = (whole, None);
    let mut last = 0;
    for operand in path {
        let is_reached = is_true && current.form == Form::And || is_strict(current.form, *operand);
        if !is_reached || current.is_binder() {
            return Err("that is perhaps not evaluated".to_owned());
        }
        is_true = is_true && current.form == Form::And;
        parent = Some(Arc::clone(current));
        last = *operand;
        current = current.operands.get(*operand).ok_or("there is no such place")?;
    }
    if is_same(current, term) {
        Ok((parent, last))
    } else {
        Err("another term stands there".to_owned())
    }
}

/// The context in the function of a `reduce`, whose accumulator has a type, and the body there.
fn reducing(context: &Context, term: &Term, assumed: &Type) -> Result<(Context, Term), String> {
    let around = context.callback(term).ok_or("its function is not known")?;
    let function = term.operands.first().ok_or("a function is missing")?;
    let (Some(sum), Some(body)) = (function.names.first(), function.operands.first()) else {
        return Err("its function is not known".to_owned());
    };
    Ok((around.assume(sum, assumed), Arc::clone(body)))
}

/// Checks that a term surely has a value.
pub fn is_total(context: &Context, term: &Term, derivation: &Derivation) -> Result<(), String> {
    let premise = |at: usize| {
        derivation.from.get(at).ok_or_else(|| format!("`{}` stands on too little", derivation.by))
    };
    let operand = |at: usize| {
        term.operands.get(at).ok_or_else(|| format!("`{}` is of no such term", derivation.by))
    };
    let wanted = |is_it: bool| {
        if is_it { Ok(()) } else { Err(format!("`{}` is of no such term", derivation.by)) }
    };
    let total =
        |at: usize, from: usize| is_total(&context.inside(term, at), operand(at)?, premise(from)?);
    let typed = |at: usize, from: usize, wanted: Kinds| {
        has_type(&context.inside(term, at), operand(at)?, premise(from)?, &wide(wanted))
    };
    match derivation.by.as_str() {
        "value" => {
            let is_bound = || term.name().is_some_and(|it| context.find(it).is_some());
            let is_literal = term.literal.is_some() || term.form == Form::Lam;
            wanted(is_literal || term.form == Form::Var && is_bound())
        }
        "needed" => known(context, term, &derivation.at).map(|_| ()),
        "parts" => {
            wanted(matches!(term.form, Form::List | Form::Record))?;
            (0..term.operands.len()).try_for_each(|at| total(at, at))
        }
        "if" => {
            wanted(term.form == Form::If)?;
            total(0, 0)?;
            typed(0, 1, BOOLEAN)?;
            total(1, 2)?;
            total(2, 3)
        }
        "let" => {
            wanted(term.form == Form::Let)?;
            total(0, 0)?;
            total(1, 1)
        }
        "each" => {
            // A function of each element of a list. One that chooses gives a boolean.
            let chooses = matches!(term.form, Form::Filter | Form::Any | Form::All | Form::Find);
            wanted(chooses || matches!(term.form, Form::Map | Form::FlatMap))?;
            total(1, 0)?;
            typed(1, 1, LIST)?;
            let around = context.callback(term).ok_or("its function is not known")?;
            let body = operand(0)?.operands.first().ok_or("a function has no body")?;
            is_total(&around, body, premise(2)?)?;
            if chooses { has_type(&around, body, premise(3)?, &wide(BOOLEAN)) } else { Ok(()) }
        }
        "reduced" => {
            wanted(term.form == Form::Reduce)?;
            let kinds = derivation.at.first().and_then(|it| Kinds::try_from(*it).ok());
            let kinds = kinds.filter(|it| it & COMPOUND == 0).ok_or("a type is missing")?;
            let assumed = Type::of(kinds);
            total(1, 0)?;
            has_type(&context.inside(term, 1), operand(1)?, premise(1)?, &assumed)?;
            total(2, 2)?;
            typed(2, 3, LIST)?;
            let (around, body) = reducing(context, term, &assumed)?;
            has_type(&around, &body, premise(4)?, &assumed)?;
            is_total(&around, &body, premise(5)?)
        }
        "fact" => {
            let fact = fact(term, derivation)?;
            wanted(fact.is_total)?;
            let mut types = Vec::new();
            for at in 0..term.operands.len() {
                total(at, 2 * at)?;
                types.push(type_of(&context.inside(term, at), operand(at)?, premise(2 * at + 1)?)?);
            }
            fits(fact, &types)
        }
        other => Err(format!("`{other}` is no rule of values")),
    }
}

/// All values of some kinds, whatever their parts are.
fn wide(kinds: Kinds) -> Type {
    Type { kinds, is_deep: false, element: None }
}
