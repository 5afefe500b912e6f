//! Fuzzing with cargo-fuzz.

use crate::tasks::{root, shell};
use anyhow::{Context, Result};
use pif_tests::fuzz::{TARGETS, Target, seeds};
use std::num::NonZeroU64;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: Option<What>,
    /// The targets; all without
    #[arg(value_parser = target)]
    targets: Vec<Target>,
    /// How many minutes to take for each
    #[arg(long, default_value = "1")]
    minutes: NonZeroU64,
}

#[derive(clap::Subcommand)]
enum What {
    /// Make the inputs to start from
    Seeds,
}

/// Where the targets are, from the workspace.
const FOLDER: &str = "tests/fuzz";

/// A stable compiler does it, if it is told that this is no mistake. Nothing here is unsafe, so
/// there is nothing for a sanitizer to find.
const STABLE: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

/// Seconds that one input may take, and megabytes that a target may.
const LIMITS: &str = "-timeout=30 -rss_limit_mb=4096";

/// Runs the targets that are named, or all, one after the other for so many minutes each.
pub(crate) fn run(Options { what, targets, minutes }: &Options) -> Result<()> {
    if let Some(What::Seeds) = what {
        println!("{} seeds", seeds::write(&root().join(FOLDER))?);
        return Ok(());
    }
    let sh = shell()?;
    let install = "fuzzing needs cargo-fuzz; type: cargo install cargo-fuzz --locked";
    cmd!(sh, "cargo fuzz --version").quiet().read().context(install)?;
    for target in if targets.is_empty() { TARGETS } else { targets } {
        fuzz(&sh, target, minutes.get())?;
    }
    Ok(())
}

fn target(name: &str) -> Result<Target> {
    let names = TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    let target = TARGETS.iter().find(|target| target.name == name);
    target.copied().with_context(|| format!("there is {names}"))
}

/// New inputs are gathered in the target directory; those in the tree are only read.
fn fuzz(sh: &Shell, Target { name, corpus, .. }: &Target, minutes: u64) -> Result<()> {
    let gathered = sh.create_dir(format!("{FOLDER}/target/corpus/{name}"))?;
    let options = format!("--fuzz-dir {FOLDER} --sanitizer none --debug-assertions");
    let host = matches!(*corpus, "broker" | "wire").then_some("--features=host");
    let limits = format!("-max_total_time={} -dict={FOLDER}/dictionary.txt {LIMITS}", 60 * minutes);
    let options = options.split(' ');
    let limits = limits.split(' ');
    let seeds = format!("{FOLDER}/corpus/{corpus}");
    let fuzz =
        cmd!(sh, "cargo fuzz run {options...} {host...} {name} {gathered} {seeds} -- {limits...}");
    let (variable, value) = STABLE;
    let found = || format!("`{name}` has found something: it is told above");
    fuzz.env(variable, value).run().with_context(found)
}
