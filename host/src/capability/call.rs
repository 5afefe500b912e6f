//! `mcp-pif capability call`.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use pif_broker::Client;
use pif_domain::{Approval, Call, CallOutcome, CallResult};

use super::super::print::{complain, print};
use super::super::source::read;

/// The longest that a call may take with the start of its server. The broker gives it less.
const PATIENCE: Duration = Duration::from_secs(3_690);

#[derive(Debug, Args)]
pub(super) struct CallOne {
    /// `SERVER.TOOL`
    name: String,
    /// The arguments, a JSON object; `-` reads stdin, `@FILE` a file
    #[arg(default_value = "{}")]
    arguments: String,
    /// Call a tool whose grant is `ask`
    #[arg(long)]
    yes: bool,
    /// Print the whole result instead of the value
    #[arg(long)]
    raw: bool,
}

impl CallOne {
    pub(super) async fn execute(self, client: &Client) -> Result<ExitCode> {
        let calls = [Call { tool: self.name, args: read(&self.arguments)?, is_raw: self.raw }];
        let approved = [self.yes.then_some(Approval::Once)];
        let told = match client.call(&calls, 1, PATIENCE, &approved).await {
            Ok(outcomes) => match outcomes.into_iter().next() {
                Some(CallResult { outcome: CallOutcome::Value(value), beside, .. }) => {
                    if let Some(warning) = beside.warning {
                        complain(&format!("mcp-pif: warning: {warning}"));
                    }
                    return Ok(print(&value));
                }
                Some(CallResult { outcome: CallOutcome::Failed(it), .. }) => {
                    format!("{}: {}", it.reason.name(), it.message)
                }
                None => "nothing came of it".to_owned(),
            },
            Err(unsent) => {
                let refusal = unsent.refusal(&calls);
                let hint = refusal.hint.map(|hint| format!("\n  {hint}")).unwrap_or_default();
                format!("{}: {}{hint}", refusal.code, refusal.message)
            }
        };
        complain(&format!("mcp-pif: {told}"));
        Ok(ExitCode::FAILURE)
    }
}
