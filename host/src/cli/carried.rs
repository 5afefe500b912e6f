//! What the binary carries and writes out on request: the evaluator, completions for shells and
//! the manual.

use std::path::{Path, PathBuf};
use std::process::{self, Child, ExitCode, Stdio};
use std::{env, fs, io};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Line;
use super::print::{is_terminal, print, print_bytes};
use crate::sandbox::{Addresses, COMPONENT, HASH, compile};

#[derive(Debug, Args)]
pub(super) struct Component {
    /// Where to write it; without, it goes to stdout
    file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Completions {
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct Manual {
    /// The page of this command, and not that of mcp-pif
    command: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Compile {
    /// The cache
    directory: PathBuf,
    /// For a process that has little address space
    #[arg(long)]
    scarce: bool,
}

impl Component {
    pub(super) fn execute(&self) -> Result<ExitCode> {
        match &self.file {
            Some(file) => write(file),
            None if is_terminal() => bail!("a terminal does not show it: name a file"),
            None => Ok(print_bytes(COMPONENT)),
        }
    }
}

fn write(file: &Path) -> Result<ExitCode> {
    fs::write(file, COMPONENT).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(print(&format!("{}\n{} bytes\nsha256 {HASH}", file.display(), COMPONENT.len())))
}

impl Completions {
    pub(super) fn execute(&self) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Line::command(), NAME, &mut script);
        print_bytes(&script)
    }
}

impl Compile {
    /// Writes what was compiled to stdout, for the server that has started this.
    pub(super) fn execute(&self) -> Result<ExitCode> {
        let addresses = if self.scarce { Addresses::Scarce } else { Addresses::Ample };
        let code = compile(&self.directory, addresses).map_err(|reason| anyhow!(reason))?;
        Ok(print_bytes(&code))
    }
}

/// Starts a process that does that.
pub(super) fn start_compiler(cache: &Path, addresses: Addresses) -> io::Result<Child> {
    let mut compiler = process::Command::new(env::current_exe()?);
    compiler.arg("compile").arg(cache);
    if addresses == Addresses::Scarce {
        compiler.arg("--scarce");
    }
    // No setting of the server is one of the compiler.
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("MCP_") {
            compiler.env_remove(name);
        }
    }
    compiler.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

const NAME: &str = "mcp-pif";

impl Manual {
    pub(super) fn execute(&self) -> Result<ExitCode> {
        let mut line = Line::command();
        line.build();
        let command = match &self.command {
            None => line,
            Some(name) => {
                let found = line.find_subcommand(name);
                found.with_context(|| format!("there is no command `{name}`"))?.clone()
            }
        };
        let name = command.get_display_name().unwrap_or(NAME).to_owned();
        let mut page = Vec::new();
        Man::new(command).title(name.to_uppercase()).render(&mut page)?;
        Ok(print_bytes(&page))
    }
}
