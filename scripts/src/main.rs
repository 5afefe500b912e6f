//! Chores of the project, as `cargo x <task>`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line")]

mod archive;
mod bench;
mod bundle;
mod cancel;
mod clients;
mod counts;
mod curve;
mod examples;
mod fuel;
mod fuzz;
mod kill;
mod npm;
mod package;
mod peers;
mod replay;
mod soak;
mod state;
mod store;
mod tasks;
mod timed;
mod wait;
mod web;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo x <task>

  check      what continuous integration runs: format, lints, docs, tests
  bless      rewrite the expectations of the corpus from the native evaluator
  reference  put the table of forms into guest/LANGUAGE.md, and make the pages of host/docs that
             have a table behind them
  library    put the tools of host/library into their canonical spelling, with their hashes, and
             their tables into host/docs/library.md
  component  build the component and say where it is
  bench      the benchmark programs, in the sandbox and natively, against CPython (rounds; 11);
             `bench data` the forms on data, in the sandbox against CPython;
             `bench peers` also against Lua, QuickJS, Monty and the original
  cancel     how long cancelled runs go on (the number of cancellations; 300)
  counts     fuel and instructions of the workloads against the figures checked in (needs valgrind;
             `counts wasm` and `counts fuel` do not); `--bless` writes them down; `counts components`
             compares evaluators, each in a file
  curve      time, memory and fuel against size, drawn in host/docs (term, nesting, list, tools,
             journal; all)
  fuel       nanoseconds for a unit of fuel, by form (rounds, forms; 3, all)
  fuzz       fuzz targets, all or those named, `--minutes N` each (needs cargo-fuzz);
             `fuzz seeds` makes the inputs to start from
  kill       kill servers under load and look for what they acknowledged (rounds, seed; 1,000)
  replay     different runs, all of them again from the journal (the number of runs; 100,000)
  soak       mixed calls on one server, and its memory (the number of calls; 1,000,000)
  state      what lasting state costs: journaling, size, many tools, a long journal (calls; 2,000)
  store      make the store of this version in tests/stores anew, before its schema is released
  wait       how long clients wait for what takes no time: of many servers that start at once with
             nothing compiled (their number; 12), and beside runs that take all places
  web        build the browser playground; `web test` tests it in Chromium (needs npm)
  clients    real MCP clients against the server (needs npm)
  examples   the programs of host/examples on one component (needs python3, npm)
  npm        the component as a package for Node.js (needs npm)
  bundle     the server as an MCP bundle, packed, unpacked and tried, and as the archive of a
             release (needs npm)
  package    the crates as they are published, built from their archives and tried
";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("", [].as_slice()),
    };
    match task {
        "check" => tasks::check(),
        "bless" => tasks::bless(),
        "reference" => tasks::reference(),
        "library" => tasks::library(),
        "component" => tasks::component(),
        "bench" if rest.first().is_some_and(|it| it == "peers") => {
            peers::run(rest.get(1..).unwrap_or_default())
        }
        "bench" => bench::run(rest),
        "wait" => wait::run(rest),
        "cancel" => cancel::run(rest),
        "fuel" => fuel::run(rest),
        "counts" => counts::run(rest),
        "curve" => curve::run(rest),
        "fuzz" => fuzz::run(rest),
        "kill" => kill::run(rest),
        "replay" => replay::run(rest),
        "soak" => soak::run(rest),
        "state" => state::run(rest),
        "store" => store::run(rest),
        "web" => web::run(rest),
        "clients" => clients::run(rest),
        "examples" => examples::run(rest),
        "npm" => npm::run(rest),
        "bundle" => bundle::run(rest),
        "package" => package::run(rest),
        "" | "help" | "--help" => {
            print!("{USAGE}");
            Ok(())
        }
        unknown => bail!("there is no task `{unknown}`\n\n{USAGE}"),
    }
}
