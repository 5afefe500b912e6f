//! The benchmark programs in one interleaved run: every round runs each program in the sandbox,
//! natively and in `CPython`, so that whatever else the machine does falls on all three alike; each
//! five times in a row, of which the last counts. Figures are medians over rounds of
//! milliseconds and of the round's ratios.

mod data;
mod v8;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use pif::machine::Machine;
use pif::{limits, request};
use pif_sandbox::{Answer, Argument, Code, Limits, Program, Sandbox, Source, Step, Watch};
use pif_tests::server::binary;
use pif_tests::server::client::text;
use pif_tests::server::pipe::Pipe;
use serde_json::{Value, json};

use crate::peers;
use crate::tasks::root;
use crate::timing::{FUEL, timed};

/// A benchmark program with its input and the value it must give.
pub(crate) struct Bench {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) input: Input,
    pub(crate) value: String,
    /// The ratio to `CPython` that must not be exceeded; 1 where a program names none.
    pub(crate) goal: f64,
}

pub(crate) enum Input {
    /// A term; time starts when it has been evaluated.
    Ready(String),
    /// Text whose parsing is part of the time.
    Text(String),
}

/// Suspends once the tool and the input are there, so that only the program itself is timed.
pub(crate) const GATE: &str = r#"{"lam":"x","body":{"let":[["program",{"tool":"program"}],
    ["ready",{"perform":{"capability":"ready","args":null}}]],
    "in":{"app":{"func":{"var":"program"},"arg":{"var":"x"}}}}}"#;
/// Starts at once.
pub(crate) const OPEN: &str =
    r#"{"lam":"x","body":{"app":{"func":{"tool":"program"},"arg":{"var":"x"}}}}"#;
const MEMORY: u64 = 256 << 20;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    table: Option<Table>,
    #[command(flatten)]
    rounds: Rounds,
}

#[derive(clap::Args)]
struct Rounds {
    /// How often to measure each program
    #[arg(default_value_t = 11)]
    rounds: usize,
}

#[derive(clap::Subcommand)]
enum Table {
    /// The forms on data, in the sandbox against `CPython`
    Data(Rounds),
    /// Programs on data as whole processes, against node
    V8(Rounds),
    /// The programs against Lua, `QuickJS`, Monty and the original too
    Peers(Rounds),
}

/// Runs the benchmarks.
pub(crate) fn run(options: &Options) -> Result<()> {
    match &options.table {
        None => programs(options.rounds.rounds),
        Some(Table::Data(Rounds { rounds })) => data::run(*rounds),
        Some(Table::V8(Rounds { rounds })) => v8::run(*rounds),
        Some(Table::Peers(Rounds { rounds })) => peers::run(*rounds),
    }
}

fn programs(rounds: usize) -> Result<()> {
    let sandbox = Sandbox::open(None, 2)?;
    let benches = benches()?;
    let mut python = Python::start("scripts/peers/cpython.py", &[])?;
    let version = python.line()?;
    println!("{rounds} rounds, medians; ratios are to {version}, and wasm to native\n");
    println!("program              wasm ms  native ms  CPython ms   ratio   goal  wasm/native");
    let mut table = vec![Vec::new(); benches.len()];
    for _ in 0..rounds {
        for (bench, rows) in benches.iter().zip(&mut table) {
            let ours = warm(|| sandboxed(&sandbox, bench))?;
            rows.push([ours, warm(|| native(bench))?, warm(|| python.run(bench))?]);
        }
    }
    let mut geometric = 0.0;
    for (bench, rows) in benches.iter().zip(&table) {
        let column = |i: usize| median(rows.iter().filter_map(|row| row.get(i).copied()).collect());
        let ratio = |a: usize, b: usize| {
            median(rows.iter().filter_map(|row| Some(row.get(a)? / row.get(b)?)).collect())
        };
        let (to_python, to_native) = (ratio(0, 2), ratio(0, 1));
        geometric += to_native.ln() / f64::from(u32::try_from(benches.len())?);
        let verdict = if to_python <= bench.goal { "" } else { "  MISSED" };
        println!(
            "{:20} {:7.2} {:10.2} {:11.2} {to_python:7.3} {:6.2} {to_native:12.2}{verdict}",
            bench.name,
            column(0),
            column(1),
            column(2),
            bench.goal
        );
    }
    println!("\nwasm / native, geometric mean: {:.2}", geometric.exp());
    empty_call(&sandbox)?;
    deep_recursion(&sandbox)?;
    start_up()
}

/// What a program takes the fifth time in a row. The first times it finds the caches full of what
/// others have left, and on a shared machine a core that has to wake: the first takes up to four
/// times as long as those from the fifth on, at random, and the second still up to a quarter longer.
pub(crate) fn warm<T>(mut run: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..5 {
        run()?;
    }
    run()
}

pub(crate) fn median(samples: Vec<f64>) -> f64 {
    let mut samples = samples;
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

fn benches() -> Result<Vec<Bench>> {
    read("tests/cases/bench.json")
}

/// The programs in a file of the workspace.
pub(crate) fn read(path: &str) -> Result<Vec<Bench>> {
    rows(path)?.iter().map(bench).collect()
}

/// The same as they are written, their inputs not made yet.
pub(crate) fn rows(path: &str) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(root().join(path))?;
    Ok(serde_json::from_str(&text)?)
}

pub(crate) fn bench(row: &Value) -> Result<Bench> {
    let member = |name: &str| row.get(name).with_context(|| format!("a program lacks `{name}`"));
    let input = member("input")?;
    let size = |name: &str| input.get(name).and_then(Value::as_u64);
    let input = match (input.get("term"), size("count"), size("scattered"), size("text")) {
        (Some(term), ..) => Input::Ready(term.to_string()),
        (_, Some(count), ..) => Input::Ready(list(0..count)),
        (_, _, Some(count), _) => Input::Ready(list(scattered(count))),
        (.., Some(size)) => Input::Text(list_text(usize::try_from(size)?)),
        _ => bail!("unknown input {input}"),
    };
    Ok(Bench {
        name: member("name")?.as_str().context("a name")?.to_owned(),
        source: member("source")?.to_string(),
        input,
        value: member("value")?.to_string(),
        goal: row.get("goal").map_or(Some(1.0), Value::as_f64).context("a goal")?,
    })
}

fn list(items: impl Iterator<Item = u64>) -> String {
    let items: Vec<String> = items.map(|n| n.to_string()).collect();
    format!("[{}]", items.join(","))
}

/// Numbers in no order, the same every time: a linear congruential generator (Numerical Recipes).
fn scattered(count: u64) -> impl Iterator<Item = u64> {
    let mut x = 12345_u32;
    (0..count).map(move |_| {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from(x >> 8) % 100_000
    })
}

/// A list of numbers whose text has about so many bytes.
fn list_text(size: usize) -> String {
    let (mut text, mut length) = (String::from("["), 1);
    for i in 1.. {
        if length >= size {
            break;
        }
        let separator = if i > 1 { "," } else { "" };
        let before = text.len();
        let _ = write!(text, "{separator}{}", i * 7919_u64 % 1_000_003);
        length += text.len() - before + usize::from(i == 1);
    }
    text.push(']');
    text
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

pub(crate) fn sandboxed(sandbox: &Sandbox, bench: &Bench) -> Result<f64> {
    sandboxed_within(MEMORY, sandbox, bench)
}

fn sandboxed_within(memory: u64, sandbox: &Sandbox, bench: &Bench) -> Result<f64> {
    let (code, input, gated) = match &bench.input {
        Input::Ready(input) => (GATE, input, true),
        Input::Text(input) => (OPEN, input, false),
    };
    let program = Program {
        code: Code::Term(code.into()),
        argument: if gated {
            Argument::Input(input.clone())
        } else {
            Argument::Data(input.clone())
        },
        context: None,
        bindings: Vec::new(),
        tools: vec![Source { name: "program".into(), code: bench.source.clone() }],
        step: 0,
        debug: false,
        keep: false,
    };
    let run = timed(sandbox, &program, gated, memory);
    let run = run.with_context(|| bench.name.clone())?;
    ensure!(run.json == bench.value, "{}: {} instead of {}", bench.name, run.json, bench.value);
    Ok(run.milliseconds)
}

fn native(bench: &Bench) -> Result<f64> {
    let (code, argument, gated) = match &bench.input {
        Input::Ready(input) => (GATE, request::Argument::Input(input.clone()), true),
        Input::Text(input) => (OPEN, request::Argument::Data(input.clone()), false),
    };
    let tools = vec![("program".into(), bench.source.clone())];
    let program = request::Program { argument, tools, ..request::Program::term(code) };
    let limits = limits::Limits { fuel: FUEL, depth: 1_000_000, memory: MEMORY, output: 1 << 20 };
    let mut start = Instant::now();
    let mut machine = Machine::start(program, limits)?;
    let mut answer = request::Answer::None;
    if gated {
        let step = machine.resume(answer, FUEL);
        ensure!(matches!(step, request::Step::Perform(..)), "{}: {step:?}", bench.name);
        answer = request::Answer::Outcomes(vec![request::Outcome::Value("null".into())]);
        start = Instant::now();
    }
    let step = machine.resume(answer, FUEL);
    let time = milliseconds(start);
    match step {
        request::Step::Done(done) if done.json == bench.value => Ok(time),
        step => bail!("{}: {step:?} instead of {}", bench.name, bench.value),
    }
}

/// The programs in `CPython`, one process for all rounds.
struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    fn start(script: &str, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new("python3");
        command
            .arg(root().join(script))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().context("CPython is needed: install `python3`")?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = BufReader::new(output.context("standard output")?);
        Ok(Self { child, input: input.context("standard input")?, output })
    }

    fn run(&mut self, bench: &Bench) -> Result<f64> {
        let (time, value) = self.answer(&bench.name)?;
        ensure!(value == bench.value, "{}: CPython gives {value}", bench.name);
        Ok(time)
    }

    /// Milliseconds and value of a program.
    fn answer(&mut self, name: &str) -> Result<(f64, String)> {
        writeln!(self.input, "{name}")?;
        let line = self.line()?;
        let (time, value) = line.split_once(' ').context("CPython did not answer")?;
        Ok((time.parse()?, value.to_owned()))
    }

    /// What it prints next.
    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Instantiate, parse, run, drop.
fn empty_call(sandbox: &Sandbox) -> Result<()> {
    let program = Program {
        code: Code::Term("null".into()),
        argument: Argument::None,
        context: None,
        bindings: Vec::new(),
        tools: Vec::new(),
        step: 0,
        debug: false,
        keep: false,
    };
    let limits = Limits { fuel: 10_000_000, depth: 1_000_000, memory: 64 << 20, output: 1 << 20 };
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..5_000 {
        let watch = Watch::new(Duration::from_secs(5));
        let start = Instant::now();
        let machine = sandbox.start(&program, limits, &watch);
        let mut machine = machine.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        let started = milliseconds(start);
        let step = machine.resume(&Answer::None, FUEL);
        ensure!(matches!(step, Ok(Step::Done(_))), "{step:?}");
        let ended = milliseconds(start);
        drop(machine);
        let all = milliseconds(start);
        let parts = [all, started, ended - started, all - ended];
        times.iter_mut().zip(parts).for_each(|(times, part)| times.push(part * 1e3));
    }
    let [all, start, run, end] = times.map(median);
    println!(
        "empty call, median of 5000: {all:.1} µs (instantiate and parse {start:.1}, run {run:.1}, \
         drop {end:.1})"
    );
    Ok(())
}

/// What each of a million pending calls takes, in the memory that a run gets by default.
fn deep_recursion(sandbox: &Sandbox) -> Result<()> {
    let programs = read("scripts/peers/workloads.json")?;
    let recursion = programs.into_iter().find(|it| it.name.starts_with("recursion"));
    let recursion = Bench {
        input: Input::Ready("1000000".into()),
        value: "500000500000".into(),
        ..recursion.context("a recursion")?
    };
    let times = (0..20).map(|_| sandboxed_within(64 << 20, sandbox, &recursion));
    // As many nanoseconds a call as milliseconds for all of them.
    let time = median(times.collect::<Result<_>>()?);
    println!("recursion 10^6 deep within 64 MiB, median of 20: {time:.1} ns a call");
    Ok(())
}

/// From starting the process to the answer of the first `run`; and to the end of one that only
/// says its version, which is what the system takes for a program of this size.
fn start_up() -> Result<()> {
    let binary = binary::for_release()?;
    let (mut times, mut floor) = (Vec::new(), Vec::new());
    for round in 0..21 {
        let start = Instant::now();
        Command::new(&binary).arg("--version").stdout(Stdio::null()).status()?;
        let version = milliseconds(start);
        let start = Instant::now();
        let mut server = Pipe::start(Command::new(&binary).arg("--ephemeral"))?;
        let sum = server.call("run", &json!({"code": {"add": [40, 2]}}))?;
        let answered = milliseconds(start);
        ensure!(text(&sum)? == "42", "{sum}");
        server.finish()?;
        if round > 0 {
            times.push(answered);
            floor.push(version);
        }
    }
    println!(
        "process start to the answer of a first `run`, median of 20: {:.1} ms (to the end of \
         `--version`: {:.1})",
        median(times),
        median(floor)
    );
    Ok(())
}
