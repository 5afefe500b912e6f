//! Files of 20 MB, which runs read without any flag. A limit that is lower stops a run, and its fault
//! names it.

use super::client::command;
use super::folder::Folder;
use super::kept::{self, Printed};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// Bytes of a file.
const SIZE: usize = 20_000_000;

/// Counts words, and shows the ten that are most frequent.
const WORDS: &str = "text => { const n = {}; for (const w of text.split(/\\s+/)) { n[w] = (n[w] ?? 0) + 1; } \
    return Object.entries(n).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 10); }";

/// Adds up the milliseconds of each kind of request.
const REQUESTS: &str = "log => { const t = {}; for (const line of log.split('\\n')) { \
    const m = line.match(/ (GET|POST) \\/items\\/(\\d+) (\\d+)ms$/); \
    if (m) { t[m[1]] = (t[m[1]] ?? 0) + Number(m[3]); } } return t; }";

/// Adds up the amounts of each customer.
const TOTALS: &str = "rows => { const t = {}; \
    for (const r of rows) { t[r.customer] = (t[r.customer] ?? 0) + r.amount; } return t; }";

/// A file with a JSON value.
struct File(Folder);

impl File {
    fn new(value: &Value) -> Result<Self> {
        let folder = Folder::new()?;
        fs::write(folder.path().join("data.json"), value.to_string())?;
        Ok(Self(folder))
    }

    fn run(&self, program: &str, flags: &[&str]) -> Result<Printed> {
        let data = format!("@{}", self.0.path().join("data.json").display());
        let mut command = command(&self.0)?;
        command.args(flags).args(["run", program, "--data", &data]);
        kept::execute(command, "")
    }
}

/// Numbers that look random, below 2³².
fn numbers() -> impl Iterator<Item = usize> {
    let next = |n: &u64| Some(n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    std::iter::successors(Some(7), next).map(|n| usize::try_from(n >> 32).unwrap_or_default())
}

/// A text of words, of which the first ones of a vocabulary are the most frequent.
fn text() -> (String, BTreeMap<String, u64>) {
    const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
    const CONSONANTS: [char; 8] = ['b', 'd', 'g', 'k', 'l', 'm', 'n', 's'];
    let mut text = String::with_capacity(SIZE + 100);
    let mut counts = BTreeMap::new();
    let mut numbers = numbers();
    let mut next = || numbers.next().unwrap_or_default();
    while text.len() < SIZE {
        let mut word = String::new();
        let mut rank = (next() % 200) * (next() % 200) + 40;
        while rank > 0 {
            word.push(CONSONANTS[rank % 8]);
            word.push(VOWELS[rank / 8 % 5]);
            rank /= 40;
        }
        if !text.is_empty() {
            text.push(if next() % 12 == 0 { '\n' } else { ' ' });
        }
        text.push_str(&word);
        *counts.entry(word).or_default() += 1;
    }
    (text, counts)
}

#[test]
fn words_of_a_text_are_counted() -> Result<()> {
    let (text, counts) = text();
    let printed = File::new(&json!(text))?.run(WORDS, &[])?;
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ensure!(counts.len() > 10_000, "{} words", counts.len());
    counts.truncate(10);
    assert_eq!(printed.output.trim_end(), serde_json::to_string(&counts)?, "{}", printed.errors);
    Ok(())
}

#[test]
fn lines_of_a_log_are_matched() -> Result<()> {
    let (mut log, mut totals) = (String::new(), BTreeMap::<&str, usize>::new());
    for number in numbers() {
        let (kind, time) = (["GET", "POST", "PUT"][number % 3], number / 3 % 900);
        let day = number % 28 + 1;
        writeln!(
            log,
            "2026-05-{day:02}T10:00:00Z host{} {kind} /items/{number} {time}ms",
            number % 40
        )?;
        if kind != "PUT" {
            *totals.entry(kind).or_default() += time;
        }
        if log.len() > SIZE {
            break;
        }
    }
    let printed = File::new(&json!(log))?.run(REQUESTS, &[])?;
    let sums: BTreeMap<String, usize> = serde_json::from_str(&printed.output)
        .map_err(|error| anyhow::anyhow!("{error}: {}", printed.errors))?;
    ensure!(sums.iter().map(|(kind, sum)| (kind.as_str(), *sum)).eq(totals), "{sums:?}");
    Ok(())
}

#[test]
fn rows_are_grouped_and_added_up() -> Result<()> {
    let order = |number: usize| {
        json!({"id": number, "customer": format!("c{}", number % 5_000),
        "country": "nowhere", "amount": number / 5_000 % 1_000})
    };
    let rows: Vec<Value> = numbers().take(300_000).map(order).collect();
    let mut totals = BTreeMap::<String, u64>::new();
    for row in &rows {
        let customer = row["customer"].as_str().unwrap_or_default().to_owned();
        *totals.entry(customer).or_default() += row["amount"].as_u64().unwrap_or_default();
    }
    let rows = json!(rows);
    ensure!(rows.to_string().len() > SIZE, "{} bytes", rows.to_string().len());
    let file = File::new(&rows)?;
    // Five thousand sums are longer than what a reply shows.
    let printed = file.run(TOTALS, &["--max-result", "1M"])?;
    let sums: BTreeMap<String, u64> = serde_json::from_str(&printed.output)
        .map_err(|error| anyhow::anyhow!("{error}: {}", printed.errors))?;
    assert_eq!(sums, totals);
    for (flag, value, fault, limit) in [
        ("--fuel", "10M", "out-of-fuel: ", "[fuel: 10000000 of 10000000]"),
        ("--memory", "64MiB", "too-large: ", " of 67108864]"),
        ("--wall-clock", "100ms", "timeout: ", "100"),
        ("--max-data", "10MB", "too-large: ", "[data: "),
    ] {
        let errors = file.run(TOTALS, &[flag, value])?.errors;
        ensure!(errors.starts_with(fault) && errors.contains(limit), "{flag}: {errors}");
    }
    Ok(())
}
