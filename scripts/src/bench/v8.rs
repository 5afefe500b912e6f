//! Programs on data, as whole processes: `mcp-pif run CODE --data @FILE` against node, which runs the
//! same text on the same file. The programs are in `scripts/v8.json`. What counts is the time on a
//! processor, of which the least of all rounds is the truest: whatever else the machine does can only
//! add to it.

use super::{data::scattered, rows};
use anyhow::{Context, Result, ensure};
use pif_tests::server::binary;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Rows of the data.
const ROWS: usize = 100_000;
/// The ratio, without what starting node takes, that no program is to exceed.
const GOAL: f64 = 2.0;

/// A program, and the file that it reads.
struct Row {
    name: String,
    code: String,
    data: String,
}

/// Runs the programs so many times.
pub(super) fn run(rounds: usize) -> Result<()> {
    let binary = binary::for_release()?;
    let folder = std::env::temp_dir().join(format!("pif-v8-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let programs = rows("scripts/v8.json")?;
    let measured = programs.iter().map(|row| measure(row, &binary, &folder, rounds));
    let measured = measured.collect::<Result<Vec<_>>>();
    let empty = folder.join("empty.js");
    std::fs::write(&empty, "")?;
    let starts = (0..rounds).map(|_| timed(Command::new("node").arg(&empty)).map(|run| run.0));
    let start = starts.collect::<Result<Vec<_>>>().map(least);
    std::fs::remove_dir_all(&folder)?;
    let measured = measured?;
    let start = start?;
    println!("{rounds} rounds, the least of each; node starts in {start:.0} ms\n");
    println!("program                 pif ms  node ms   ratio  without the start");
    let mut all = 0.0;
    let mut without = 0.0;
    for (name, ours, theirs) in &measured {
        let ratio = ours / theirs;
        let rest = ours / (theirs - start).max(1.0);
        (all, without) = (all + ratio.ln(), without + rest.ln());
        let verdict = if rest <= GOAL { "" } else { "  MISSED" };
        println!("{name:22} {ours:7.0} {theirs:8.0} {ratio:7.2} {rest:18.2}{verdict}");
    }
    let count = f64::from(u32::try_from(measured.len())?);
    let [all, without] = [all, without].map(|sum| (sum / count).exp());
    println!("geometric mean                          {all:7.2} {without:18.2}");
    Ok(())
}

/// Runs a program in both, and returns its name and the least milliseconds of each.
fn measure(row: &Value, binary: &Path, folder: &Path, rounds: usize) -> Result<(String, f64, f64)> {
    let member = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    let member = |name: &str| member(name).with_context(|| format!("a row lacks `{name}`"));
    let row = Row { name: member("name")?, code: member("code")?, data: member("data")? };
    let file = folder.join(&row.data);
    if !file.exists() {
        std::fs::write(&file, data(&row.data).context("data of a known kind")?.to_string())?;
    }
    let script = folder.join("program.js");
    let read = format!("JSON.parse(require('fs').readFileSync({}, 'utf8'))", json!(file));
    std::fs::write(&script, format!("console.log(JSON.stringify(({})({read})))", row.code))?;
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    let at = format!("@{}", file.display());
    for _ in 0..rounds {
        let (time, value) = timed(Command::new(binary).args(["run", &row.code, "--data", &at]))?;
        let (their_time, their_value) = timed(Command::new("node").arg(&script))?;
        ensure!(value == their_value, "{}: {value} here, {their_value} in node", row.name);
        ours.push(time);
        theirs.push(their_time);
    }
    Ok((row.name, least(ours), least(theirs)))
}

fn least(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

/// Runs a command. Returns its milliseconds on a processor, and the JSON that it prints. Only a shell
/// tells the time of a single process.
fn timed(command: &mut Command) -> Result<(f64, Value)> {
    let mut shell = Command::new("bash");
    shell.args(["-c", "TIMEFORMAT='%3U %3S'; time \"$@\"", "bash"]);
    shell.arg(command.get_program()).args(command.get_args());
    let output = shell.output().context("bash is needed")?;
    let told = String::from_utf8(output.stderr)?;
    ensure!(output.status.success(), "{told}");
    let seconds = told.lines().next_back().context("a time")?.split(' ').map(str::parse::<f64>);
    let seconds: f64 = seconds.collect::<Result<Vec<_>, _>>()?.into_iter().sum();
    let printed = if output.stdout.is_empty() { b"null".to_vec() } else { output.stdout };
    Ok((seconds * 1e3, serde_json::from_slice(&printed)?))
}

/// Data of a kind.
fn data(kind: &str) -> Option<Value> {
    Some(match kind {
        "nothing" => Value::Null,
        "orders" => orders(),
        "numbers" => scattered(ROWS).collect(),
        "text" => {
            let word = |n: u64| format!("w{}", (n % 2_000) * (n / 2_000 % 2_000) / 2_000);
            Value::from(scattered(3 * ROWS).map(word).collect::<Vec<_>>().join(" "))
        }
        "log" => Value::from(lines(ROWS)),
        "lines" => Value::from(lines(ROWS * 3 / 5)),
        "join" => json!({"orders": orders(), "customers": customers()}),
        _ => return None,
    })
}

fn orders() -> Value {
    const REGIONS: [&str; 5] = ["north", "south", "east", "west", "center"];
    let order = |(n, id): (u64, usize)| {
        json!({"id": id, "customer": format!("c{}", n % 5_000), "region": REGIONS[id % 5],
            "k": format!("key{}", n / 7 % 100), "v": n / 11 % 1_000, "ok": n / 13 % 2 == 0})
    };
    scattered(ROWS).zip(0..).map(order).collect()
}

fn customers() -> Value {
    let customer = |id: u64| json!({"id": format!("c{id}"), "name": format!("Customer {id}"), "tier": format!("t{}", id % 4)});
    (0..5_000).map(customer).collect()
}

fn lines(count: usize) -> String {
    const LEVELS: [&str; 4] = ["INFO", "WARN", "ERROR", "DEBUG"];
    let line = |(n, at): (u64, usize)| {
        let level = LEVELS[at % 4];
        let service = n % 20;
        let took = n / 20 % 500;
        let user = n / 10_000 % 1_000;
        let day = 1 + at % 28;
        format!("2026-01-{day:02}T10:00:00Z {level} svc{service} request took {took}ms user={user}")
    };
    scattered(count).zip(0..).map(line).collect::<Vec<_>>().join("\n")
}
