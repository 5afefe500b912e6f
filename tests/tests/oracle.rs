//! The recorded answers of the original MCP-PIF server against the native machine. What the real
//! server says to the same calls is compared in `server/oracle.rs`.

use libtest_mimic::{Arguments, Trial};
use pif::limits::Limits;
use pif::request::Program;
use pif_tests::oracle::{Session, cases, divergences};
use pif_tests::{case, native};
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

/// The original bounds nesting, not work: the fuel is what the server allows at most.
const LIMITS: Limits = Limits { fuel: 1_000_000_000, ..case::LIMITS };

fn main() -> anyhow::Result<ExitCode> {
    let (divergences, cases) = (Arc::new(divergences()?), cases()?);
    let ids: BTreeSet<String> = cases.iter().map(|case| case.id.clone()).collect();
    let mut trials = Vec::new();
    for case in cases {
        let listed = Arc::clone(&divergences);
        trials.push(Trial::test(case.id.clone(), move || {
            Ok(Session::new(evaluate).check(&case, &listed)?)
        }));
    }
    trials.push(Trial::test("divergences", move || Ok(divergences.check(&ids)?)));
    Ok(libtest_mimic::run(&Arguments::from_args(), trials).exit_code())
}

fn evaluate(program: &Program) -> anyhow::Result<String> {
    let run = native::run(program, &LIMITS, u64::MAX);
    run.result.map(|value| value.json).map_err(|fault| anyhow::anyhow!("{fault:?}"))
}
