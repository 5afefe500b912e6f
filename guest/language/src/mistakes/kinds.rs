//! Values of a type that a form does not take, and what to write instead.

use crate::form::Form;
use crate::kinds::{
    ANY, BOOLEAN, FLOAT, FUNCTION, INTEGER, Kinds, LIST, NULL, NUMBER, NUMBER_OR_STRING, PAIR,
    QUOTED, RECORD, STRING, Wanted,
};
use Wanted::{Entries, FunctionTo, ListOf, One};
use pif_core::hint::Parts;

/// An operand of the wrong type and its hint.
#[derive(Debug)]
struct Misfit {
    /// The forms; all, if there are none.
    forms: &'static [Form],
    /// The operand, if it matters.
    operand: Option<usize>,
    /// What the form wants, if it matters.
    wanted: Option<Wanted>,
    /// The types that it may have found.
    found: Kinds,
    hint: Parts,
}

impl Misfit {
    fn is_of(&self, form: Form, operand: usize, wanted: Wanted, found: Kinds) -> bool {
        (self.forms.is_empty() || self.forms.contains(&form))
            && self.operand.is_none_or(|it| it == operand)
            && self.wanted.is_none_or(|it| it == wanted)
            && self.found & found != 0
    }
}

/// In this place.
const fn at(forms: &'static [Form], operand: usize, found: Kinds, hint: Parts) -> Misfit {
    Misfit { forms, operand: Some(operand), wanted: None, found, hint }
}

/// Instead of this, wherever it stands.
const fn not(forms: &'static [Form], wanted: Wanted, found: Kinds, hint: Parts) -> Misfit {
    Misfit { forms, operand: None, wanted: Some(wanted), found, hint }
}

/// Whatever is wanted.
const fn found(forms: &'static [Form], found: Kinds, hint: Parts) -> Misfit {
    Misfit { forms, operand: None, wanted: None, found, hint }
}

const ALL: &[Form] = &[];
const PAIRS: &[Form] = &[Form::Fst, Form::Snd];

/// Operands whose type says more than their order.
#[rustfmt::skip]
static PLACED: &[Misfit] = &[
    at(&[Form::Contains, Form::IndexOf], 0, RECORD, &["write ", r#"{"has": [record, key]}"#]),
    at(&[Form::Lookup], 0, RECORD, &["write ", r#"{"get": [record, key]}"#]),
    at(&[Form::Put], 1, STRING, &["to a list, add with ", r#"{"append": [list, [x]]}"#]),
    at(&[Form::Update], 1, STRING,
        &["for each element of a list, write ", r#"{"map": [f, list]}"#]),
    at(&[Form::Slice], 0, RECORD, &["write ", r#"{"pick": [record, [key, …]]}"#]),
    at(&[Form::GetIn, Form::PutIn, Form::UpdateIn], 1, STRING,
        &["the path is a list of keys and indices, such as ", r#"["a", "b", 0]"#]),
    Misfit { wanted: Some(One(RECORD)),
        ..at(&[Form::DateAdd], 1, ANY, &["write ", r#"{"date_add": [n, {"record": {"days": 1}}]}"#]) },
    at(&[Form::FormatNumber], 1, INTEGER,
        &["options are a record: ", r#"{"format_number": [n, {"record": {"decimals": 2}}]}"#]),
    at(&[Form::FromCharCode], 0, LIST, &["write ",
        r#"{"join": [{"map": [{"lam": "n", "body": {"from_char_code": {"var": "n"}}}, list]}, ""]}"#]),
    at(&[Form::Pick, Form::Omit], 1, STRING, &["the keys are a list, such as ", r#"["a"]"#]),
];

/// The others. Those of single forms come first.
#[rustfmt::skip]
static TYPED: &[Misfit] = &[
    not(&[Form::DateFormat, Form::DateParts, Form::DateAdd, Form::DateDiff], One(NUMBER), STRING,
        &["convert a date with ", r#"{"date_parse": s}"#]),
    not(&[Form::DateParse], One(STRING), NUMBER,
        &["a number of seconds is already a date; ", r#"{"date_format": [n]}"#, " is its text"]),
    found(&[Form::Append], NUMBER | BOOLEAN,
        &["add an element with ", r#"{"append": [list, [x]]}"#]),
    found(&[Form::Plus, Form::AsText], LIST | PAIR, &["write ", r#"{"join": [x, ", "]}"#, " or ",
        r#"{"stringify": [x]}"#, " for the text of a list"]),
    found(&[Form::Plus, Form::AsText], RECORD,
        &["write ", r#"{"stringify": [x]}"#, " for the text of a record"]),
    found(&[Form::Plus], FUNCTION,
        &["call the function, as in ", r#"{"app": {"func": f, "arg": x}}"#]),
    not(&[Form::Min, Form::Max], One(LIST), ANY, &["give two or more numbers, or a list"]),
    not(&[Form::SortWith], FunctionTo(NUMBER), ANY, &["write ",
        r#"{"lam": ["a", "b"], "body": {"sub": [{"get": [{"var": "a"}, "n"]}, {"get": [{"var": "b"}, "n"]}]}}"#]),
    not(&[Form::Add], One(NUMBER), LIST, &["join lists with ", r#"{"append": [a, b]}"#, "; ",
        r#"{"sum": list}"#, " adds up numbers"]),
    not(&[Form::Add], One(NUMBER), STRING, &["join texts with ", r#"{"concat": [a, b]}"#,
        "; `parse_int` converts a text to a number"]),
    not(&[Form::Min, Form::Max], One(NUMBER), NULL,
        &["only ", r#"{"min": [list]}"#, " and ", r#"{"max": [list]}"#, " skip null"]),
    found(&[Form::Concat], LIST, &["join lists with ", r#"{"append": [a, b]}"#]),
    found(&[Form::Concat], NUMBER | BOOLEAN,
        &["convert other values with ", r#"{"to_string": a}"#]),
    found(&[Form::Length], RECORD, &["write ", r#"{"length": {"keys": record}}"#]),
    not(&[Form::Nth], One(LIST), RECORD, &["write ", r#"{"get": [record, key]}"#]),
    not(&[Form::FromEntries], Entries, LIST,
        &["an entry is written ", r#"{"pair": [key, value]}"#]),
    // Records.
    not(&[Form::Remove], One(RECORD), LIST, &["for a list, write ", r#"{"filter": [f, list]}"#]),
    not(&[Form::Merge], One(RECORD), LIST, &["join lists with ", r#"{"append": [a, b]}"#]),
    not(&[Form::Pick, Form::Omit], One(RECORD), LIST, &["for each record in a list, write ",
        r#"{"map": [{"lam": "r", "body": {"pick": [{"var": "r"}, ["a"]]}}, list]}"#]),
    not(ALL, One(RECORD), LIST, &["make one with ", r#"{"from_entries": pairs}"#]),
    not(ALL, One(RECORD), STRING, &["read JSON text with ", r#"{"json_parse": s}"#]),
    // Lists.
    not(ALL, One(LIST), RECORD, &["write ", r#"{"values": record}"#, ", ", r#"{"keys": record}"#,
        " or ", r#"{"entries": record}"#]),
    not(&[Form::Head], One(LIST), STRING, &["the first character is ", r#"{"slice": [s, 0, 1]}"#]),
    not(&[Form::Tail], One(LIST), STRING,
        &["all characters but the first are ", r#"{"slice": [s, 1]}"#]),
    not(&[Form::Last], One(LIST), STRING, &["the last character is ", r#"{"slice": [s, -1]}"#]),
    not(&[Form::Take], One(LIST), STRING,
        &["the first characters are ", r#"{"slice": [s, 0, n]}"#]),
    not(&[Form::Drop], One(LIST), STRING,
        &["all but the first characters are ", r#"{"slice": [s, n]}"#]),
    not(&[Form::Nth], One(LIST), STRING, &["a character is ", r#"{"nth": [{"chars": s}, i]}"#]),
    not(&[Form::IsEmpty], One(LIST), STRING, &["for a text, write ", r#"{"eq": [s, ""]}"#]),
    not(&[Form::Reverse], One(LIST), STRING,
        &["for a text, write ", r#"{"join": [{"reverse": {"chars": s}}, ""]}"#]),
    not(&[Form::Append], One(LIST), STRING, &["join texts with ", r#"{"concat": [a, b]}"#,
        "; add an element with ", r#"{"append": [list, [x]]}"#]),
    not(&[Form::Join], One(LIST), STRING,
        &["the texts are a list of their own: ", r#"{"join": [["a", "b"], ","]}"#]),
    not(ALL, One(LIST), STRING, &["the characters of a text are ", r#"{"chars": s}"#,
        "; read JSON text with ", r#"{"json_parse": s}"#]),
    not(ALL, ListOf(NUMBER), STRING, &["convert the texts: ",
        r#"{"map": [{"lam": "s", "body": {"to_number": {"var": "s"}}}, list]}"#]),
    not(ALL, ListOf(NUMBER), RECORD, &["get the number of each: ",
        r#"{"map": [{"lam": "r", "body": {"get": [{"var": "r"}, "key"]}}, list]}"#]),
    not(ALL, ListOf(NUMBER), LIST,
        &["", r#"{"flatten": lists}"#, " is the list of all their elements"]),
    not(ALL, ListOf(STRING), NUMBER | BOOLEAN, &["convert them: ",
        r#"{"map": [{"lam": "x", "body": {"to_string": {"var": "x"}}}, list]}"#]),
    // Numbers.
    not(ALL, One(NUMBER), STRING, &["convert a text with `parse_int` or `parse_float`"]),
    not(ALL, One(NUMBER), PAIR, &[ACCUMULATOR]),
    not(ALL, One(NUMBER_OR_STRING), PAIR, &[ACCUMULATOR]),
    not(ALL, One(INTEGER), FLOAT,
        &["write a number without a point, or convert a float with `to_int` or `round`"]),
    // Pairs and terms.
    not(PAIRS, One(PAIR), LIST,
        &["only a list of two is taken apart as a pair; write `head` and `tail`, or `nth`"]),
    not(PAIRS, One(PAIR), NUMBER | STRING | BOOLEAN,
        &["the function of `fold` gets one pair (accumulator, item), \
            the function of `reduce` two arguments"]),
    not(ALL, One(QUOTED), FUNCTION,
        &["apply a function with ", r#"{"app": {"func": f, "arg": a}}"#]),
    not(ALL, One(QUOTED), RECORD,
        &["`data` is never code: pass a term as `input`, or make one with ",
        r#"{"data_to_term": d}"#]),
];

const ACCUMULATOR: &str = "the function of `fold` gets one pair (accumulator, item): take it apart \
                           with `fst` and `snd`";

/// Values that are applied and are no functions.
#[rustfmt::skip]
static APPLIED: &[(Kinds, Parts)] = &[
    (QUOTED, &["evaluate it first: ", r#"{"eval": {"code_of": "name"}}"#, ", or write ",
        r#"{"tool": "name"}"#]),
    (STRING, &["for a tool, write ", r#"{"tool": "name"}"#]),
    (RECORD, &["`data` is never code: pass a function as `input`"]),
    (ANY, &["write a function as ", r#"{"lam": "x", "body": t}"#]),
];

/// Returns the hint where the type of an operand says more than the order of the operands.
#[must_use]
pub fn placed(form: Form, operand: usize, wanted: Wanted, found: Kinds) -> Option<Parts> {
    PLACED.iter().find(|it| it.is_of(form, operand, wanted, found)).map(|it| it.hint)
}

/// Returns the hint for a value of another type than a form wants.
#[must_use]
pub fn typed(form: Form, operand: usize, wanted: Wanted, found: Kinds) -> Option<Parts> {
    TYPED.iter().find(|it| it.is_of(form, operand, wanted, found)).map(|it| it.hint)
}

/// Returns the hint for an applied value that is no function.
#[must_use]
pub fn applied(found: Kinds) -> Option<Parts> {
    APPLIED.iter().find(|(kinds, _)| kinds & found != 0 || *kinds == ANY).map(|(_, hint)| *hint)
}

/// Iterates over all hints.
pub fn all() -> impl Iterator<Item = Parts> {
    let misfits = PLACED.iter().chain(TYPED).map(|it| it.hint);
    misfits.chain(APPLIED.iter().map(|(_, hint)| *hint))
}
