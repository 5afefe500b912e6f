//! One timed run in the sandbox, from where its program has what it needs.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use pif_domain::{CallOutcome, Refusal};
use pif_sandbox::{Answer, Limits, Program, Sandbox, Step, Watch};

/// Fuel that no benchmark needs.
pub(crate) const FUEL: u64 = 10_000_000_000;

/// What a run took.
pub(crate) struct Timed {
    pub(crate) milliseconds: f64,
    /// Nanoseconds on a core, without those in which others ran there; where the system does not
    /// tell, the same as above.
    pub(crate) busy: f64,
    pub(crate) fuel: u64,
    /// The value as canonical JSON.
    pub(crate) json: String,
}

/// Runs a program. One that is `gated` makes a call when it is ready: time and fuel count
/// from there.
pub(crate) fn timed(
    sandbox: &Sandbox,
    program: &Program,
    gated: bool,
    memory: u64,
) -> Result<Timed> {
    let limits = Limits { fuel: FUEL, depth: 1 << 20, memory, output: 16 << 20 };
    let watch = Watch::new(Duration::from_mins(1));
    let fault = |fault: pif_domain::Fault| anyhow::anyhow!("{fault:?}");
    // What asking for the time on a core takes is in neither of the two.
    let (mut begun, mut start) = (on_core(), Instant::now());
    let mut machine = sandbox.start(program, limits, &watch).map_err(fault)?;
    let (mut answer, mut before) = (Answer::None, 0);
    if gated {
        let step = machine.resume(&answer, FUEL).map_err(fault)?;
        ensure!(matches!(step, Step::Perform(_)), "{step:?} instead of being ready");
        answer = Ok::<_, Refusal>(vec![CallOutcome::Value("null".into())]).into();
        before = machine.usage().map_err(fault)?.fuel;
        (begun, start) = (on_core(), Instant::now());
    }
    let mut step = machine.resume(&answer, FUEL).map_err(fault)?;
    // Calls come to their own arguments.
    while let Step::Perform(calls) = step {
        let values = calls.calls.into_iter().map(|call| CallOutcome::Value(call.args));
        let answer = Ok::<_, Refusal>(values.collect::<Vec<_>>()).into();
        step = machine.resume(&answer, FUEL).map_err(fault)?;
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let ended = on_core();
    let busy = begun.zip(ended).map_or(milliseconds * 1e6, |(begun, ended)| ended - begun);
    let fuel = machine.usage().map_err(fault)?.fuel - before;
    match step {
        Step::Done(value) => Ok(Timed { milliseconds, busy, fuel, json: value.json }),
        step => bail!("{step:?}"),
    }
}

/// Nanoseconds that this thread has been on a core, where Linux tells.
fn on_core() -> Option<f64> {
    // Only when a thread gives way is its time counted up to then.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}
