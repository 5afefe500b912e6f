//! What the command line writes: results to standard output, complaints to standard error.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;

use crate::mcp;
use crate::sandbox::Fault;
use crate::text;

/// Characters of a line about a program.
pub(super) const MOST_LINE: usize = 10_000;

/// The one way to standard output.
pub(super) struct Output(BufWriter<StdoutLock<'static>>);

impl Output {
    pub(super) fn open() -> Self {
        Self(BufWriter::new(io::stdout().lock()))
    }

    /// Writes a line. False: nobody reads any more, which there is no one to tell about.
    pub(super) fn line(&mut self, text: &str) -> bool {
        writeln!(self.0, "{text}").is_ok()
    }

    /// Writes bytes as they are. False: as above.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).is_ok()
    }

    /// Sees to it that all lines are out.
    pub(super) fn flush(&mut self) -> bool {
        self.0.flush().is_ok()
    }

    /// The same at the end, and the exit code of a command that has succeeded in all else.
    pub(super) fn close(mut self) -> ExitCode {
        if self.flush() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Whether standard output is read by somebody's eyes.
pub(super) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes a result.
pub(super) fn print(text: &str) -> ExitCode {
    let mut output = Output::open();
    output.line(text);
    output.close()
}

pub(super) fn warn(warnings: &[String]) {
    for warning in warnings {
        complain(&format!("warning: {}", text::line(warning, MOST_LINE)));
    }
}

pub(super) fn fail(faults: &[Fault]) -> ExitCode {
    for fault in faults {
        complain(&mcp::explain(fault));
    }
    ExitCode::FAILURE
}

/// Writes to stderr, which may be a terminal; there is nobody to tell when that fails.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text::visible(text));
}
