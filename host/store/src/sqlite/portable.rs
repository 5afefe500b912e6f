//! The rows of a store in SQLite, for copies from and to stores of other kinds.

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::connections::{Durability, Sqlite};
use super::copy::{Duplicate, is_occupied, unusable};
use super::{entries, open, schema};
use crate::change::Wait;
use crate::error::Error;
use crate::journal;
use crate::place::{FILE, Place};
use crate::portable::{
    COUNTERS, Cell, CopyReport, MEANINGS, Row, Source, Table, Target, copy, damaged,
};

/// One state of a store.
struct State<'a>(&'a Connection);

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(it) => Cell::Integer(it),
        ValueRef::Real(it) => Cell::Real(it),
        ValueRef::Text(it) => Cell::Text(it.to_vec()),
        ValueRef::Blob(it) => Cell::Bytes(it.to_vec()),
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(it) => ToSqlOutput::Owned(Value::Integer(*it)),
            Self::Real(it) => ToSqlOutput::Owned(Value::Real(*it)),
            Self::Text(it) => ToSqlOutput::Borrowed(ValueRef::Text(it)),
            Self::Bytes(it) => ToSqlOutput::Borrowed(ValueRef::Blob(it)),
        })
    }
}

fn select(table: &Table) -> String {
    if table.name == COUNTERS.name {
        "SELECT n.column1, coalesce(s.seq, 0)
            FROM (VALUES ('area'), ('change'), ('checkpoint'), ('pending'), ('session')) n
            LEFT JOIN sqlite_sequence s ON s.name = n.column1 ORDER BY n.column1"
            .to_owned()
    } else if table.name == MEANINGS.name {
        "SELECT d.kind, d.owner, d.place, d.hash, m.model, m.vector
            FROM document_meaning m JOIN document d ON d.id = m.document
            ORDER BY d.kind, d.owner, d.place"
            .to_owned()
    } else {
        table.select()
    }
}

fn insert(table: &Table) -> String {
    if table.name == COUNTERS.name {
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 WHERE ?2 > 0".to_owned()
    } else if table.name == MEANINGS.name {
        "INSERT INTO document_meaning SELECT id, ?5, ?6 FROM document
            WHERE kind = ?1 AND owner = ?2 AND place = ?3 AND hash = ?4"
            .to_owned()
    } else {
        let places: Vec<String> = (1..=table.columns.len()).map(|n| format!("?{n}")).collect();
        format!("INSERT INTO {} ({}) VALUES ({})", table.name, table.list(), places.join(", "))
    }
}

impl Source for State<'_> {
    fn each(
        &self,
        table: &Table,
        visit: &mut dyn FnMut(Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut statement = self.0.prepare(&select(table))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let cells = (0..table.columns.len()).map(|column| Ok(cell(row.get_ref(column)?)));
            visit(cells.collect::<rusqlite::Result<_>>()?)?;
        }
        Ok(())
    }
}

impl Target for State<'_> {
    fn put(&mut self, table: &Table, rows: Vec<Row>) -> Result<(), Error> {
        let mut statement = self.0.prepare_cached(&insert(table))?;
        for row in rows {
            statement.execute(params_from_iter(row))?;
        }
        Ok(())
    }

    fn derive(&mut self) -> Result<(), Error> {
        // Rows with numbers have moved the counters.
        self.0.execute("DELETE FROM sqlite_sequence", [])?;
        Ok(schema::index(self.0)?)
    }
}

impl Sqlite {
    /// Calls back with one state of the store.
    pub fn state<T>(&self, read: impl FnOnce(&dyn Source) -> Result<T, Error>) -> Result<T, Error> {
        self.read(|db| {
            let moment = db.unchecked_transaction()?;
            read(&State(&moment))
        })
    }

    /// Makes a store of the rows of another one in a directory that has none, verifies all of it, and then gives it
    /// its name.
    pub fn of(source: &dyn Source, place: &Place) -> Result<CopyReport, Error> {
        let Place::Directory(directory) = place else {
            return Err(damaged("a copy needs a directory".to_owned()));
        };
        let file = directory.join(FILE);
        if is_occupied(place) {
            return Err(unusable(&file, "there is a store already"));
        }
        open::make_directory(directory)?;
        let fresh = Duplicate::fresh(&file)?;
        let store = fresh.open()?;
        let copied = store.write(Durability::Power, Wait::Patiently, |db| {
            db.execute_batch("DELETE FROM anchor; DELETE FROM identity")?;
            let copied = copy(source, &mut State(db))?;
            let verified = entries::follow(db).and_then(|_| entries::verify_texts(db));
            verified.map_err(|error| match error {
                journal::Error::Store(error) => error,
                broken => damaged(broken.to_string()),
            })?;
            Ok::<_, Error>(copied)
        })?;
        drop(store);
        // A connection that has written takes its own index for damage.
        Duplicate::check(&fresh.open()?, &file)?;
        fresh.publish(false)?;
        Ok(copied)
    }
}
