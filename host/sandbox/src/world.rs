//! The surroundings of a run. A machine asks the world questions and waits for the answers. Nothing
//! else reaches it.

use std::pin::Pin;
use std::time::Instant;

use pif_domain::{Fault, Part};

use super::bindings::{Answer, Left, Passage, Stepped, Wait};
use super::calls::Calls;

/// A question that may take a while. A run that waits for the answer uses no processor time.
pub type AnswerFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The surroundings of a run: the sources of tools, the results of effects, and the receivers of
/// progress and debug lines.
pub trait World: Send {
    /// Returns the source of a tool, `None` if there is no such tool, or a fault if it cannot be
    /// read.
    fn source<'a>(&'a mut self, tool: &'a str) -> AnswerFuture<'a, Result<Option<String>, Fault>>;
    /// Returns the term of a binding that the code names, or a fault if it cannot be read.
    fn recall<'a>(&'a mut self, _name: &'a str) -> AnswerFuture<'a, Result<Option<String>, Fault>> {
        Box::pin(async { Ok(None) })
    }
    /// Returns the name of an existing tool that is similar to `tool`.
    fn similar<'a>(&'a mut self, tool: &'a str) -> AnswerFuture<'a, Option<String>>;
    /// Makes calls. Returns [`Answer::Outcomes`], or [`Answer::Refused`] if none was sent. The
    /// clock of the run stands still meanwhile. A run that must stop drops the question.
    fn perform<'a>(&'a mut self, calls: &'a Calls) -> AnswerFuture<'a, Result<Answer, Fault>>;
    /// Decides whether a program tries again after a call has failed, and waits before that. Returns
    /// the milliseconds that have passed, or None: the fault stays one.
    fn wait<'a>(&'a mut self, _wait: &'a Wait) -> AnswerFuture<'a, Result<Option<u64>, Fault>> {
        Box::pin(async { Ok(None) })
    }
    /// Of how many more steps of the program the world wants to be told.
    fn named_steps(&self) -> u32 {
        0
    }
    /// Hears that a step of the program begins. Returns what it came to before, if that is known.
    fn enter(&mut self, _name: &str) -> Result<Option<Passage>, Fault> {
        Ok(None)
    }
    /// Hears that the innermost step of the program has ended.
    fn leave(&mut self, _left: Left) -> Result<(), Fault> {
        Ok(())
    }
    /// Reports the number of continuations driven so far, before each one runs.
    fn advance(&mut self, driven: u64);
    /// Receives a line of the debug report.
    fn debug(&mut self, line: &str);
    /// Receives a term of a debug run that came to a value.
    fn stepped(&mut self, _step: &Stepped) {}
    /// Receives a part of the run that ends now, with its start.
    fn passed(&mut self, _part: Part, _since: Instant) {}
}
