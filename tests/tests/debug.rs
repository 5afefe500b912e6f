//! The lines of a debug run: each visit with the names in reach, and the values that terms come to.

use pif::limits::Limits;
use pif::request::{Program, Stepped};
use pif_tests::case::LIMITS;
use pif_tests::native;

fn lines(code: &str) -> Vec<String> {
    let limits: Limits = LIMITS;
    native::debugged(&Program::term(code), &limits).1
}

#[test]
fn a_visit_tells_the_names_and_a_value_follows() {
    let code = r#"{"let": [["n", 2], ["xs", [1, 2]]], "in": {"add": [{"var": "n"}, 40]}}"#;
    let expected = [
        "eval let at ``, depth 0, names []",
        "eval literal at `/let/0/1`, depth 1, names []",
        "value at `/let/0/1`, depth 1: 2",
        "eval list at `/let/1/1`, depth 1, names [n = 2]",
        "eval literal at `/let/1/1/0`, depth 2, names [n = 2]",
        "value at `/let/1/1`, depth 1: [1,2]",
        "eval add at `/in`, depth 0, names [xs = [1,2], n = 2]",
        "eval var at `/in/add/0`, depth 1, names [xs = [1,2], n = 2]",
        "value at `/in/add/0`, depth 1: 2",
        "eval literal at `/in/add/1`, depth 1, names [xs = [1,2], n = 2]",
        "value at `/in/add/1`, depth 1: 40",
        "value at `/in`, depth 0: 42",
    ];
    assert_eq!(lines(code), expected);
}

/// A comparison that decides a branch, a pair that is only taken apart, and nested calls.
#[test]
fn what_is_usually_not_built_has_a_value() {
    let test = r#"{"if": {"cond": {"lt": [1, 2]}, "then": "a", "else": "b"}}"#;
    let fold = r#"{"fold": [{"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0, [5]]}"#;
    let calls = r#"{"app": {"func": {"app": {"func": {"app": {"func": {"lam": "f", "body": {"var": "f"}}, "arg": {"lam": ["a", "b"], "body": {"sub": [{"var": "a"}, {"var": "b"}]}}}}, "arg": 7}}, "arg": 2}}"#;
    for (code, value) in [
        (test, "value at `/if/cond`, depth 1: true"),
        (fold, "value at `/fold/0/body/add/0/fst`, depth 3: {\"pair\":[0,5]}"),
        (fold, "value at ``, depth 0: 5"),
        (calls, "value at `/app/func/app/arg`, depth 2: 7"),
        (calls, "value at `/app/func/app/func/app/func/body`"),
    ] {
        let lines = lines(code);
        assert!(lines.iter().any(|line| line.starts_with(value)), "{value} is not in {lines:#?}");
    }
}

/// Functions see names that they do not use; their own names come before those around them.
#[test]
fn names_of_enclosing_functions_have_values() {
    let code = r#"{"let": [["k", "unused"], ["f", {"lam": "x", "body": {"neg": {"var": "x"}}}]], "in": {"map": [{"var": "f"}, [3]]}}"#;
    let wanted = "eval neg at `/let/1/1/body`, depth 1, names [x = 3, k = \"unused\"]";
    let lines = lines(code);
    assert!(lines.iter().any(|line| line == wanted), "{lines:#?}");
}

/// Functions of a `letrec` see each other, tied or not.
#[test]
fn functions_that_see_each_other_are_told() {
    let code = r#"{"letrec": [["even", {"lam": "n", "body": {"or": [{"eq": [{"var": "n"}, 0]}, {"app": {"func": {"var": "odd"}, "arg": {"sub": [{"var": "n"}, 1]}}}]}}], ["odd", {"lam": "n", "body": {"and": [{"gt": [{"var": "n"}, 0]}, {"app": {"func": {"var": "even"}, "arg": {"sub": [{"var": "n"}, 1]}}}]}}]], "in": {"app": {"func": {"var": "even"}, "arg": 4}}}"#;
    let lines = lines(code);
    let last = lines.iter().rfind(|line| line.starts_with("value at")).map(String::as_str);
    assert!(last.is_some_and(|line| line.ends_with("true")), "{lines:#?}");
}

#[test]
fn a_long_value_is_cut_and_its_size_is_told() {
    for (code, value) in [
        (r#"{"range": [0, 1000]}"#, "(1000 elements)"),
        (r#"{"range": [0, 100000]}"#, "(more than 10000 elements)"),
        (r#"{"repeat": ["é", 500]}"#, "éé…\" (500 characters)"),
        (r#"{"repeat": ["a\tb", 500]}"#, "(1500 characters)"),
        (r#"{"record": {"k": {"repeat": ["x", 90]}, "l": 1}}"#, "(2 members)"),
    ] {
        let lines = lines(code);
        let last = lines.last().map(String::as_str).unwrap_or_default();
        assert!(last.ends_with(value) && last.contains('…'), "{code}: {last}");
        assert!(last.len() < 200, "{last}");
    }
}

/// A program in the notation: the byte of its text at which a term begins.
#[test]
fn lines_of_the_notation_tell_where_in_the_text() {
    let found = lines("const n = 2;\nn + 40");
    assert!(
        found.iter().any(|line| line == "value at `/in/plus/1` (byte 17), depth 1: 40"),
        "{found:#?}"
    );
}

/// What each term came to, `term → value`, in the order in which the values came.
fn steps(code: &str) -> Vec<String> {
    let steps = native::stepped(&Program::term(code), &LIMITS);
    let told = |step: &Stepped| {
        let text = if step.text.is_empty() { step.form } else { step.text.as_str() };
        format!("{} {text} → {}", step.depth, step.value)
    };
    steps.iter().map(told).collect()
}

/// Terms in a tail position have the value of the term around them. Data and functions are no steps.
#[test]
fn steps_are_terms_with_their_values() {
    let expected = [
        "1 2 < 3 → true",
        "2 x → 4",
        "2 y → 5",
        "1 x + y → 9",
        "1 ((x, y) => x + y)(4, 5) → 9",
        "0 2 < 3 ? ((x, y) => x + y)(4, 5) * 2 : [] → 18",
    ];
    let steps = steps("2 < 3 ? ((x, y) => x + y)(4, 5) * 2 : []");
    for line in &expected {
        assert!(steps.iter().any(|step| step == line), "{line} is not in {steps:#?}");
    }
    assert!(!steps.iter().any(|step| step.contains("2 → 2") || step.contains("function")));
    assert_eq!(steps.last().map(String::as_str), expected.last().copied());
}

/// A form that applies a function is a step once, after those of the function.
#[test]
fn a_form_of_elements_is_one_step() {
    let steps = steps("[1, 2].map(x => x + 1)");
    let expected =
        ["2 x → 1", "1 x + 1 → 2", "2 x → 2", "1 x + 1 → 3", "0 [1, 2].map(x => x + 1) → [2,3]"];
    assert_eq!(steps, expected);
}

/// A run that ends in a fault has the steps before it; a long run has its first ones.
#[test]
fn steps_of_faults_and_of_long_runs_are_told() {
    assert_eq!(steps("1 / (2 - 2)"), ["1 2 - 2 → 0"]);
    assert_eq!(steps("range(0, 20000).map(x => x + 1).sum()").len(), 10_000);
}
