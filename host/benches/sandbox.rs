//! The sandbox: what a call costs beyond the work of its program.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run ends")]

use criterion::{Criterion, criterion_group, criterion_main};
use mcp_pif::sandbox::{Answer, Argument, Code, Limits, Program, Sandbox, Step, Watch};
use std::time::Duration;

const LIMITS: Limits =
    Limits { fuel: 10_000_000, depth: 1_000_000, memory: 64 << 20, output: 1 << 20 };

fn call(sandbox: &Sandbox, code: &str, argument: &Argument) {
    let program = Program {
        code: Code::Term(code.into()),
        argument: argument.clone(),
        context: None,
        tools: Vec::new(),
        step: 0,
        debug: false,
    };
    let watch = Watch::new(Duration::from_secs(5));
    let mut machine = sandbox.start(&program, LIMITS, &watch).expect("a program");
    let step = machine.resume(&Answer::None, u64::MAX);
    assert!(matches!(step, Ok(Step::Done(_))), "{step:?}");
}

fn sandbox(c: &mut Criterion) {
    let sandbox = Sandbox::open(None, 2).expect("a sandbox");
    c.bench_function("empty call", |b| b.iter(|| call(&sandbox, "null", &Argument::None)));
    let list = Argument::Data(format!("[{}1]", "1,".repeat(10_000)));
    let length = r#"{"lam":"x","body":{"length":{"var":"x"}}}"#;
    c.bench_function("list of 10,000 in, its length out", |b| {
        b.iter(|| call(&sandbox, length, &list));
    });
}

criterion_group!(benches, sandbox);
criterion_main!(benches);
