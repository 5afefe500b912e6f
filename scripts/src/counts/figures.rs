//! The figures that are checked in: what they were counted with, and a row for each workload.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// By how much a column other than fuel may grow, in per cent. Natively the heap is what everything
/// before has left of it, even another program of the list that was read, and whether a block is
/// grown in place or cleared makes up to 8 per cent; an instance begins with the same memory always.
fn tolerance(column: &str) -> u64 {
    if column == "native" { 10 } else { 2 }
}

/// A row; a figure that was not counted is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) fuel: Option<u64>,
    pub(super) wasm: Option<u64>,
    pub(super) native: Option<u64>,
    pub(super) sandbox: Option<u64>,
}

impl Row {
    fn cells(self) -> [(&'static str, Option<u64>); 4] {
        let Self { fuel, wasm, native, sandbox } = self;
        [("fuel", fuel), ("wasm", wasm), ("native", native), ("sandbox", sandbox)]
    }

    /// Its figures, and where it has none those of another.
    fn or(self, other: Self) -> Self {
        Self {
            fuel: self.fuel.or(other.fuel),
            wasm: self.wasm.or(other.wasm),
            native: self.native.or(other.native),
            sandbox: self.sandbox.or(other.sandbox),
        }
    }
}

/// All of them, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    tools: Vec<(String, String)>,
    rows: Vec<(String, Row)>,
}

impl Figures {
    /// Reads the file; none at all when there is no file yet.
    pub(super) fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        Self::parse(&std::fs::read_to_string(path)?).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Self> {
        let file: Map<String, Value> = serde_json::from_str(text)?;
        let mut figures = Self::default();
        for (name, value) in &file {
            match value {
                Value::String(version) => figures.tools.push((name.clone(), version.clone())),
                row => {
                    let cell = |column: &str| row.get(column).and_then(Value::as_u64);
                    let row = Row {
                        fuel: cell("fuel"),
                        wasm: cell("wasm"),
                        native: cell("native"),
                        sandbox: cell("sandbox"),
                    };
                    figures.rows.push((name.clone(), row));
                }
            }
        }
        Ok(figures)
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        Ok(std::fs::write(path, self.text())?)
    }

    /// One line for each tool and row, so that a difference is read as one.
    fn text(&self) -> String {
        let mut lines = Vec::new();
        for (tool, version) in &self.tools {
            lines.push(format!("  {}: {}", json!(tool), json!(version)));
        }
        for (name, row) in &self.rows {
            let cells = row.cells().into_iter();
            let cells = cells.filter_map(|(column, cell)| Some(format!("\"{column}\": {}", cell?)));
            let cells: Vec<String> = cells.collect();
            lines.push(format!("  {}: {{{}}}", json!(name), cells.join(", ")));
        }
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    pub(super) fn tool(&self, name: &str) -> Option<&str> {
        find(&self.tools, name).map(String::as_str)
    }

    /// With what has been counted now; rows that are no longer there go if all were counted.
    pub(super) fn renew(
        &self,
        tools: Vec<(String, String)>,
        counted: &[(String, Row)],
        whole: bool,
    ) -> Self {
        let mut renewed = self.clone();
        for (tool, version) in tools {
            renewed.tools.retain(|(name, _)| *name != tool);
            renewed.tools.push((tool, version));
        }
        if whole {
            renewed.rows.clear();
        }
        for (name, row) in counted {
            let row = row.or(find(&self.rows, name).copied().unwrap_or_default());
            match renewed.rows.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = row,
                None => renewed.rows.push((name.clone(), row)),
            }
        }
        renewed
    }
}

fn find<'a, T>(pairs: &'a [(String, T)], name: &str) -> Option<&'a T> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// What is wrong with figures, in sentences. If all were counted, all that are recorded must be
/// among them.
pub(super) fn compare(recorded: &Figures, counted: &[(String, Row)], whole: bool) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, row) in counted {
        let then = find(&recorded.rows, name).copied().unwrap_or_default();
        for ((column, now), (_, then)) in row.cells().into_iter().zip(then.cells()) {
            let Some(now) = now else { continue };
            let Some(then) = then else {
                complaints.push(format!("{name}: {column} is not recorded"));
                continue;
            };
            if column == "fuel" && now != then {
                complaints.push(format!("{name}: fuel was {then} and is {now}"));
            } else if grew(then, now, tolerance(column)) {
                let change = change(then, now);
                complaints.push(format!("{name}: {column} was {then} and is {now},{change}"));
            }
        }
    }
    let gone = recorded.rows.iter().filter(|(name, _)| whole && find(counted, name).is_none());
    complaints.extend(gone.map(|(name, _)| format!("{name}: recorded, and no longer a workload")));
    complaints
}

fn grew(then: u64, now: u64, tolerance: u64) -> bool {
    u128::from(now) * 100 > u128::from(then) * u128::from(100 + tolerance)
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn change(then: u64, now: u64) -> String {
    format!(" {:+.2} %", (now as f64 / then as f64 - 1.0) * 100.0)
}

/// Prints what was counted, and how it differs from what is recorded.
pub(super) fn print(recorded: &Figures, counted: &[(String, Row)]) {
    println!("{}", table(recorded, counted));
}

fn table(recorded: &Figures, counted: &[(String, Row)]) -> String {
    let columns = counted.first().map(|(_, row)| row.cells()).into_iter().flatten();
    let columns: Vec<&str> = columns.filter_map(|(name, cell)| cell.map(|_| name)).collect();
    let mut table = format!("{:24}", "");
    for column in &columns {
        let _ = write!(table, "{column:>14}{:>10}", "");
    }
    for (name, row) in counted {
        let then = find(&recorded.rows, name).copied().unwrap_or_default();
        let _ = write!(table, "\n{name:24}");
        for ((_, now), (_, then)) in row.cells().into_iter().zip(then.cells()) {
            let Some(now) = now else { continue };
            let differs = match then {
                None => " new".to_owned(),
                Some(then) if then == now => " =".to_owned(),
                Some(then) => change(then, now),
            };
            let _ = write!(table, "{now:>14}{differs:10}");
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(fuel: u64, wasm: u64) -> Row {
        Row { fuel: Some(fuel), wasm: Some(wasm), ..Row::default() }
    }

    fn recorded(rows: &[(&str, Row)]) -> Figures {
        let rows = rows.iter().map(|(name, row)| ((*name).to_owned(), *row)).collect();
        Figures { tools: vec![("rustc".to_owned(), "1".to_owned())], rows }
    }

    #[test]
    fn what_is_written_is_read_again() -> Result<()> {
        let figures = recorded(&[("a \"b\"", row(1, 2)), ("c", row(3, 4))]);
        assert_eq!(Figures::parse(&figures.text())?, figures);
        Ok(())
    }

    #[test]
    fn fuel_may_not_change_and_the_rest_not_grow() {
        let figures = recorded(&[("a", row(100, 1000))]);
        let complaints =
            |fuel, wasm| compare(&figures, &[("a".to_owned(), row(fuel, wasm))], true).len();
        assert_eq!(complaints(100, 1000), 0);
        assert_eq!(complaints(100, 1020), 0);
        assert_eq!(complaints(100, 500), 0);
        assert_eq!(complaints(100, 1021), 1);
        assert_eq!(complaints(101, 1000), 1);
        assert_eq!(complaints(99, 1021), 2);
        let native = |native| Row { native: Some(native), ..Row::default() };
        let figures = recorded(&[("a", native(1000))]);
        let complaints = |now| compare(&figures, &[("a".to_owned(), native(now))], true).len();
        assert_eq!((complaints(1100), complaints(1101)), (0, 1));
    }

    #[test]
    fn what_is_new_or_gone_is_told() {
        let figures = recorded(&[("a", row(1, 1)), ("b", row(1, 1))]);
        let counted = [("a".to_owned(), row(1, 1)), ("c".to_owned(), row(1, 1))];
        assert_eq!(compare(&figures, &counted, true).len(), 3);
        // With names given, those that were not asked for are not missed.
        assert_eq!(compare(&figures, &counted[..1], false).len(), 0);
    }

    #[test]
    fn renewing_some_columns_keeps_the_others() {
        let figures = recorded(&[("a", row(1, 7)), ("b", row(1, 1))]);
        let fuel = Row { fuel: Some(2), ..Row::default() };
        let renewed = figures.renew(Vec::new(), &[("a".to_owned(), fuel)], true);
        assert_eq!(renewed, recorded(&[("a", row(2, 7))]));
        let renewed = figures.renew(Vec::new(), &[("a".to_owned(), fuel)], false);
        assert_eq!(renewed, recorded(&[("a", row(2, 7)), ("b", row(1, 1))]));
    }
}
