//! What the binary carries and writes out on request: the evaluator, completions for shells and
//! the manual.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Line;
use super::print::{Output, is_terminal, print};
use crate::sandbox::{COMPONENT, HASH};

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

fn print_bytes(bytes: &[u8]) -> ExitCode {
    let mut output = Output::open();
    if output.bytes(bytes) { output.close() } else { ExitCode::FAILURE }
}
