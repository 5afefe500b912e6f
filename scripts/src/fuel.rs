//! Whether fuel bounds time: every form at large sizes in the sandbox, nanoseconds for a unit of
//! fuel. The programs are rows of `fuel.json`: a form, what its operands look like, and a term
//! whose variables are the values of `lets`. A value is ready before time and fuel count, and what
//! the term gives is not printed. A row that ends with `each` is evaluated 10^5 times.

use crate::tasks::root;
use crate::timed::timed;
use anyhow::{Context, Result, ensure};
use mcp_pif::sandbox::{Argument, Code, Program, Sandbox, Source};
use pif_guest::form::FORMS;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Memory that a run may use: collections are part of its time.
const MEMORY: u64 = 512 << 20;
/// What the times of a form's rows may differ by from those of any other.
const GOAL: f64 = 10.0;
/// Rows of `each` stand in this loop.
const LOOP: &str = r#"{"fold":[{"lam":"p","body":TERM},0,{"range":[0,100000]}]}"#;

struct Row {
    form: String,
    shape: String,
    code: String,
}

/// Measures; the arguments are the number of rounds (3) and the forms (all).
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        let mut release = vec!["run", "--release", "--quiet", "-p", "pif-scripts", "--", "fuel"];
        release.extend(arguments.iter().map(String::as_str));
        return crate::tasks::command(env!("CARGO"), &release, &[]);
    }
    let rounds: usize = arguments.first().map_or(Ok(3), |n| n.parse())?;
    let wanted = arguments.get(1..).unwrap_or_default();
    let rows = rows()?;
    let sandbox = Sandbox::open(None, 2)?;
    let idle = row(&[], &[json!("null"), json!("idle"), Value::Null])?;
    let (entering, _) = measure(&sandbox, &idle, 20)?;
    let mut forms: BTreeMap<&str, Vec<(f64, &str)>> = BTreeMap::new();
    let mut failed = 0;
    for row in rows.iter().filter(|row| wanted.is_empty() || wanted.contains(&row.form)) {
        match measure(&sandbox, row, rounds) {
            Ok((time, fuel)) => {
                println!("ROW\t{}\t{}\t{:.0}\t{}\t{:.2}", row.form, row.shape, time - entering, fuel, (time - entering) / fuel);
                let time = (time - entering) / fuel;
                forms.entry(&row.form).or_default().push((time, &row.shape));
            }
            Err(error) => {
                eprintln!("{} ({}): {error:#}", row.form, row.shape);
                failed += 1;
            }
        }
    }
    print(forms, !wanted.is_empty());
    ensure!(failed == 0, "{failed} rows failed");
    Ok(())
}

fn rows() -> Result<Vec<Row>> {
    let text = std::fs::read_to_string(root().join("scripts/fuel.json"))?;
    let file: BTreeMap<String, Vec<Vec<Value>>> = serde_json::from_str(&text)?;
    let part = |name: &str| file.get(name).with_context(|| format!("fuel.json lacks `{name}`"));
    let (lets, rows) = (part("lets")?, part("rows")?);
    let rows: Vec<Row> = rows.iter().map(|parts| row(lets, parts)).collect::<Result<_>>()?;
    let known: BTreeSet<&str> = rows.iter().map(|row| row.form.as_str()).collect();
    let missing = FORMS.iter().map(|row| row.name).filter(|name| !known.contains(name));
    let missing: Vec<&str> = missing.collect();
    ensure!(missing.is_empty(), "fuel.json has no row of {}", missing.join(", "));
    Ok(rows)
}

fn row(lets: &[Vec<Value>], parts: &[Value]) -> Result<Row> {
    let [form, shape, term, rest @ ..] = parts else { anyhow::bail!("a row is too short") };
    let text = |v: &Value| v.as_str().map(str::to_owned).context("a text is expected");
    let mut body = term.to_string();
    if !rest.is_empty() {
        body = LOOP.replace("TERM", &body);
    }
    // What the term needs, and what that needs: a value only uses those before it.
    let mut used = vec![body.clone()];
    let mut bindings = Vec::new();
    for binding in lets.iter().rev() {
        let [name, value] = binding.as_slice() else { anyhow::bail!("a binding is a pair") };
        let name = format!("{{\"var\":{name}}}");
        if used.iter().any(|term| term.contains(&name)) {
            used.push(value.to_string());
            bindings.insert(0, serde_json::to_string(binding)?);
        }
    }
    bindings.push(r#"["ready",{"perform":{"capability":"ready","args":null}}]"#.to_owned());
    bindings.push(format!("[\"result\",{body}]"));
    let code = format!("{{\"let\":[{}],\"in\":null}}", bindings.join(","));
    Ok(Row { form: text(form)?, shape: text(shape)?, code })
}

/// Nanoseconds and fuel, the best of some rounds.
fn measure(sandbox: &Sandbox, row: &Row, rounds: usize) -> Result<(f64, f64)> {
    let square = r#"{"lam":"x","body":{"mul":[{"var":"x"},{"var":"x"}]}}"#;
    let program = Program {
        code: Code::Term(row.code.clone()),
        argument: Argument::None,
        context: None,
        tools: vec![Source { name: "square".into(), code: square.into() }],
        step: 0,
        debug: false,
    };
    let (mut best, mut fuel) = (f64::INFINITY, 0);
    for _ in 0..rounds {
        let run = timed(sandbox, &program, true, MEMORY)?;
        (best, fuel) = (best.min(run.milliseconds * 1e6), run.fuel);
    }
    #[expect(clippy::cast_precision_loss, reason = "fuel is far below 2^53")]
    Ok((best, fuel as f64))
}

/// Prints the forms by their worst time, or all rows.
fn print(forms: BTreeMap<&str, Vec<(f64, &str)>>, all: bool) {
    let mut table: Vec<_> = forms.into_iter().collect();
    for (_, shapes) in &mut table {
        shapes.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    let worst = |shapes: &[(f64, &str)]| shapes.first().map_or(0.0, |shape| shape.0);
    table.sort_by(|a, b| worst(&b.1).total_cmp(&worst(&a.1)));
    println!("form             worst ns  best ns  of a unit of fuel; worst with, best with");
    for (form, shapes) in &table {
        let (Some(first), Some(last)) = (shapes.first(), shapes.last()) else { continue };
        let names = if shapes.len() > 1 { format!("; {}", last.1) } else { String::new() };
        println!("{form:16} {:8.2} {:8.2}  {}{names}", first.0, last.0, first.1);
        for (time, shape) in shapes.iter().filter(|_| all) {
            println!("{:17}{time:8.2}           {shape}", "");
        }
    }
    let most = table.first().map_or(0.0, |(_, shapes)| worst(shapes));
    let least = table.last().map_or(0.0, |(_, shapes)| worst(shapes));
    let spread = most / least;
    let verdict = if spread <= GOAL { "" } else { "  MISSED" };
    println!(
        "\nworst times of {} forms: {least:.2} to {most:.2} ns, spread {spread:.1}, goal {GOAL}{verdict}",
        table.len()
    );
}
