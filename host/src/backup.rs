//! `mcp-pif backup`: copies tools, journal and memory to one file.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_server::config::Options;
use pif_server::workshop::{self, Contents};

use super::print::print;
use super::settings::{Directory, ensure_file, existing};

#[derive(Debug, Args)]
pub(super) struct Backup {
    /// Where to write it
    file: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    place: Directory,
}

impl Backup {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = existing(options, &self.place)?;
        ensure_file(&config, "its own tools back it up, as pg_dump does")?;
        let contents = workshop::back_up(&config, &self.file, self.force)?;
        Ok(print(&format!("{}: {}", self.file.display(), render_contents(&contents))))
    }
}

/// Describes the contents of a backup.
pub(super) fn render_contents(Contents { journal, tools, keys }: &Contents) -> String {
    let entries = journal.count().unsigned_abs();
    let count = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let tools = count(*tools, "tool", "tools");
    let keys = count(*keys, "key", "keys");
    format!("{tools}, {keys} of the memory, {} of the journal", count(entries, "entry", "entries"))
}
