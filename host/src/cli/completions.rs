//! `mcp-pif completions`: for the command line of a shell.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::print::print_bytes;
use super::{Line, NAME};

#[derive(Debug, Args)]
pub(super) struct Completions {
    shell: Shell,
}

impl Completions {
    pub(super) fn execute(&self) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Line::command(), NAME, &mut script);
        print_bytes(&script)
    }
}
