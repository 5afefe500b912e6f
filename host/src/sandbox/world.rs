//! What surrounds a run. A machine asks the world and waits for its answers; nothing else reaches
//! it.

use std::pin::Pin;

use super::bindings::{Answer, Effect};
use crate::domain::Fault;

/// A question that may take a while. A run that waits for an answer takes no time of a processor.
pub type Asking<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What surrounds a run: the sources of tools, what answers effects, and those who watch it.
pub trait World: Send {
    /// The source of a tool, or why that cannot be told.
    fn source<'a>(&'a mut self, tool: &'a str) -> Asking<'a, Result<Option<String>, Fault>>;
    /// The name of a tool that somebody who wrote `tool` may have meant.
    fn similar<'a>(&'a mut self, tool: &'a str) -> Asking<'a, Option<String>>;
    /// Does something in the world: the answer is [`Answer::Outcome`], or [`Answer::Denied`] where
    /// nothing grants the capability. The clock of the run stands still meanwhile.
    fn perform<'a>(&'a mut self, effect: &'a Effect) -> Asking<'a, Result<Answer, Fault>>;
    /// Called before each continuation that is driven, with the count of those driven so far.
    fn advance(&mut self, driven: u64);
    /// Takes a line of the debug report.
    fn debug(&mut self, line: &str);
}
