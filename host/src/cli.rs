//! The command line: serves on standard input and output, or runs or checks one term.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use tokio::runtime::Builder;
use tracing_subscriber::EnvFilter;

use crate::config::{Config, Options};
use crate::harden;
use crate::mcp;
use crate::quantity::parse_count;
use crate::sandbox::{
    Argument, COMPONENT, Code, Ending, Fault, Outcome, Request, Sandbox, Setup, Summary, Watch,
};
use crate::store::{Place, Store};
use crate::text::{self, Visible};
use crate::workshop::{Observer, Workshop};

/// A workshop for language models, served over MCP on stdin and stdout: a model evolves tools, as
/// JSON terms of a lambda calculus, and runs them in a sandbox.
#[derive(Debug, Parser)]
#[command(name = "mcp-pif", version, about, after_help = EXAMPLES, disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    options: Options,
}

const EXAMPLES: &str = "\
Examples:
  mcp-pif                                        serve MCP on stdin and stdout
  mcp-pif run '{\"add\":[1,2]}'                    prints 3
  mcp-pif run '{\"lam\":\"x\",\"body\":{\"mul\":[{\"var\":\"x\"},2]}}' 21
                                                 prints 42
  mcp-pif run @program.json --data @table.json   reads both from files
  mcp-pif check - < program.json                 says whether a term is well formed";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a term, or a tool by its name, and print the value
    Run(Run),
    /// Check a term without running it, and print what there is to know about it
    Check {
        /// A term as JSON; `-` reads stdin, `@FILE` a file
        code: String,
        #[command(flatten)]
        place: Directory,
    },
}

/// The data directory, named after the command.
#[derive(Debug, Args)]
struct Directory {
    /// Where tools, journal and memory are kept
    #[arg(id = "own-directory", long = "data", value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl Command {
    /// The data directory, where it is named after the command. In `run` that is another flag.
    fn directory(&self) -> Option<&Path> {
        match self {
            Self::Run(_) => None,
            Self::Check { place, .. } => place.directory.as_deref(),
        }
    }
}

#[derive(Debug, Args)]
struct Run {
    /// A term as JSON, or the name of a tool; `-` reads stdin, `@FILE` a file
    code: String,
    /// What the term's function is applied to: a term, or text that holds JSON; or `-`, or `@FILE`
    #[arg(conflicts_with = "data")]
    input: Option<String>,
    /// The same as plain JSON, never code; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    data: Option<String>,
    /// A JSON object whose members are variables of the term; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    context: Option<String>,
    /// How many continuations to drive
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_count)]
    max_steps: u64,
    /// The step of the continuation that the run continues
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_count)]
    step: u64,
}

/// Does what the command line says.
#[must_use]
pub fn main() -> ExitCode {
    let line = Line::parse();
    match execute(line) {
        Ok(code) => code,
        Err(error) => {
            complain(&format!("mcp-pif: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn execute(line: Line) -> Result<ExitCode> {
    let directory = line.command.as_ref().and_then(Command::directory);
    let config = line.options.in_directory(directory).check()?;
    log(&config)?;
    let sandbox = Arc::new(Sandbox::set_up(&Setup {
        component: COMPONENT,
        cache: config.cache.as_deref(),
        concurrency: config.concurrency,
        net: config.net,
        period: config.tick,
    })?);
    match line.command {
        None => {
            let workshop = Workshop::open(&config, sandbox)?;
            serve(config, workshop)
        }
        Some(Command::Run(run)) => run.execute(config, sandbox),
        Some(Command::Check { code, .. }) => {
            let watch = Watch::new(config.wall_clock);
            Ok(report_check(sandbox.check(&read(&code)?, &watch)))
        }
    }
}

fn log(config: &Config) -> Result<()> {
    let filter = EnvFilter::try_new(&config.log)
        .with_context(|| format!("--log: `{}` is no filter", config.log))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Visible(io::stderr()))
        .with_ansi(false)
        .init();
    Ok(())
}

fn serve(config: Config, workshop: Workshop) -> Result<ExitCode> {
    // The runtime would read files to count the processors, and it is too late for that then.
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let build = || Builder::new_multi_thread().worker_threads(processors).enable_all().build();
    let (runtime, hardening) = harden::apply(config.harden.as_ref(), build);
    let runtime = runtime?;
    let served = runtime.block_on(mcp::serve(config, workshop, hardening));
    // Threads that wait for the client must not keep the process alive.
    runtime.shutdown_timeout(Duration::ZERO);
    served?;
    Ok(ExitCode::SUCCESS)
}

impl Run {
    fn execute(self, mut config: Config, sandbox: Arc<Sandbox>) -> Result<ExitCode> {
        // Whoever has never kept anything need not have a place to keep it.
        if !Store::exists(&config.place) {
            config.place = Place::Memory;
        }
        let workshop = Workshop::open(&config, sandbox)?;
        let tools = match workshop.tools() {
            Ok(tools) => tools,
            Err(fault) => return Ok(fail(&[fault])),
        };
        let code = read(&self.code)?;
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
            limits: config.limits,
            step: self.step,
            max_steps: self.max_steps,
            debug: config.debug,
        };
        let watch = Watch::new(config.wall_clock);
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

/// Characters of a line about a program.
const MOST_LINE: usize = 10_000;

/// An argument as it is, or what `-` or `@FILE` stand for.
fn read(argument: &str) -> Result<String> {
    if argument == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).context("cannot read stdin")?;
        return Ok(text);
    }
    match argument.strip_prefix('@') {
        Some(path) => fs::read_to_string(path).with_context(|| format!("cannot read {path}")),
        None => Ok(argument.to_owned()),
    }
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
        Ok(summary) => {
            warn(&summary.warnings);
            print(&mcp::describe(&summary))
        }
        Err(faults) => fail(&faults),
    }
}

fn warn(warnings: &[String]) {
    for warning in warnings {
        complain(&format!("warning: {}", text::line(warning, MOST_LINE)));
    }
}

fn fail(faults: &[Fault]) -> ExitCode {
    for fault in faults {
        complain(&mcp::explain(fault));
    }
    ExitCode::FAILURE
}

/// The one place where the command line writes results. A closed pipe is a failure to tell no
/// one about.
fn print(text: &str) -> ExitCode {
    match writeln!(io::stdout(), "{text}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Writes to stderr, which may be a terminal; there is nobody to tell when that fails.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text::visible(text));
}
