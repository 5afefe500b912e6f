//! `mcp-pif proof check`: checks a proof that two programs are equal. It needs neither the analyst that
//! found the proof nor the store.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use pif_proof::{Proof as Written, check};

use super::print::{complain, print};
use super::source::read_file;

#[derive(Debug, Args)]
pub(super) struct Proof {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Check a proof that two programs are equal, step by step
    Check {
        /// The file with the proof, or `-` for stdin
        file: String,
    },
}

impl Proof {
    pub(super) fn execute(self) -> Result<ExitCode> {
        let Action::Check { file } = self.action;
        let text = read_file(&file)?;
        let outcome = match Written::read(&text) {
            Ok(proof) => check(&proof)
                .map(|()| proof.steps.len())
                .map_err(|(step, reason)| format!("step {}: {reason}", step + 1)),
            Err(reason) => Err(format!("this is no proof: {reason}")),
        };
        Ok(match outcome {
            Ok(1) => print("the programs are equal: 1 step holds"),
            Ok(count) => print(&format!("the programs are equal: {count} steps hold")),
            Err(reason) => {
                complain(&format!("the proof does not hold: {reason}"));
                ExitCode::FAILURE
            }
        })
    }
}
