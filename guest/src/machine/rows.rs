//! Compares the types in the rows of forms with those that the machine takes and gives.

use super::Machine;
use crate::request::{Answer, Program, Step};
use pif_core::fault::Code;
use pif_core::limits::Limits;
use pif_language::form::{Form, Shape};
use pif_language::forms::FORMS;
use pif_language::infer::given;
use pif_language::kinds::{
    self, BOOLEAN, FUNCTION, Kinds, LIST, NULL, NUMBER, PAIR, QUOTED, RECORD, STRING, VALUE,
};
use pif_language::term::Origin;
use pif_language::term::Terms;

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

/// Writes a form with these operands, if its shape is a list of operands.
fn written(name: &str, shape: Shape, operands: &[&str]) -> Option<String> {
    let list = operands.join(",");
    Some(match shape {
        Shape::Operand => format!(r#"{{"{name}":{list}}}"#),
        Shape::Operands(_) | Shape::AtLeast(_) | Shape::Between(..) | Shape::ListOrBare => {
            format!(r#"{{"{name}":[{list}]}}"#)
        }
        _ => return None,
    })
}

fn run(code: &str) -> Step {
    let limits = Limits { fuel: 10_000, depth: 1_000, memory: 1 << 20, output: 1 << 20 };
    match Machine::start(Program::term(code), limits) {
        Ok(mut machine) => machine.resume(Answer::None, u64::MAX),
        Err(fault) => Step::Failed(fault),
    }
}

/// The machine refuses the types that the table refuses, at the same operand.
#[test]
fn operands_are_refused_as_the_table_has_it() {
    let mut tried = 0;
    for row in FORMS {
        let count = match row.shape {
            Shape::Operands(n) | Shape::AtLeast(n) | Shape::Between(_, n) => n as usize,
            _ => 1,
        };
        let fitting = |at| {
            let kinds = row.form.accepted(at);
            if row.form == Form::MomentPart && at == 0 {
                return r#"{"moment":[0]}"#;
            }
            // A part of a text is a text; where any value fits, a text does, too.
            let is_any = kinds & VALUE == VALUE;
            let mut found = SAMPLES.iter().filter(|(kind, _)| kinds & kind != 0);
            let found = if is_any { found.nth(TEXT) } else { found.next() };
            found.map_or("null", |(_, sample)| sample)
        };
        for at in 0..count {
            let kinds = row.form.accepted(at);
            for (kind, sample) in SAMPLES {
                // `and` and `or` skip operands that cannot matter.
                let is_last = at > 0 && matches!(row.form, Form::And | Form::Or);
                if kinds & kind != 0 || is_last {
                    continue;
                }
                let mut operands: Vec<&str> = (0..count).map(fitting).collect();
                operands[at] = sample;
                let Some(code) = written(row.name, row.shape, &operands) else { continue };
                let Step::Failed(fault) = run(&code) else { panic!("{code} has a value") };
                let is_refused = matches!(fault.code, Code::TypeMismatch | Code::NotAFunction);
                assert!(is_refused, "{code}: {fault}");
                let place = match row.shape {
                    Shape::Operand | Shape::ListOrBare => {
                        fault.at.starts_with(&format!("/{}", row.name))
                    }
                    _ => fault.at == format!("/{}/{at}", row.name),
                };
                assert!(place, "{code}: {fault}");
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

/// The type in the table is the type of the example's value.
#[test]
fn values_are_what_the_table_says() {
    for row in FORMS {
        let mut terms = Terms::default();
        let (code, origin) = (pif_language::parse::Notation::Code, Origin::Code);
        let parsed = pif_language::parse::parse(&mut terms, row.example, origin, code)
            .unwrap_or_else(|fault| panic!("{fault:?}"));
        let kind = given(&terms, parsed.root);
        if let (Step::Done(done), true) = (run(row.example), kind != 0) {
            let is_named = kinds::name(kind) == done.kind
                || kind == NUMBER && matches!(done.kind, "integer" | "float");
            assert!(is_named, "{}: {}", row.name, done.kind);
        }
    }
}
