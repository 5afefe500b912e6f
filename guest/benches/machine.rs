//! The machine natively: the stages that a run goes through, two programs, and the forms on data.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run ends")]

use criterion::{Criterion, criterion_group, criterion_main};
use pif::limits::Limits;
use pif::machine::Machine;
use pif::parse::{Notation, parse};
use pif::request::{Answer, Argument, Program, Source, Step};
use pif::term::{Origin, Terms};
use std::hint::black_box;

const LIMITS: Limits = Limits { fuel: 1 << 40, depth: 1 << 20, memory: 64 << 20, output: 1 << 20 };
const FIB: &str = r#"{"lam":"n","body":{"if":{"cond":{"lt":[{"var":"n"},2]},"then":{"var":"n"},
    "else":{"add":[{"app":{"func":{"self":true},"arg":{"sub":[{"var":"n"},1]}}},
    {"app":{"func":{"self":true},"arg":{"sub":[{"var":"n"},2]}}}]}}}}"#;
const SUM: &str = r#"{"lam":"xs","body":{"fold":[{"lam":"p","body":
    {"add":[{"fst":{"var":"p"}},{"snd":{"var":"p"}}]}},0,{"var":"xs"}]}}"#;

/// A form on the data `x`: its name, and a term whose result is short.
const FORMS: [(&str, &str, Data); 9] = [
    ("split", r#"{"length":{"split":[{"var":"x"}," "]}}"#, Data::Text),
    ("upper", r#"{"length":{"upper":{"var":"x"}}}"#, Data::Text),
    ("replace", r#"{"length":{"replace":[{"var":"x"},"fox","wolf"]}}"#, Data::Text),
    ("find_all", r#"{"length":{"find_all":[{"var":"x"},"[a-z]+s"]}}"#, Data::Text),
    ("sort", r#"{"last":{"sort":[{"var":"x"}]}}"#, Data::Numbers),
    ("map and sum", MAP, Data::Numbers),
    ("group_by", GROUP, Data::Records),
    ("json_text", r#"{"length":{"json_text":{"var":"x"}}}"#, Data::Records),
    ("json_parse", r#"{"length":{"json_parse":{"json_text":{"var":"x"}}}}"#, Data::Records),
];
const MAP: &str = r#"{"sum":[{"map":[{"lam":"n","body":{"mul":[{"var":"n"},3]}},{"var":"x"}]}]}"#;
const GROUP: &str = r#"{"length":{"group_by":[{"lam":"r","body":{"get":[{"var":"r"},"group"]}},
    {"var":"x"}]}}"#;

#[derive(Clone, Copy)]
enum Data {
    Text,
    Numbers,
    Records,
}

impl Data {
    fn json(self) -> String {
        let numbers = (0..10_000_u64).map(|n| n * n * 7919 % 1_000_003);
        match self {
            Self::Text => format!("\"{}\"", "the quick brown fox jumps ".repeat(4_000)),
            Self::Numbers => list(numbers.map(|n| n.to_string())),
            Self::Records => {
                list(numbers.map(|n| format!(r#"{{"group":"g{}","name":"n {n}"}}"#, n % 50)))
            }
        }
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn run(tool: &str, argument: Argument) -> Step {
    let program = Program {
        code: Source::Tool("t".into()),
        argument,
        tools: vec![("t".into(), tool.into())],
        ..Program::term("")
    };
    let mut machine = Machine::start(program, LIMITS).expect("a program");
    let step = machine.resume(Answer::None, u64::MAX);
    assert!(matches!(step, Step::Done(_)), "{step:?}");
    step
}

fn input(json: &str) -> Argument {
    Argument::Input(json.into())
}

fn machine(c: &mut Criterion) {
    c.bench_function("parse fib", |b| {
        b.iter(|| parse(&mut Terms::default(), black_box(FIB), Origin::Code, Notation::Code));
    });
    c.bench_function("empty call", |b| b.iter(|| run("{\"lam\":\"x\",\"body\":1}", input("null"))));
    c.bench_function("fib 20", |b| b.iter(|| run(FIB, input("20"))));
    let numbers = list((0..10_000).map(|n| n.to_string()));
    c.bench_function("sum of 10,000", |b| b.iter(|| run(SUM, input(&numbers))));
}

fn forms(c: &mut Criterion) {
    for (name, body, data) in FORMS {
        let (tool, json) = (format!(r#"{{"lam":"x","body":{body}}}"#), data.json());
        c.bench_function(name, |b| b.iter(|| run(&tool, Argument::Data(json.clone()))));
    }
}

criterion_group!(benches, machine, forms);
criterion_main!(benches);
