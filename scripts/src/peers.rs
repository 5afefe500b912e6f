//! The programs of `bench.json` and some more in the sandbox and in the interpreters that one would
//! pick instead, in one interleaved run: every round runs each program in each, five times in a
//! row, of which the last counts. A peer is one process for all rounds, so its start does not count.
//! After that the round trips of which figures of the original are on record.

mod baseline;
mod process;

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use pif_sandbox::Sandbox;
use process::{Answer, Peer};

use crate::bench::{self, Bench, median, sandboxed, warm};

/// What a ratio to Monty must not exceed; to the others it is 1.
const MONTY: f64 = 0.1;

/// Runs so many rounds.
pub(crate) fn run(rounds: usize) -> Result<()> {
    let mut peers = Vec::new();
    for known in process::known() {
        match known.start() {
            Ok(peer) => peers.push(peer),
            Err(error) => println!("without {}: {error:#}", known.name),
        }
    }
    let mut benches = bench::read("tests/cases/bench.json")?;
    benches.extend(bench::read("scripts/peers/workloads.json")?);
    let table = measure(&benches, &mut peers, rounds)?;
    println!("{rounds} rounds; medians, and how far apart the middle half is\n");
    print!("{:24}{:>14}", "", "sandbox ms");
    for peer in &peers {
        print!("{:>24}", format!("÷ {}", peer.version));
    }
    println!();
    for (bench, rows) in benches.iter().zip(&table) {
        println!("{}", line(bench, rows, &peers));
    }
    println!();
    for (column, peer) in peers.iter().enumerate() {
        println!("{}", summary(peer, column, &table));
    }
    for (peer, name, reason) in peers.iter().flat_map(Peer::unable) {
        println!("{peer} does not run {name}: {reason}");
    }
    baseline::run()
}

/// A round: our milliseconds, and each peer's if it can.
type Round = (f64, Vec<Option<f64>>);

fn measure(benches: &[Bench], peers: &mut [Peer], rounds: usize) -> Result<Vec<Vec<Round>>> {
    let sandbox = Sandbox::open(None, 2)?;
    let mut table: Vec<Vec<Round>> = benches.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (bench, rows) in benches.iter().zip(&mut table) {
            let ours = warm(|| sandboxed(&sandbox, bench))?;
            let mut theirs = Vec::new();
            for peer in peers.iter_mut() {
                theirs.push(match warm(|| peer.run(&bench.name))? {
                    Answer::Unable => None,
                    Answer::Value(time, value) => {
                        let (name, version) = (&bench.name, &peer.version);
                        let ours = &bench.value;
                        ensure!(value == *ours, "{name}: {version} gives {value}, not {ours}");
                        Some(time)
                    }
                });
            }
            rows.push((ours, theirs));
        }
    }
    Ok(table)
}

/// A row of the table. A ratio that is over its bound is marked.
fn line(bench: &Bench, rows: &[Round], peers: &[Peer]) -> String {
    let ours: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let mut line = format!("{:24}{:>8.3}", bench.name, median(ours.clone()));
    let _ = write!(line, "{:>6}", format!("±{:.0}%", spread(ours) * 50.0));
    for (column, peer) in peers.iter().enumerate() {
        let ratios = ratios(rows, column);
        let cell = if ratios.is_empty() {
            "–".to_owned()
        } else {
            let (middle, half) = (median(ratios.clone()), spread(ratios) * 50.0);
            let mark = if middle <= bound(peer) { ' ' } else { '!' };
            format!("{middle:.3} ±{half:.0}%{mark}")
        };
        let _ = write!(line, "{cell:>24}");
    }
    line
}

fn bound(peer: &Peer) -> f64 {
    if peer.name == "Monty" { MONTY } else { 1.0 }
}

fn ratios(rows: &[Round], column: usize) -> Vec<f64> {
    let ratio = |row: &Round| row.1.get(column).copied().flatten().map(|theirs| row.0 / theirs);
    rows.iter().filter_map(ratio).collect()
}

/// The distance of the quartiles, as a share of the median.
fn spread(samples: Vec<f64>) -> f64 {
    let mut samples = samples;
    samples.sort_by(f64::total_cmp);
    let at = |part: usize| samples.get(samples.len() * part / 4).copied();
    let quartiles = at(3).zip(at(1)).map(|(high, low)| high - low);
    quartiles.map_or(f64::NAN, |distance| distance / median(samples))
}

fn summary(peer: &Peer, column: usize, table: &[Vec<Round>]) -> String {
    let ratios = table.iter().map(|rows| ratios(rows, column)).filter(|ratios| !ratios.is_empty());
    let ratios: Vec<f64> = ratios.map(median).collect();
    let count = ratios.len();
    let within = ratios.iter().filter(|ratio| **ratio <= bound(peer)).count();
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a few programs")]
    let mean = (logarithms / count as f64).exp();
    let bound = bound(peer);
    format!(
        "÷ {}: geometric mean {mean:.3}, {within} of {count} programs at most {bound}",
        peer.version
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_that_of_the_middle_half() {
        assert!((spread(vec![9.0, 10.0, 11.0, 1000.0, 0.0]) - 0.2).abs() < 1e-9);
        assert!(spread(vec![5.0; 11]).abs() < 1e-9);
    }

    /// Each program is in every peer's text under its own name, so that none is left out unseen.
    #[test]
    fn every_program_is_in_every_peer() -> Result<()> {
        let mut benches = bench::read("tests/cases/bench.json")?;
        benches.extend(bench::read("scripts/peers/workloads.json")?);
        for file in ["programs.py", "programs.js", "programs.lua"] {
            let text =
                std::fs::read_to_string(crate::tasks::root().join("scripts/peers").join(file))?;
            for bench in &benches {
                let lua_cannot = file == "programs.lua" && bench.name.starts_with("parse");
                let name = format!("\"{}\"", bench.name);
                ensure!(text.contains(&name) != lua_cannot, "{file}: {name}");
            }
        }
        Ok(())
    }
}
