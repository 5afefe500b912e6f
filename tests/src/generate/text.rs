//! Pieces of random terms: literals, and forms made of the texts of their operands.

pub(super) const NAMES: &[&str] = &["x", "y", "z", "n", "p", "f", "größe"];

pub(super) const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "3",
    "7",
    "-5",
    "10",
    "2.5",
    "1e3",
    "4611686018427387903",
    "-4611686018427387904",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-18446744073709551616",
    "123456789012345678901234567890123456789012345678901234567890",
    "-1e40",
    "9007199254740993",
];

pub(super) const TEXTS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"ab\"",
    "\"b\"",
    "\"häh\"",
    "\"日本\"",
    "\"👍\\n\\u0001\"",
    "\"42\"",
    "\"true\"",
    "\"fact\"",
    "\"count\"",
    "\"self\"",
    "\"random\"",
    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"",
];

pub(super) fn variable(name: &str) -> String {
    format!(r#"{{"var":"{name}"}}"#)
}

pub(super) fn form(key: &str, operand: impl AsRef<str>) -> String {
    format!(r#"{{"{key}":{}}}"#, operand.as_ref())
}

pub(super) fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

pub(super) fn lambda(parameters: &str, body: &str) -> String {
    format!(r#"{{"lam":{parameters},"body":{body}}}"#)
}

pub(super) fn choice(cond: &str, then: &str, otherwise: &str) -> String {
    format!(r#"{{"if":{{"cond":{cond},"then":{then},"else":{otherwise}}}}}"#)
}

pub(super) fn apply(function: &str, arguments: &[String]) -> String {
    match arguments {
        [only] => format!(r#"{{"app":{{"func":{function},"arg":{only}}}}}"#),
        _ => format!(r#"{{"app":{{"func":{function},"args":{}}}}}"#, list(arguments)),
    }
}
