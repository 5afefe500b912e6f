//! Panics, whose messages leave by the program's own standard error, which may be slow or fail.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic;
use std::thread;
use std::time::Duration;

use super::errors::{complain, settle};

/// Waits for the last lines on standard error when it is dropped: at the end of `main`, also where a
/// panic ends it.
#[derive(Debug)]
#[must_use = "it waits when it is dropped"]
pub struct LastLines(Duration);

impl LastLines {
    /// A guard that gives up if no line is written for `patience`.
    pub fn new(patience: Duration) -> Self {
        Self(patience)
    }
}

impl Drop for LastLines {
    fn drop(&mut self) {
        settle(self.0);
    }
}

/// Writes the messages of panics to standard error, as lines of `program`.
pub fn report_panics(program: &'static str) {
    panic::set_hook(Box::new(move |panic| {
        let name = thread::current().name().unwrap_or("without a name").to_owned();
        let trace = Backtrace::capture();
        let trace = match trace.status() {
            BacktraceStatus::Captured => format!("\n{trace}"),
            _ => String::new(),
        };
        complain(&format!("{program}: thread {name} {panic}{trace}"));
    }));
}
