//! `mcp-pif traces`: the traces that servers have written.

mod batch;
mod collector;
mod position;

use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use pif_domain::quantity::parse_duration;
use pif_server::config::Options;
use tokio::runtime::Builder;

use self::batch::Batch;
use self::collector::{Acceptance, Collector, Header, address};
use self::position::Position;
use super::print::{complain, print};
use super::settings::start;

#[derive(Debug, Args)]
pub(super) struct Traces {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Send the traces of `--trace-dir` to a collector: those that were not sent before
    Push(Push),
}

#[derive(Debug, Args)]
struct Push {
    /// The collector: the whole address for OTLP over HTTP, such as `https://HOST:4318/v1/traces`
    #[arg(long, value_name = "URL", value_parser = address)]
    otlp: reqwest::Url,
    /// A header of each request, `NAME: VALUE`, or `NAME: @FILE` to read the value; may be repeated
    #[arg(long = "header", value_name = "HEADER", value_parser = Header::parse)]
    headers: Vec<Header>,
    /// Go on, and look for new traces at this interval
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    every: Option<Duration>,
}

impl Traces {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let Command::Push(push) = self.command;
        let Some(traces) = start(options, None)?.traces else {
            bail!("there are no traces: --trace-dir DIR names their directory");
        };
        push.execute(&traces.directory)
    }
}

impl Push {
    fn execute(self, directory: &Path) -> Result<ExitCode> {
        let Self { otlp, headers, every } = self;
        let collector = Collector::open(otlp, headers)?;
        let mut position = Position::open(directory)?;
        let Some(every) = every else {
            let calls = send(&collector, &mut position, directory)?;
            return Ok(print(&format!("sent {calls} calls")));
        };
        loop {
            // A collector that fails may work again: nothing is lost meanwhile.
            if let Err(error) = send(&collector, &mut position, directory) {
                complain(&format!("mcp-pif: {error:#}"));
            }
            sleep(every);
        }
    }
}

/// Sends what was not sent before. Returns the number of calls.
fn send(collector: &Collector, position: &mut Position, directory: &Path) -> Result<usize> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut sent = 0;
    while let Some(Batch { calls, body, broken, end }) = Batch::read(directory, position)? {
        if broken > 0 {
            complain(&format!("warning: {broken} lines of {} are no traces", end.day));
        }
        if calls > 0 {
            match runtime.block_on(collector.post(body))? {
                Acceptance::All => sent += calls,
                Acceptance::Part(why) => {
                    complain(&format!("warning: the collector did not take all: {why}"));
                    sent += calls;
                }
                Acceptance::Nothing(why) => {
                    complain(&format!("warning: the collector refuses {calls} calls: {why}"));
                }
            }
        }
        position.move_to(end)?;
    }
    Ok(sent)
}
