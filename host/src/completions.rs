//! `mcp-pif completions`: prints completions for a shell.

use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use super::print::print_bytes;

#[derive(Debug, Args)]
pub(super) struct Completions {
    shell: Shell,
}

impl Completions {
    pub(super) fn execute(&self, mut line: Command) -> ExitCode {
        let mut script = Vec::new();
        let name = line.get_name().to_owned();
        clap_complete::generate(self.shell, &mut line, name, &mut script);
        print_bytes(&script)
    }
}
