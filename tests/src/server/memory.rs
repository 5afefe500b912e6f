//! The memory of a process, in KiB. Only Linux tells it: elsewhere it is 0. A process is told by its id,
//! or is `self`.

use anyhow::{Context, Result};
use std::fmt::Display;
use std::fs;

/// What a process has in use.
pub fn resident(process: impl Display) -> Result<u64> {
    figure(process, "VmRSS:")
}

/// What a process had in use at most.
pub fn peak(process: impl Display) -> Result<u64> {
    figure(process, "VmHWM:")
}

fn figure(process: impl Display, name: &str) -> Result<u64> {
    if !cfg!(target_os = "linux") {
        return Ok(0);
    }
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let figure =
        status.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB"));
    Ok(figure.with_context(|| format!("no {name}"))?.parse()?)
}
