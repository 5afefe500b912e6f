//! Terms are read back as they were printed.

use crate as notation;
use pif_core::json::{Tape, Token};
use pif_language::form::{Bare, Form, Row, Shape};
use pif_language::forms::FORMS;
use pif_language::parse::{Reading, parse};
use pif_language::print;
use pif_language::term::{Origin, Terms};
use std::fmt::Write as _;
use std::path::Path;

/// Returns what is wrong with the printed text of a term in JSON; `None` if it is no term.
fn fault(json: &str) -> Option<String> {
    let mut terms = Terms::default();
    let parsed = parse(&mut terms, json, Origin::Code, Reading::Code).ok()?;
    let canonical = print::term(&terms, parsed.root);
    let written = notation::print(&terms, parsed.root);
    let mut others = Terms::default();
    match notation::parse(&mut others, &written, Origin::Code, &["data", "input"]) {
        Err(fault) => Some(format!("{canonical}\n  is written {written}\n  which is {fault}")),
        Ok(other) => {
            let again = print::term(&others, other.root);
            let rewritten = notation::print(&others, other.root);
            if again != canonical {
                Some(format!("{canonical}\n  is written {written}\n  which is\n{again}"))
            } else if rewritten != written {
                Some(format!("{canonical}\n  is written {written}\n  and then {rewritten}"))
            } else {
                None
            }
        }
    }
}

fn all_read_back<'a>(terms: impl IntoIterator<Item = &'a String>) {
    let wrong: Vec<String> = terms.into_iter().filter_map(|json| fault(json)).collect();
    let mut short: Vec<&String> = wrong.iter().collect();
    short.sort_by_key(|it| it.len());
    short.dedup();
    let shown: Vec<String> = short.iter().take(60).map(|it| (*it).clone()).collect();
    assert!(wrong.is_empty(), "{} terms:\n{}", wrong.len(), shown.join("\n"));
}

#[test]
fn examples_of_forms_are_read_back() {
    let examples: Vec<String> = FORMS.iter().map(|row| row.example.to_owned()).collect();
    all_read_back(&examples);
}

/// The terms of the corpus and of the library: the values of some members, wherever they are.
#[test]
fn terms_of_the_corpus_are_read_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("tests/mistakes.json")];
    let mut folders =
        ["tests/cases", "host/server/library"].map(|folder| root.join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let mut terms = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|it| it == "json")) {
        let text = std::fs::read_to_string(file).expect("a text");
        let mut tape = Tape::default();
        tape.parse(&text).expect("JSON");
        for at in 0..tape.len() {
            if !matches!(tape.token(at), Token::Object { .. }) {
                continue;
            }
            for (key, value) in tape.members(at) {
                match tape.str(key) {
                    "term" | "code" | "right" | "input" | "source" => {
                        terms.push(pif_core::json::write::text(&tape, value, usize::MAX));
                    }
                    "tools" if matches!(tape.token(value), Token::Object { .. }) => {
                        for (_, tool) in tape.members(value) {
                            terms.push(pif_core::json::write::text(&tape, tool, usize::MAX));
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(terms.len() > 2500, "{}", terms.len());
    all_read_back(&terms);
}

/// Makes terms of all forms, in JSON.
struct Maker {
    seed: u64,
    names: Vec<&'static str>,
}

const NAMES: [&str; 22] = [
    "x",
    "y",
    "f",
    "g",
    "xs",
    "add",
    "get",
    "map",
    "filter",
    "and",
    "r",
    "Math",
    "total",
    "self",
    "a b",
    "max",
    "data",
    "length",
    "pair",
    "undefined",
    "_1",
    "é",
];

impl Maker {
    fn next(&mut self, n: usize) -> usize {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.seed >> 33).unwrap_or_default() % n
    }

    fn name(&mut self) -> &'static str {
        let most = if self.next(4) == 0 { NAMES.len() } else { 5 };
        NAMES[self.next(most)]
    }

    fn leaf(&mut self) -> String {
        const LEAVES: [&str; 26] = [
            "1",
            "0",
            "-1",
            "1.5",
            "2",
            "\"a\"",
            "\"\"",
            "\"k\"",
            "\"a b\"",
            "null",
            "true",
            "false",
            "[]",
            "{\"record\":{}}",
            "\"floor\"",
            "\"round\"",
            "\"fixed\"",
            "\"float\"",
            "\"&\"",
            "\"sin\"",
            "\"year\"",
            "\"nan\"",
            "12345678901234567890",
            "-2.5",
            "{\"self\":true}",
            "{\"regex\":[\"a+\",\"g\"]}",
        ];
        if self.names.is_empty() || self.next(2) == 0 {
            return LEAVES[self.next(LEAVES.len())].to_owned();
        }
        let at = self.next(self.names.len());
        let name = self.names[at];
        format!("{{\"var\":\"{name}\"}}")
    }

    fn function(&mut self, depth: usize) -> String {
        let count = [1, 1, 1, 2, 2, 3][self.next(6)];
        let mut names: Vec<&str> = Vec::new();
        while names.len() < count {
            let name = self.name();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        self.names.extend(&names);
        let body = self.term(depth);
        self.names.truncate(self.names.len() - count);
        match *names {
            [one] => format!("{{\"lam\":\"{one}\",\"body\":{body}}}"),
            _ => format!("{{\"lam\":{names:?},\"body\":{body}}}"),
        }
    }

    fn binding(&mut self, form: &str, depth: usize) -> String {
        let count = 1 + self.next(3);
        let names: Vec<&str> = (0..count).map(|_| self.name()).collect();
        let is_recursive = form == "letrec";
        if is_recursive {
            self.names.extend(&names);
        }
        let mut bindings = Vec::new();
        for name in &names {
            let value = if is_recursive || self.next(2) == 0 {
                self.function(depth)
            } else {
                self.term(depth)
            };
            bindings.push(format!("[\"{name}\",{value}]"));
            if !is_recursive {
                self.names.push(name);
            }
        }
        let body = self.term(depth);
        self.names.truncate(self.names.len() - count);
        format!("{{\"{form}\":[{}],\"in\":{body}}}", bindings.join(","))
    }

    fn operands(&mut self, row: &Row, count: usize, depth: usize) -> String {
        use pif_language::kinds::FUNCTION;
        let mut out = Vec::new();
        for at in 0..count {
            let wanted = row.form.accepted(at);
            out.push(if wanted == FUNCTION && self.next(4) > 0 {
                self.function(depth)
            } else {
                self.term(depth)
            });
        }
        out.join(",")
    }

    fn term(&mut self, depth: usize) -> String {
        if depth == 0 || self.next(6) == 0 {
            return self.leaf();
        }
        let depth = depth - 1;
        if self.next(9) == 0 {
            let items: Vec<String> = (0..self.next(4)).map(|_| self.term(depth)).collect();
            return format!("[{}]", items.join(","));
        }
        let at = self.next(FORMS.len());
        self.of_row(&FORMS[at], depth)
    }

    fn of_row(&mut self, row: &Row, depth: usize) -> String {
        let name = row.name;
        let many = |maker: &mut Self, least: u32, most: u32| {
            let extra = maker.next(usize::try_from(most - least + 1).unwrap_or(1));
            let count = usize::try_from(least).unwrap_or(1) + extra;
            let operands = maker.operands(row, count, depth);
            format!("{{\"{name}\":[{operands}]}}")
        };
        match row.shape {
            Shape::Name => self.leaf(),
            Shape::Literal => "1.5".to_owned(),
            Shape::Ignored => format!("{{\"{name}\":true}}"),
            Shape::List { bare: Bare::Always, .. } => {
                let operand = self.operands(row, 1, depth);
                format!("{{\"{name}\":{operand}}}")
            }
            Shape::List { bare: Bare::List, .. } => many(self, 1, 1),
            Shape::List { least, most, .. } => many(self, least, most.min(least + 6)),
            Shape::Lambda => self.function(depth),
            Shape::Application => {
                let function =
                    if self.next(3) == 0 { self.function(depth) } else { self.term(depth) };
                let count = 1 + self.next(2);
                let operands = self.operands(row, count, depth);
                format!("{{\"app\":{{\"func\":{function},\"args\":[{operands}]}}}}")
            }
            Shape::Branches => {
                let (a, b) = (self.operands(row, 2, depth), self.operands(row, 2, depth));
                format!("{{\"{name}\":[[{a}],[{b}]]}}")
            }
            Shape::Try => {
                let tried = self.term(depth);
                let handler =
                    if self.next(4) > 0 { self.function(depth) } else { self.term(depth) };
                let codes = if self.next(3) == 0 { ",\"codes\":[\"fail\"]" } else { "" };
                format!("{{\"try\":{tried},\"catch\":{handler}{codes}}}")
            }
            Shape::Members(keys) => {
                let mut out = String::new();
                for key in keys {
                    let value = self.term(depth);
                    let comma = if out.is_empty() { "" } else { "," };
                    let _ = write!(out, "{comma}\"{key}\":{value}");
                }
                format!("{{\"{name}\":{{{out}}}}}")
            }
            Shape::MembersOr(keys) | Shape::Named(keys) => {
                let mut out = "\"a.b\"".to_owned();
                for key in keys.iter().skip(1).take(1 + self.next(2)) {
                    let value = self.term(depth);
                    let _ = write!(out, ",\"{key}\":{value}");
                }
                format!("{{\"{name}\":{{\"{}\":{out}}}}}", keys[0])
            }
            Shape::Bindings | Shape::Functions => self.binding(name, depth),
            Shape::Fields => {
                let (a, b) = (self.term(depth), self.term(depth));
                let key = ["k", "a b", "x", "keys", "if"][self.next(5)];
                format!("{{\"record\":{{\"{key}\":{a},\"y\":{b}}}}}")
            }
        }
    }
}

/// Functions that use themselves, or later ones, where the notation has no words or no names.
#[test]
fn functions_that_the_reader_would_bind_otherwise_are_read_back() {
    let terms = [
        r#"{"letrec":[["loop",{"lam":"n","body":{"if":{"cond":{"lte":[{"var":"n"},0]},"then":0,"else":{"letrec":[["f",{"lam":"x","body":1}]],"in":{"app":{"func":{"var":"loop"},"arg":{"sub":[{"var":"n"},1]}}}}}}}]],"in":{"app":{"func":{"var":"loop"},"arg":3}}}"#,
        r#"{"letrec":[["add",{"lam":"p","body":{"add":[{"var":"p"},1]}}]],"in":{"app":{"func":{"var":"add"},"arg":2}}}"#,
        r#"{"letrec":[["max",{"lam":"p","body":{"max":[{"var":"p"},1]}}]],"in":{"app":{"func":{"var":"max"},"arg":2}}}"#,
        r#"{"lam":"x","body":{"let":[["a",{"letrec":[["f",{"lam":"n","body":{"var":"x"}}],["g",{"lam":"n","body":{"var":"g"}}]],"in":{"var":"f"}}],["x",{"lam":"y","body":1}]],"in":{"var":"a"}}}"#,
        r#"{"lam":"x","body":{"let":[["a",[{"var":"x"}]],["x",{"lam":"y","body":1}]],"in":{"var":"a"}}}"#,
    ];
    all_read_back(&terms.map(str::to_owned));
}

/// A path that is called, and the path of a block or of a call.
#[test]
fn paths_around_calls_are_read_back() {
    let roots = [
        r#"{"var":"data"}"#,
        r#"{"var":"free"}"#,
        r#"{"let":[["f",4]],"in":{"var":"f"}}"#,
        r#"{"letrec":[["f",{"lam":"x","body":1}]],"in":{"var":"f"}}"#,
        r#"{"lam":"x","body":{"var":"x"}}"#,
        r#"{"app":{"func":{"var":"data"},"arg":1}}"#,
        r#"{"get":[{"var":"data"},"length"]}"#,
        r#"{"record":{"a":1}}"#,
        r#"{"if":{"cond":true,"then":1,"else":2}}"#,
    ];
    let mut terms = Vec::new();
    for root in roots {
        for keys in
            [r#""length""#, r#""a""#, "0", r#""a","filter""#, r#""filter","a b""#, "0.5,null"]
        {
            let path = format!(r#"{{"get_in":[{root},[{keys}],null]}}"#);
            terms.push(format!(r#"{{"app":{{"func":{path},"arg":1}}}}"#));
            terms.push(format!(r#"{{"lam":"y","body":{path}}}"#));
            terms.push(format!(r#"{{"get":[{path},"b"]}}"#));
            terms.push(format!(r#"{{"eq":[{path},null]}}"#));
            terms.push(path);
        }
    }
    all_read_back(&terms);
}

/// Each form, in all forms.
#[test]
fn made_terms_are_read_back() {
    let count: usize =
        std::env::var("PIF_TERMS").ok().and_then(|it| it.parse().ok()).unwrap_or(300);
    let seed = std::env::var("PIF_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(11);
    let mut maker = Maker { seed, names: vec!["x", "r", "xs"] };
    let mut terms = Vec::new();
    for round in 0..count {
        for row in FORMS {
            if row.form != Form::Unquote {
                terms.push(maker.of_row(row, round % 4));
            }
        }
    }
    all_read_back(&terms);
}
