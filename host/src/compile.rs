//! `mcp-pif compile`: compiles an embedded component for a server that is starting.

use std::path::{Path, PathBuf};
use std::process::{self, Child, ExitCode, Stdio};
use std::{env, io};

use anyhow::{Result, anyhow};
use clap::Args;
use pif_sandbox::{Addresses, EmbeddedComponent, compile};

use super::print::print_bytes;

#[derive(Debug, Args)]
pub(super) struct Compile {
    /// The cache
    directory: PathBuf,
    /// For a process that has little address space
    #[arg(long)]
    scarce: bool,
    /// The analyst, and not the evaluator
    #[arg(long)]
    analyst: bool,
}

impl Compile {
    /// Writes the compiled component to stdout, for the server that started this process.
    pub(super) fn execute(&self) -> Result<ExitCode> {
        let addresses = if self.scarce { Addresses::Scarce } else { Addresses::Ample };
        let which =
            if self.analyst { EmbeddedComponent::Analyst } else { EmbeddedComponent::Evaluator };
        let code = compile(which, &self.directory, addresses).map_err(|reason| anyhow!(reason))?;
        Ok(print_bytes(&code))
    }
}

/// Starts a process that runs `mcp-pif compile`.
pub(super) fn start_compiler(
    which: EmbeddedComponent,
    cache: &Path,
    addresses: Addresses,
) -> io::Result<Child> {
    let mut compiler = process::Command::new(env::current_exe()?);
    compiler.arg("compile").arg(cache);
    if addresses == Addresses::Scarce {
        compiler.arg("--scarce");
    }
    if which == EmbeddedComponent::Analyst {
        compiler.arg("--analyst");
    }
    // The compiler must not inherit the server's settings.
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("MCP_") {
            compiler.env_remove(name);
        }
    }
    compiler.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}
