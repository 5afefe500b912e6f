//! The shortest account of what is wrong with a program, for the model that wrote it.

use pif_domain::text;
use serde_json::{Value, json};

/// Characters of a line.
const MOST_LINE: usize = 600;

/// The fault of an answer that holds no program.
pub(super) fn no_program() -> Value {
    told("unparsable", "the answer holds no program", "write the program alone")
}

/// The fault of a program whose value is a function.
pub(super) fn function() -> Value {
    let hint = "with data the program is a function of one parameter; without, no function";
    told("type-mismatch", "the value of the program is a function", hint)
}

/// The fault of a program that gives something else than an example wants.
pub(super) fn missed(data: &str, wanted: &str, found: &str) -> Value {
    let [data, wanted, found] = [data, wanted, found].map(|it| text::line(it, MOST_LINE / 3));
    let message = format!("for the data {data} the program gives {found}, and {wanted} is wanted");
    told("fail", &message, "the examples of the task have to hold")
}

/// A fault that is no evaluator's.
pub(super) fn told(code: &str, message: &str, hint: &str) -> Value {
    json!({"code": code, "message": message, "hint": hint})
}

/// The account of a fault that is written as the journal has it.
pub(super) fn account(fault: &Value) -> String {
    let line = |name: &str| Some(text::line(fault[name].as_str()?, MOST_LINE));
    let mut lines = Vec::new();
    lines.extend(line("code").zip(line("message")).map(|(code, it)| format!("{code}: {it}")));
    match fault["caret"].as_str() {
        Some(caret) => {
            let place = |name: &str| fault[name].as_u64().unwrap_or_default();
            lines.push(format!("line {}, column {}:", place("line"), place("column")));
            lines.extend(caret.lines().map(|it| text::line(it, MOST_LINE)));
        }
        None => lines.extend(line("excerpt").map(|it| format!("at: {it}"))),
    }
    lines.extend(line("hint").map(|it| format!("hint: {it}")));
    lines.join("\n")
}
