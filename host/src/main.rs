//! The command line: serves on standard input and output, or runs one command.

mod analyze;
mod approve;
mod backup;
mod broker;
mod call;
mod capability;
mod check;
mod checkpoints;
mod compile;
mod completions;
mod component;
mod export;
mod fmt;
mod grammar;
mod http;
mod import;
mod journal;
mod keys;
mod man;
mod open;
mod person;
mod print;
mod proof;
mod receipt;
mod repair;
mod repl;
mod replay;
mod restore;
mod run;
mod runs;
mod search;
mod serve;
mod session;
mod settings;
mod source;
mod stage;
mod store;
mod task;
mod top;
mod traces;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};
use pif_sandbox::{ANALYST_HASH, HASH};
use pif_server::config::{self, CommandLine, Options};
use pif_system::stdio;

use self::analyze::Analyze;
use self::approve::Approve;
use self::backup::Backup;
use self::broker::Broker;
use self::call::CallTool;
use self::capability::Capability;
use self::check::Check;
use self::compile::Compile;
use self::completions::Completions;
use self::component::Component;
use self::export::Export;
use self::fmt::Fmt;
use self::grammar::Grammar;
use self::import::Import;
use self::journal::Journal;
use self::keys::Keys;
use self::man::Manual;
use self::person::Person;
use self::print::{MISUSE, complain, print_bytes};
use self::proof::Proof;
use self::receipt::Receipt;
use self::repair::Repair;
use self::repl::Repl;
use self::replay::Replay;
use self::restore::Restore;
use self::run::Run;
use self::runs::Runs;
use self::search::Search;
use self::serve::{Serve, serve_by_default};
use self::session::Session;
use self::stage::{Commit, Discard, Stage, Verify};
use self::store::Store;
use self::task::Task;
use self::top::Top;
use self::traces::Traces;

/// A workshop for language models, served over MCP on stdin and stdout: a model evolves tools, as
/// JSON terms of a lambda calculus, and runs them in a sandbox.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-pif",
    version,
    long_version = long_version(),
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

/// The version with the sha256 of the evaluator and of the analyst. Equal evaluators give equal values for equal fuel.
fn long_version() -> String {
    format!(
        "{}
evaluator {HASH}
analyst {ANALYST_HASH}",
        env!("CARGO_PKG_VERSION")
    )
}

/// The time limit for the last lines on standard error.
const PARTING: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  mcp-pif                                        serve MCP on stdin and stdout
  mcp-pif serve --http                           serve MCP at http://127.0.0.1:7332/mcp
  mcp-pif run 'x => x * 2' 21                    prints 42
  mcp-pif run '{\"add\":[1,2]}'                    prints 3, from a program in JSON
  mcp-pif run @program.pif --data @table.json    reads both from files
  mcp-pif repl                                   talks with a session, line by line
  mcp-pif check - < program.pif                  says whether a program is well formed
  mcp-pif fmt program.json                       writes a program in the notation
  mcp-pif journal --follow                       shows what happens as it happens
  mcp-pif top                                    shows what the servers are doing
  mcp-pif replay --all                           repeats all runs and compares
  mcp-pif export double > double.json            writes a tool to a file
  mcp-pif import double.json --data elsewhere    imports it into another store
  mcp-pif backup pif.backup                      backs everything up to a file
  mcp-pif restore pif.backup                     restores it
  mcp-pif call http://localhost:7332 list        calls a tool of a server over HTTP";

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP: on stdin and stdout (the default), or over HTTP
    #[command(alias = "stdio")]
    Serve(Serve),
    /// Run a term, or a tool by its name, and print the value
    Run(Run),
    /// Talk with a session: programs line by line, whose names last
    Repl(Repl),
    /// Check a term without running it, and describe it
    Check(Check),
    /// Tell what is known of a program before it runs: its type, what it needs
    Analyze(Analyze),
    /// Repair a program, a tool or a failed run by sure fixes, and tell what is least around its fault
    Repair(Repair),
    /// Write a term in the notation, or as JSON
    Fmt(Fmt),
    /// Check a proof that two programs are equal
    Proof(Proof),
    /// Write a grammar of the notation, which editors color programs by
    Grammar(Grammar),
    /// Search tools, library, forms, memory, journal and sessions by words
    Search(Search),
    /// Show the latest entries of the journal
    Journal(Journal),
    /// Repeat runs from the journal and compare the results
    Replay(Replay),
    /// Print a signed statement about a run, or check one
    Receipt(Receipt),
    /// Make, list, rotate and print the keys that sign
    Keys(Keys),
    /// Decide runs that wait for an approval, or show them
    Approve(Approve),
    /// Show durable runs, go on with them, decide about them, end them
    Runs(Runs),
    /// Have a model write a program that solves a task
    Task(Task),
    /// Stage changes of tools and of the memory: they are tried before they count
    Stage(Stage),
    /// Run the examples of everything that a snapshot of staged changes touches
    Verify(Verify),
    /// Make the changes of a verified snapshot count
    Commit(Commit),
    /// Give up a snapshot
    Discard(Discard),
    /// Print tools and everything they depend on, as one JSON file
    Export(Export),
    /// Import tools from an exported file: all of them, or none
    Import(Import),
    /// Back up tools, journal and memory to one file; servers may run meanwhile
    Backup(Backup),
    /// Restore the store from a backup
    Restore(Restore),
    /// Make, migrate, check, copy and trim the store in a PostgreSQL database
    Store(Store),
    /// Show, export and import sessions, or remove what they keep
    Session(Session),
    /// Show or erase what belongs to one person of a team
    Person(Person),
    /// Show what the servers of a store are doing, in a terminal
    Top(Top),
    /// Send the traces that servers have written to a collector
    Traces(Traces),
    /// List, test, approve and call tools of other servers
    Capability(Capability),
    /// Call a tool of a server over HTTP and print the result
    Call(CallTool),
    /// Write the evaluator or the analyst, a WebAssembly component, to a file for other hosts
    Component(Component),
    /// Print completions for a shell
    Completions(Completions),
    /// Call tools of other servers for a server
    #[command(hide = true)]
    Broker(Broker),
    /// Compile an embedded component for a server that is starting
    #[command(hide = true)]
    Compile(Compile),
    /// Print the manual page in groff format
    Man(Manual),
}

/// Runs the command line.
fn main() -> ExitCode {
    let _last_lines = stdio::LastLines::new(PARTING);
    stdio::report_panics("mcp-pif");
    match config::parse::<Line>() {
        Ok(line) => execute(line).unwrap_or_else(|error| {
            complain(&format!("mcp-pif: {error:#}"));
            ExitCode::FAILURE
        }),
        Err(told) => print_usage(&told),
    }
}

/// Prints the parser's message: the requested help, or an error.
fn print_usage(told: &clap::Error) -> ExitCode {
    let text = told.render().to_string();
    if told.use_stderr() {
        complain(text.trim_end());
        return ExitCode::from(MISUSE);
    }
    print_bytes(text.as_bytes())
}

fn execute(line: Line) -> Result<ExitCode> {
    let Line { command, options, stdio: _ } = line;
    match command {
        None => serve_by_default(options),
        Some(Command::Serve(it)) => it.execute(options),
        Some(Command::Run(it)) => it.execute(options),
        Some(Command::Repl(it)) => it.execute(options),
        Some(Command::Check(it)) => it.execute(options),
        Some(Command::Analyze(it)) => it.execute(options),
        Some(Command::Repair(it)) => it.execute(options),
        Some(Command::Fmt(it)) => it.execute(options),
        Some(Command::Proof(it)) => it.execute(),
        Some(Command::Grammar(it)) => it.execute(options),
        Some(Command::Search(it)) => it.execute(options),
        Some(Command::Journal(it)) => it.execute(options),
        Some(Command::Replay(it)) => it.execute(options),
        Some(Command::Receipt(it)) => it.execute(options),
        Some(Command::Keys(it)) => it.execute(options),
        Some(Command::Approve(it)) => it.execute(options),
        Some(Command::Runs(it)) => it.execute(options),
        Some(Command::Task(it)) => it.execute(options),
        Some(Command::Stage(it)) => it.execute(options),
        Some(Command::Verify(it)) => it.execute(options),
        Some(Command::Commit(it)) => it.execute(options),
        Some(Command::Discard(it)) => it.execute(options),
        Some(Command::Export(it)) => it.execute(options),
        Some(Command::Import(it)) => it.execute(options),
        Some(Command::Backup(it)) => it.execute(options),
        Some(Command::Restore(it)) => it.execute(options),
        Some(Command::Store(it)) => it.execute(options),
        Some(Command::Session(it)) => it.execute(options),
        Some(Command::Person(it)) => it.execute(options),
        Some(Command::Top(it)) => it.execute(options),
        Some(Command::Traces(it)) => it.execute(options),
        Some(Command::Capability(it)) => it.execute(options),
        Some(Command::Call(it)) => it.execute(),
        Some(Command::Broker(it)) => it.execute(options),
        Some(Command::Component(it)) => it.execute(),
        Some(Command::Completions(it)) => Ok(it.execute(Line::command())),
        Some(Command::Compile(it)) => it.execute(),
        Some(Command::Man(it)) => it.execute(Line::command()),
    }
}
