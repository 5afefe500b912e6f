//! What every program in host/examples prints, whatever language it is written in.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pif_sandbox::HASH;
use sha2::{Digest, Sha256};

/// The folder of the examples.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/examples")
}

/// A program that embeds the component.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Its file.
    pub file: &'static str,
    /// What it prints after the lines that all of them print.
    pub rest: &'static [&'static str],
}

const SUM: &str = r#"evaluate {"value":3,"kind":"integer","fuel":3,"peak_memory":16384}"#;
const TRAP: &str = "trapped wasm trap: interrupt";

/// The hash of the term `{"add":[1,2]}`.
const HASH_OF_SUM: &str = "hash 34fa695f03f7b78eac06e0b0e83897cc4f0571dcfc8e6fbf51bb181a8609bd0b";

/// In Rust, with the crate `wasmtime`.
pub const RUST: Example =
    Example { file: "embed.rs", rest: &["lookup square", "done 49", TRAP, SUM] };

/// In Python, with the package `wasmtime`.
pub const PYTHON: Example =
    Example { file: "embed.py", rest: &["lookup square", "done 49", TRAP, SUM, "answers 1"] };

/// With the command line tool of wasmtime.
pub const SHELL: Example = Example { file: "embed.sh", rest: &[TRAP, HASH_OF_SUM] };

/// In Node.js, without wasmtime.
pub const NODE: Example = Example {
    file: "embed.mjs",
    rest: &["lookup square", "done 49", "stopped after 3 slices", SUM],
};

/// Compares what an example has printed with what it must print: the component that the server
/// embeds, and the answer that the evaluator gives natively.
pub fn judge(example: Example, printed: &str) -> Result<()> {
    let request = fs::read_to_string(folder().join("request.json"))?;
    let answer = pif::envelope::evaluate(&request);
    let first = [format!("component {HASH}"), format!("evaluate {answer}")];
    let rest = example.rest.iter().map(|&line| line.to_owned());
    let expected: Vec<String> = first.into_iter().chain(rest).collect();
    let found: Vec<&str> = printed.lines().collect();
    ensure!(found == expected, "{} prints\n{printed}and not\n{expected:#?}", example.file);
    Ok(())
}

/// sha256 of bytes, 64 hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// The value and the fuel that the request of all examples is known to have.
pub fn value_and_fuel() -> Result<(String, u64)> {
    let request = fs::read_to_string(folder().join("request.json"))?;
    let answer: serde_json::Value = serde_json::from_str(&pif::envelope::evaluate(&request))?;
    let fuel = answer["fuel"].as_u64().context("an answer without fuel")?;
    Ok((answer["value"].to_string(), fuel))
}
