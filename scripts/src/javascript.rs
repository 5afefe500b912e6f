//! Random programs of JavaScript on the machine and on node.

use anyhow::{Result, ensure};
use pif_tests::generate::javascript::{DATA, Javascript};
use pif_tests::javascript::{Answers, Node, equal, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// How many programs, and which.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Programs of each kind: expressions, and statements
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// The seed of the first program
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Show so many programs that are refused
    #[arg(long, default_value_t = 5)]
    show: usize,
    /// Write so many programs of each kind with node's values to tests/javascript
    #[arg(long)]
    record: Option<u64>,
}

/// Compares programs, or records what node says of them.
pub(crate) fn compare(options: &Options) -> Result<()> {
    let data: Value = serde_json::from_str(DATA)?;
    let mut node = Node::start()?;
    if let Some(count) = options.record {
        return record(&mut node, &data, count);
    }
    let mut different = 0;
    for (kind, _, make) in KINDS {
        let mut with_value = 0_u64;
        let mut refused = 0_u64;
        let mut shown = 0;
        for seed in options.seed..options.seed + options.count {
            let code = make(seed);
            let Some(value) = node.value(&code, &data)? else { continue };
            with_value += 1;
            match run(&code, &data, &Answers::new())? {
                Ok(given) if equal(&given, &value) => {}
                Ok(given) => {
                    different += 1;
                    println!("seed {seed}: gave {given}, not {value}\n{code}\n");
                }
                Err(told) => {
                    refused += 1;
                    if shown < options.show {
                        shown += 1;
                        println!("seed {seed}: refused: {told}\n{code}\n");
                    }
                }
            }
        }
        let percent = refused * 100 / with_value.max(1);
        println!("{with_value} {kind} with a value: {refused} refused ({percent} %)");
    }
    ensure!(different == 0, "{different} programs give another value than node");
    Ok(())
}

/// A kind of programs, the file of those that are recorded, and how one is made from a seed.
type Kind = (&'static str, &'static str, fn(u64) -> String);

const KINDS: [Kind; 4] = [
    ("expressions", "recorded", |seed| Javascript::new(seed).expression()),
    ("statements", "recorded", |seed| Javascript::new(seed).statements()),
    ("programs of shared values", "sharing", |seed| Javascript::new(seed).sharing()),
    ("programs of kept elements", "keeping", |seed| Javascript::new(seed).keeping()),
];

/// Bytes of the longest line that is recorded.
const LONGEST: usize = 2000;

fn record(node: &mut Node, data: &Value, count: u64) -> Result<()> {
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    for (_, file, make) in KINDS {
        let lines = files.entry(file).or_default();
        for seed in 1..=count {
            let code = make(seed);
            let Some(value) = node.value(&code, data)? else { continue };
            let line = json!({"code": code, "value": value}).to_string();
            if line.len() < LONGEST {
                writeln!(lines, "{line}")?;
            }
        }
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/javascript");
    for (file, lines) in files {
        std::fs::write(folder.join(format!("{file}.jsonl")), lines)?;
    }
    Ok(())
}
