//! `mcp-pif capability test`.

use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use pif_broker::Client;

use super::super::print::{Output, complain};
use super::line::line;

#[derive(Debug, Args)]
pub(super) struct Test {
    /// The id of the server
    name: String,
}

impl Test {
    pub(super) async fn execute(self, client: &Client) -> ExitCode {
        let begin = Instant::now();
        let offers = client.offers(Some(&self.name)).await;
        if !offers.failures.is_empty() {
            offers
                .failures
                .iter()
                .for_each(|failure| complain(&format!("mcp-pif: {}", failure.message)));
            return ExitCode::FAILURE;
        }
        offers.remarks.iter().for_each(|remark| complain(&format!("mcp-pif: {remark}")));
        let mut output = Output::open();
        let count = offers.tools.len();
        let time = begin.elapsed();
        output.line(&format!("{}: {count} tools after {} ms", self.name, time.as_millis()));
        for offer in &offers.tools {
            output.line(&line(offer));
        }
        output.close()
    }
}
