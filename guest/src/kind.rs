//! Types of values as far as a term shows them without being evaluated: what a form gives, and
//! what it takes. One table for the hints of faults and for the notes of a check.

use crate::form::Form as F;
use crate::term::{TermId, Terms};

/// A set of types, a bit each.
pub(crate) type Kinds = u16;

/// The types, as `type_of` names them; the two types of numbers are one here.
const NAMES: [&str; 9] =
    ["null", "boolean", "number", "string", "list", "record", "function", "quoted", "pair"];

const UNIT: Kinds = 1;
const BOOLEAN: Kinds = 1 << 1;
const NUMBER: Kinds = 1 << 2;
const STRING: Kinds = 1 << 3;
const LIST: Kinds = 1 << 4;
const RECORD: Kinds = 1 << 5;
pub(crate) const FUNCTION: Kinds = 1 << 6;
const QUOTED: Kinds = 1 << 7;
const PAIR: Kinds = 1 << 8;
const NUMBER_OR_STRING: Kinds = NUMBER | STRING;
const RECORD_OR_NULL: Kinds = RECORD | UNIT;
const STRING_OR_LIST: Kinds = STRING | LIST;
/// The operand is for a value of any type.
const VALUE: Kinds = (1 << 9) - 1;
/// Nothing is known of the operand.
pub(crate) const ANY: Kinds = Kinds::MAX;

/// The type of this name; none for one that no literal has.
pub(crate) fn of_name(name: &str) -> Kinds {
    let name = if matches!(name, "integer" | "float") { "number" } else { name };
    NAMES.iter().position(|known| *known == name).map_or(0, |at| 1 << at)
}

/// The name of a single type.
pub(crate) fn name(kind: Kinds) -> &'static str {
    NAMES.get(kind.trailing_zeros() as usize).copied().unwrap_or_default()
}

/// What an operand must be, in words.
pub(crate) fn wanted(kinds: Kinds) -> &'static str {
    match kinds {
        BOOLEAN => "a boolean",
        NUMBER => "a number",
        STRING => "a string",
        LIST => "a list",
        RECORD | RECORD_OR_NULL => "a record",
        QUOTED => "a quoted term",
        PAIR => "a pair",
        STRING_OR_LIST => "a string or a list",
        _ => "a number or a string",
    }
}

/// The types that a form takes as this operand.
pub(crate) fn accepted(form: F, operand: usize) -> Kinds {
    let is = |first: F, last: F| (first..=last).contains(&form);
    let each: &[Kinds] = match form {
        F::Pipe if operand > 0 => return FUNCTION,
        F::Range | F::DateParts => return NUMBER,
        F::And | F::Or | F::Not => return BOOLEAN,
        F::Concat
        | F::DateParse
        | F::Tool
        | F::CodeOf
        | F::Split
        | F::StartsWith
        | F::EndsWith
        | F::Replace
        | F::ParseInt
        | F::ParseFloat
        | F::JsonParse => return STRING,
        F::Head | F::Tail | F::IsEmpty | F::Append | F::Zip | F::FromEntries => return LIST,
        F::Merge | F::Keys | F::Values | F::Entries => return RECORD,
        F::Eval | F::TermToData | F::Analyze => return QUOTED,
        F::Fst | F::Snd => return PAIR,
        F::Length => return STRING_OR_LIST,
        F::If => &[BOOLEAN],
        F::App => &[FUNCTION],
        F::Try => &[ANY, FUNCTION],
        F::Cons | F::GetIn => &[ANY, LIST],
        F::Fold => &[FUNCTION, VALUE, LIST],
        F::SortBy => &[FUNCTION, LIST, STRING],
        F::Nth | F::Take | F::Drop | F::Chunk | F::Percentile => &[LIST, NUMBER],
        F::Join => &[LIST, STRING],
        F::Slice => &[STRING_OR_LIST, NUMBER, NUMBER],
        F::Contains | F::IndexOf => &[STRING_OR_LIST, VALUE],
        F::Repeat | F::PadLeft | F::PadRight => &[STRING, NUMBER, STRING],
        F::Get => &[RECORD_OR_NULL, STRING],
        F::Has | F::Remove => &[RECORD, STRING],
        F::Put => &[RECORD, STRING, VALUE],
        F::Update => &[RECORD, STRING, FUNCTION],
        F::Pick | F::Omit => &[RECORD, LIST],
        F::CsvParse => &[STRING, RECORD],
        F::DateFormat => &[NUMBER, STRING],
        F::DateAdd => &[NUMBER, RECORD],
        F::DateDiff => &[NUMBER, NUMBER, STRING],
        _ if is(F::Map, F::Partition) => &[FUNCTION, LIST],
        _ if is(F::Add, F::Mod) || is(F::Fdiv, F::Round) => return NUMBER,
        _ if is(F::Lt, F::Gte) => return NUMBER_OR_STRING,
        _ if is(F::Upper, F::Lines) || is(F::Matches, F::RegexReplace) => return STRING,
        _ if is(F::Sort, F::Enumerate) => return LIST,
        _ => &[],
    };
    each.get(operand).copied().unwrap_or(ANY)
}

/// The type of a term's value; 0 where that is not to be seen.
pub(crate) fn given(terms: &Terms, term: TermId) -> Kinds {
    let form = terms.form(term);
    let is = |first: F, last: F| (first..=last).contains(&form);
    match form {
        F::Unit => UNIT,
        F::Text | F::Concat | F::Join | F::TypeOf | F::DateFormat => STRING,
        F::List | F::Nil | F::Cons | F::Keys | F::Values | F::Entries => LIST,
        F::Boolean | F::IsEmpty | F::Has | F::Contains | F::Any | F::All | F::Matches => BOOLEAN,
        F::Record => RECORD,
        F::Lam => FUNCTION,
        F::Quote | F::CodeOf => QUOTED,
        F::Pair | F::Partition => PAIR,
        F::Length => NUMBER,
        _ if is(F::Integer, F::FloatNumber) => NUMBER,
        _ if is(F::Add, F::Mod) || is(F::Fdiv, F::Round) => NUMBER,
        _ if is(F::Eq, F::Not) => BOOLEAN,
        _ if is(F::Upper, F::Trim) || is(F::Replace, F::ToString) => STRING,
        _ if is(F::Map, F::Filter) || is(F::Sort, F::Flatten) => LIST,
        _ if is(F::Put, F::Merge) => RECORD,
        _ => 0,
    }
}

/// How a form is written, if an operand that is a `found` stands in the place of another, which
/// would do in its own as far as can be seen.
pub(crate) fn swapped(
    terms: &Terms,
    term: TermId,
    operand: usize,
    found: Kinds,
) -> Option<&'static str> {
    let form = terms.form(term);
    let here = accepted(form, operand);
    let fits = |(at, other): (usize, &TermId)| {
        let (there, other) = (accepted(form, at), given(terms, *other));
        there != here && found & there != 0 && (other & here != 0 || other == 0 && there != ANY)
    };
    let mut operands = terms.operands(term).iter().enumerate();
    let is_swapped = found & here == 0 && operands.any(fits);
    form.row().filter(|_| is_swapped).map(|row| row.syntax)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Code;
    use crate::form::{FORMS, Shape};
    use crate::limits::Limits;
    use crate::machine::Machine;
    use crate::request::{Answer, Program, Step};

    /// A term of each type, in the order of the names.
    const SAMPLES: [&str; 9] = [
        "null",
        "true",
        "1",
        r#""a""#,
        "[1]",
        r#"{"record":{"a":1}}"#,
        r#"{"lam":"x","body":true}"#,
        r#"{"quote":1}"#,
        r#"{"pair":[1,2]}"#,
    ];

    /// A form with these operands, if it is one with a list of them.
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

    /// What the table refuses the machine refuses, at the same operand.
    #[test]
    fn operands_are_refused_as_the_table_has_it() {
        let mut tried = 0;
        for row in FORMS {
            let count = match row.shape {
                Shape::Operands(n) | Shape::AtLeast(n) | Shape::Between(_, n) => n as usize,
                _ => 1,
            };
            let fitting = |at| {
                let kinds = accepted(row.form, at);
                let found = SAMPLES.iter().enumerate().find(|(kind, _)| kinds & (1 << kind) != 0);
                found.map_or("null", |(_, sample)| sample)
            };
            for at in 0..count {
                let kinds = accepted(row.form, at);
                for (kind, sample) in SAMPLES.iter().enumerate() {
                    // `and` and `or` do not look at what does not matter.
                    let is_last = at > 0 && matches!(row.form, F::And | F::Or);
                    if kinds & (1 << kind) != 0 || is_last {
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

    /// What the table says a form gives is what the form's example gives.
    #[test]
    fn values_are_what_the_table_says() {
        for row in FORMS {
            let mut terms = Terms::default();
            let parsed = crate::parse::parse_all(&mut terms, row.example, 1)
                .unwrap_or_else(|faults| panic!("{faults:?}"));
            let kind = given(&terms, parsed.root);
            if let (Step::Done(done), true) = (run(row.example), kind != 0) {
                assert_eq!(of_name(done.kind), kind, "{}", row.name);
            }
        }
    }
}
