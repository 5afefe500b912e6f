//! Runs that need no host.

use crate::machine::Machine;
use crate::request::{Done, Program, Step};
use pif_core::fault::Fault;
use pif_core::limits::Limits;

/// Evaluates code, in JavaScript or as a JSON term, with the default limits. If its value is a function,
/// it is applied to the data, which is plain JSON; other code reads it as the variable `data`. Returns
/// the value as JSON.
///
/// Fails with the fault of the code, of the data or of the run.
pub fn eval(code: &str, data: &str) -> Result<String, Box<Fault>> {
    run(Program::term(code).with_data(data), Limits::default()).map(|done| done.json)
}

/// Runs a program to its end. Tools are those of the program; calls of other servers are denied. Of a run
/// that ends in `continue` the value is the record of the continuation.
pub fn run(program: Program, limits: Limits) -> Result<Done, Box<Fault>> {
    match Machine::start(program, limits)?.run_alone() {
        Step::Done(done) | Step::Continuation(done, _) => Ok(done),
        Step::Failed(fault) => Err(fault),
        Step::Lookup(_)
        | Step::Recall(_)
        | Step::Perform(_)
        | Step::Wait(_)
        | Step::Enter(_)
        | Step::Leave(_)
        | Step::Paused => Err(Box::new(Fault::defect("a run without a host waits for one"))),
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Limits, Program, run};

    /// Tools are in either notation, and a fault in one has its place in the text.
    #[test]
    fn tools_are_json_or_the_notation() -> Result<(), Box<Fault>> {
        let program = |code| {
            Program::term(code)
                .with_tool("double", "x => x * 2")
                .with_tool("next", r#"{"lam": "x", "body": {"add": [{"var": "x"}, 1]}}"#)
                .with_tool("odd", "x => x +")
        };
        let done = run(program("[@double(4), @next(4)]"), Limits::default())?;
        assert_eq!(done.json, "[8,5]");
        for (code, at, column) in [("@double(true)", "/body/mul/0", 6), ("@odd(1)", "", 9)] {
            let Err(fault) = run(program(code), Limits::default()) else { panic!("{code}") };
            let place = fault.place.map(|place| (place.line, place.column));
            assert_eq!((fault.at.as_str(), place), (at, Some((1, column))));
            assert!(fault.tool.is_some());
        }
        Ok(())
    }
}
