//! `mcp-pif restore`: restores the store from a backup.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_server::config::Options;
use pif_server::workshop;

use super::backup::render_contents;
use super::print::{complain, print};
use super::settings::{Directory, ensure_file, start};

#[derive(Debug, Args)]
pub(super) struct Restore {
    /// A file that `mcp-pif backup` has written
    file: PathBuf,
    /// Replace an existing store; it is kept beside the new one under another name
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    place: Directory,
}

impl Restore {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        ensure_file(&config, "its own tools restore it, as pg_restore does")?;
        let restored = workshop::restore(&config, &self.file, self.force)?;
        if let Some(aside) = restored.aside {
            complain(&format!("the store that was there is now {}", aside.display()));
        }
        Ok(print(&format!("{}: {}", restored.file.display(), render_contents(&restored.contents))))
    }
}
