//! What forms give and need, as data: the rows on which derivations of types stand.

use pif_language::form::Form;
use pif_language::kinds::{
    ANY, BOOLEAN, DATE, FLOAT, FUNCTION, INTEGER, Kinds, LIST, MAP, NULL, NUMBER, ODD, PAIR,
    RECORD, REGEX, SET, STRING,
};

/// Kinds of values that are plain data.
pub const PLAIN: Kinds = NULL | BOOLEAN | NUMBER | STRING | LIST | RECORD;
/// Kinds that have parts, or that no data has.
pub const COMPOUND: Kinds = !(NULL | BOOLEAN | NUMBER | STRING);
/// Kinds without parts that no form looks into.
pub const LEVEL: Kinds = NULL | BOOLEAN | NUMBER | STRING | ODD;
/// What `eq` compares, whatever it is.
const COMPARED: Kinds = PLAIN | ODD;
/// What can be ordered beside a number.
const ORDERED: Kinds = NUMBER | ODD | DATE;
/// What a form that wants a list takes: the lists themselves and all that is taken for one.
const LISTED: Kinds = LIST | PAIR | MAP | SET | REGEX;

/// What a form gives for operands of some kinds.
#[derive(Debug)]
pub struct Fact {
    /// The form.
    pub form: Form,
    /// The kinds of the operands, of which there are as many or more. The last is for all that follow.
    pub takes: &'static [Kinds],
    /// Whether the operands are plain data, with all their parts.
    pub is_deep: bool,
    /// The kinds of its value, whenever it has one. Where these are plain, the value is plain data if the
    /// operands are.
    pub gives: Kinds,
    /// Whether it surely has a value.
    pub is_total: bool,
}

const fn gives(form: Form, gives: Kinds) -> Fact {
    Fact { form, takes: &[ANY], is_deep: false, gives, is_total: false }
}

const fn of(form: Form, takes: &'static [Kinds], gives: Kinds) -> Fact {
    Fact { form, takes, is_deep: false, gives, is_total: false }
}

const fn total(form: Form, takes: &'static [Kinds], gives: Kinds) -> Fact {
    Fact { form, takes, is_deep: false, gives, is_total: true }
}

const fn deep(form: Form, takes: &'static [Kinds], gives: Kinds) -> Fact {
    Fact { form, takes, is_deep: true, gives, is_total: true }
}

/// The facts. Of those of a form the first that fits is the best.
pub const FACTS: &[Fact] = &[
    total(Form::Add, &[INTEGER], INTEGER),
    gives(Form::Add, NUMBER),
    total(Form::Mul, &[INTEGER], INTEGER),
    gives(Form::Mul, NUMBER),
    total(Form::Sub, &[INTEGER], INTEGER),
    gives(Form::Sub, NUMBER),
    total(Form::Plus, &[INTEGER], INTEGER),
    total(Form::Plus, &[STRING], STRING),
    of(Form::Plus, &[NUMBER], NUMBER),
    of(Form::Plus, &[STRING, ANY], STRING),
    of(Form::Plus, &[ANY, STRING], STRING),
    gives(Form::Plus, NUMBER | STRING),
    total(Form::Neg, &[INTEGER], INTEGER),
    total(Form::Neg, &[NUMBER], NUMBER),
    total(Form::Abs, &[INTEGER], INTEGER),
    total(Form::Abs, &[NUMBER], NUMBER),
    total(Form::Floor, &[NUMBER], INTEGER),
    total(Form::Ceil, &[NUMBER], INTEGER),
    gives(Form::Floor, INTEGER),
    gives(Form::Ceil, INTEGER),
    gives(Form::ToInt, INTEGER),
    of(Form::Mod, &[INTEGER], INTEGER),
    of(Form::Rem, &[INTEGER], INTEGER),
    of(Form::Div, &[INTEGER], INTEGER),
    gives(Form::Mod, NUMBER),
    gives(Form::Rem, NUMBER | ODD),
    gives(Form::Divide, NUMBER | ODD),
    gives(Form::Eq, BOOLEAN),
    deep(Form::Eq, &[COMPARED], BOOLEAN),
    total(Form::Lt, &[NUMBER | ODD], BOOLEAN),
    total(Form::Lt, &[STRING], BOOLEAN),
    gives(Form::Lt, BOOLEAN),
    total(Form::Gt, &[NUMBER | ODD], BOOLEAN),
    total(Form::Gt, &[STRING], BOOLEAN),
    gives(Form::Gt, BOOLEAN),
    total(Form::Lte, &[NUMBER | ODD], BOOLEAN),
    total(Form::Lte, &[STRING], BOOLEAN),
    gives(Form::Lte, BOOLEAN),
    total(Form::Gte, &[NUMBER | ODD], BOOLEAN),
    total(Form::Gte, &[STRING], BOOLEAN),
    gives(Form::Gte, BOOLEAN),
    total(Form::And, &[BOOLEAN], BOOLEAN),
    gives(Form::And, BOOLEAN),
    total(Form::Or, &[BOOLEAN], BOOLEAN),
    gives(Form::Or, BOOLEAN),
    total(Form::Not, &[BOOLEAN], BOOLEAN),
    gives(Form::Not, BOOLEAN),
    total(Form::Truth, &[ANY], BOOLEAN),
    total(Form::Both, &[BOOLEAN], BOOLEAN),
    total(Form::Either, &[BOOLEAN], BOOLEAN),
    total(Form::Both, &[ANY], ANY),
    total(Form::Either, &[ANY], ANY),
    total(Form::Coalesce, &[ANY], ANY),
    total(Form::IsEmpty, &[LIST], BOOLEAN),
    gives(Form::IsEmpty, BOOLEAN),
    total(Form::Length, &[LIST | STRING], INTEGER),
    gives(Form::Length, INTEGER),
    gives(Form::Any, BOOLEAN),
    gives(Form::All, BOOLEAN),
    gives(Form::Contains, BOOLEAN),
    gives(Form::StartsWith, BOOLEAN),
    gives(Form::EndsWith, BOOLEAN),
    gives(Form::Has, BOOLEAN),
    total(Form::TypeOf, &[ANY], STRING),
    total(Form::Upper, &[STRING], STRING),
    gives(Form::Upper, STRING),
    total(Form::Lower, &[STRING], STRING),
    gives(Form::Lower, STRING),
    total(Form::Trim, &[STRING], STRING),
    gives(Form::Trim, STRING),
    total(Form::Concat, &[STRING], STRING),
    gives(Form::Concat, STRING),
    total(Form::AsText, &[NULL | BOOLEAN | NUMBER | STRING], STRING),
    gives(Form::AsText, STRING),
    gives(Form::Join, STRING),
    total(Form::Chars, &[STRING], LIST),
    gives(Form::Chars, LIST),
    gives(Form::Split, LIST),
    total(Form::Keys, &[RECORD], LIST),
    total(Form::Values, &[RECORD], LIST),
    total(Form::Entries, &[RECORD], LIST),
    gives(Form::Keys, LIST),
    gives(Form::Values, LIST),
    gives(Form::Entries, LIST),
    total(Form::Merge, &[RECORD], RECORD),
    gives(Form::Merge, RECORD),
    gives(Form::Range, LIST),
    total(Form::Enumerate, &[LIST], LIST),
    gives(Form::Enumerate, LIST),
    gives(Form::Map, LIST),
    gives(Form::Filter, LIST),
    gives(Form::FlatMap, LIST),
    gives(Form::Reverse, LIST),
    gives(Form::Sort, LIST),
    gives(Form::SortBy, LIST),
    gives(Form::Distinct, LIST),
    gives(Form::Take, LIST),
    gives(Form::Drop, LIST),
    gives(Form::Append, LIST),
    gives(Form::Flatten, LIST),
    gives(Form::Elements, LIST),
    gives(Form::Zip, LIST),
    gives(Form::GroupBy, LIST),
    gives(Form::CountBy, LIST),
    gives(Form::Cons, LIST),
    total(Form::Nil, &[ANY], LIST),
    total(Form::Pair, &[ANY], PAIR),
    deep(Form::Get, &[PLAIN, STRING | INTEGER, PLAIN], PLAIN),
    deep(Form::Distinct, &[LIST], LIST),
    total(Form::Elements, &[LIST | STRING | NULL], LIST),
];

/// The kinds that an operand has whenever the form has a value; `other` tells whether the other operand
/// of a comparison is a number, or a text.
#[must_use]
pub fn needs(form: Form, operand: usize, other: Kinds) -> Kinds {
    match (form, operand) {
        (Form::Add | Form::Mul | Form::Div | Form::Fdiv | Form::Pow | Form::Mod, _) => NUMBER,
        (Form::Sub, _) => NUMBER | DATE,
        (Form::Lt | Form::Gt | Form::Lte | Form::Gte, _)
            if other & COMPOUND == 0 && other & STRING == 0 =>
        {
            ORDERED
        }
        (Form::Lt | Form::Gt | Form::Lte | Form::Gte, _) if other == STRING => STRING | ODD,
        (Form::And | Form::Or | Form::If, 0) | (Form::Not, _) => BOOLEAN,
        (Form::Upper | Form::Lower | Form::Trim | Form::Concat, _) => STRING,
        (
            Form::Map
            | Form::Filter
            | Form::FlatMap
            | Form::Any
            | Form::All
            | Form::Find
            | Form::SortBy
            | Form::GroupBy
            | Form::CountBy,
            1,
        )
        | (Form::Reduce | Form::Fold, 2)
        | (Form::Sum | Form::Product | Form::Sort | Form::Reverse | Form::Distinct, 0) => LISTED,
        (Form::App, 0) => FUNCTION,
        _ => ANY,
    }
}

/// The kind of a literal.
#[must_use]
pub fn of_literal(form: Form, json: &str) -> Kinds {
    match form {
        Form::Unit => NULL,
        Form::Boolean => BOOLEAN,
        Form::Integer | Form::BigInteger => INTEGER,
        // An infinity, or what is not a number, is written as a text.
        Form::FloatNumber if json.contains(":\"") => ODD,
        Form::FloatNumber => FLOAT,
        Form::Text => STRING,
        _ => ANY,
    }
}

/// The operand of a form that has as elements some of those that its value has, in any order.
#[must_use]
pub fn sifted(form: Form) -> Option<usize> {
    match form {
        Form::Reverse | Form::Sort | Form::Take | Form::Drop | Form::Distinct => Some(0),
        Form::Filter | Form::SortBy => Some(1),
        _ => None,
    }
}

/// The operand with the list of a form whose first operand is a function of each element.
#[must_use]
pub fn subject(form: Form) -> Option<usize> {
    match form {
        Form::Map
        | Form::Filter
        | Form::FlatMap
        | Form::Any
        | Form::All
        | Form::Find
        | Form::SortBy
        | Form::GroupBy
        | Form::CountBy
        | Form::DistinctBy
        | Form::MaxBy
        | Form::MinBy
        | Form::Partition => Some(1),
        Form::Reduce => Some(2),
        _ => None,
    }
}

/// Tells whether an operand is evaluated whenever the form has a value.
#[must_use]
pub fn is_strict(form: Form, operand: usize) -> bool {
    match form {
        Form::If
        | Form::And
        | Form::Or
        | Form::Either
        | Form::Both
        | Form::Coalesce
        | Form::Cond => operand == 0,
        Form::Lam | Form::Letrec | Form::Try => false,
        _ => true,
    }
}

/// The kind of all elements of the list that a form gives.
#[must_use]
pub fn elements(form: Form) -> Option<Kinds> {
    match form {
        Form::Range => Some(INTEGER),
        Form::Chars | Form::Keys => Some(STRING),
        _ => None,
    }
}
