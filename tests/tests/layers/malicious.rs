//! Evaluators that answer with what the contract does not allow, or with far too much.

use anyhow::{Context, Result, ensure};
use pif_domain::{Fault, FaultCode};
use pif_sandbox::{Completion, Net};
use pif_tests::server::memory;

use super::hostile::{ENDLESS, Evaluator, NARROW, STEP, patient, run, step};

fn fault(evaluator: &Evaluator, net: Net, debug: bool) -> Result<Fault> {
    let outcome = run(&evaluator.sandbox(net)?, "1", debug, &patient());
    outcome.ending.err().context("it is believed")
}

fn resuming(body: &str) -> Evaluator {
    Evaluator::with("resume", body)
}

/// A step with a value whose text lies there.
fn value(at: u32, length: u32) -> String {
    step(0, &[(8, at), (12, length), (16, 1_032), (20, 7)])
}

#[test]
fn what_breaks_the_contract_is_refused() -> Result<()> {
    let list = step(0, &[(8, 1_024), (12, 2), (24, 1_025), (28, 3)]);
    for (name, evaluator) in [
        ("a step of no kind", resuming(&step(77, &[]))),
        ("a step beyond memory", resuming("(i32.const 0x7ffffff0)")),
        ("a step out of line", resuming("(i32.const 65)")),
        ("a text beyond memory", resuming(&value(1_024, 0x7fff_ffff))),
        ("a text at no address", resuming(&value(0xffff_fff0, 64))),
        ("a list out of line", resuming(&list)),
        (
            "a handle of nothing",
            Evaluator::with("start", "(i32.store (i32.const 20) (i32.const 4711)) (i32.const 16)"),
        ),
        ("memory at no address", Evaluator::with("realloc", "(i32.const 0xfffffff0)")),
    ] {
        let fault = fault(&evaluator, NARROW, false).with_context(|| name.to_owned())?;
        println!("{name}: {}", fault.message);
        ensure!(fault.code == FaultCode::Internal, "{name}: {fault:?}");
    }
    Ok(())
}

#[test]
fn a_text_that_is_no_utf_8_is_refused() -> Result<()> {
    let evaluator = Evaluator { data: r"\22\ff\fe\22".to_owned(), ..resuming(&value(2_048, 4)) };
    ensure!(fault(&evaluator, NARROW, false)?.code == FaultCode::Internal);
    Ok(())
}

#[test]
fn a_value_that_is_no_json_is_refused() -> Result<()> {
    for text in
        ["", "nul", "[1,2", "{\"a\":1}}", "1\\0a{\"jsonrpc\":\"2.0\"}", "NaN", "'x'", "\\01"]
    {
        let data = text.replace('"', "\\22");
        let length = u32::try_from(wat_length(&data))?;
        let evaluator = Evaluator { data, ..resuming(&value(2_048, length)) };
        let fault = fault(&evaluator, NARROW, false).with_context(|| text.to_owned())?;
        ensure!(
            fault.code == FaultCode::Internal && fault.message.contains("no JSON"),
            "{text}: {fault:?}"
        );
    }
    Ok(())
}

/// Bytes of a text in which a backslash and two digits are one byte.
fn wat_length(text: &str) -> usize {
    text.len() - 2 * text.matches('\\').count()
}

/// The memory is there, and so is the text: it is the host that must not take a copy of it.
#[test]
fn enormous_answers_are_refused_before_they_are_copied() -> Result<()> {
    const PAGES: u32 = 8_192;
    let grown = format!("(drop (memory.grow (i32.const {PAGES})))");
    let bytes = PAGES * 65_536 / 2;
    let texts = [(8, 65_536), (12, bytes)];
    let lists = [(8, 1_024), (12, 2), (24, 65_536), (28, bytes / 8)];
    let before = memory::peak("self")?;
    for (name, body) in [
        ("a value", step(0, &texts)),
        ("a lookup", step(2, &texts)),
        ("a recall", step(3, &texts)),
        ("a fault", step(6, &texts)),
        ("a list of warnings", step(0, &lists)),
    ] {
        let evaluator = resuming(&format!("{grown} {body}"));
        let fault = fault(&evaluator, ENDLESS, false).with_context(|| name.to_owned())?;
        ensure!(fault.code == FaultCode::Internal, "{name}: {fault:?}");
    }
    let lines = format!(
        "{grown} (i32.store (i32.const {STEP}) (i32.const 65536))
         (i32.store (i32.const {}) (i32.const {})) (i32.const {STEP})",
        STEP + 4,
        bytes / 8,
    );
    ensure!(fault(&Evaluator::with("debug", &lines), ENDLESS, true)?.code == FaultCode::Internal);
    let grown = memory::peak("self")?.saturating_sub(before);
    ensure!(grown < 128 << 10, "{grown} KiB more at the peak");
    Ok(())
}

#[test]
fn what_a_fault_says_is_kept_short() -> Result<()> {
    let long = step(6, &[(8, 4_096), (12, 40_000), (16, 4_096), (20, 40_000)]);
    let fault = fault(
        &resuming(&format!(
            "(memory.fill (i32.const 4096) (i32.const 97) (i32.const 40000)) {long}"
        )),
        NARROW,
        false,
    )?;
    ensure!(fault.message.chars().count() <= 4_001 && fault.code == FaultCode::Internal);
    Ok(())
}

/// Figures are no more than figures: they are added up without overflow.
#[test]
fn usage_beyond_all_bounds_is_taken_as_it_is() -> Result<()> {
    let body = "(memory.fill (i32.const 512) (i32.const 255) (i32.const 24)) (i32.const 512)";
    let sandbox = Evaluator::with("usage", body).sandbox(NARROW)?;
    let outcome = run(&sandbox, "1", false, &patient());
    ensure!(matches!(outcome.ending, Ok(Completion::Value(_))), "{outcome:?}");
    ensure!(outcome.usage.fuel == u64::MAX, "{outcome:?}");
    Ok(())
}
