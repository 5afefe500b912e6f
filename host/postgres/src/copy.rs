//! Copies whole stores from and to PostgreSQL, and checks whole tables. The owner of the schema does it.

use pif_store::Error;
use pif_store::find::Collection;
use pif_store::journal::Error as JournalError;
use pif_store::portable::{
    COUNTERS, Cell, CopyReport, Kind, MEANINGS, Row, Source, Table, Target, copy,
};
use pif_store::registry::Definition;
use tokio_postgres::types::ToSql;

use crate::connection::{Columns as _, Connection, Parameter};
use crate::error::damaged;
use crate::postgres::Postgres;
use crate::rows::{entries, find, memos, tools};

/// Whoever changes anything waits meanwhile.
const ALONE: &str = "BEGIN; SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 0; \
    SELECT pg_advisory_xact_lock(20550, 1); LOCK TABLE chain IN EXCLUSIVE MODE";

const MOMENT: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0";

/// The tables that are empty in a new store.
const FILLED: [&str; 6] = ["change", "entry", "text", "session", "memory", "area"];

/// One state of a store.
struct State<'a> {
    db: &'a Connection,
    indexer: &'a find::Indexer,
}

fn select(table: &Table) -> String {
    if table.name == COUNTERS.name {
        "SELECT convert_to(name, 'UTF8'), last FROM counter ORDER BY 1".to_owned()
    } else if table.name == MEANINGS.name {
        "SELECT d.kind, d.owner, d.place, d.hash, m.model, m.vector
            FROM document_meaning m JOIN document d ON d.id = m.document
            ORDER BY d.kind, d.owner, d.place"
            .to_owned()
    } else {
        table.select()
    }
}

/// The statement that takes the rows as an array for each column.
fn insert(table: &Table) -> String {
    let arrays: Vec<String> = (1_usize..)
        .zip(table.columns)
        .map(|(number, (_, kind))| match kind {
            Kind::Integer => format!("${number}::bigint[]"),
            Kind::Real => format!("${number}::double precision[]"),
            Kind::Text | Kind::Bytes => format!("${number}::bytea[]"),
        })
        .collect();
    let (rows, list) = (format!("unnest({})", arrays.join(", ")), table.list());
    if table.name == COUNTERS.name {
        format!(
            "UPDATE counter c SET last = r.last FROM {rows} AS r (name, last)
                WHERE c.name = convert_from(r.name, 'UTF8')"
        )
    } else if table.name == MEANINGS.name {
        format!(
            "INSERT INTO document_meaning SELECT d.id, r.model, r.vector FROM {rows} AS r ({list})
                JOIN document d USING (kind, owner, place, hash)"
        )
    } else {
        format!("INSERT INTO {} ({list}) SELECT * FROM {rows}", table.name)
    }
}

fn cell(row: &tokio_postgres::Row, column: usize, kind: Kind) -> Result<Cell, Error> {
    let failed = |error: tokio_postgres::Error| damaged(error.to_string());
    let bytes = || row.try_get::<_, Option<Vec<u8>>>(column).map_err(failed);
    Ok(match kind {
        Kind::Integer => row.number_if_any(column)?.map_or(Cell::Null, Cell::Integer),
        Kind::Real => {
            row.try_get::<_, Option<f64>>(column).map_err(failed)?.map_or(Cell::Null, Cell::Real)
        }
        Kind::Text => bytes()?.map_or(Cell::Null, Cell::Text),
        Kind::Bytes => bytes()?.map_or(Cell::Null, Cell::Bytes),
    })
}

impl Source for State<'_> {
    fn each(
        &self,
        table: &Table,
        visit: &mut dyn FnMut(Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.db.each(&select(table), &[], |row| {
            let kinds = table.columns.iter().enumerate();
            visit(
                kinds
                    .map(|(column, (_, kind))| cell(row, column, *kind))
                    .collect::<Result<_, _>>()?,
            )
        })
    }
}

/// The cells of a column of rows, which are taken.
fn column(rows: &mut [Row], number: usize, kind: Kind) -> Result<Box<dyn ToSql + Sync>, Error> {
    let mut cells = rows
        .iter_mut()
        .filter_map(|row| row.get_mut(number))
        .map(|cell| std::mem::replace(cell, Cell::Null));
    let wrong = |cell: &Cell| damaged(format!("a cell holds {cell:?}, which its column does not"));
    Ok(match kind {
        Kind::Integer => Box::new(
            cells
                .by_ref()
                .map(|cell| match cell {
                    Cell::Null => Ok(None),
                    Cell::Integer(it) => Ok(Some(it)),
                    other => Err(wrong(&other)),
                })
                .collect::<Result<Vec<Option<i64>>, _>>()?,
        ),
        Kind::Real => Box::new(
            cells
                .by_ref()
                .map(|cell| match cell {
                    Cell::Null => Ok(None),
                    Cell::Real(it) => Ok(Some(it)),
                    other => Err(wrong(&other)),
                })
                .collect::<Result<Vec<Option<f64>>, _>>()?,
        ),
        Kind::Text | Kind::Bytes => Box::new(
            cells
                .by_ref()
                .map(|cell| match cell {
                    Cell::Null => Ok(None),
                    Cell::Text(it) | Cell::Bytes(it) => Ok(Some(it)),
                    other => Err(wrong(&other)),
                })
                .collect::<Result<Vec<Option<Vec<u8>>>, _>>()?,
        ),
    })
}

impl Target for State<'_> {
    fn put(&mut self, table: &Table, mut rows: Vec<Row>) -> Result<(), Error> {
        let kinds = table.columns.iter().enumerate();
        let columns: Vec<Box<dyn ToSql + Sync>> = kinds
            .map(|(number, (_, kind))| column(&mut rows, number, *kind))
            .collect::<Result<_, _>>()?;
        let columns: Vec<Parameter<'_>> = columns.iter().map(|it| &**it).collect();
        self.db.rows(&insert(table), &columns).map(drop)
    }

    fn derive(&mut self) -> Result<(), Error> {
        self.db.execute(
            "INSERT INTO chain (chain, id, ends, hash, entries)
                SELECT a.chain, coalesce(e.id, a.id), coalesce(e.ends, a.ends), coalesce(e.hash, a.hash),
                    a.entries + (SELECT count(*) FROM entry n WHERE n.chain = a.chain)
                FROM anchor a LEFT JOIN LATERAL (
                    SELECT e.id, e.ends, e.hash FROM entry e WHERE e.chain = a.chain
                    ORDER BY e.id DESC LIMIT 1) e ON true;
            SELECT setval('entry_number', greatest(
                (SELECT max(id) FROM entry), (SELECT max(id) FROM anchor), 1),
                greatest((SELECT max(id) FROM entry), (SELECT max(id) FROM anchor)) > 0)",
        )?;
        for tool in tools::page(self.db, "", usize::MAX)? {
            self.indexer.put(self.db, find::TOOLS, &Definition::document(&tool))?;
        }
        let owners = self.db.rows("SELECT DISTINCT owner FROM memory ORDER BY owner", &[])?;
        for owner in &owners {
            let owner = owner.text(0)?;
            let shelf: Collection<'_> = find::memory(&owner);
            for memo in memos::all(self.db, &owner)? {
                self.indexer.put(self.db, shelf, &memo.document())?;
            }
        }
        Ok(())
    }
}

impl Postgres {
    /// Calls back with one state of the store.
    pub fn state<T>(&self, read: impl FnOnce(&dyn Source) -> Result<T, Error>) -> Result<T, Error> {
        let connection = self.alone()?;
        connection.execute(MOMENT)?;
        let result = read(&State { db: &connection, indexer: &self.shared.indexer })?;
        connection.execute("COMMIT")?;
        Ok(result)
    }

    /// Fills the store, which must be empty, with the rows of another one, and verifies all of it before it
    /// counts.
    pub fn fill(&self, source: &dyn Source) -> Result<CopyReport, Error> {
        let connection = self.alone()?;
        connection.execute(ALONE)?;
        for table in FILLED {
            if connection
                .row_if_any(&format!("SELECT 1::bigint FROM {table} LIMIT 1"), &[])?
                .is_some()
            {
                return Err(damaged(format!(
                    "{} has a store that is not empty",
                    self.shared.connect.address()
                )));
            }
        }
        connection.execute(
            "DELETE FROM chain; DELETE FROM anchor; DELETE FROM pending; DELETE FROM identity",
        )?;
        let copied = copy(source, &mut State { db: &connection, indexer: &self.shared.indexer })?;
        let verified =
            entries::follow(&connection).and_then(|_| entries::verify_texts(&connection));
        verified.map_err(|error| match error {
            JournalError::Store(error) => error,
            broken => damaged(broken.to_string()),
        })?;
        check(&connection)?;
        connection.execute("COMMIT")?;
        Ok(copied)
    }

    /// Verifies the rows that no read of a tool or an entry verifies.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let connection = self.alone()?;
        connection.execute("SET statement_timeout = 0")?;
        check(&connection)?;
        entries::check_heads(&connection)
    }
}

/// Verifies that each term and each sum is as its rows say.
fn check(db: &Connection) -> Result<(), Error> {
    let checks = [
        (
            "a term is not the one that its hash names",
            "SELECT 1::bigint FROM revision WHERE hash <> convert_to(encode(sha256(source), 'hex'), 'UTF8')",
        ),
        (
            "the sums of the memory are not those of its rows",
            "SELECT 1::bigint FROM memory_sum s WHERE (s.keys, s.bytes) <>
                (SELECT count(*), coalesce(sum(length(value)), 0)::bigint FROM memory)",
        ),
        (
            "the sums of the index are not those of its rows",
            "SELECT 1::bigint FROM document_sum s WHERE (s.documents, s.stems) <>
                (SELECT count(*), coalesce(sum(stems), 0)::bigint FROM document)",
        ),
        (
            "a name stands for something else than its last change",
            "SELECT 1::bigint FROM tool t
                WHERE t.change <> (SELECT max(c.id) FROM change c WHERE c.name = t.name)",
        ),
    ];
    for (told, sql) in checks {
        if db.row_if_any(&format!("{sql} LIMIT 1"), &[])?.is_some() {
            return Err(damaged(told.to_owned()));
        }
    }
    Ok(())
}
