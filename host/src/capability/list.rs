//! `mcp-pif capability list`.

use std::process::ExitCode;

use clap::Args;
use pif_broker::Client;

use super::super::print::{Output, complain};
use super::line::line;

#[derive(Debug, Args)]
pub(super) struct List {
    /// Print all that is known of each tool, and what failed, as JSON lines
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) async fn execute(self, client: &Client) -> ExitCode {
        let offers = client.offers(None).await;
        let mut output = Output::open();
        for offer in &offers.tools {
            let told = if self.json { serde_json::to_string(offer).ok() } else { None };
            output.line(&told.unwrap_or_else(|| line(offer)));
        }
        for failure in &offers.failures {
            let told = if self.json { serde_json::to_string(failure).ok() } else { None };
            complain(&told.unwrap_or_else(|| format!("mcp-pif: {}", failure.message)));
        }
        output.close()
    }
}
