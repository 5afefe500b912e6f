//! The database that is meant, and how to get in.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::address::Address;

/// The database that is meant, and how to get in.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where it is, and as whom.
    pub address: Address,
    /// A file with the password and nothing else.
    pub password_file: Option<PathBuf>,
    /// How long connecting and logging in may take.
    pub deadline: Duration,
}

impl Target {
    /// The arguments of the process that relays sessions with it.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = ["broker", "relay", "--address"].map(Into::into).into();
        words.push(self.address.to_string().into());
        if let Some(file) = &self.password_file {
            words.extend(["--password-file".into(), file.into()]);
        }
        let milliseconds = self.deadline.as_millis().to_string();
        words.extend(["--deadline-ms".into(), milliseconds.into()]);
        words
    }
}
