//! Random terms are written in the notation, and read back as they were.
//! `PIF_RANDOM_TERMS=100000` takes so many, `PIF_RANDOM_SEED=5` from another seed on.

use anyhow::{Context, Result, ensure};
use pif_guest::request::Source;
use pif_tests::fuzz::notation::round_trip_of;
use pif_tests::generate::sample;

fn setting(name: &str, default: u64) -> Result<u64> {
    match std::env::var(name) {
        Ok(text) => text.parse().with_context(|| format!("{name}={text}")),
        Err(_) => Ok(default),
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "how many terms were tried is the result")]
fn random_terms_are_written_and_read_back() -> Result<()> {
    let first = setting("PIF_RANDOM_SEED", 0)?;
    let count = setting("PIF_RANDOM_TERMS", 10_000)?;
    let (mut tried, mut json, mut bytes) = (0, 0, 0);
    for seed in first..first + count {
        let program = sample(seed).program;
        let code = match program.code {
            Source::Term(text) => Some(text),
            Source::Tool(_) => None,
        };
        for code in code.into_iter().chain(program.tools.into_iter().map(|(_, source)| source)) {
            let written = round_trip_of(&code).with_context(|| format!("seed {seed}"))?;
            if let Some(written) = written {
                (tried, json, bytes) = (tried + 1, json + code.len(), bytes + written.len());
            }
        }
    }
    ensure!(tried > count / 2, "only {tried} terms");
    eprintln!("{tried} random terms, {json} bytes of JSON, {bytes} in the notation");
    Ok(())
}
