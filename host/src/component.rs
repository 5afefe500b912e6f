//! `mcp-pif component`: writes an embedded component to a file, for other hosts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use pif_sandbox::{ANALYST, ANALYST_HASH, COMPONENT, HASH};

use super::print::{is_terminal, print, print_bytes};

#[derive(Debug, Args)]
pub(super) struct Component {
    /// Where to write it [default: stdout]
    file: Option<PathBuf>,
    /// The analyst, which tells of programs before they run, and not the evaluator
    #[arg(long)]
    analyst: bool,
}

impl Component {
    pub(super) fn execute(&self) -> Result<ExitCode> {
        let (bytes, hash) = if self.analyst { (ANALYST, ANALYST_HASH) } else { (COMPONENT, HASH) };
        match &self.file {
            Some(file) => write(file, bytes, hash),
            None if is_terminal() => bail!("a terminal cannot show the component: name a file"),
            None => Ok(print_bytes(bytes)),
        }
    }
}

fn write(file: &Path, bytes: &[u8], hash: &str) -> Result<ExitCode> {
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(print(&format!("{}\n{} bytes\nsha256 {hash}", file.display(), bytes.len())))
}
