//! The evaluator in a program of your own: `cargo run --example embed -- evaluator.wasm`. Needs
//! the component and the contract in `wit/`, and nothing of the server.

#![expect(clippy::print_stdout, reason = "a command line")]
#![expect(missing_docs, reason = "generated bindings; wit/ documents what has a meaning")]

use std::time::Duration;
use std::{env, fs, thread};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine, Store, StoreLimits, StoreLimitsBuilder, Trap};

use self::exports::pif::evaluator::types::{Answer, Argument, Code, Limits, Program, Step};

wasmtime::component::bindgen!({ world: "guest", path: "../wit" });

/// A tool that the machine is going to ask for.
const SQUARE: &str = r#"{"lam":"x","body":{"mul":[{"var":"x"},{"var":"x"}]}}"#;

fn main() -> Result<()> {
    let path = env::args().nth(1).context("name the component: embed evaluator.wasm")?;
    let bytes = fs::read(&path).with_context(|| path)?;
    println!("component {:x}", Sha256::digest(&bytes));

    // Once: an engine, the compiled component, and a clock for deadlines.
    let mut config = Config::new();
    config.consume_fuel(true).epoch_interruption(true);
    let engine = Engine::new(&config)?;
    let component = Component::new(&engine, &bytes)?;
    let evaluator = GuestPre::new(Linker::new(&engine).instantiate_pre(&component)?)?;
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(10));
            engine.increment_epoch();
        }
    });

    evaluate(&evaluator, include_str!("request.json"))?;
    converse(&evaluator)?;
    // It would run for hours: the deadline of the host ends it. The instance is gone with it,
    // the next one knows nothing of that.
    let Err(error) = evaluate(&evaluator, include_str!("endless.json")) else {
        bail!("nothing stopped what has no end");
    };
    println!("trapped {}", error.downcast::<Trap>()?);
    evaluate(&evaluator, r#"{"code":{"add":[1,2]}}"#)
}

/// For each call: a store with the host's limits, and a fresh instance in it.
fn enter(evaluator: &GuestPre<StoreLimits>) -> Result<(Store<StoreLimits>, Guest)> {
    let limits = StoreLimitsBuilder::new().memory_size(256 << 20).build();
    let mut store = Store::new(evaluator.engine(), limits);
    store.limiter(|limits| limits);
    store.set_fuel(1 << 40)?;
    store.set_epoch_deadline(100);
    let guest = evaluator.instantiate(&mut store)?;
    Ok((store, guest))
}

/// One run as JSON in and JSON out.
fn evaluate(evaluator: &GuestPre<StoreLimits>, request: &str) -> Result<()> {
    let (mut store, guest) = enter(evaluator)?;
    let request = request.to_owned();
    let answer = guest.pif_evaluator_machines().call_evaluate(&mut store, &request)?;
    println!("evaluate {answer}");
    Ok(())
}

/// One run step by step, with limits of the language, which holds the same everywhere.
fn converse(evaluator: &GuestPre<StoreLimits>) -> Result<()> {
    let (mut store, guest) = enter(evaluator)?;
    let machines = guest.pif_evaluator_machines().machine();
    let limits = Limits { fuel: 1_000, depth: 100, memory: 1 << 20, output: 1_000 };
    let program = Program {
        code: Code::Tool("square".to_owned()),
        argument: Argument::Data("7".to_owned()),
        context: None,
        bindings: Vec::new(),
        tools: Vec::new(),
        step: 0,
        debug: false,
        keep: false,
    };
    let started = machines.call_start(&mut store, &program, limits)?;
    let machine = started.map_err(|fault| anyhow::anyhow!("{}", fault.message))?;
    let mut answer = Answer::None;
    loop {
        answer = match machines.call_resume(&mut store, machine, &answer, 100)? {
            Step::Lookup(name) => {
                println!("lookup {name}");
                Answer::Source((name == "square").then(|| SQUARE.to_owned()))
            }
            // There are no bindings.
            Step::Recall(_) => Answer::Source(None),
            // Nothing is granted.
            Step::Perform(_) | Step::Wait(_) | Step::Enter(_) | Step::Leave(_) | Step::Paused => {
                Answer::None
            }
            Step::Failed(fault) => bail!("{}: {}", fault.code, fault.message),
            Step::Done(value) => {
                println!("done {}", value.json);
                return Ok(());
            }
            Step::Continuation(next) => {
                println!("continue with {}", next.tool);
                return Ok(());
            }
        };
    }
}
