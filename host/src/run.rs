//! `mcp-pif run`: runs a term or a tool and prints the value.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_broker::Client;
use pif_domain::quantity::parse_count;
use pif_domain::text;
use pif_domain::{Fault, FaultCode, Limit};
use pif_sandbox::{Argument, Code, Completion, Outcome, Request, Stepped, Watch};
use pif_server::config::{Config, Options};
use pif_server::render::Steps;
use pif_server::workshop::{Observer, too_large};
use tokio::runtime::{Builder, Runtime};

use super::open::{open_if_any, open_link};
use super::print::{MOST_LINE, complain, fail, print, warn};
use super::settings::start;
use super::source::{hyphened, read, read_code};

#[derive(Debug, Args)]
pub(super) struct Run {
    /// A program in the notation or as JSON, or the name of a tool; `-` reads stdin, `@FILE` a file
    #[arg(allow_hyphen_values = true, value_parser = hyphened)]
    code: String,
    /// The argument of the term's function: a term, or text that holds JSON; or `-`, or `@FILE`
    #[arg(conflicts_with = "data", allow_hyphen_values = true, value_parser = hyphened)]
    input: Option<String>,
    /// The argument as plain JSON, never code; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON", allow_negative_numbers = true)]
    data: Option<String>,
    /// A JSON object whose members are variables of the term; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    context: Option<String>,
    /// A JSON Schema for the value; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    output_schema: Option<String>,
    /// How many continuations to run
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_count)]
    max_steps: u64,
    /// Show what each term came to, at most 1,000 of them, on standard error
    #[arg(long, value_name = "N", require_equals = true, value_parser = parse_count)]
    #[expect(clippy::option_option, reason = "the flag may stand without a number")]
    steps: Option<Option<u64>>,
    /// The step of the continuation that you continue
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_count)]
    step: u64,
}

impl Run {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let mut config = start(options, None)?;
        let limits = config.limits;
        let debug = config.debug;
        let wall_clock = config.values.time(Limit::WallClock);
        let most = [Limit::Code, Limit::Data].map(|limit| config.values.size(limit));
        // It ends with this process, and its broker too.
        let (broker, _runtime) = link(&mut config)?.unzip();
        let waiting = config.values.time(Limit::Waiting);
        let workshop = open_if_any(config)?.calling(broker);
        let tools = match workshop.tools() {
            Ok(tools) => tools,
            Err(fault) => return Ok(fail(&[fault])),
        };
        let code = read_code(&self.code)?;
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
            bindings: Vec::new(),
            keep: false,
            limits,
            step: self.step,
            max_steps: self.max_steps,
            output_schema: self.output_schema.as_deref().map(read).transpose()?,
            debug,
            steps: self.steps.map_or(0, |most| most.unwrap_or(Limit::Steps.fixed())),
        };
        if let Err(fault) = ensure_fits(&request, most) {
            return Ok(fail(&[fault]));
        }
        let watch = Watch::new(wall_clock).waiting_at_most(waiting);
        let foreseen = workshop.forewarn(&request, &[], &tools, &watch).unwrap_or_default();
        if !foreseen.is_empty() {
            return Ok(fail(&foreseen));
        }
        let known = tools.clone();
        let mut observer = StepObserver { is_debugged: debug, steps: Steps::new(request.steps) };
        let mut outcome = workshop.run(&request, tools, &mut observer, &watch).outcome;
        observer.steps.lines().iter().for_each(|line| complain(&text::line(line, MOST_LINE)));
        outcome.ending =
            outcome.ending.map_err(|fault| advise(workshop.explain(fault, &known, &watch)));
        Ok(report_run(outcome))
    }
}

/// Refuses more code and more data than a request may have.
fn ensure_fits(request: &Request, [code, data]: [usize; 2]) -> Result<(), Fault> {
    let argument = match &request.argument {
        Argument::Input(text) | Argument::Data(text) => text.len(),
        Argument::None | Argument::Unapplied => 0,
    };
    let given = argument + request.context.as_ref().map_or(0, String::len);
    let written = match &request.code {
        Code::Term(text) => text.len(),
        Code::Tool(_) => 0,
    };
    for (limit, what, length, most, flag) in [
        (Limit::Code, "code", written, code, "--max-code"),
        (Limit::Data, "data", given, data, "--max-data"),
    ] {
        if length > most {
            let hint = format!("`{flag} {}MiB` lets a run have it", (length >> 20) + 1);
            return Err(Fault { hint: Some(hint), ..too_large(limit, what, length, most) });
        }
    }
    Ok(())
}

/// The broker of the settings, and the thread that speaks to it while the run waits.
pub(super) fn link(config: &mut Config) -> Result<Option<(Client, Runtime)>> {
    let Some(link) = open_link(config, true)? else { return Ok(None) };
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let client = {
        let _entered = runtime.enter();
        Client::new(link)?
    };
    Ok(Some((client, runtime)))
}

/// Observes a run for the command line.
pub(super) struct Terminal;

impl Observer for Terminal {
    fn advance(&mut self, _driven: u64) {}

    fn debug(&mut self, line: &str) {
        complain(&text::line(line, MOST_LINE));
    }
}

/// Observes a run whose steps may be shown.
struct StepObserver {
    is_debugged: bool,
    steps: Steps,
}

impl Observer for StepObserver {
    fn advance(&mut self, driven: u64) {
        Terminal.advance(driven);
    }

    fn debug(&mut self, line: &str) {
        if self.is_debugged {
            Terminal.debug(line);
        }
    }

    fn stepped(&mut self, step: &Stepped) {
        self.steps.add(step);
    }
}

/// The input as JSON. Text that is not JSON becomes a string, so `mcp-pif run … hello` needs no
/// second pair of quotes.
fn as_json(text: &str) -> String {
    match serde_json::from_str::<&serde_json::value::RawValue>(text) {
        Ok(_) => text.to_owned(),
        Err(_) => serde_json::Value::from(text).to_string(),
    }
}

/// The hint of data that is no JSON.
fn advise(fault: Fault) -> Fault {
    if fault.code != FaultCode::Unparsable || !fault.at.starts_with("/data") {
        return fault;
    }
    let hint = "data is JSON: a text such as CSV stands in quotes, as `jq -Rs . FILE` writes it";
    Fault { hint: fault.hint.or_else(|| Some(hint.to_owned())), ..fault }
}

fn report_run(outcome: Outcome) -> ExitCode {
    match outcome.ending {
        Ok(Completion::Value(value)) => {
            value.trace.iter().for_each(|line| complain(&text::line(line, MOST_LINE)));
            warn(&value.warnings);
            print(&text::plain(&value.json))
        }
        Ok(Completion::Continuation(continuation)) => {
            warn(&continuation.warnings);
            print(&continuation.json)
        }
        Err(fault) => fail(&[fault]),
    }
}
