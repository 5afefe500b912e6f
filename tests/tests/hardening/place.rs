//! Where a probe finds what it tries to reach, and how it is told.

use anyhow::{Context, Result};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variables by which a probe is told.
const VARIABLES: [&str; 4] = ["PIF_DATA", "PIF_OUTSIDE", "PIF_PORT", "PIF_SOCKET"];

/// What the test has made for its probe.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The one directory that stays open.
    pub(crate) data: PathBuf,
    /// Another one.
    pub(crate) outside: PathBuf,
    /// A port of this host on which the test listens.
    pub(crate) port: u16,
    /// The name of an abstract socket on which the test listens.
    pub(crate) socket: String,
}

impl Place {
    pub(crate) fn tell(&self, probe: &mut Command) {
        let values = [
            self.data.as_os_str().to_owned(),
            self.outside.as_os_str().to_owned(),
            self.port.to_string().into(),
            self.socket.clone().into(),
        ];
        probe.envs(VARIABLES.into_iter().zip(values));
    }

    pub(crate) fn told() -> Result<Self> {
        let [data, outside, port, socket] = VARIABLES.map(|name| env::var(name).context(name));
        let (data, outside) = (Path::new(&data?).to_owned(), Path::new(&outside?).to_owned());
        Ok(Self { data, outside, port: port?.parse()?, socket: socket? })
    }

    /// Files outside, one for each time that the probe tries everything.
    pub(crate) fn kept(&self) -> [PathBuf; 4] {
        ["1", "2", "3", "4"].map(|name| self.outside.join(name))
    }

    /// A program in the data directory.
    pub(crate) fn program(&self) -> String {
        self.data.join("true").display().to_string()
    }
}
