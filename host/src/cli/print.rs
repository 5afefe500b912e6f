//! What the command line writes: results to standard output, complaints to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use crate::domain::Fault;
use crate::render;
use crate::stdio::{Stdout, stdout};
use crate::text;

pub(super) use crate::stdio::complain;

/// Characters of a line about a program.
pub(super) const MOST_LINE: usize = 10_000;

/// The one way to standard output.
pub(super) struct Output {
    buffer: BufWriter<Stdout>,
    /// Why not all of it was written.
    error: Option<io::Error>,
}

impl Output {
    pub(super) fn open() -> Self {
        Self { buffer: BufWriter::new(stdout()), error: None }
    }

    /// Writes a line. False: there is no use in writing more.
    pub(super) fn line(&mut self, text: &str) -> bool {
        self.attempt(|buffer| writeln!(buffer, "{text}"))
    }

    /// Writes bytes as they are. False: as above.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> bool {
        self.attempt(|buffer| buffer.write_all(bytes))
    }

    /// Sees to it that all lines are out. False: as above.
    pub(super) fn flush(&mut self) -> bool {
        self.attempt(BufWriter::flush)
    }

    /// Does the same at the end, and gives the exit code of a command that has succeeded in all else.
    pub(super) fn close(mut self) -> ExitCode {
        self.flush();
        let Some(error) = self.error else { return ExitCode::SUCCESS };
        // Whoever closes a pipe has read what was wanted.
        if error.kind() != io::ErrorKind::BrokenPipe {
            complain(&format!("mcp-pif: the output could not be written whole: {error}"));
        }
        // What is left in the buffer would be tried again.
        let _ = self.buffer.into_parts();
        ExitCode::FAILURE
    }

    /// Writes, unless that has failed before.
    fn attempt(&mut self, write: impl FnOnce(&mut BufWriter<Stdout>) -> io::Result<()>) -> bool {
        if self.error.is_none() {
            self.error = write(&mut self.buffer).err();
        }
        self.error.is_none()
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

/// Writes bytes as they are.
pub(super) fn print_bytes(bytes: &[u8]) -> ExitCode {
    let mut output = Output::open();
    output.bytes(bytes);
    output.close()
}

pub(super) fn warn(warnings: &[String]) {
    for warning in warnings {
        complain(&format!("warning: {}", text::line(warning, MOST_LINE)));
    }
}

pub(super) fn fail(faults: &[Fault]) -> ExitCode {
    for fault in faults {
        warn(&fault.warnings);
        complain(&render::explain(fault));
    }
    ExitCode::FAILURE
}
