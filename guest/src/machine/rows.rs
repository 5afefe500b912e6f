//! Compares the types in the rows of forms with those that the machine takes and gives.

use super::Machine;
use crate::request::{Answer, Program, Step};
use pif_core::fault::Code;
use pif_core::limits::Limits;
use pif_language::form::{Bare, Evaluation, Form, Row, Shape};
use pif_language::forms::FORMS;
use pif_language::infer::given;
use pif_language::kinds::{
    self, BOOLEAN, FUNCTION, Kinds, LIST, NULL, NUMBER, PAIR, QUOTED, RECORD, STRING, UNKNOWN,
    VALUE,
};
use pif_language::parse::{Reading, parse};
use pif_language::print;
use pif_language::term::{Origin, Terms};
use std::collections::VecDeque;

/// A term of each type that a term shows.
const SAMPLES: [(Kinds, &str); 9] = [
    (NULL, "null"),
    (BOOLEAN, "true"),
    (NUMBER, "1"),
    (STRING, r#""a""#),
    (LIST, "[1]"),
    (RECORD, r#"{"record":{"a":1}}"#),
    (FUNCTION, r#"{"lam":"x","body":true}"#),
    (QUOTED, r#"{"quote":1}"#),
    (PAIR, r#"{"pair":[1,2]}"#),
];

/// The place of the text among them.
const TEXT: usize = 3;

/// Writes a form with these operands, and the place of the one at an index. Forms of another shape
/// have no types in their rows.
fn written(row: &Row, operands: &[&str], at: usize) -> Option<(String, String)> {
    let (name, list) = (row.name, operands.join(","));
    let members = |keys: &[&str]| {
        let members = keys.iter().zip(operands).map(|(key, term)| format!(r#""{key}":{term}"#));
        let members: Vec<String> = members.collect();
        let code = format!(r#"{{"{name}":{{{}}}}}"#, members.join(","));
        (code, format!("/{name}/{}", keys[at]))
    };
    Some(match row.shape {
        Shape::List { bare: Bare::Always, .. } => {
            (format!(r#"{{"{name}":{list}}}"#), format!("/{name}"))
        }
        Shape::List { .. } => (format!(r#"{{"{name}":[{list}]}}"#), format!("/{name}/{at}")),
        Shape::Members(keys) | Shape::MembersOr(keys) | Shape::Named(keys) => members(keys),
        Shape::Application => {
            let code = format!(r#"{{"app":{{"func":{},"arg":{}}}}}"#, operands[0], operands[1]);
            (code, format!("/app/{}", ["func", "arg"][at]))
        }
        // Only a fault of the first operand shows the type of the second.
        Shape::Try => {
            let code = format!(r#"{{"try":{{"fail":{}}},"catch":{}}}"#, operands[0], operands[1]);
            (code, format!("/{}", ["try", "catch"][at]))
        }
        _ => return None,
    })
}

/// How many operands to write for a row.
fn count(row: &Row) -> usize {
    match row.shape {
        // What stands beside a list is a literal number.
        Shape::List { bare: Bare::List, .. } => 1,
        Shape::List { least, most: u32::MAX, .. } => least as usize,
        Shape::List { most, .. } => most as usize,
        Shape::Members(keys) | Shape::MembersOr(keys) | Shape::Named(keys) => keys.len(),
        _ => row.takes.len().min(2),
    }
}

fn run(code: &str) -> Step {
    let limits = Limits { fuel: 10_000, depth: 1_000, memory: 1 << 20, output: 1 << 20 };
    match Machine::start(Program::term(code), limits) {
        Ok(mut machine) => match machine.resume(Answer::None, u64::MAX) {
            Step::Lookup(_) => machine.resume(Answer::Source(Some("1".to_owned())), u64::MAX),
            step => step,
        },
        Err(fault) => Step::Failed(fault),
    }
}

/// A term that fits an operand.
fn fitting(row: &Row, at: usize) -> &'static str {
    let kinds = row.form.accepted(at);
    match (row.form, at) {
        (Form::MomentPart, 0) => return r#"{"moment":[0]}"#,
        // The name is a literal text, and the call must not be made.
        (Form::Call | Form::Perform, 0) => return r#""server.tool""#,
        // Options, of which there need be none.
        (Form::Retry, 0)
        | (Form::CsvParse | Form::FormatNumber | Form::Calls, 1)
        | (Form::Call | Form::Perform, 2) => return r#"{"record":{}}"#,
        _ => {}
    }
    // A part of a text is a text; where any value fits, a text does, too.
    let is_any = kinds & VALUE == VALUE;
    let mut found = SAMPLES.iter().filter(|(kind, _)| kinds & kind != 0);
    let found = if is_any { found.nth(TEXT) } else { found.next() };
    found.map_or("null", |(_, sample)| sample)
}

/// Tells whether the machine looks at an operand's type. `and` and `or` skip operands that cannot
/// matter, and the parser reads the name of a `call`.
fn is_looked_at(form: Form, at: usize) -> bool {
    !matches!((form, at), (Form::And | Form::Or, 1..) | (Form::Call, 0))
}

/// The machine refuses the types that the table refuses, at the same operand. Each form that
/// refuses any is tried.
#[test]
fn operands_are_refused_as_the_table_has_it() {
    let (mut tried, mut refusing, mut free) = (0, 0, 0);
    for row in FORMS {
        let (count, before) = (count(row), tried);
        for at in (0..count).filter(|at| is_looked_at(row.form, *at)) {
            let kinds = row.form.accepted(at);
            for (kind, sample) in SAMPLES {
                if kinds & kind != 0 {
                    continue;
                }
                let mut operands: Vec<&str> = (0..count).map(|at| fitting(row, at)).collect();
                operands[at] = sample;
                let (code, place) = written(row, &operands, at).unwrap_or_else(|| {
                    panic!("`{}` has types, and no way to write its operands", row.name)
                });
                let Step::Failed(fault) = run(&code) else { panic!("{code} has a value") };
                let is_refused = matches!(fault.code, Code::TypeMismatch | Code::NotAFunction);
                assert!(is_refused && is_at(&fault.at, &place, row), "{code}: {fault}");
                tried += 1;
            }
        }
        let refuses = row.takes.iter().any(|kinds| kinds & VALUE != VALUE);
        assert_eq!(tried > before, refuses, "`{}` was not tried", row.name);
        *if refuses { &mut refusing } else { &mut free } += 1;
    }
    assert_eq!(refusing + free, FORMS.len(), "{refusing} forms refuse types, in {tried} tries");
}

/// A list in an array has two places.
fn is_at(found: &str, place: &str, row: &Row) -> bool {
    found == place || row.shape.takes_list() && place.starts_with(found)
}

/// Returns a term of the form in an example: the example itself, if the form gives its value, or a
/// part of it.
fn shown(row: &Row) -> String {
    let mut terms = Terms::default();
    let parsed = parse(&mut terms, row.example, Origin::Code, Reading::Code)
        .unwrap_or_else(|fault| panic!("{fault:?}"));
    let mut value = parsed.root;
    while terms.form(value) == Form::Let {
        value = *terms.operands(value).last().unwrap_or_else(|| panic!("`let` has no body"));
    }
    if terms.form(value) == row.form {
        return row.example.to_owned();
    }
    let mut open = VecDeque::from([parsed.root]);
    while let Some(term) = open.pop_front() {
        let is_literal = row.evaluation == Evaluation::Literal && given(&terms, term) == row.gives;
        if terms.form(term) == row.form || is_literal {
            return print::term(&terms, term);
        }
        open.extend(terms.operands(term));
    }
    panic!("the example of `{}` does not show it", row.name)
}

/// The type in the table is the type of a value: each form whose row has one is tried.
#[test]
fn values_are_what_the_table_says() {
    let (mut tried, mut unknown) = (0, 0);
    for row in FORMS {
        if row.gives == UNKNOWN {
            unknown += 1;
            continue;
        }
        let code = format!(r#"{{"type_of":{}}}"#, shown(row));
        let step = run(&code);
        let Step::Done(done) = step else { panic!("{code} has no value: {step:?}") };
        let name = done.json.trim_matches('"');
        let is_number = row.gives == NUMBER && matches!(name, "integer" | "float");
        assert!(name == kinds::name(row.gives) || is_number, "{code}: {name}");
        tried += 1;
    }
    assert_eq!(tried + unknown, FORMS.len(), "{tried} forms give values of one type");
}
