//! Turns this process into a server: it makes itself die with the broker, gives up
//! files that it must not reach, and becomes the program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use pif_system::die_with_parent;

/// What to become, and how.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Whether only these files can be reached.
    pub walled: bool,
    /// To read, and to execute.
    pub read: Vec<PathBuf>,
    /// To read and write.
    pub write: Vec<PathBuf>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

impl Launch {
    /// The exit code of what became no other program. Shells have the same.
    pub const FAILED: u8 = 127;

    /// Becomes the program. It returns only if that is impossible.
    #[must_use]
    pub fn launch(self) -> io::Error {
        die_with_parent();
        if self.walled
            && let Err(error) = wall(&self.read, &self.write)
        {
            return error;
        }
        let mut words = self.command.into_iter();
        let Some(program) = words.next() else { return io::ErrorKind::InvalidInput.into() };
        let error = Command::new(&program).args(words).exec();
        io::Error::new(error.kind(), format!("{}: {error}", program.to_string_lossy()))
    }
}

#[cfg(target_os = "linux")]
fn wall(read: &[PathBuf], write: &[PathBuf]) -> io::Result<()> {
    pif_system::harden::confine(read, write)
}

#[cfg(not(target_os = "linux"))]
fn wall(_read: &[PathBuf], _write: &[PathBuf]) -> io::Result<()> {
    Err(io::Error::other("Landlock is a part of Linux"))
}
