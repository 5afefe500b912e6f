//! The log of the worker, in which no secret shows, whoever wrote the line.

use std::io::{self, Write};
use std::sync::OnceLock;

use super::config::Secrets;

static SECRETS: OnceLock<Secrets> = OnceLock::new();

/// Keeps secrets out of the log from now on.
pub(super) fn hide(secrets: &Secrets) {
    // They are set once.
    let _ = SECRETS.set(secrets.clone());
}

/// A way out through which no secret goes. Each piece is a line.
#[derive(Debug)]
pub struct Quiet<W>(pub W);

impl<W: Write> Write for Quiet<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match SECRETS.get() {
            None => self.0.write_all(bytes)?,
            Some(secrets) => {
                let line = secrets.redact(&String::from_utf8_lossy(bytes));
                self.0.write_all(line.as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
