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
        Step::Lookup(_) | Step::Recall(_) | Step::Perform(_) | Step::Paused => {
            Err(Box::new(Fault::defect("a run without a host waits for one")))
        }
    }
}
