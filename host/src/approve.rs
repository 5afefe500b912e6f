//! `mcp-pif approve`: decides runs that wait for an approval.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_domain::text::time;
use pif_domain::{Approval, Choice, Decision, Fault, named};
use pif_server::config::Options;
use pif_server::render::question;
use pif_server::workshop::{ApprovalWait, WaitingRun, Workshop};

use super::open::open;
use super::print::{Output, fail};
use super::settings::{Directory, existing};

#[derive(Debug, Args)]
pub(super) struct Approve {
    /// The number of a run; without it all runs that wait are shown
    run: Option<i64>,
    /// Decline its calls
    #[arg(long, requires = "run")]
    deny: bool,
    /// Approve later calls of these tools in this run too
    #[arg(long, requires = "run", conflicts_with = "deny")]
    whole_run: bool,
    #[command(flatten)]
    place: Directory,
}

impl Approve {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let workshop = open(&existing(options, &self.place)?)?;
        let done = match self.run {
            None => workshop.kept().map(|all| list(&all)),
            Some(run) => self.decide(run, &workshop),
        };
        Ok(done.unwrap_or_else(|fault| fail(&[fault])))
    }

    /// Writes the decision down. The server goes on with the run when the client asks for it.
    fn decide(&self, run: i64, workshop: &Workshop) -> Result<ExitCode, Fault> {
        let kept = workshop.find_kept(run)?;
        let (choice, word) = match (self.deny, self.whole_run) {
            (true, _) => (Choice::Decline, "declined"),
            (false, true) => (Choice::Run, "approved for the whole run"),
            (false, false) => (Choice::Once, "approved"),
        };
        workshop.decide(&kept, Decision { choice, by: Approval::Once })?;
        let mut output = Output::open();
        output.line(&format!("{word}: run {run}. {}", question(&kept.waiting().wishes)));
        let call = format!("run {{\"resume\": {run}}}");
        output.line(&format!("it goes on when the client calls: {}", named(&call)));
        Ok(output.close())
    }
}

fn list(all: &[WaitingRun]) -> ExitCode {
    let mut output = Output::open();
    for kept in all {
        let ApprovalWait { run, wishes, decision, until, .. } = kept.waiting();
        let state =
            if decision.is_some() { "is decided and waits for the client" } else { "waits" };
        let until = time::format(until);
        output.line(&format!("run {run} {state} until {until}. {}", question(&wishes)));
    }
    output.close()
}
