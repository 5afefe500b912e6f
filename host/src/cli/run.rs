//! `mcp-pif run` and `mcp-pif check`: one term, or one tool.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::print::{MOST_LINE, complain, fail, print, warn};
use super::source::read;
use crate::config::Config;
use crate::mcp;
use crate::quantity::parse_count;
use crate::sandbox::{Argument, Code, Ending, Fault, Outcome, Request, Summary, Watch};
use crate::state::Place;
use crate::text;
use crate::workshop::{Observer, Workshop};

#[derive(Debug, Args)]
pub(super) struct Run {
    /// A term as JSON, or the name of a tool; `-` reads stdin, `@FILE` a file
    #[arg(allow_negative_numbers = true)]
    code: String,
    /// What the term's function is applied to: a term, or text that holds JSON; or `-`, or `@FILE`
    #[arg(conflicts_with = "data", allow_negative_numbers = true)]
    input: Option<String>,
    /// The same as plain JSON, never code; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON", allow_negative_numbers = true)]
    data: Option<String>,
    /// A JSON object whose members are variables of the term; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    context: Option<String>,
    /// A JSON Schema that the value has to conform to; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    output_schema: Option<String>,
    /// How many continuations to drive
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_count)]
    max_steps: u64,
    /// The step of the continuation that the run continues
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_count)]
    step: u64,
}

impl Run {
    pub(super) fn execute(self, config: Config) -> Result<ExitCode> {
        let (limits, debug, wall_clock) = (config.limits, config.debug, config.wall_clock);
        let workshop = open(config)?;
        let tools = match workshop.tools() {
            Ok(tools) => tools,
            Err(fault) => return Ok(fail(&[fault])),
        };
        let code = text::unfence(&read(&self.code)?).to_owned();
        let code = match tools.find(&code) {
            Ok(Some(_)) => Code::Tool(code),
            Ok(None) => Code::Term(code),
            Err(fault) => return Ok(fail(&[fault])),
        };
        let argument = match (self.input, self.data) {
            (Some(input), _) => Argument::Input(as_json(&read(&input)?)),
            (None, Some(data)) => Argument::Data(read(&data)?),
            (None, None) => Argument::None,
        };
        let request = Request {
            code,
            argument,
            context: self.context.as_deref().map(read).transpose()?,
            limits,
            step: self.step,
            max_steps: self.max_steps,
            output_schema: self.output_schema.as_deref().map(read).transpose()?,
            debug,
        };
        let watch = Watch::new(wall_clock);
        Ok(report_run(workshop.run(&request, tools, &mut Terminal, &watch).outcome))
    }
}

/// Who watches a run from the command line.
struct Terminal;

impl Observer for Terminal {
    fn advance(&mut self, _driven: u64) {}

    fn debug(&mut self, line: &str) {
        complain(&text::line(line, MOST_LINE));
    }
}

/// Says what there is to know of a term.
pub(super) fn check(code: &str, config: Config) -> Result<ExitCode> {
    let watch = Watch::new(config.wall_clock);
    let workshop = open(config)?;
    Ok(report_check(workshop.check(text::unfence(&read(code)?), &watch)))
}

/// Whoever has never kept anything need not have a place to keep it.
fn open(mut config: Config) -> Result<Workshop> {
    if !config.place.exists() {
        config.place = Place::Memory;
    }
    super::open(&config)
}

/// An input is JSON where it can be, else a text: `mcp-pif run … hello` needs no second quotes.
fn as_json(text: &str) -> String {
    match serde_json::from_str::<&serde_json::value::RawValue>(text) {
        Ok(_) => text.to_owned(),
        Err(_) => serde_json::Value::from(text).to_string(),
    }
}

fn report_run(outcome: Outcome) -> ExitCode {
    match outcome.ending {
        Ok(Ending::Value(value)) => {
            value.trace.iter().for_each(|line| complain(&text::line(line, MOST_LINE)));
            warn(&value.warnings);
            print(&text::plain(&value.json))
        }
        Ok(Ending::Continuation(continuation)) => {
            warn(&continuation.warnings);
            print(&continuation.json)
        }
        Err(fault) => fail(&[fault]),
    }
}

fn report_check(checked: Result<Summary, Vec<Fault>>) -> ExitCode {
    match checked {
        Ok(summary) => print(&mcp::describe(&summary)),
        Err(faults) => fail(&faults),
    }
}
