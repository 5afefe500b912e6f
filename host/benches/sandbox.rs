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
        bindings: Vec::new(),
        tools: Vec::new(),
        step: 0,
        debug: false,
        keep: false,
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

/// Topics of data: a body of a function of `x`, and the JSON it gets.
fn data(c: &mut Criterion) {
    let sandbox = Sandbox::open(None, 2).expect("a sandbox");
    let text = format!("\"{}\"", "the quick brown fox jumps ".repeat(4_000));
    let items = |item: fn(u64) -> String| {
        let items = (0..10_000).map(|n| item(n * n * 7919 % 1_000_003));
        format!("[{}]", items.collect::<Vec<_>>().join(","))
    };
    let numbers = items(|n| n.to_string());
    let records = items(|n| format!(r#"{{"group":"g{}","name":"n {n}"}}"#, n % 50));
    let key = r#"{"lam":"r","body":{"get":[{"var":"r"},"group"]}}"#;
    let group = format!(r#"{{"length":{{"group_by":[{key},{{"var":"x"}}]}}}}"#);
    let topics = [
        ("text", r#"{"length":{"split":[{"var":"x"}," "]}}"#, &text),
        ("regex", r#"{"length":{"find_all":[{"var":"x"},"[a-z]+s"]}}"#, &text),
        ("sort", r#"{"last":{"sort":[{"var":"x"}]}}"#, &numbers),
        ("group", &group, &records),
        ("JSON", r#"{"length":{"json_text":{"var":"x"}}}"#, &records),
    ];
    for (name, body, json) in topics {
        let code = format!(r#"{{"lam":"x","body":{body}}}"#);
        let argument = Argument::Data(json.clone());
        c.bench_function(name, |b| b.iter(|| call(&sandbox, &code, &argument)));
    }
}

criterion_group!(benches, sandbox, data);
criterion_main!(benches);
