//! Copies whole stores, row by row, between stores of different kinds. What a store derives from rows, such as its
//! index, is no part of a copy: each makes its own.

use sha2::{Digest as _, Sha256};

use super::error::{Error, Failure, Nature};

/// What a cell holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A number.
    Integer(i64),
    /// A float.
    Real(f64),
    /// A text, as its bytes.
    Text(Vec<u8>),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// The kind of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Numbers.
    Integer,
    /// Floats.
    Real,
    /// Texts.
    Text,
    /// Bytes.
    Bytes,
}

/// A table that all stores have.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [(&'static str, Kind)],
    /// The columns that order its rows.
    pub key: &'static [&'static str],
}

use Kind::{Bytes, Integer, Real, Text};

/// The last numbers of `area`, `change`, `checkpoint`, `pending` and `session`.
pub const COUNTERS: Table =
    Table { name: "counter", columns: &[("name", Text), ("last", Integer)], key: &["name"] };

/// What documents mean to a model. The documents must be there.
pub const MEANINGS: Table = Table {
    name: "document_meaning",
    columns: &[
        ("kind", Text),
        ("owner", Text),
        ("place", Text),
        ("hash", Text),
        ("model", Text),
        ("vector", Bytes),
    ],
    key: &["kind", "owner", "place"],
};

/// The tables in an order in which none refers to a later one.
pub const TABLES: [Table; 21] = [
    Table {
        name: "revision",
        columns: &[("id", Integer), ("hash", Text), ("source", Text)],
        key: &["id"],
    },
    Table {
        name: "uses",
        columns: &[("tool", Text), ("revision", Integer)],
        key: &["tool", "revision"],
    },
    Table {
        name: "change",
        columns: &[
            ("id", Integer),
            ("time", Integer),
            ("name", Text),
            ("revision", Integer),
            ("description", Text),
            ("examples", Text),
            ("entry", Integer),
            ("output_schema", Text),
            ("members", Text),
            ("properties", Text),
        ],
        key: &["id"],
    },
    Table {
        name: "fact",
        columns: &[("kind", Text), ("about", Text), ("told", Text)],
        key: &["kind", "about"],
    },
    Table { name: "tool", columns: &[("name", Text), ("change", Integer)], key: &["name"] },
    Table { name: "look", columns: &[("look", Text), ("name", Text)], key: &["look"] },
    Table { name: "component", columns: &[("id", Integer), ("hash", Text)], key: &["id"] },
    Table {
        name: "anchor",
        columns: &[
            ("id", Integer),
            ("ends", Integer),
            ("hash", Bytes),
            ("chain", Integer),
            ("entries", Integer),
        ],
        key: &["chain"],
    },
    Table {
        name: "entry",
        columns: &[
            ("id", Integer),
            ("time", Integer),
            ("kind", Text),
            ("subject", Text),
            ("ending", Text),
            ("fuel", Integer),
            ("component", Integer),
            ("body", Text),
            ("ends", Integer),
            ("hash", Bytes),
            ("principal", Text),
            ("chain", Integer),
        ],
        key: &["id"],
    },
    Table {
        name: "text",
        columns: &[("hash", Text), ("entry", Integer), ("text", Text)],
        key: &["hash"],
    },
    Table {
        name: "pending",
        columns: &[("id", Integer), ("owner", Text), ("until", Integer)],
        key: &["id"],
    },
    Table {
        name: "part",
        columns: &[("run", Integer), ("number", Integer), ("text", Text)],
        key: &["run", "number"],
    },
    Table {
        name: "session",
        columns: &[
            ("id", Integer),
            ("owner", Text),
            ("label", Text),
            ("title", Text),
            ("standing", Text),
            ("created", Integer),
            ("used", Integer),
            ("ttl", Integer),
            ("idle", Integer),
            ("turn", Integer),
            ("holder", Text),
            ("until", Integer),
        ],
        key: &["id"],
    },
    Table {
        name: "binding",
        columns: &[
            ("session", Integer),
            ("name", Text),
            ("hash", Text),
            ("kind", Text),
            ("bytes", Integer),
            ("turn", Integer),
        ],
        key: &["session", "name"],
    },
    Table {
        name: "turn",
        columns: &[("session", Integer), ("turn", Integer), ("told", Text)],
        key: &["session", "turn"],
    },
    Table {
        name: "area",
        columns: &[
            ("id", Integer),
            ("owner", Text),
            ("base", Integer),
            ("created", Integer),
            ("changed", Integer),
            ("version", Integer),
            ("verified", Integer),
            ("passed", Integer),
            ("record", Text),
        ],
        key: &["id"],
    },
    Table {
        name: "operation",
        columns: &[("area", Integer), ("number", Integer), ("told", Text)],
        key: &["area", "number"],
    },
    Table {
        name: "memory",
        columns: &[
            ("id", Integer),
            ("owner", Text),
            ("key", Text),
            ("tags", Text),
            ("created", Integer),
            ("updated", Integer),
            ("size", Integer),
            ("value", Text),
            ("context", Text),
            ("given", Real),
            ("successes", Integer),
            ("tries", Integer),
            ("used", Integer),
        ],
        key: &["id"],
    },
    Table {
        name: "memory_tag",
        columns: &[("tag", Text), ("memory", Integer)],
        key: &["tag", "memory"],
    },
    Table { name: "identity", columns: &[("id", Text)], key: &["id"] },
    Table { name: "checkpoint", columns: &[("id", Integer), ("note", Text)], key: &["id"] },
];

impl Table {
    /// The names of its columns, with commas between them.
    #[must_use]
    pub fn list(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }

    /// The columns that order its rows, with commas between them.
    #[must_use]
    pub fn order(&self) -> String {
        self.key.join(", ")
    }

    /// The statement that reads its rows in order, where it is a table of the database.
    #[must_use]
    pub fn select(&self) -> String {
        format!("SELECT {} FROM {} ORDER BY {}", self.list(), self.name, self.order())
    }
}

/// A row.
pub type Row = Vec<Cell>;

/// One state of a store, to be read.
pub trait Source {
    /// Calls back with each row of a table in order.
    fn each(
        &self,
        table: &Table,
        visit: &mut dyn FnMut(Row) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

/// An empty store that is filled. What it reads is what was written.
pub trait Target: Source {
    /// Writes rows of a table.
    fn put(&mut self, table: &Table, rows: Vec<Row>) -> Result<(), Error>;
    /// Makes what the store derives from its rows but for [`MEANINGS`].
    fn derive(&mut self) -> Result<(), Error>;
}

/// What was copied: tables with the number of their rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyReport(pub Vec<(&'static str, u64)>);

/// The most rows and about the most bytes that are written at once.
const MOST_ROWS: usize = 1_000;
const MOST_BYTES: usize = 4 << 20;

/// Copies all rows, then reads them again and compares. Fails if the copy differs; the caller undoes it then.
pub fn copy(source: &dyn Source, target: &mut dyn Target) -> Result<CopyReport, Error> {
    let mut read = Vec::new();
    for table in &TABLES {
        read.push((table, fill(source, target, table)?));
    }
    target.derive()?;
    for table in [&COUNTERS, &MEANINGS] {
        read.push((table, fill(source, target, table)?));
    }
    let mut copied = Vec::new();
    for (table, (rows, digest)) in read {
        if summary(target, table)? != (rows, digest) {
            let reason = format!("the copy of the table `{}` is not equal to it", table.name);
            return Err(damaged(reason));
        }
        copied.push((table.name, rows));
    }
    Ok(CopyReport(copied))
}

/// The number of a table's rows and a digest of them.
pub fn summary(source: &(impl Source + ?Sized), table: &Table) -> Result<(u64, [u8; 32]), Error> {
    let mut sum = Sum::default();
    source.each(table, &mut |row| {
        sum.add(&row);
        Ok(())
    })?;
    Ok(sum.end())
}

fn fill(
    source: &dyn Source,
    target: &mut dyn Target,
    table: &Table,
) -> Result<(u64, [u8; 32]), Error> {
    let (mut sum, mut rows, mut bytes) = (Sum::default(), Vec::new(), 0);
    source.each(table, &mut |row| {
        bytes += sum.add(&row);
        rows.push(row);
        if rows.len() >= MOST_ROWS || bytes >= MOST_BYTES {
            bytes = 0;
            target.put(table, std::mem::take(&mut rows))?;
        }
        Ok(())
    })?;
    if !rows.is_empty() {
        target.put(table, rows)?;
    }
    Ok(sum.end())
}

/// The digest of rows.
#[derive(Default)]
struct Sum {
    rows: u64,
    sha: Sha256,
}

impl Sum {
    /// Adds a row. Gives about the bytes of it.
    fn add(&mut self, row: &[Cell]) -> usize {
        self.rows += 1;
        row.iter().map(|cell| self.cell(cell)).sum()
    }

    fn cell(&mut self, cell: &Cell) -> usize {
        let mut add = |kind: u8, bytes: &[u8]| {
            let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            self.sha.update([kind]);
            self.sha.update(length.to_le_bytes());
            self.sha.update(bytes);
            bytes.len()
        };
        match cell {
            Cell::Null => add(0, &[]),
            Cell::Integer(it) => add(1, &it.to_le_bytes()),
            Cell::Real(it) => add(2, &it.to_bits().to_le_bytes()),
            Cell::Text(it) => add(3, it),
            Cell::Bytes(it) => add(4, it),
        }
    }

    fn end(self) -> (u64, [u8; 32]) {
        (self.rows, self.sha.finalize().into())
    }
}

/// An error of what a copy finds.
#[must_use]
pub fn damaged(reason: String) -> Error {
    Error::Failed(Failure { reason, detail: String::new(), nature: Nature::Damaged })
}
