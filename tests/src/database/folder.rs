//! Folders of databases under test. Their names have the number of the process that made them, so that a
//! later one removes what a process that was killed has left.

use anyhow::{Context as _, Result};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What begins the name of a folder. The number of a process follows.
const PREFIX: &str = "pif-pg-";

/// Where they are: the path of a Unix socket is short.
const PLACE: &str = "/tmp";

/// How long a database of nobody may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes a folder, and removes those of processes that are gone.
pub fn make() -> Result<TempDir> {
    for entry in fs::read_dir(PLACE)?.flatten() {
        let name = entry.file_name();
        if name.to_str().and_then(maker).is_some_and(|maker| !is_alive(maker)) {
            end(&entry.path());
            // Another test may remove it at the moment.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let prefix = format!("{PREFIX}{}-", std::process::id());
    tempfile::Builder::new().prefix(&prefix).tempdir_in(PLACE).context(PLACE)
}

/// The process that made the folder of a name.
fn maker(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.split_once('-')?.0.parse().ok()
}

fn is_alive(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

/// Ends the database in a folder, if one runs there.
fn end(folder: &Path) {
    let file = fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
    let Some(process) = file.lines().next().and_then(|line| line.parse::<u32>().ok()) else {
        return;
    };
    let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let name = folder.as_os_str().as_encoded_bytes();
    if !command.windows(name.len()).any(|part| part == name) {
        return;
    }
    let _ = Command::new("kill").args(["-QUIT", &process.to_string()]).status();
    let begun = Instant::now();
    while is_alive(process) && begun.elapsed() < PATIENCE {
        sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_removed() -> Result<()> {
        let mut child = Command::new("true").spawn()?;
        child.wait()?;
        let left = Path::new(PLACE).join(format!("{PREFIX}{}-left", child.id()));
        fs::create_dir_all(left.join("data"))?;
        let first = make()?;
        assert!(!left.exists());
        let _second = make()?;
        assert!(first.path().exists());
        Ok(())
    }
}
