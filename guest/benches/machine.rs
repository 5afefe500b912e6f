//! The machine natively: the stages that a run goes through, and two programs.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run ends")]

use criterion::{Criterion, criterion_group, criterion_main};
use pif_guest::limits::Limits;
use pif_guest::machine::Machine;
use pif_guest::parse::{Notation, parse};
use pif_guest::request::{Answer, Argument, Program, Source, Step};
use pif_guest::term::{Origin, Terms};
use std::hint::black_box;

const LIMITS: Limits = Limits { fuel: 1 << 40, depth: 1 << 20, memory: 64 << 20, output: 1 << 20 };
const FIB: &str = r#"{"lam":"n","body":{"if":{"cond":{"lt":[{"var":"n"},2]},"then":{"var":"n"},
    "else":{"add":[{"app":{"func":{"self":true},"arg":{"sub":[{"var":"n"},1]}}},
    {"app":{"func":{"self":true},"arg":{"sub":[{"var":"n"},2]}}}]}}}}"#;
const SUM: &str = r#"{"lam":"xs","body":{"fold":[{"lam":"p","body":
    {"add":[{"fst":{"var":"p"}},{"snd":{"var":"p"}}]}},0,{"var":"xs"}]}}"#;

fn run(tool: &str, input: &str) -> Step {
    let program = Program {
        code: Source::Tool("t".into()),
        argument: Argument::Input(input.into()),
        tools: vec![("t".into(), tool.into())],
        ..Program::term("")
    };
    let mut machine = Machine::start(program, LIMITS).expect("a program");
    let step = machine.resume(Answer::None, u64::MAX);
    assert!(matches!(step, Step::Done(_)), "{step:?}");
    step
}

fn machine(c: &mut Criterion) {
    c.bench_function("parse fib", |b| {
        b.iter(|| parse(&mut Terms::default(), black_box(FIB), Origin::Code, Notation::Code));
    });
    c.bench_function("empty call", |b| b.iter(|| run("{\"lam\":\"x\",\"body\":1}", "null")));
    c.bench_function("fib 20", |b| b.iter(|| run(FIB, "20")));
    let numbers: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
    let list = format!("[{}]", numbers.join(","));
    c.bench_function("sum of 10,000", |b| b.iter(|| run(SUM, &list)));
}

criterion_group!(benches, machine);
criterion_main!(benches);
