//! Measures the cost of lasting state: a run with and without a journal, the size of the store, the same
//! calls with few tools and with very many, and starts with a long journal. Figures are medians;
//! servers that are compared take turns.

pub(crate) mod fill;
pub(crate) mod server;

use anyhow::{Context, Result};
use fill::{journal, tools};
use pif_tests::server::binary;
use pif_tests::server::folder::Folder;
use serde_json::{Value, json};
use server::Server;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Numbers of tools.
const TOOLS: [usize; 3] = [10, 1_000, 100_000];

/// Sizes of journals, in MB of bodies.
const JOURNALS: [usize; 3] = [0, 10, 100];

/// Calls that are under way at once, and how often they are timed.
const AT_ONCE: [usize; 4] = [1, 2, 4, 16];
const ROUNDS: usize = 5;

/// Starts that are timed.
const STARTS: usize = 7;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many calls of each kind to make
    #[arg(default_value_t = 2_000)]
    calls: usize,
}

/// Measures.
pub(crate) fn run(&Options { calls }: &Options) -> Result<()> {
    let bench = Bench { binary: binary::for_release()?, place: Folder::new()?, calls };
    bench.journaling()?;
    bench.at_once()?;
    bench.many_tools()?;
    bench.long_journals()
}

struct Bench {
    binary: PathBuf,
    place: Folder,
    calls: usize,
}

/// A function that doubles.
fn double() -> Value {
    json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}})
}

impl Bench {
    fn start(&self, arguments: &[&str]) -> Result<Server> {
        Server::start(&self.binary, arguments)
    }

    /// What a run costs with each policy, and what it takes on the disk.
    fn journaling(&self) -> Result<()> {
        let data = ["full", "summary", "none"].map(|policy| self.place.path().join(policy));
        let mut servers = vec![("--ephemeral".to_owned(), self.start(&["--ephemeral"])?)];
        servers[0].1.evolve("double", &double())?;
        let mut before = Vec::new();
        for data in &data {
            let policy = data.file_name().and_then(|name| name.to_str()).context("a name")?;
            let arguments = ["--data", text(data)?, "--journal-payload", policy];
            let mut first = self.start(&arguments)?;
            first.evolve("double", &double())?;
            // Only at its end a server brings everything into the file.
            first.finish()?;
            before.push(size(data));
            servers.push((format!("--journal-payload {policy}"), self.start(&arguments)?));
        }
        let mut times = vec![Vec::new(); servers.len()];
        for n in 0..self.calls {
            for ((_, server), times) in servers.iter_mut().zip(&mut times) {
                times.push(server.time("run", &json!({"tool": "double", "data": n}))?);
            }
        }
        println!("{} runs of a registered tool, round trip over the pipes\n", self.calls);
        println!("                              median us   p99 us   more than --ephemeral");
        let plain = median(&mut times[0]);
        for ((name, server), times) in servers.into_iter().zip(&mut times) {
            let middle = median(times);
            let late = times.get(times.len() * 99 / 100);
            let more = micros(middle) - micros(plain);
            let late = late.copied().map(micros).unwrap_or_default();
            println!("{name:28} {:11.0} {late:8.0} {more:22.0}", micros(middle));
            server.finish()?;
        }
        println!("\non the disk, bytes for each run:");
        for (data, before) in data.iter().zip(before) {
            let policy = data.file_name().and_then(|name| name.to_str()).context("a name")?;
            let grown = size(data).saturating_sub(before);
            println!("{policy:28} {:11}", grown / u64::try_from(self.calls)?.max(1));
        }
        Ok(())
    }

    /// What is done in a second when several calls are under way at once: of a call that takes no
    /// time, and of one that takes milliseconds.
    fn at_once(&self) -> Result<()> {
        let title = AT_ONCE.map(|n| format!("{n:>10}")).join("");
        println!("\ncalls a second, so many at once {title}   the most by the first");
        let count = json!({"code": {"fold": [{"lam": "p", "body":
            {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0, {"range": [0, 500_000]}]}});
        let data = self.place.path().join("at-once");
        let mut server = self.start(&["--data", text(&data)?])?;
        server.evolve("double", &double())?;
        for (name, calls, arguments) in [
            ("double", self.calls, json!({"tool": "double", "data": 1})),
            ("fold over 500k", self.calls / 10 + 1, count),
        ] {
            let mut times = AT_ONCE.map(|_| Vec::new());
            for _ in 0..ROUNDS {
                for (at_once, times) in AT_ONCE.into_iter().zip(&mut times) {
                    times.push(server.many("run", &arguments, calls, at_once)?);
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "few calls")]
            let rates = times.map(|mut times| calls as f64 / median(&mut times).as_secs_f64());
            let most = rates.iter().copied().fold(0.0, f64::max) / rates[0];
            let cells = rates.map(|it| format!("{it:10.0}")).join("");
            println!("{name:31} {cells}   x {most:.2}");
        }
        server.finish()
    }

    /// The same calls with few tools and with many.
    fn many_tools(&self) -> Result<()> {
        println!("\nmedian us of a call     {}", TOOLS.map(|n| format!("{n:>10}")).join(""));
        let mut table: Vec<(&str, Vec<f64>)> = Vec::new();
        for count in TOOLS {
            let data = self.place.path().join(format!("tools-{count}"));
            tools(&data, count)?;
            let mut server = self.start(&["--data", text(&data)?])?;
            for (row, (name, median)) in
                self.calls_with(&mut server, count)?.into_iter().enumerate()
            {
                if table.len() <= row {
                    table.push((name, Vec::new()));
                }
                table[row].1.push(micros(median));
            }
            server.finish()?;
        }
        for (name, medians) in table {
            let cells: Vec<String> = medians.iter().map(|it| format!("{it:10.0}")).collect();
            let cells = cells.join("");
            // With the fewest a page is not full, and there is less to tell.
            let full = medians.get(1);
            let last = medians.last();
            let ratio = full.zip(last).map_or(0.0, |(full, last)| last / full);
            println!("{name:24}{cells}   x {ratio:.2}");
        }
        Ok(())
    }

    fn calls_with(
        &self,
        server: &mut Server,
        count: usize,
    ) -> Result<Vec<(&'static str, Duration)>> {
        // Enough for a median; some of these take long.
        let calls = (self.calls / 10).max(5);
        let last = format!("tool_{}", count - 1);
        let mut medians = Vec::new();
        let mut add = |name, mut times: Vec<Duration>| medians.push((name, median(&mut times)));
        let repeat = |act: &mut dyn FnMut(usize) -> Result<Duration>| {
            (0..calls).map(act).collect::<Result<Vec<_>>>()
        };
        let mut call =
            |tool: &'static str, arguments: Value| repeat(&mut |_| server.time(tool, &arguments));
        add("run a tool", call("run", json!({"tool": last, "data": 20}))?);
        add("run a term", call("run", json!({"code": {"add": [40, 2]}}))?);
        add("list", call("list", json!({}))?);
        add("list, a page later", call("list", json!({"cursor": "after:tool_5"}))?);
        add(
            "list, one found",
            call("list", json!({"query": format!("number {} only", count - 1)}))?,
        );
        add("list, all found", call("list", json!({"query": "adds"}))?);
        add("list, a short word", call("list", json!({"query": "ad"}))?);
        add("server_info", call("server_info", json!({}))?);
        add(
            "a tool that is not there",
            repeat(&mut |_| server.fail("run", &json!({"tool": "tol_5"})))?,
        );
        add("tools/list", repeat(&mut |_| server.request("tools/list", &json!({})))?);
        add("evolve, a new tool", repeat(&mut |n| server.evolve(&format!("new_{n}"), &double()))?);
        add(
            "evolve, a change",
            repeat(&mut |n| {
                server.evolve(&last, &json!({"lam": "x", "body": {"mul": [{"var": "x"}, n]}}))
            })?,
        );
        Ok(medians)
    }

    /// From starting the process to the answer of `initialize`.
    fn long_journals(&self) -> Result<()> {
        println!("\njournal, MB    entries   median start, ms");
        for megabytes in JOURNALS {
            let data = self.place.path().join(format!("journal-{megabytes}"));
            let entries = journal(&data, megabytes << 20)?;
            let arguments = ["--data", text(&data)?];
            let mut times = Vec::new();
            for _ in 0..STARTS {
                let start = Instant::now();
                let server = self.start(&arguments)?;
                times.push(start.elapsed());
                server.finish()?;
            }
            println!("{megabytes:11} {entries:10} {:18.1}", micros(median(&mut times)) / 1e3);
        }
        for count in TOOLS {
            let data = self.place.path().join(format!("tools-{count}"));
            let start = Instant::now();
            let server = self.start(&["--data", text(&data)?])?;
            println!(
                "{count:>11} tools: a start takes {:.1} ms",
                start.elapsed().as_secs_f64() * 1e3
            );
            server.finish()?;
        }
        Ok(())
    }
}

/// Bytes of all files of a store.
fn size(data: &Path) -> u64 {
    let files = fs::read_dir(data).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|it| it.len()).sum()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path in UTF-8")
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The one in the middle; the times are in order then.
fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
