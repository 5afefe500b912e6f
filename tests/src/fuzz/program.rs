//! Bytes as programs, in two notations. After a `#` each byte is a choice of the generator, so that
//! the program is well formed whatever the bytes are. Anything else is the program's text, a line
//! for each part, which reaches what no generator thinks of:
//!
//! ```text
//! {"lam":"x","body":{"app":{"func":{"tool":"twice"},"arg":{"var":"x"}}}}
//! input 21
//! tool twice {"lam":"n","body":{"mul":[{"var":"n"},2]}}
//! ```

use crate::generate::{Random, Sample, sample_of};
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use std::fmt::Write as _;

/// The limits of a program that is written out.
const LIMITS: Limits = Limits { fuel: 20_000, depth: 2000, memory: 256 << 20, output: 1 << 20 };

/// The program that the bytes stand for; none if they are neither choices nor text.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Sample> {
    match bytes.split_first() {
        Some((b'#', choices)) => Some(sample_of(Random::from_bytes(choices))),
        _ => Some(Sample { program: parts(str::from_utf8(bytes).ok()?), limits: LIMITS }),
    }
}

fn parts(text: &str) -> Program {
    let mut lines = text.split('\n');
    let code = lines.next().unwrap_or_default();
    let mut program = Program::term(code);
    if let Some(name) = code.strip_prefix('@') {
        program.code = Source::Tool(name.to_owned());
    }
    for line in lines {
        let Some((part, rest)) = line.split_once(' ') else { continue };
        match part {
            "input" => program.argument = Argument::Input(rest.to_owned()),
            "data" => program.argument = Argument::Data(rest.to_owned()),
            "context" => program.context = Some(rest.to_owned()),
            "step" => program.step = rest.parse().unwrap_or_default(),
            "tool" => {
                let (name, source) = rest.split_once(' ').unwrap_or((rest, ""));
                if program.tools.iter().all(|tool| tool.0 != name) {
                    program.tools.push((name.to_owned(), source.to_owned()));
                }
            }
            _ => {}
        }
    }
    program
}

/// The text that stands for a program; none if a part of it has several lines.
#[must_use]
pub fn encode(program: &Program) -> Option<String> {
    let mut text = match &program.code {
        Source::Term(code) => code.clone(),
        Source::Tool(name) => format!("@{name}"),
    };
    let mut parts = 0;
    let mut part = |name: &str, rest: &str| {
        parts += 1;
        // A `String` takes everything.
        let _ = write!(text, "\n{name} {rest}");
    };
    match &program.argument {
        Argument::None | Argument::Unapplied => {}
        Argument::Input(json) => part("input", json),
        Argument::Data(json) => part("data", json),
    }
    if let Some(context) = &program.context {
        part("context", context);
    }
    if program.step > 0 {
        part("step", &program.step.to_string());
    }
    for (name, source) in &program.tools {
        part("tool", &format!("{name} {source}"));
    }
    (text.matches('\n').count() == parts).then_some(text)
}
