//! Instructions of the processor, counted by valgrind's callgrind.

use crate::tasks::shell;
use anyhow::{Context, Result, ensure};
use std::process::{Command, Output};
use xshell::cmd;

const NEEDS: &str = "`valgrind` is needed to count instructions; on Debian and Ubuntu: apt install \
    valgrind. Without it: cargo x counts wasm, or cargo x counts fuel";

/// Which valgrind there is.
pub(super) fn version() -> Result<String> {
    let sh = shell()?;
    cmd!(sh, "valgrind --version").quiet().read().context(NEEDS)
}

/// Instructions of a workload from where it is ready to its end: those of a process that goes
/// there, less those of one that does not. Start and loading are in both.
pub(super) fn between(place: &str, name: &str) -> Result<u64> {
    let ready = collected(place, "ready", name)?;
    let whole = collected(place, "whole", name)?;
    whole.checked_sub(ready).with_context(|| format!("{name}: {whole} in all, {ready} until ready"))
}

/// Instructions of a process of this program.
fn collected(place: &str, extent: &str, name: &str) -> Result<u64> {
    let mut command = Command::new("valgrind");
    // What the environment holds would be read, and counted.
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(std::env::current_exe()?).args(["counts", "one", place, extent, name]);
    let Output { status, stderr, .. } = command.output().context(NEEDS)?;
    let said = String::from_utf8_lossy(&stderr);
    ensure!(status.success(), "{name}, {place}, {extent}: {status}\n{said}");
    total(&said).with_context(|| format!("callgrind tells no total:\n{said}"))
}

/// The figure in the line `==PID== Collected : FIGURE`.
fn total(said: &str) -> Option<u64> {
    let figure = said.lines().find_map(|line| line.split_once("Collected :"))?.1;
    figure.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_found_among_other_lines() {
        let said = "==7== Events    : Ir\n==7== Collected : 1234567\n==7== \n";
        assert_eq!(total(said), Some(1_234_567));
        assert_eq!(total("==7== Events    : Ir\n"), None);
    }
}
