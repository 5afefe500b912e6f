//! `mcp-pif capability approve`.

use std::process::ExitCode;

use clap::Args;
use pif_broker::Client;

use super::super::print::{Output, complain};
use super::line::line;

#[derive(Debug, Args)]
pub(super) struct Approve {
    /// `SERVER.TOOL`, or `SERVER` for all of its tools
    name: String,
}

impl Approve {
    pub(super) async fn execute(self, client: &Client) -> ExitCode {
        let approved = client.approve(&self.name).await;
        if !approved.failures.is_empty() {
            approved
                .failures
                .iter()
                .for_each(|failure| complain(&format!("mcp-pif: {}", failure.message)));
            return ExitCode::FAILURE;
        }
        let mut output = Output::open();
        if approved.tools.is_empty() {
            output.line("everything was approved before");
        }
        for offer in &approved.tools {
            output.line(&format!("approved {}", line(offer)));
        }
        output.close()
    }
}
