//! The forms on data, in the sandbox against `CPython` in one interleaved run. The rows are in
//! `scripts/data.json`. Both get the same JSON text. The time of a row that parses is that of the
//! whole run, whose result is a number; for any other row the data is there before time counts,
//! in `CPython` as what `json.load` gives.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use pif_sandbox::{Argument, Code, Program, Sandbox};
use serde_json::{Value, json};

use super::{Python, median};
use crate::tasks::root;
use crate::timing::timed;

const MEMORY: u64 = 512 << 20;

struct Row {
    name: String,
    /// The body of a function of `x`, the data.
    body: String,
    data: String,
    parses: bool,
    /// The ratio to `CPython` that must not be exceeded.
    goal: f64,
}

/// Runs the rows so many times.
pub(super) fn run(rounds: usize) -> Result<()> {
    let sandbox = Sandbox::open(None, 2)?;
    let folder = std::env::temp_dir().join(format!("pif-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let text = std::fs::read_to_string(root().join("scripts/data.json"))?;
    let rows: Vec<Value> = serde_json::from_str(&text)?;
    let rows: Vec<Row> = rows.iter().map(row).collect::<Result<_>>()?;
    let folder_name = folder.to_str().context("a folder with a name")?;
    let mut python = Python::start("scripts/data.py", &[folder_name])?;
    for row in &rows {
        std::fs::write(folder.join(&row.name), &row.data)?;
    }
    let mut table = vec![Vec::new(); rows.len()];
    for round in 0..=rounds {
        for (row, times) in rows.iter().zip(&mut table) {
            let ours = sandboxed(&sandbox, row)?;
            let (time, value) = python.answer(&row.name)?;
            ensure!(value == ours.1, "{}: {} here, {value} in CPython", row.name, ours.1);
            if round > 0 {
                times.push((ours.0, time));
            }
        }
    }
    std::fs::remove_dir_all(&folder)?;
    println!(
        "{rounds} rounds, medians\n\ndata                       wasm ms  CPython ms   ratio   goal"
    );
    for (row, times) in rows.iter().zip(table) {
        let column = |pick: fn(&(f64, f64)) -> f64| median(times.iter().map(pick).collect());
        let ratio = column(|time| time.0 / time.1);
        let verdict = if ratio <= row.goal { "" } else { "  MISSED" };
        let (ours, theirs) = (column(|time| time.0), column(|time| time.1));
        println!("{:25} {ours:8.2} {theirs:11.2} {ratio:7.3} {:6.2}{verdict}", row.name, row.goal);
    }
    Ok(())
}

fn row(row: &Value) -> Result<Row> {
    let member = |name: &str| row.get(name).with_context(|| format!("a row lacks `{name}`"));
    let text =
        |name: &str| Ok::<_, anyhow::Error>(member(name)?.as_str().context("a text")?.to_owned());
    let data = data(&text("data")?).context("data of a known kind")?;
    let goal = member("goal")?.as_f64().context("a goal")?;
    let parses = row.get("parses").is_some();
    Ok(Row { name: text("name")?, body: member("body")?.to_string(), data, parses, goal })
}

fn sandboxed(sandbox: &Sandbox, row: &Row) -> Result<(f64, String)> {
    let ready = r#"["ready",{"perform":{"capability":"ready","args":null}}]"#;
    let gated = format!(r#"{{"let":[{ready}],"in":{}}}"#, row.body);
    let body = if row.parses { &row.body } else { &gated };
    let code = format!(r#"{{"lam":"x","body":{body}}}"#);
    let program = Program {
        code: Code::Term(code),
        argument: Argument::Data(row.data.clone()),
        context: None,
        bindings: Vec::new(),
        tools: Vec::new(),
        step: 0,
        debug: false,
        keep: false,
    };
    let run = timed(sandbox, &program, !row.parses, MEMORY).context(row.name.clone())?;
    Ok((run.milliseconds, run.json))
}

/// Numbers in no order, the same every time.
pub(super) fn scattered(count: usize) -> impl Iterator<Item = u64> {
    let mut x = 12345_u64;
    (0..count).map(move |_| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        x >> 33
    })
}

/// Data of a kind as JSON text.
fn data(kind: &str) -> Option<String> {
    const WORDS: [&str; 8] =
        ["quick", "brown", "fox", "jumping", "over", "lazy", "dogs", "singing"];
    let word = |n: u64| WORDS.get(usize::try_from(n % 8).unwrap_or_default()).copied();
    let data = match kind {
        "text" => {
            let words: Vec<&str> = scattered(180_000).filter_map(word).collect();
            Value::from(words.join(" ") + " needle")
        }
        "umlauts" => Value::from("Größe, Übermaß und Ähnliches: ".repeat(30_000)),
        "texts" => scattered(200_000).map(|n| format!("text {n}")).collect(),
        "words" => scattered(500_000).map(|n| format!("w{}", n % 5000)).collect(),
        "integers" => scattered(1_000_000).collect(),
        "floats" => {
            let mut text = String::from("[0.5");
            scattered(300_000).for_each(|n| {
                let _ = write!(text, ",{}.{:02}", n / 1000, n % 97 + 1);
            });
            return Some(text + "]");
        }
        "records" => scattered(100_000).zip(0..).map(record).collect(),
        "two" => {
            let left: Value = scattered(100_000).zip(0..).map(record).collect();
            let right: Value = scattered(200_000).step_by(2).zip(0..).map(record).collect();
            json!({"left": left, "right": right})
        }
        _ => return None,
    };
    Some(data.to_string())
}

fn record((n, id): (u64, u64)) -> Value {
    json!({"active": n % 3 == 0, "group": format!("group {}", n % 100), "id": id,
        "name": format!("name {n}"), "price": n % 100_000})
}
