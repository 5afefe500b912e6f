//! Measures what measuring costs: short runs on a server with everything on, on one with nothing that
//! can be off, and on one of another binary, in turn.

use anyhow::{Result, ensure};
use pif_tests::server::binary;
use pif_tests::server::folder::{Folder, cache};
use pif_tests::server::pipe::Pipe;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Runs of a server before another one has its turn.
const TURN: usize = 50;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Turns of each server
    #[arg(long, default_value_t = 200)]
    turns: usize,
    /// A binary from before, to compare the one without anything on with
    #[arg(long)]
    before: Option<PathBuf>,
}

/// A server under measurement.
struct Measured {
    name: &'static str,
    server: Pipe,
    /// The medians of its turns, in nanoseconds.
    medians: Vec<f64>,
    _folders: [Folder; 2],
}

/// Measures.
pub(crate) fn run(options: &Options) -> Result<()> {
    let own = binary::for_release()?;
    let mut all = vec![
        start("off", &own, &[])?,
        start("on", &own, &["--trace-payloads", "full", "--toolsets", "core,debug"])?,
    ];
    if let Some(before) = &options.before {
        all.push(start("before", before, &[])?);
    }
    // One turn each to warm up.
    for turn in 0..=options.turns {
        for at in 0..all.len() {
            // Whoever is first has no better place than others.
            let at = (at + turn) % all.len();
            let Some(measured) = all.get_mut(at) else { continue };
            let median = measured.turn()?;
            if turn > 0 {
                measured.medians.push(median);
            }
        }
    }
    let medians: Vec<(&str, f64)> =
        all.iter().map(|it| (it.name, median(it.medians.clone()))).collect();
    for (name, time) in &medians {
        println!("{name:8} {:.1} µs a run", time / 1e3);
    }
    let of = |name: &str| all.iter().find(|it| it.name == name);
    for (name, base) in [("on", "off"), ("off", "before")] {
        let (Some(it), Some(base_it)) = (of(name), of(base)) else { continue };
        // Turns that stand side by side meet the machine in one mood.
        let pairs = it.medians.iter().zip(&base_it.medians);
        let ratio = median(pairs.map(|(it, base)| it / base).collect());
        println!("{name} ÷ {base}: {ratio:.3}");
    }
    all.into_iter().try_for_each(|it| it.server.finish())
}

fn start(name: &'static str, binary: &Path, flags: &[&str]) -> Result<Measured> {
    let data = Folder::new()?;
    let traces = Folder::new()?;
    let mut command = Command::new(binary);
    command.env_clear().env("MCP_PIF_CACHE", cache()).arg("--data").arg(data.path()).args(flags);
    if name == "on" {
        command.arg("--trace-dir").arg(traces.path());
    }
    let server = Pipe::start(&mut command)?;
    Ok(Measured { name, server, medians: Vec::new(), _folders: [data, traces] })
}

impl Measured {
    /// The median of short runs, in nanoseconds.
    fn turn(&mut self) -> Result<f64> {
        let arguments = json!({"code": "[1, 2, 3].map(x => x * 2).sum()"});
        let mut times = Vec::with_capacity(TURN);
        for _ in 0..TURN {
            let start = Instant::now();
            let told: Value = self.server.call("run", &arguments)?;
            times.push(nanoseconds(start.elapsed()));
            ensure!(told["structuredContent"]["value"] == 12, "{told}");
        }
        Ok(median(times))
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}
