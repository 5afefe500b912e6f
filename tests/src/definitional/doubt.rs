//! Values that the program may have meant otherwise, and which are warned of.

use super::value::Value;
use super::{Evaluator, javascript};
use pif::form::Form;
use pif::request::{Argument, Program, Source};

/// Bytes of the longest text that may be taken for a number.
const MOST_DIGITS: usize = 40;

impl Evaluator {
    /// Warns of an `==` between a number and the text of a number.
    pub(super) fn doubt_equality(&mut self, operands: [&Value; 2]) {
        let is_doubtful = matches!(
            operands,
            [Value::Text(text), Value::Integer(_) | Value::Float(_)]
            | [Value::Integer(_) | Value::Float(_), Value::Text(text)]
                if number(text).is_some()
        );
        if !is_doubtful || self.terms.form(self.at) != Form::Eq {
            return;
        }
        let [_, second] = self.terms.operands(self.at) else { return };
        let before = self.terms.text_before(self.terms.node(*second).token).unwrap_or_default();
        let before = before.trim_end_matches(|c: char| c.is_whitespace() || c == '(');
        let is_loose =
            (before.ends_with("==") && !before.ends_with("===")) || before.ends_with("!=");
        if is_loose && !before.ends_with("!==") {
            self.warnings.arise("likely-mistake", self.at);
        }
    }

    /// Warns of texts in the order of characters that spell numbers in another order.
    pub(super) fn doubt_order(&mut self, keys: &[&Value], descending: bool) {
        let numbers: Option<Vec<f64>> = keys
            .iter()
            .map(|key| if let Value::Text(text) = key { number(text) } else { None })
            .collect();
        let rises = |numbers: Vec<f64>| numbers.windows(2).all(|two| two[0] <= two[1]);
        let falls = |numbers: Vec<f64>| numbers.windows(2).all(|two| two[0] >= two[1]);
        if numbers.is_some_and(|it| if descending { !falls(it) } else { !rises(it) }) {
            self.warnings.arise("likely-mistake", self.at);
        }
    }

    /// Warns of a function in the result of a program in the notation.
    pub(super) fn doubt_result(&mut self, program: &Program, value: &Value) {
        let is_meant = program.argument == Argument::Unapplied;
        let Some(root) = self.root.filter(|_| !is_meant) else { return };
        let is_written = self.terms.byte(self.terms.node(root).token).is_some();
        if matches!(program.code, Source::Term(_)) && is_written && holds_function(value) {
            self.warnings.arise("likely-mistake", root);
        }
    }
}

/// The number that a text spells, rounded.
fn number(text: &str) -> Option<f64> {
    let decimal = text.trim_matches(javascript::is_blank);
    let is_number = (1..=MOST_DIGITS).contains(&text.len())
        && decimal
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    decimal.parse().ok().filter(|number: &f64| is_number && number.is_finite())
}

fn holds_function(value: &Value) -> bool {
    match value {
        Value::Function(_) => true,
        Value::List(list) => list.iter().any(holds_function),
        Value::Pair(of) => holds_function(&of.0) || holds_function(&of.1),
        Value::Record(members) => members.iter().any(|(_, value)| holds_function(value)),
        Value::Map(of) => of.iter().any(|(.., value)| holds_function(value)),
        _ => false,
    }
}
