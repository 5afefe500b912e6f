//! The rows of sessions, each operation with its statement.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::session::{Binding, Lease, Session, SessionKind, Turn};

const COLUMNS: &str =
    "id, owner, label, title, standing, created, used, ttl, idle, turn, holder, until";

fn read(row: &Row<'_>) -> rusqlite::Result<Session> {
    let standing: String = row.get(4)?;
    let unknown = || {
        let reason = format!("a session is `{standing}`");
        rusqlite::Error::FromSqlConversionFailure(4, Type::Text, reason.into())
    };
    let (holder, until) = (row.get::<_, Option<String>>(10)?, row.get::<_, Option<i64>>(11)?);
    let lease = holder.zip(until).map(|(holder, until)| Lease { holder, until });
    Ok(Session {
        id: row.get(0)?,
        owner: row.get(1)?,
        label: row.get(2)?,
        title: row.get(3)?,
        standing: SessionKind::find(&standing).ok_or_else(unknown)?,
        created: row.get(5)?,
        used: row.get(6)?,
        ttl: row.get(7)?,
        idle: row.get(8)?,
        turn: row.get(9)?,
        lease,
    })
}

/// A session by its number.
pub(super) fn find(db: &Connection, id: i64) -> rusqlite::Result<Option<Session>> {
    let sql = format!("SELECT {COLUMNS} FROM session WHERE id = ?1");
    db.prepare_cached(&sql)?.query_row([id], read).optional()
}

/// All sessions of an owner.
pub(super) fn all(db: &Connection, owner: &str) -> rusqlite::Result<Vec<Session>> {
    let sql = format!("SELECT {COLUMNS} FROM session WHERE owner = ?1 ORDER BY id");
    db.prepare_cached(&sql)?.query_map([owner], read)?.collect()
}

/// The owners of sessions, saved states and memory.
pub(super) fn owners(db: &Connection) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached("SELECT owner FROM session UNION SELECT owner FROM memory ORDER BY 1")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// The session or saved state with a label.
pub(super) fn labelled(
    db: &Connection,
    owner: &str,
    label: &str,
    standing: SessionKind,
) -> rusqlite::Result<Option<Session>> {
    let sql =
        format!("SELECT {COLUMNS} FROM session WHERE owner = ?1 AND label = ?2 AND standing = ?3");
    db.prepare_cached(&sql)?.query_row(params![owner, label, standing.name()], read).optional()
}

/// The bindings of a session.
pub(super) fn bindings(db: &Connection, session: i64) -> rusqlite::Result<Vec<Binding>> {
    let read = |row: &Row<'_>| {
        Ok(Binding {
            name: row.get(0)?,
            hash: row.get(1)?,
            kind: row.get(2)?,
            bytes: row.get::<_, i64>(3)?.unsigned_abs(),
            turn: row.get(4)?,
        })
    };
    let sql = "SELECT name, hash, kind, bytes, turn FROM binding WHERE session = ?1 ORDER BY name";
    db.prepare_cached(sql)?.query_map([session], read)?.collect()
}

/// What a session remembers, the latest first.
pub(super) fn turns(db: &Connection, session: i64) -> rusqlite::Result<Vec<Turn>> {
    let read = |row: &Row<'_>| Ok(Turn { turn: row.get(0)?, told: row.get(1)? });
    let sql = "SELECT turn, told FROM turn WHERE session = ?1 ORDER BY turn DESC";
    db.prepare_cached(sql)?.query_map([session], read)?.collect()
}

/// Writes a session. Returns its number.
pub(super) fn put(db: &Connection, session: &Session) -> rusqlite::Result<i64> {
    let sql = format!(
        "INSERT INTO session ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            ON CONFLICT (id) DO UPDATE SET title = ?4, standing = ?5, created = ?6, used = ?7,
                ttl = ?8, idle = ?9, turn = ?10, holder = ?11, until = ?12"
    );
    let Session { owner, label, title, created, used, ttl, idle, turn, lease, .. } = session;
    let (holder, until) = match lease {
        Some(Lease { holder, until }) => (Some(holder), Some(until)),
        None => (None, None),
    };
    let id = (session.id != 0).then_some(session.id);
    let standing = session.standing.name();
    db.prepare_cached(&sql)?.execute(params![
        id, owner, label, title, standing, created, used, ttl, idle, turn, holder, until
    ])?;
    Ok(id.unwrap_or_else(|| db.last_insert_rowid()))
}

/// Removes a session, whose bindings are gone already.
pub(super) fn remove(db: &Connection, session: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM session WHERE id = ?1")?.execute([session])?;
    Ok(())
}

/// Binds a name.
pub(super) fn bind(db: &Connection, session: i64, binding: &Binding) -> rusqlite::Result<()> {
    let Binding { name, hash, kind, bytes, turn } = binding;
    let bytes = i64::try_from(*bytes).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT OR REPLACE INTO binding VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(params![session, name, hash, kind, bytes, turn])?;
    Ok(())
}

/// Removes a name.
pub(super) fn unbind(db: &Connection, session: i64, name: &str) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM binding WHERE session = ?1 AND name = ?2")?
        .execute(params![session, name])?;
    Ok(())
}

/// Remembers a turn.
pub(super) fn note(db: &Connection, session: i64, turn: &Turn) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO turn VALUES (?1, ?2, ?3)")?
        .execute(params![session, turn.turn, turn.told])?;
    Ok(())
}

/// Forgets turns up to a number.
pub(super) fn unnote(db: &Connection, session: i64, last: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM turn WHERE session = ?1 AND turn <= ?2")?
        .execute(params![session, last])?;
    Ok(())
}

/// Removes a text that no entry and no binding has.
pub(super) fn sweep(db: &Connection, hash: &str) -> rusqlite::Result<()> {
    db.prepare_cached(
        "DELETE FROM text WHERE hash = ?1 AND entry <= (SELECT max(id) FROM anchor)
            AND NOT EXISTS (SELECT 1 FROM entry WHERE id = text.entry)
            AND NOT EXISTS (SELECT 1 FROM binding WHERE hash = ?1)",
    )?
    .execute([hash])?;
    Ok(())
}

/// Keeps a text for an entry that has it, too.
pub(super) fn pin(db: &Connection, hash: &str, entry: i64) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE text SET entry = ?2 WHERE hash = ?1")?
        .execute(params![hash, entry])?;
    Ok(())
}

/// Keeps the text of a term, also where another text stands beside its hash.
pub(super) fn keep(db: &Connection, hash: &str, text: &str) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO text VALUES (?1, 0, ?2) ON CONFLICT (hash) DO UPDATE
            SET text = excluded.text WHERE text <> excluded.text",
    )?
    .execute(params![hash, text])?;
    Ok(())
}
