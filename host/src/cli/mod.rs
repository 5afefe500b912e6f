//! The command line: serves on standard input and output, or does one thing and ends.

mod backup;
mod carried;
mod journal;
mod print;
mod run;
mod source;
mod transfer;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal as _};
use std::panic::{self, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};
use tokio::runtime::Builder;
use tracing::warn;
use tracing_subscriber::EnvFilter;

use crate::config::{self, CommandLine, Config, Options, directory_parser};
use crate::harden::{self, Report};
use crate::mcp;
use crate::sandbox::{COMPONENT, HASH, Origin, Sandbox, Setup};
use crate::stdio::{self, Log};
use crate::text::Visible;
use crate::transport::Awake;
use crate::workshop::{State, Workshop};

pub(crate) use self::print::complain;

use self::backup::{Backup, Restore};
use self::carried::{Compile, Completions, Component, Manual};
use self::journal::{Journal, Replay};
use self::print::print_bytes;
use self::run::Run;
use self::transfer::{Export, Import};

/// A workshop for language models, served over MCP on stdin and stdout: a model evolves tools, as
/// JSON terms of a lambda calculus, and runs them in a sandbox.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-pif",
    version,
    long_version = LONG_VERSION,
    about,
    after_help = EXAMPLES,
    disable_help_subcommand = true
)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
    /// Serve, as without it: many servers want it said
    #[arg(long, hide = true, global = true)]
    stdio: bool,
    #[command(flatten)]
    options: Options,
}

impl CommandLine for Line {
    fn options(&mut self) -> &mut Options {
        &mut self.options
    }
}

/// With the sha256 of the evaluator: equal ones give equal values for equal fuel.
const LONG_VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), "\nevaluator ", env!("PIF_GUEST_SHA256"));

/// The exit code for a command line that cannot be understood.
const MISUSE: u8 = 2;

/// How long the last lines on standard error may take before they are given up.
const PARTING: Duration = Duration::from_secs(1);

/// Threads for what may block, beside those of runs.
const OTHER_THREADS: usize = 64;

const EXAMPLES: &str = "\
Examples:
  mcp-pif                                        serve MCP on stdin and stdout
  mcp-pif run '{\"add\":[1,2]}'                    prints 3
  mcp-pif run '{\"lam\":\"x\",\"body\":{\"mul\":[{\"var\":\"x\"},2]}}' 21
                                                 prints 42
  mcp-pif run @program.json --data @table.json   reads both from files
  mcp-pif check - < program.json                 says whether a term is well formed
  mcp-pif journal --follow                       shows what happens as it happens
  mcp-pif replay --all                           makes all runs again and compares
  mcp-pif export double > double.json            writes a tool to a file
  mcp-pif import double.json --data elsewhere    takes it from there
  mcp-pif backup pif.backup                      writes all that is kept to a file
  mcp-pif restore pif.backup                     brings it back";

/// What people are told who start a server by hand.
const WAITING: &str = "mcp-pif waits for an MCP client on standard input. To try it by hand, type \
    mcp-pif run '{\"add\":[1,2]}' or mcp-pif --help";

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP on stdin and stdout, as without any command
    #[command(alias = "stdio")]
    Serve {
        #[command(flatten)]
        place: Directory,
    },
    /// Run a term, or a tool by its name, and print the value
    Run(Run),
    /// Check a term without running it, and print what there is to know about it
    Check {
        /// A term as JSON; `-` reads stdin, `@FILE` a file
        #[arg(allow_negative_numbers = true)]
        code: String,
        #[command(flatten)]
        place: Directory,
    },
    /// Show the latest entries of the journal
    Journal(Journal),
    /// Make runs of the journal again and compare what comes of them
    Replay(Replay),
    /// Print tools with all that they depend on, as one JSON file
    Export(Export),
    /// Take tools from such a file: all of them, or none
    Import(Import),
    /// Write tools, journal and memory to one file, also while servers run
    Backup(Backup),
    /// Bring such a file back as the store
    Restore(Restore),
    /// Write out the evaluator, a WebAssembly component, for use in other hosts
    Component(Component),
    /// Print completions for a shell
    Completions(Completions),
    /// Compile the evaluator for a server that is starting
    #[command(hide = true)]
    Compile(Compile),
    /// Print the manual page, as groff reads it
    Man(Manual),
}

/// The data directory, named after the command.
#[derive(Debug, Args)]
struct Directory {
    /// Where tools, journal and memory are kept
    #[arg(id = "own-directory", long = "data", value_name = "DIR", value_parser = directory_parser(), global = true)]
    directory: Option<PathBuf>,
}

impl Command {
    /// The data directory, where it is named after the command. In `run` that is another flag.
    fn directory(&self) -> Option<&Path> {
        match self {
            Self::Run(_)
            | Self::Component(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Compile(_) => None,
            Self::Check { place, .. }
            | Self::Serve { place }
            | Self::Journal(Journal { place, .. })
            | Self::Replay(Replay { place, .. })
            | Self::Export(Export { place, .. })
            | Self::Import(Import { place, .. })
            | Self::Backup(Backup { place, .. })
            | Self::Restore(Restore { place, .. }) => place.directory.as_deref(),
        }
    }

    /// Whether there has to be a store already.
    fn needs_store(&self) -> bool {
        matches!(self, Self::Journal(_) | Self::Replay(_) | Self::Export(_) | Self::Backup(_))
    }
}

/// Does what the command line says.
#[must_use]
pub fn main() -> ExitCode {
    report_panics();
    let code = match config::parse::<Line>() {
        Ok(line) => execute(line).unwrap_or_else(|error| {
            complain(&format!("mcp-pif: {error:#}"));
            ExitCode::FAILURE
        }),
        Err(told) => tell(&told),
    };
    stdio::settle(PARTING);
    code
}

/// Writes what the parser has to say: help where it was asked for, or what cannot be understood.
fn tell(told: &clap::Error) -> ExitCode {
    let text = told.render().to_string();
    if told.use_stderr() {
        complain(text.trim_end());
        return ExitCode::from(MISUSE);
    }
    print_bytes(text.as_bytes())
}

/// Has a panic told as everything else is: standard error may be one that cannot be written.
fn report_panics() {
    panic::set_hook(Box::new(|panic| {
        let name = thread::current().name().unwrap_or("without a name").to_owned();
        let trace = Backtrace::capture();
        let trace = match trace.status() {
            BacktraceStatus::Captured => format!("\n{trace}"),
            _ => String::new(),
        };
        complain(&format!("mcp-pif: thread {name} {panic}{trace}"));
    }));
}

fn execute(line: Line) -> Result<ExitCode> {
    match &line.command {
        Some(Command::Component(component)) => return component.execute(),
        Some(Command::Completions(completions)) => return Ok(completions.execute()),
        Some(Command::Man(manual)) => return manual.execute(),
        Some(Command::Compile(compile)) => return compile.execute(),
        _ => {}
    }
    let directory = line.command.as_ref().and_then(Command::directory);
    let config = line.options.in_directory(directory).check()?;
    log(&config)?;
    if line.command.as_ref().is_some_and(Command::needs_store) {
        ensure_store(&config)?;
    }
    let command = match line.command {
        Some(Command::Journal(journal)) => return journal.execute(&config),
        Some(Command::Backup(backup)) => return backup.execute(&config),
        Some(Command::Restore(restore)) => return restore.execute(&config),
        command => command,
    };
    match command {
        Some(Command::Run(run)) => run.execute(config),
        Some(Command::Check { code, .. }) => run::check(&code, config),
        Some(Command::Replay(replay)) => replay.execute(&config, &open(&config)?),
        Some(Command::Export(export)) => Ok(export.execute(&config, &open(&config)?)),
        Some(Command::Import(import)) => import.execute(&config, &open(&config)?),
        _ => {
            if io::stdin().is_terminal() {
                complain(WAITING);
            }
            serve(config)
        }
    }
}

/// Opens everything.
fn open(config: &Config) -> Result<Workshop> {
    let (workshop, ()) = open_with(config, |setup| Ok((Arc::new(Sandbox::set_up(setup)?), ())))?;
    warn_unkept(config, &workshop.sandbox);
    Ok(workshop)
}

/// Sets up the sandbox and opens the store, both at once: each takes a third of a start.
fn open_with<T: Send>(
    config: &Config,
    set_up: impl FnOnce(&Setup<'_>) -> Result<(Arc<Sandbox>, T)> + Send,
) -> Result<(Workshop, T)> {
    let setup = Setup {
        component: COMPONENT,
        cache: config.cache.as_deref(),
        concurrency: config.concurrency,
        net: config.net,
    };
    thread::scope(|scope| {
        let sandbox = thread::Builder::new().spawn_scoped(scope, || set_up(&setup));
        let sandbox = sandbox.context("no thread can be started")?;
        let state = State::open(config, HASH);
        let (sandbox, rest) = sandbox.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok((Workshop::new(config, state?, sandbox), rest))
    })
}

/// Says that each start takes longer than it has to.
fn warn_unkept(config: &Config, sandbox: &Sandbox) {
    if let (Some(_), Origin::InMemory(reason)) = (&config.cache, sandbox.origin()) {
        tracing::warn!(
            "each start takes a second or two, because the compiled evaluator cannot be kept: \
             {reason}. --cache DIR names another directory, --no-cache keeps nothing"
        );
    }
}

/// Refuses to make an empty store where one is to be read.
fn ensure_store(config: &Config) -> Result<()> {
    match config.place.file() {
        None => bail!("without a store there is nothing to read: leave out --ephemeral"),
        Some(file) if !config.place.exists() => {
            bail!("{}: there is no store; --data DIR names its directory", file.display())
        }
        Some(_) => Ok(()),
    }
}

fn log(config: &Config) -> Result<()> {
    let filter = EnvFilter::try_new(&config.log)?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Visible(Log))
        .log_internal_errors(false)
        .with_ansi(false)
        .init();
    config.notes.iter().for_each(|note| warn!("{note}"));
    Ok(())
}

fn serve(config: Config) -> Result<ExitCode> {
    // There must be no second thread until the files are closed.
    stdio::hold();
    let (workshop, opening) =
        open_with(&config, |setup| Ok(Sandbox::begin(setup, carried::start_compiler)?))?;
    // One thread hears of requests, and answers those that take no time. Others take the rest.
    let (sandbox, awake) = (Arc::clone(&workshop.sandbox), Arc::<Awake>::default());
    let rests = Arc::clone(&awake);
    let rest = move || {
        sandbox.tidy();
        rests.stay();
    };
    let threads = config.concurrency + OTHER_THREADS;
    let build = || {
        stdio::release();
        Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(threads)
            .on_thread_park(rest)
            .build()
    };
    let (runtime, seal) = harden::begin(config.harden.as_ref(), build);
    let runtime = runtime?;
    let hardening = Arc::<OnceLock<Report>>::default();
    let sealed = Arc::clone(&hardening);
    let close = move || {
        // It is set once.
        let _ = sealed.set(seal.close());
    };
    let (sandbox, settings) = (Arc::clone(&workshop.sandbox), config.clone());
    match opening {
        None => close(),
        Some(opening) => {
            let finish = move || {
                opening.finish(close);
                warn_unkept(&settings, &sandbox);
            };
            thread::Builder::new().spawn(finish).context("no thread can be started")?;
        }
    }
    let served = runtime.block_on(mcp::serve(config, workshop, hardening, awake));
    // Threads that wait for the client must not keep the process alive.
    runtime.shutdown_timeout(Duration::ZERO);
    served?;
    Ok(ExitCode::SUCCESS)
}
