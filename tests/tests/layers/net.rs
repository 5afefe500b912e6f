//! The layers below the language, each with an evaluator that only this layer can stop.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pif_domain::{Fault, FaultCode, Limit};
use pif_sandbox::{Answer, Completion, Net, Sandbox, Step, Watch};
use pif_tests::server::memory;
use tokio_util::sync::CancellationToken;

use super::hostile::{
    ENDLESS, Evaluator, GREED, LIMITS, NARROW, RECURSE, SPIN, TRAP, patient, program, run, step,
};

/// The functions that a host calls on the way of a run.
const OF_A_RUN: [&str; 5] = ["realloc", "start", "resume", "usage", "debug"];

/// What comes of the call that leads to a function of the evaluator.
fn call(sandbox: &Sandbox, function: &str, watch: &Watch) -> Result<Fault> {
    let fault = match function {
        "check" => sandbox.check("1", watch).err().and_then(|faults| faults.first().cloned()),
        "forms" => sandbox.tables(watch).err(),
        "usage" | "debug" => {
            let mut machine = sandbox.start(&program("1"), LIMITS, watch).map_err(failed)?;
            match function {
                "usage" => machine.usage().err(),
                _ => machine.debug().err(),
            }
        }
        _ => run(sandbox, "1", false, watch).ending.err(),
    };
    fault.with_context(|| format!("`{function}` does no harm"))
}

fn failed(Fault { code, message, .. }: Fault) -> anyhow::Error {
    anyhow::anyhow!("{code}: {message}")
}

fn ensure_stopped(fault: &Fault, code: FaultCode, limit: Limit) -> Result<()> {
    let by = fault.limit.as_deref().with_context(|| format!("no limit: {fault:?}"))?;
    ensure!(fault.code == code && by.name == limit && by.used >= by.limit, "{fault:?}");
    ensure!(fault.told().contains(&format!("[{limit}: ")), "{}", fault.told());
    Ok(())
}

#[test]
fn an_evaluator_that_does_its_duty_is_let_be() -> Result<()> {
    let sandbox = Evaluator::default().sandbox(NARROW)?;
    let Ok(Completion::Value(value)) = run(&sandbox, "1", false, &patient()).ending else {
        anyhow::bail!("no value");
    };
    ensure!((value.json.as_str(), value.kind.as_str()) == ("42", "integer"), "{value:?}");
    Ok(())
}

/// Neither clock nor memory are within reach.
#[test]
fn wasmtime_fuel_stops_an_evaluator_that_spins() -> Result<()> {
    for function in OF_A_RUN.into_iter().chain(["check", "forms"]) {
        let net = Net { memory: Net::WIDE.memory, ..NARROW };
        let sandbox = Evaluator::with(function, SPIN).sandbox(net)?;
        let fault = call(&sandbox, function, &patient())?;
        ensure_stopped(&fault, FaultCode::Internal, Limit::WasmtimeFuel)
            .with_context(|| function.to_owned())?;
    }
    Ok(())
}

/// Neither fuel nor clock are within reach.
#[test]
fn the_memory_ceiling_stops_an_evaluator_that_grows() -> Result<()> {
    for function in ["start", "resume", "check", "forms"] {
        let evaluator = Evaluator::with(function, GREED);
        let sandbox = evaluator.sandbox(Net { memory: 8 << 20, ..ENDLESS })?;
        let fault = call(&sandbox, function, &patient())?;
        ensure_stopped(&fault, FaultCode::Internal, Limit::InstanceMemory)
            .with_context(|| function.to_owned())?;
    }
    Ok(())
}

/// Neither fuel nor memory are within reach.
#[test]
fn the_deadline_stops_an_evaluator_that_spins() -> Result<()> {
    for function in OF_A_RUN.into_iter().chain(["check", "forms"]) {
        let sandbox = Evaluator::with(function, SPIN).sandbox(ENDLESS)?;
        let fault = call(&sandbox, function, &Watch::new(Duration::from_millis(50)))?;
        ensure_stopped(&fault, FaultCode::Timeout, Limit::WallClock)
            .with_context(|| function.to_owned())?;
    }
    Ok(())
}

#[test]
fn the_wasm_stack_stops_an_evaluator_that_recurses() -> Result<()> {
    let sandbox = Evaluator::with("resume", RECURSE).sandbox(ENDLESS)?;
    ensure_stopped(&call(&sandbox, "resume", &patient())?, FaultCode::Internal, Limit::WasmStack)
}

/// Cancelling needs no cooperation, whatever the evaluator is at.
#[test]
fn cancelling_stops_an_evaluator_that_spins() -> Result<()> {
    for function in ["start", "resume", "check", "forms"] {
        let sandbox = Evaluator::with(function, SPIN).sandbox(ENDLESS)?;
        let token = CancellationToken::new();
        let watch = Watch::cancelled_by(token.clone(), Duration::from_hours(1));
        let (fault, late) = thread::scope(|scope| {
            let running = scope.spawn(|| (call(&sandbox, function, &watch), Instant::now()));
            thread::sleep(Duration::from_millis(20));
            let cancelled = Instant::now();
            token.cancel();
            let (fault, ended) = running.join().map_err(|_| anyhow::anyhow!("it panicked"))?;
            anyhow::Ok((fault?, ended.saturating_duration_since(cancelled)))
        })?;
        println!("cancelled in `{function}`: stopped after {late:?}");
        ensure!(fault.code == FaultCode::Cancelled && fault.limit.is_none(), "{fault:?}");
        ensure!(late < Duration::from_secs(2), "{late:?}");
    }
    Ok(())
}

/// What one call leaves behind in the evaluator, the next does not find.
#[test]
fn every_call_gets_a_fresh_instance() -> Result<()> {
    let count = "(global.set $calls (i32.add (global.get $calls) (i32.const 1)))
        (i32.store8 (i32.const 1024) (i32.add (i32.const 48) (global.get $calls)))
        (i32.store8 (i32.const 1025) (i32.const 32))";
    let body = format!("{count} {}", Evaluator::default().resume);
    let sandbox = Evaluator::with("resume", &body).sandbox(NARROW)?;
    for _ in 0..5 {
        let mut machine = sandbox.start(&program("1"), LIMITS, &patient()).map_err(failed)?;
        for call in ["1 ", "2 "] {
            let Ok(Step::Done(value)) = machine.resume(&Answer::None, 1) else {
                anyhow::bail!("no value");
            };
            ensure!(value.json == call, "{value:?}");
        }
    }
    Ok(())
}

/// After a trap nobody enters the instance again, and the next call gets another one.
#[test]
fn a_trap_in_any_function_is_a_fault_and_no_more() -> Result<()> {
    for function in OF_A_RUN.into_iter().chain(["check", "forms"]) {
        let sandbox = Evaluator::with(function, TRAP).sandbox(NARROW)?;
        for _ in 0..3 {
            let fault = call(&sandbox, function, &patient())?;
            ensure!(
                fault.code == FaultCode::Internal && fault.limit.is_none(),
                "{function}: {fault:?}"
            );
            ensure!(fault.message.contains("trap"), "{function}: {fault:?}");
        }
    }
    let sandbox = Evaluator::with("resume", TRAP).sandbox(NARROW)?;
    let mut machine = sandbox.start(&program("1"), LIMITS, &patient()).map_err(failed)?;
    let first = machine.resume(&Answer::None, 1).err().context("a trap")?;
    ensure!(machine.resume(&Answer::None, 1).err() == Some(first.clone()), "{first:?}");
    ensure!(machine.usage().err() == Some(first), "it was entered after a trap");
    Ok(())
}

/// Ten thousand traps of four kinds: memory stays what it was, and so do the places.
#[test]
fn ten_thousand_traps_leave_nothing_behind() -> Result<()> {
    const PLACES: usize = 4;
    const ROUNDS: usize = 2_500;
    // The length of the code says what to do: 1 traps, 2 spins, 3 grows, 4 recurses.
    let choose = format!(
        "(local $do i32) (local.set $do (i32.load (i32.add (local.get 0) (i32.const 8))))
         (if (i32.eq (local.get $do) (i32.const 1)) (then {TRAP}))
         (if (i32.eq (local.get $do) (i32.const 2)) (then {SPIN}))
         (if (i32.eq (local.get $do) (i32.const 3)) (then {GREED}))
         (if (i32.eq (local.get $do) (i32.const 4)) (then (drop {RECURSE})))
         {}",
        Evaluator::default().start
    );
    let net = Net { fuel: 100_000, ..NARROW };
    let sandbox = Evaluator::with("start", &choose).sandbox_for(net, PLACES)?;
    let trap_all = |rounds: usize| -> Result<()> {
        for _ in 0..rounds {
            for (code, layer) in [
                ("1", None),
                ("22", Some(Limit::WasmtimeFuel)),
                ("333", Some(Limit::InstanceMemory)),
                ("4444", Some(Limit::WasmStack)),
            ] {
                let fault = sandbox.start(&program(code), LIMITS, &patient()).err();
                let fault = fault.context("no trap")?;
                let by = fault.limit.as_deref().map(|limit| limit.name);
                ensure!(fault.code == FaultCode::Internal && by == layer, "{code}: {fault:?}");
            }
        }
        Ok(())
    };
    trap_all(100)?;
    let before = memory::resident("self")?;
    let start = Instant::now();
    trap_all(ROUNDS)?;
    let after = memory::resident("self")?;
    println!(
        "{} traps in {:?}: {before} KiB before, {after} KiB after",
        4 * ROUNDS,
        start.elapsed()
    );
    ensure!(after < before + (8 << 10), "{before} KiB before, {after} KiB after");
    let mut machines = Vec::new();
    for _ in 0..PLACES {
        machines.push(sandbox.start(&program("55555"), LIMITS, &patient()).map_err(failed)?);
    }
    for machine in &mut machines {
        let step = machine.resume(&Answer::None, 1);
        ensure!(matches!(&step, Ok(Step::Done(value)) if value.json == "42"), "{step:?}");
    }
    Ok(())
}

/// A lookup, an effect, a pause and a continuation without end: each is over in no time, so that
/// nothing within the guest ever meets a limit.
#[test]
fn the_deadline_ends_a_conversation_that_does_not() -> Result<()> {
    let text = [(8, 1_024), (12, 2), (16, 1_024), (20, 2)];
    let continuation = [text.as_slice(), &[(24, 1_024), (28, 2)]].concat();
    // No calls, at most one at a time.
    let calls = [(8, 1_024), (12, 0), (16, 1), (20, 0)];
    for (name, body) in [
        ("lookup", step(2, &text[..2])),
        ("recall", step(3, &text[..2])),
        ("perform", step(4, &calls)),
        ("paused", step(5, &[])),
        ("continuation", step(1, &continuation)),
    ] {
        let sandbox = Evaluator::with("resume", &body).sandbox(ENDLESS)?;
        let watch = Watch::new(Duration::from_millis(100));
        let outcome = run(&sandbox, "1", false, &watch);
        let fault = outcome.ending.err().with_context(|| format!("{name} ends"))?;
        ensure_stopped(&fault, FaultCode::Timeout, Limit::WallClock)
            .with_context(|| name.to_owned())?;
        ensure!((outcome.driven > 0) == (name == "continuation"), "{name}: {}", outcome.driven);
    }
    Ok(())
}
