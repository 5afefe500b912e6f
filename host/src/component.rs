//! `mcp-pif component`: writes the embedded evaluator to a file, for other hosts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use pif_sandbox::{COMPONENT, HASH};

use super::print::{is_terminal, print, print_bytes};

#[derive(Debug, Args)]
pub(super) struct Component {
    /// Where to write it [default: stdout]
    file: Option<PathBuf>,
}

impl Component {
    pub(super) fn execute(&self) -> Result<ExitCode> {
        match &self.file {
            Some(file) => write(file),
            None if is_terminal() => bail!("a terminal cannot show the component: name a file"),
            None => Ok(print_bytes(COMPONENT)),
        }
    }
}

fn write(file: &Path) -> Result<ExitCode> {
    fs::write(file, COMPONENT).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(print(&format!("{}\n{} bytes\nsha256 {HASH}", file.display(), COMPONENT.len())))
}
