//! The rows of sessions.

use pif_store::Error;
use pif_store::session::{Binding, Lease, Session, SessionKind, Turn};
use tokio_postgres::Row;

use crate::connection::{Columns as _, Connection, Parameter};
use crate::error::damaged;

const SELECT: &str =
    "SELECT id, owner, label, title, standing, created, used, ttl, idle, turn, holder, until
    FROM session";

fn read(row: &Row) -> Result<Session, Error> {
    let standing = row.text(4)?;
    let unknown = || damaged(format!("a session is `{standing}`"));
    let lease = row.text_if_any(10)?.zip(row.number_if_any(11)?);
    Ok(Session {
        id: row.number(0)?,
        owner: row.text(1)?,
        label: row.text_if_any(2)?,
        title: row.text(3)?,
        standing: SessionKind::find(&standing).ok_or_else(unknown)?,
        created: row.number(5)?,
        used: row.number(6)?,
        ttl: row.number(7)?,
        idle: row.number(8)?,
        turn: row.number(9)?,
        lease: lease.map(|(holder, until)| Lease { holder, until }),
    })
}

fn query(db: &Connection, rest: &str, of: &[Parameter<'_>]) -> Result<Vec<Session>, Error> {
    db.rows(&format!("{SELECT} {rest}"), of)?.iter().map(read).collect()
}

/// A session by its number.
pub(crate) fn find(db: &Connection, id: i64) -> Result<Option<Session>, Error> {
    Ok(query(db, "WHERE id = $1", &[&id])?.pop())
}

/// All sessions of an owner.
pub(crate) fn all(db: &Connection, owner: &str) -> Result<Vec<Session>, Error> {
    query(db, "WHERE owner = $1 ORDER BY id", &[&owner.as_bytes()])
}

/// The owners of sessions, saved states and memory.
pub(crate) fn owners(db: &Connection) -> Result<Vec<String>, Error> {
    let sql = "SELECT owner FROM session UNION SELECT owner FROM memory ORDER BY 1";
    db.rows(sql, &[])?.iter().map(|row| row.text(0)).collect()
}

/// The session or saved state with a label.
pub(crate) fn labelled(
    db: &Connection,
    owner: &str,
    label: &str,
    standing: SessionKind,
) -> Result<Option<Session>, Error> {
    let standing = standing.name().as_bytes();
    let of: &[Parameter<'_>] = &[&owner.as_bytes(), &label.as_bytes(), &standing];
    let found =
        query(db, "WHERE owner = $1 AND label = $2 AND standing = $3 ORDER BY id LIMIT 1", of)?;
    Ok(found.into_iter().next())
}

/// The bindings of a session.
pub(crate) fn bindings(db: &Connection, session: i64) -> Result<Vec<Binding>, Error> {
    let read = |row: &Row| {
        Ok(Binding {
            name: row.text(0)?,
            hash: row.text(1)?,
            kind: row.text(2)?,
            bytes: row.number(3)?.unsigned_abs(),
            turn: row.number(4)?,
        })
    };
    let sql = "SELECT name, hash, kind, bytes, turn FROM binding WHERE session = $1 ORDER BY name";
    db.rows(sql, &[&session])?.iter().map(read).collect()
}

/// What a session remembers, the latest first.
pub(crate) fn turns(db: &Connection, session: i64) -> Result<Vec<Turn>, Error> {
    let read = |row: &Row| Ok(Turn { turn: row.number(0)?, told: row.text(1)? });
    let sql = "SELECT turn, told FROM turn WHERE session = $1 ORDER BY turn DESC";
    db.rows(sql, &[&session])?.iter().map(read).collect()
}

/// Writes a session. Returns its number.
pub(crate) fn put(db: &Connection, session: &Session) -> Result<i64, Error> {
    let Session { created, used, ttl, idle, turn, lease, .. } = session;
    let holder = lease.as_ref().map(|lease| lease.holder.as_bytes());
    let until = lease.as_ref().map(|lease| lease.until);
    let id = (session.id != 0).then_some(session.id);
    let row = db.row(
        "SELECT put_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &[
            &id,
            &session.owner.as_bytes(),
            &session.label.as_deref().map(str::as_bytes),
            &session.title.as_bytes(),
            &session.standing.name().as_bytes(),
            created,
            used,
            ttl,
            idle,
            turn,
            &holder,
            &until,
        ],
    )?;
    row.number(0)
}

/// Removes a session, whose bindings are gone already.
pub(crate) fn remove(db: &Connection, session: i64) -> Result<(), Error> {
    db.rows("SELECT remove_session($1)", &[&session]).map(drop)
}

/// Binds a name.
pub(crate) fn bind(db: &Connection, session: i64, binding: &Binding) -> Result<(), Error> {
    let bytes = i64::try_from(binding.bytes).unwrap_or(i64::MAX);
    let (name, hash) = (binding.name.as_bytes(), binding.hash.as_bytes());
    let of: &[Parameter<'_>] =
        &[&session, &name, &hash, &binding.kind.as_bytes(), &bytes, &binding.turn];
    db.rows("SELECT bind($1, $2, $3, $4, $5, $6)", of).map(drop)
}

/// Removes a name.
pub(crate) fn unbind(db: &Connection, session: i64, name: &str) -> Result<(), Error> {
    db.rows("SELECT unbind($1, $2)", &[&session, &name.as_bytes()]).map(drop)
}

/// Remembers a turn.
pub(crate) fn note(db: &Connection, session: i64, turn: &Turn) -> Result<(), Error> {
    let of: &[Parameter<'_>] = &[&session, &turn.turn, &turn.told.as_bytes()];
    db.rows("SELECT note_turn($1, $2, $3)", of).map(drop)
}

/// Forgets turns up to a number.
pub(crate) fn unnote(db: &Connection, session: i64, last: i64) -> Result<(), Error> {
    db.rows("SELECT forget_turns($1, $2)", &[&session, &last]).map(drop)
}

/// Removes a text that no entry and no binding has.
pub(crate) fn sweep(db: &Connection, hash: &str) -> Result<(), Error> {
    db.rows("SELECT sweep_text($1)", &[&hash.as_bytes()]).map(drop)
}

/// Keeps a text for an entry that has it, too.
pub(crate) fn pin(db: &Connection, hash: &str, entry: i64) -> Result<(), Error> {
    db.rows("SELECT pin_text($1, $2)", &[&hash.as_bytes(), &entry]).map(drop)
}

/// Keeps the text of a term, also where another text stands beside its hash.
pub(crate) fn keep(db: &Connection, hash: &str, text: &str) -> Result<(), Error> {
    db.rows("SELECT keep_term($1, $2)", &[&hash.as_bytes(), &text.as_bytes()]).map(drop)
}
