//! Chores of the project, as `cargo x TASK`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line")]

mod archive;
mod bench;
mod bundle;
mod cancel;
mod clients;
mod codemode;
mod conformance;
mod counts;
mod curve;
mod examples;
mod fuel;
mod fuzz;
mod http;
mod javascript;
mod kill;
mod measured;
mod npm;
mod package;
mod peers;
mod pg;
mod replay;
mod servers;
mod soak;
mod state;
mod store;
mod tasks;
mod timing;
mod turns;
mod wait;
mod web;

use anyhow::Result;
use clap::Parser;
use tasks::for_release;

/// Chores of the project
#[derive(Parser)]
#[command(bin_name = "cargo x")]
enum Task {
    /// Check format, lints, docs and tests, as continuous integration does
    Check,
    /// Rewrite the expectations of the corpus from the native evaluator
    Bless,
    /// Put the table of forms into guest/LANGUAGE.md, and make the pages of host/docs that have a table
    /// behind them
    Reference,
    /// Put the tools of host/server/library into their canonical spelling, with their hashes, and their tables
    /// into host/docs/library.md
    Library,
    /// Build the component and say where it is
    Component,
    /// Measure the benchmark programs in the sandbox and natively, against `CPython`
    Bench(bench::Options),
    /// Measure how long cancelled runs go on
    Cancel(cancel::Options),
    /// Compare fuel and instructions of the workloads with the figures checked in (needs valgrind)
    Counts(counts::Options),
    /// Draw time, memory and fuel against size in host/docs
    Curve(curve::Options),
    /// Compare random programs of JavaScript with node, which must be on the path
    Javascript(javascript::Options),
    /// Measure nanoseconds for a unit of fuel, by form
    Fuel(fuel::Options),
    /// Fuzz all targets, or those named (needs cargo-fuzz)
    Fuzz(fuzz::Options),
    /// Measure the server over HTTP beside an echo and a server of the Python SDK (needs python3)
    Http(http::Options),
    /// Kill servers under load and look for what they acknowledged
    Kill(kill::Options),
    /// Measure what it costs that calls are measured and traced
    Measured(measured::Options),
    /// Start an empty PostgreSQL for a while, or beside a command (needs Debian's `postgresql`)
    Pg(pg::Options),
    /// Make different runs, and replay all of them from the journal
    Replay(replay::Options),
    /// Send mixed calls to one server, and watch its memory
    Soak(soak::Options),
    /// Measure what lasting state costs: journaling, size, many tools, a long journal
    State(state::Options),
    /// Make the store of this version in tests/stores anew, before its schema is released
    Store,
    /// Measure turns of sessions: bound data, many turns, many sessions
    Turns(turns::Options),
    /// Measure how long clients wait for what takes no time: of many servers that start at once with
    /// nothing compiled, and beside runs that take all places
    Wait(wait::Options),
    /// Build the browser playground (needs npm)
    Web(web::Options),
    /// Run real MCP clients against the server (needs npm)
    Clients(clients::Options),
    /// Run programs as models write them over real servers of tools (needs npm, python3, git)
    Codemode(codemode::Options),
    /// List and call servers from the registries in one run, and kill two of them amid calls (needs npm,
    /// python3, git)
    Servers,
    /// Run the protocol's conformance suite against the broker's client and the server over HTTP (needs
    /// npm)
    Conformance(conformance::Options),
    /// Run the programs of host/examples on one component (needs python3, npm)
    Examples,
    /// Make a package of the component for Node.js (needs npm)
    Npm,
    /// Make, unpack and try an MCP bundle of the server, and make the archive of a release (needs npm)
    Bundle,
    /// Build and try the crates from the archives that are published
    Package,
}

fn main() -> Result<()> {
    match Task::parse() {
        Task::Check => tasks::check(),
        Task::Bless => tasks::bless(),
        Task::Reference => tasks::reference(),
        Task::Library => tasks::library(),
        Task::Component => tasks::component(),
        Task::Bench(options) => for_release(|| bench::run(&options)),
        Task::Cancel(options) => cancel::run(&options),
        Task::Counts(options) => counts::run(&options),
        Task::Curve(options) => for_release(|| curve::run(&options)),
        Task::Fuel(options) => for_release(|| fuel::run(&options)),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Http(options) => http::run(&options),
        Task::Javascript(options) => for_release(|| javascript::compare(&options)),
        Task::Kill(options) => kill::run(&options),
        Task::Measured(options) => measured::run(&options),
        Task::Pg(options) => pg::run(&options),
        Task::Replay(options) => replay::run(&options),
        Task::Soak(options) => soak::run(&options),
        Task::State(options) => state::run(&options),
        Task::Store => store::run(),
        Task::Turns(options) => turns::run(&options),
        Task::Wait(options) => wait::run(&options),
        Task::Web(options) => web::run(&options),
        Task::Clients(options) => clients::run(&options),
        Task::Codemode(options) => codemode::run(&options),
        Task::Servers => servers::run(),
        Task::Conformance(options) => conformance::run(&options),
        Task::Examples => examples::run(),
        Task::Npm => npm::run(),
        Task::Bundle => bundle::run(),
        Task::Package => package::run(),
    }
}
