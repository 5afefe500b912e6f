//! What the facts say of forms, against what the evaluator does with values of all kinds.

use pif::{Limits, Program, run};
use pif_language::form::Form;
use pif_language::forms::FORMS;
use pif_language::kinds::{
    BOOLEAN, DATE, FLOAT, FUNCTION, INTEGER, Kinds, LIST, MAP, NULL, ODD, PAIR, RECORD, REGEX, SET,
    STRING,
};
use pif_proof::facts::{FACTS, elements, is_strict, needs, of_literal};
use pif_proof::term::{Term, json, node, read, replace};

/// Terms of values, with their kinds. A match counts as what is taken for a list.
const VALUES: &[(&str, Kinds)] = &[
    ("null", NULL),
    ("true", BOOLEAN),
    ("false", BOOLEAN),
    ("0", INTEGER),
    ("2", INTEGER),
    ("-3", INTEGER),
    ("123456789012345678901234567890", INTEGER),
    ("{\"float\":2.5}", FLOAT),
    ("{\"float\":-0.0}", FLOAT),
    ("{\"float\":1e300}", FLOAT),
    ("{\"float\":\"NaN\"}", ODD),
    ("{\"float\":\"Infinity\"}", ODD),
    ("\"\"", STRING),
    ("\"a\"", STRING),
    ("\"0\"", STRING),
    ("\"length\"", STRING),
    ("[]", LIST),
    ("[3,1,2]", LIST),
    ("[\"a\",null,[1]]", LIST),
    ("{\"record\":{}}", RECORD),
    ("{\"record\":{\"a\":1,\"0\":null}}", RECORD),
    ("{\"lam\":\"x\",\"body\":{\"var\":\"x\"}}", FUNCTION),
    ("{\"lam\":\"x\",\"body\":true}", FUNCTION),
    ("{\"pair\":[1,2]}", PAIR),
    ("{\"moment\":[0]}", DATE),
    ("{\"regex\":[\"a\",\"g\"]}", REGEX),
    ("{\"to_map\":[[[1,2]]]}", MAP),
    ("{\"to_set\":[[1,2]]}", SET),
    ("{\"regex_match\":[\"a1\",\"([a-z])1\"]}", PAIR),
];

/// The kind of the value of a term, or none if it fails.
fn kind(term: &Term) -> Option<Kinds> {
    let whole = node(Form::TypeOf, vec![term.clone()], Vec::new());
    let done = run(Program::term(json(&whole)), Limits::default()).ok()?;
    Some(match done.json.trim_matches('"') {
        "null" => NULL,
        "boolean" => BOOLEAN,
        "integer" => INTEGER,
        "float" => FLOAT | ODD,
        "string" => STRING,
        "list" => LIST,
        "record" => RECORD,
        "pair" => PAIR,
        "map" => MAP,
        "set" => SET,
        "function" => FUNCTION,
        "date" => DATE,
        "regex" => REGEX,
        // No fact gives another kind.
        _ => 0,
    })
}

/// All lists of so many values.
fn rows(count: usize) -> Vec<Vec<(Term, Kinds)>> {
    let values: Vec<(Term, Kinds)> =
        VALUES.iter().filter_map(|(json, kinds)| Some((read(json).ok()?, *kinds))).collect();
    let mut rows = vec![Vec::new()];
    for _ in 0..count {
        let longer = rows.iter().flat_map(|row: &Vec<_>| {
            values.iter().map(move |it| [&row[..], std::slice::from_ref(it)].concat())
        });
        rows = longer.collect();
    }
    rows
}

/// The term of a form with these operands, if it may have so many.
fn formed(form: Form, row: &[(Term, Kinds)]) -> Option<Term> {
    let operands = row.iter().map(|it| it.0.clone()).collect();
    read(&json(&node(form, operands, Vec::new())))
        .ok()
        .filter(|it| it.form == form && it.operands.len() == row.len())
}

#[test]
fn facts_hold_for_all_kinds_of_values() {
    assert_eq!(rows(1).len(), VALUES.len());
    let mut tried = 0;
    for fact in FACTS {
        let least = fact.takes.len().max(1);
        for count in [1, 2, 3] {
            if count < least || count == 3 && least < 3 {
                continue;
            }
            for row in rows(count) {
                let fits = row.iter().enumerate().all(|(at, it)| {
                    let kinds =
                        fact.takes.get(at).or(fact.takes.last()).copied().unwrap_or_default();
                    it.1 & !kinds == 0
                });
                let Some(term) = formed(fact.form, &row).filter(|_| fits) else { continue };
                let found = kind(&term);
                let is_right = found.map_or(!fact.is_total, |it| it & fact.gives != 0);
                assert!(is_right, "{}: {found:?}", json(&term));
                tried += 1;
            }
        }
    }
    assert!(tried > 20_000, "{tried}");
}

#[test]
fn what_a_form_needs_it_needs() {
    for row in FORMS {
        for values in rows(2) {
            let Some(term) = formed(row.form, &values) else { continue };
            if matches!(row.form, Form::Quote | Form::Var) || kind(&term).is_none() {
                continue;
            }
            for (at, (value, kinds)) in values.iter().enumerate() {
                let other = values.get(1 - at).map_or(Kinds::MAX, |it| {
                    it.0.literal.as_ref().map_or(Kinds::MAX, |json| of_literal(it.0.form, json))
                });
                let needed = needs(row.form, at, other);
                assert!(kinds & needed != 0, "{}: {value:?}", json(&term));
            }
        }
    }
}

#[test]
fn what_is_strict_is_evaluated() {
    let fails = read("{\"fail\":1}").expect("a term");
    let mut tried = 0;
    for row in FORMS {
        let Ok(term) = read(row.example) else { continue };
        for at in 0..term.operands.len() {
            if term.form == row.form && is_strict(row.form, at) {
                let broken = replace(&term, &[at], &fails).expect("a place");
                assert_eq!(kind(&broken), None, "{}", json(&broken));
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn elements_are_of_their_kind() {
    for term in [
        "{\"range\":[0,3]}",
        "{\"range\":[{\"float\":1.0},3]}",
        "{\"chars\":\"ab\"}",
        "{\"keys\":{\"record\":{\"a\":1}}}",
        "{\"keys\":[[5]]}",
    ] {
        let list = read(term).expect(term);
        let wanted = elements(list.form).expect("a kind");
        let first = node(Form::Head, vec![list], Vec::new());
        assert!(kind(&first).is_some_and(|it| it & wanted != 0), "{term}");
    }
}

/// The checker is small, so that a person can read it whole.
#[test]
fn the_checker_has_at_most_600_lines() {
    let lines = include_str!("../src/check/mod.rs").lines().count()
        + include_str!("../src/check/derive.rs").lines().count();
    assert!(lines <= 600, "{lines}");
}
