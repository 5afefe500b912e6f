//! `mcp-pif runs`: durable runs and those that wait for an approval.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, Subcommand};
use pif_domain::Limit;
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::{Completion, Watch, finish};
use pif_server::config::Options;
use pif_server::render::run_line;
use pif_server::workshop::{KeptRun, Resolution, Workshop};

use super::open::open;
use super::print::{Output, fail, print};
use super::run::{Terminal, link};
use super::settings::{Directory, existing};

#[derive(Debug, Args)]
pub(super) struct Runs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show all runs, as without an action
    List,
    /// Show a run
    Show {
        /// Its number
        run: i64,
    },
    /// Go on with a run that was interrupted, and print its value
    Resume {
        /// Its number
        run: i64,
    },
    /// Say what came of a call of which nobody knows what it did
    Decide {
        /// The number of the run
        run: i64,
        /// Make the call again
        #[arg(long, group = "what")]
        retry: bool,
        /// Go on without a value: a fault that the program may catch
        #[arg(long, group = "what")]
        skip: bool,
        /// It was done, with this JSON as its value
        #[arg(long, group = "what", value_name = "JSON", num_args = 0..=1, default_missing_value = "null")]
        done: Option<String>,
    },
    /// End a run
    Cancel {
        /// Its number
        run: i64,
    },
}

impl Runs {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let mut config = existing(options, &self.place)?;
        if let Some(Action::Resume { run }) = self.action {
            // It ends with this process, and its broker too.
            let (broker, _runtime) = link(&mut config)?.unzip();
            let times = [Limit::WallClock, Limit::DurableWaiting].map(|it| config.values.time(it));
            let workshop = open(&config)?.calling(broker);
            let watch = Watch::new(times[0]).waiting_at_most(times[1]);
            return Ok(resume(run, &workshop, &watch).unwrap_or_else(|fault| fail(&[fault])));
        }
        let workshop = open(&config)?;
        let done = match self.action {
            None | Some(Action::List) => workshop.runs().map(|runs| list(&runs)),
            Some(Action::Show { run }) => workshop.find_run(run).map(|run| list(&[run])),
            Some(Action::Decide { run, retry, skip, done }) => {
                decide(run, (retry, skip, done), &workshop)
            }
            Some(Action::Cancel { run }) => {
                let cancelled = workshop.find_run(run).and_then(|kept| workshop.cancel(&kept));
                cancelled.and_then(|()| workshop.find_run(run)).map(|run| list(&[run]))
            }
            Some(Action::Resume { .. }) => Ok(ExitCode::FAILURE),
        };
        Ok(done.unwrap_or_else(|fault| fail(&[fault])))
    }
}

fn list(runs: &[KeptRun]) -> ExitCode {
    let mut output = Output::open();
    for run in runs {
        output.line(&run_line(&run.status()));
    }
    output.close()
}

fn decide(
    run: i64,
    (retry, skip, done): (bool, bool, Option<String>),
    workshop: &Workshop,
) -> Result<ExitCode, Fault> {
    let resolution = match (retry, skip, done) {
        (true, ..) => Resolution::Retry,
        (_, true, _) => Resolution::Skip,
        (.., Some(value)) => {
            serde_json::from_str::<serde::de::IgnoredAny>(&value).map_err(|error| {
                fault(FaultCode::Malformed, format!("`--done` takes JSON: {error}"), None)
            })?;
            Resolution::Done(value)
        }
        _ => {
            let message = "say what came of the call".to_owned();
            let hint = Some("--retry, --skip, or --done with its value");
            return Err(fault(FaultCode::Malformed, message, hint));
        }
    };
    let decided = workshop.say(&workshop.find_run(run)?, &resolution)?;
    Ok(list(&[decided]))
}

fn resume(run: i64, workshop: &Workshop, watch: &Watch) -> Result<ExitCode, Fault> {
    let kept = workshop.find_run(run)?;
    let done = match kept.finished() {
        Some(finished) => finished,
        None => {
            let mut terminal = Terminal;
            let by_hand = Arc::default();
            finish(workshop.resume_durable_in_turns(kept, by_hand, &mut terminal, watch))?
        }
    };
    match done.outcome.ending {
        Ok(Completion::Value(value)) => Ok(print(&value.json)),
        Ok(Completion::Continuation(next)) => Ok(print(&next.json)),
        Err(fault) => Err(fault),
    }
}
