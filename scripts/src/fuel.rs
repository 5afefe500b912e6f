//! Whether fuel bounds time: every form at large sizes in the sandbox, nanoseconds for a unit of
//! fuel. The programs are rows of `fuel.json`: a form, what its operands look like, and a term
//! whose variables are the values of `lets`. A value is ready before time and fuel count, and what
//! the term gives is not printed. A row that ends with `each` is evaluated 10^5 times, one that
//! ends with `kept` 10^6 times, and all its values are kept in a list.
//!
//! A form's figure is its worst row. The dearest form may take no more than ten times as much as
//! the cheapest.
//!
//! What counts is the time on a core, so that it does not
//! matter much what else the machine does. How fast that core is changes too, on many machines from
//! one second to the next: each time is taken beside that of a row of `app`, and the figure is the
//! median of the ratios, times the best that row took. A row that seems to miss the goal, and those
//! of the cheapest form, are measured again before that is believed.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use pif::form::FORMS;
use pif_sandbox::{Argument, Code, Program, Sandbox, Source};
use serde_json::{Value, json};

use crate::bench::median;
use crate::tasks::root;
use crate::timing::timed;

/// Memory that a run may use: collections are part of its time.
const MEMORY: u64 = 512 << 20;
/// How many times as much as in the cheapest form a unit of fuel may take in any.
const GOAL: f64 = 10.0;
/// The row that all others are compared with.
const PACE: [&str; 2] = ["app", "Church numerals"];
/// Rounds for a row on which the verdict depends.
const AGAIN: usize = 10;
/// Nanoseconds below which a row says little: what it does has to be done more often.
const SHORT: f64 = 30_000.0;
/// Rows of `each` stand in this loop.
const EACH: &str = r#"{"fold":[{"lam":"p","body":TERM},0,{"var":"numbers"}]}"#;
/// Rows of `kept` stand in this one, in which every value is kept.
const KEPT: &str = r#"{"fold":[{"lam":"p","body":{"cons":{"head":TERM,"tail":{"fst":{"var":"p"}}}}},[],{"var":"random"}]}"#;

/// The value in `lets` that stands for integers that collide.
const COLLIDING: &str = "colliding integers";

struct Row {
    form: String,
    shape: String,
    code: String,
}

/// What a row took.
struct Measured<'r> {
    row: &'r Row,
    /// As `Rig::measure` gives it, and in the end in nanoseconds.
    time: f64,
    fuel: f64,
    /// Whether it has been measured again.
    settled: bool,
}

/// The sandbox, and what tells how fast it is at the moment.
struct Rig<'r> {
    sandbox: Sandbox,
    /// A row whose time all others are compared with.
    pace: &'r Row,
    /// The least that it has ever taken.
    best: f64,
    /// What a run that does nothing takes.
    entering: f64,
}

impl Measured<'_> {
    /// What a unit of fuel took.
    fn unit(&self) -> f64 {
        self.time / self.fuel
    }
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Print every row, not only forms
    #[arg(long)]
    rows: bool,
    /// How often to measure each row
    #[arg(default_value_t = 3)]
    rounds: usize,
    /// The forms; all without
    forms: Vec<String>,
}

/// Measures.
pub(crate) fn run(Options { rows: each, rounds, forms: wanted }: &Options) -> Result<()> {
    let rows = rows()?;
    let mut rig = Rig::set_up(&rows)?;
    let mut table = Vec::new();
    let mut failed = 0;
    for row in rows.iter().filter(|row| wanted.is_empty() || wanted.contains(&row.form)) {
        match rig.measure(row, *rounds) {
            Ok((time, fuel)) => {
                table.push(Measured { row, time, fuel, settled: false });
            }
            Err(error) => {
                eprintln!("{} ({}): {error:#}", row.form, row.shape);
                failed += 1;
            }
        }
    }
    while let Some(measured) = doubtful(&mut table) {
        (measured.time, _) = rig.measure(measured.row, AGAIN)?;
        measured.settled = true;
    }
    for measured in &mut table {
        measured.time *= rig.best;
    }
    if *each {
        print_rows(&table);
    }
    print_forms(&table);
    ensure!(failed == 0, "{failed} rows failed");
    if wanted.is_empty() { judge(&table) } else { Ok(()) }
}

/// The forms with their rows, the dearest form and the worst row first.
fn by_form<'t, 'r>(table: &'t [Measured<'r>]) -> Vec<(&'r str, Vec<&'t Measured<'r>>)> {
    let mut forms: BTreeMap<&str, Vec<&Measured<'_>>> = BTreeMap::new();
    for measured in table {
        forms.entry(&measured.row.form).or_default().push(measured);
    }
    let mut forms: Vec<_> = forms.into_iter().collect();
    for (_, rows) in &mut forms {
        rows.sort_by(|a, b| b.unit().total_cmp(&a.unit()));
    }
    forms.sort_by(|a, b| worst(&b.1).total_cmp(&worst(&a.1)));
    forms
}

fn worst(rows: &[&Measured<'_>]) -> f64 {
    rows.first().map_or(0.0, |row| row.unit())
}

/// A row on which the verdict depends and that has not been measured again.
fn doubtful<'t, 'r>(table: &'t mut [Measured<'r>]) -> Option<&'t mut Measured<'r>> {
    let (cheapest, least) = by_form(table).last().map(|(form, rows)| (*form, worst(rows)))?;
    let counts = |row: &Measured<'_>| row.row.form == cheapest || row.unit() > GOAL * least;
    table.iter_mut().find(|row| !row.settled && counts(row))
}

/// Whether the goal is met.
fn judge(table: &[Measured<'_>]) -> Result<()> {
    let short: Vec<String> = name(table.iter().filter(|row| row.time < SHORT));
    ensure!(short.is_empty(), "too short to be measured: {}", short.join("; "));
    let limit = by_form(table).last().map_or(0.0, |(_, rows)| GOAL * worst(rows));
    let slow: Vec<String> = name(table.iter().filter(|row| row.unit() > limit));
    ensure!(slow.is_empty(), "over {limit:.1} ns: {}", slow.join("; "));
    Ok(())
}

fn name<'r>(rows: impl Iterator<Item = &'r Measured<'r>>) -> Vec<String> {
    rows.map(|row| format!("{} ({}), {:.1}", row.row.form, row.row.shape, row.unit())).collect()
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
    match rest.first().and_then(Value::as_str) {
        Some("kept") => body = KEPT.replace("TERM", &body),
        Some(_) => body = EACH.replace("TERM", &body),
        None => {}
    }
    // What the term needs, and what that needs: a value only uses those before it.
    let mut used = vec![body.clone()];
    let mut bindings = Vec::new();
    for binding in lets.iter().rev() {
        let [name, value] = binding.as_slice() else { anyhow::bail!("a binding is a pair") };
        let variable = format!("{{\"var\":{name}}}");
        if used.iter().any(|term| term.contains(&variable)) {
            let value = match value.as_str() {
                Some(COLLIDING) => colliding(60_000)?,
                _ => value.to_string(),
            };
            bindings.insert(0, format!("[{name},{value}]"));
            used.push(value);
        }
    }
    bindings.push(r#"["ready",{"perform":{"capability":"ready","args":null}}]"#.to_owned());
    bindings.push(format!("[\"result\",{body}]"));
    let code = format!("{{\"let\":[{}],\"in\":null}}", bindings.join(","));
    Ok(Row { form: text(form)?, shape: text(shape)?, code })
}

impl<'r> Rig<'r> {
    fn set_up(rows: &'r [Row]) -> Result<Self> {
        let pace = rows.iter().find(|row| [&*row.form, &*row.shape] == PACE);
        let pace = pace.context("fuel.json lacks the row that all others are compared with")?;
        let sandbox = Sandbox::open(None, 2)?;
        let mut rig = Self { sandbox, pace, best: f64::INFINITY, entering: f64::INFINITY };
        let idle = row(&[], &[json!("null"), json!("idle"), Value::Null])?;
        for _ in 0..20 {
            rig.entering = rig.entering.min(rig.once(&idle)?.0);
            rig.best = rig.best.min(rig.once(pace)?.0);
        }
        Ok(rig)
    }

    /// Time on a core, as a share of that of the row that all others are compared with, and fuel: the
    /// median of some rounds.
    fn measure(&mut self, row: &Row, rounds: usize) -> Result<(f64, f64)> {
        let (mut ratios, mut fuel) = (Vec::new(), 0.0);
        for _ in 0..rounds.max(1) {
            let (pace, _) = self.once(self.pace)?;
            let (time, used) = self.once(row)?;
            ratios.push((time - self.entering) / pace);
            (self.best, fuel) = (self.best.min(pace), used);
        }
        Ok((median(ratios), fuel))
    }

    fn once(&self, row: &Row) -> Result<(f64, f64)> {
        let square = r#"{"lam":"x","body":{"mul":[{"var":"x"},{"var":"x"}]}}"#;
        let program = Program {
            code: Code::Term(row.code.clone()),
            argument: Argument::None,
            context: None,
            bindings: Vec::new(),
            tools: vec![Source { name: "square".into(), code: square.into() }],
            step: 0,
            debug: false,
            keep: false,
        };
        let run = timed(&self.sandbox, &program, true, MEMORY)?;
        #[expect(clippy::cast_precision_loss, reason = "fuel is far below 2^53")]
        Ok((run.busy, run.fuel as f64))
    }
}

/// So many integers whose hashes have one upper half, as `grouping.rs` of the guest makes them: keys
/// that all belong into one place of the table there.
fn colliding(count: usize) -> Result<String> {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    const UPPER: u64 = 0xffff_fff1 << 32;
    // Newton's iteration doubles the bits in which this is the inverse; each odd number is its own in
    // three.
    let inverse = (0..5).fold(FACTOR, |inverse, _| {
        inverse.wrapping_mul(2_u64.wrapping_sub(FACTOR.wrapping_mul(inverse)))
    });
    let numbers = (0..).map(|lower| {
        let mixed = (UPPER | lower).wrapping_mul(inverse);
        (mixed ^ mixed >> 32).wrapping_mul(inverse).cast_signed()
    });
    // They must be integers of a word.
    let numbers: Vec<i64> = numbers.filter(|n| n.unsigned_abs() < 1 << 61).take(count).collect();
    Ok(serde_json::to_string(&numbers)?)
}

/// Prints the forms by their worst row.
fn print_forms(table: &[Measured<'_>]) {
    let forms = by_form(table);
    println!("form             worst ns  best ns  of a unit of fuel; worst with, best with");
    for (form, rows) in &forms {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { continue };
        let shape = if rows.len() > 1 { format!("; {}", last.row.shape) } else { String::new() };
        let (most, least) = (first.unit(), last.unit());
        println!("{form:16} {most:8.2} {least:8.2}  {}{shape}", first.row.shape);
    }
    let (Some((dearest, dear)), Some((cheapest, cheap))) = (forms.first(), forms.last()) else {
        return;
    };
    let (most, least) = (worst(dear), worst(cheap));
    println!(
        "\n{} rows of {} forms, each form by its worst row: {least:.2} ns ({cheapest}) to \
         {most:.2} ns ({dearest}), {:.1} times as much (goal {GOAL})",
        table.len(),
        forms.len(),
        most / least,
    );
}

/// Prints every row: form, shape, milliseconds, fuel, nanoseconds of a unit.
fn print_rows(table: &[Measured<'_>]) {
    for measured in table {
        let Measured { row, time, fuel, .. } = measured;
        let (milliseconds, unit) = (time / 1e6, measured.unit());
        println!("{}\t{}\t{milliseconds:.3}\t{fuel}\t{unit:.2}", row.form, row.shape);
    }
}
