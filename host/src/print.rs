//! The output of the command line: results to standard output, errors to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use pif_domain::Fault;
use pif_domain::text;
use pif_server::render;
use pif_system::stdio::{Stdout, stdout};

pub(super) use pif_system::stdio::complain;

/// The exit code for an invalid command line.
pub(super) const MISUSE: u8 = 2;

/// The most characters of a line about a program.
pub(super) const MOST_LINE: usize = 10_000;

/// Standard output. All commands write through it.
pub(super) struct Output {
    buffer: BufWriter<Stdout>,
    /// The first error of a write.
    error: Option<io::Error>,
}

impl Output {
    pub(super) fn open() -> Self {
        Self { buffer: BufWriter::new(stdout()), error: None }
    }

    /// Writes a line. False if the output has failed.
    pub(super) fn line(&mut self, text: &str) -> bool {
        self.attempt(|buffer| writeln!(buffer, "{text}"))
    }

    /// Writes bytes unchanged. False if the output has failed.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> bool {
        self.attempt(|buffer| buffer.write_all(bytes))
    }

    /// Flushes the buffer. False if the output has failed.
    pub(super) fn flush(&mut self) -> bool {
        self.attempt(BufWriter::flush)
    }

    /// Flushes the buffer and returns the exit code: success, unless the output has failed.
    pub(super) fn close(mut self) -> ExitCode {
        self.flush();
        let Some(error) = self.error else { return ExitCode::SUCCESS };
        // A reader that closes the pipe early is not an error.
        if error.kind() != io::ErrorKind::BrokenPipe {
            complain(&format!("mcp-pif: the output could not be written whole: {error}"));
        }
        // Dropping the writer would write the rest of the buffer again.
        let _ = self.buffer.into_parts();
        ExitCode::FAILURE
    }

    /// Writes, unless an earlier write has failed.
    fn attempt(&mut self, write: impl FnOnce(&mut BufWriter<Stdout>) -> io::Result<()>) -> bool {
        if self.error.is_none() {
            self.error = write(&mut self.buffer).err();
        }
        self.error.is_none()
    }
}

/// Whether standard output is a terminal.
pub(super) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes a result.
pub(super) fn print(text: &str) -> ExitCode {
    let mut output = Output::open();
    output.line(text);
    output.close()
}

/// Writes bytes unchanged.
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
    faults.iter().for_each(|fault| warn(&fault.warnings));
    complain(&render::explain_all(faults));
    ExitCode::FAILURE
}
