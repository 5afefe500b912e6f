//! `mcp-pif backup` and `mcp-pif restore`: all that lasts, into one file and back.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::Directory;
use super::print::{complain, print};
use crate::config::Config;
use crate::workshop::{self, Contents};

#[derive(Debug, Args)]
pub(super) struct Backup {
    /// Where to write it
    file: PathBuf,
    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub(super) place: Directory,
}

#[derive(Debug, Args)]
pub(super) struct Restore {
    /// What `mcp-pif backup` has written
    file: PathBuf,
    /// Take the place of a store that is there already, which is kept beside it under another name
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub(super) place: Directory,
}

impl Backup {
    pub(super) fn execute(&self, config: &Config) -> Result<ExitCode> {
        let contents = workshop::back_up(config, &self.file, self.force)?;
        Ok(print(&format!("{}: {}", self.file.display(), tell(&contents))))
    }
}

impl Restore {
    pub(super) fn execute(&self, config: &Config) -> Result<ExitCode> {
        let restored = workshop::restore(config, &self.file, self.force)?;
        if let Some(aside) = restored.aside {
            complain(&format!("the store that was there is now {}", aside.display()));
        }
        Ok(print(&format!("{}: {}", restored.file.display(), tell(&restored.contents))))
    }
}

fn tell(Contents { journal, tools, keys }: &Contents) -> String {
    let entries = journal.count().unsigned_abs();
    let count = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let (tools, keys) = (count(*tools, "tool", "tools"), count(*keys, "key", "keys"));
    format!("{tools}, {keys} of the memory, {} of the journal", count(entries, "entry", "entries"))
}
