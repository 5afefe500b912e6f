//! The statements for the journal.

use pif_domain::EntryKind;
use pif_domain::text::time::now;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params, params_from_iter, types};

use super::leases;
use crate::journal::{
    ChainEnds, Digest, Entry, Error, Filter, Hash, Link, ONLY_CHAIN, Parked, Pending, Statistics,
    Walk,
};

/// The columns that [`read`] expects.
const COLUMNS: &str = "e.id, e.time, e.kind, e.subject, e.ending, e.fuel, c.hash, e.body, e.ends, e.hash, \
     e.principal, e.chain \
     FROM entry e LEFT JOIN component c ON c.id = e.component";

fn read(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: row.get(0)?,
        time: row.get(1)?,
        kind: row.get(2)?,
        subject: row.get(3)?,
        ending: row.get(4)?,
        fuel: row.get(5)?,
        component: row.get(6)?,
        body: row.get(7)?,
        ends: row.get(8)?,
        hash: Hash(row.get(9)?),
        principal: row.get(10)?,
        chain: row.get(11)?,
    })
}

fn link(row: &Row<'_>) -> rusqlite::Result<Link> {
    Ok(Link { id: row.get(0)?, ends: row.get(1)?, hash: Hash(row.get(2)?), chain: row.get(3)? })
}

/// The last removed entry of the chain with the last entry.
pub(super) fn anchor(db: &Connection) -> rusqlite::Result<Link> {
    let anchor = db
        .prepare_cached(
            "SELECT id, ends, hash, chain FROM anchor
                WHERE chain = (SELECT chain FROM entry ORDER BY id DESC LIMIT 1)",
        )?
        .query_row([], link)
        .optional()?;
    anchor.map_or_else(|| last_anchor(db), Ok)
}

/// The last removed entry of all.
fn last_anchor(db: &Connection) -> rusqlite::Result<Link> {
    db.prepare_cached("SELECT id, ends, hash, chain FROM anchor ORDER BY id DESC LIMIT 1")?
        .query_row([], link)
}

/// The position after the last entry, which the next entry follows.
pub(super) fn head(db: &Connection) -> rusqlite::Result<Link> {
    let last = db
        .prepare_cached("SELECT id, ends, hash, chain FROM entry ORDER BY id DESC LIMIT 1")?
        .query_row([], link)
        .optional()?;
    last.map_or_else(|| last_anchor(db), Ok)
}

/// The position before an entry in its chain.
pub(super) fn before(db: &Connection, entry: &Entry) -> rusqlite::Result<Option<Link>> {
    let found = db
        .prepare_cached(
            "SELECT id, ends, hash, chain FROM entry
                WHERE chain = ?1 AND id < ?2 ORDER BY id DESC LIMIT 1",
        )?
        .query_row([entry.chain, entry.id], link)
        .optional()?;
    let anchor = || {
        db.prepare_cached("SELECT id, ends, hash, chain FROM anchor WHERE chain = ?1")?
            .query_row([entry.chain], link)
            .optional()
    };
    let before = found.map_or_else(anchor, |found| Ok(Some(found)))?;
    let is_next = |before: &Link| match entry.chain {
        ONLY_CHAIN => before.id + 1 == entry.id,
        _ => entry.link(before.hash) == entry.hash,
    };
    Ok(before.filter(is_next))
}

/// Writes an entry.
pub(super) fn append(db: &Connection, entry: &Entry) -> rusqlite::Result<()> {
    let component = entry.component.as_deref().map(|hash| component_id(db, hash)).transpose()?;
    db.prepare_cached(
        "INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?
    .execute(params![
        entry.id,
        entry.time,
        entry.kind,
        entry.subject,
        entry.ending,
        entry.fuel,
        component,
        entry.body,
        entry.ends,
        entry.hash.0,
        entry.principal,
        entry.chain,
    ])?;
    Ok(())
}

fn component_id(db: &Connection, hash: &str) -> rusqlite::Result<i64> {
    let known = db
        .prepare_cached("SELECT id FROM component WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    db.execute("INSERT INTO component (hash) VALUES (?1)", [hash])?;
    Ok(db.last_insert_rowid())
}

/// Removes the oldest entries whose `ends` is at most `end`.
pub(super) fn trim(db: &Connection, end: i64) -> rusqlite::Result<()> {
    let (anchor, head) = (anchor(db)?, head(db)?);
    let low = if head.chain == ONLY_CHAIN {
        last_within(db, anchor, head, end)?
    } else {
        let sql =
            "SELECT coalesce(max(id), ?1) FROM entry WHERE chain = ?2 AND ends <= ?3 AND id < ?4";
        db.query_row(sql, [anchor.id, head.chain, end, head.id], |row| row.get(0))?
    };
    if low == anchor.id {
        return Ok(());
    }
    db.execute(
        "UPDATE anchor SET (id, ends, hash) = (SELECT id, ends, hash FROM entry WHERE id = ?1)
            WHERE chain = ?2",
        [low, head.chain],
    )?;
    let removed =
        db.execute("DELETE FROM entry WHERE id <= ?1 AND chain = ?2", [low, head.chain])?;
    db.execute(
        "UPDATE anchor SET entries = entries + ?1 WHERE chain = ?2",
        params![i64::try_from(removed).unwrap_or(i64::MAX), head.chain],
    )?;
    db.execute(
        "DELETE FROM text WHERE entry <= ?1 AND hash NOT IN (SELECT hash FROM binding)
            AND NOT EXISTS (SELECT 1 FROM entry WHERE id = text.entry)",
        [low],
    )?;
    Ok(())
}

/// The number of the last entry whose `ends` is at most `end`. The numbers of the only chain have no gaps,
/// and `ends` grows with them, so a binary search works.
fn last_within(db: &Connection, anchor: Link, head: Link, end: i64) -> rusqlite::Result<i64> {
    let (mut low, mut high) = (anchor.id, head.id);
    let ends = |id: i64| {
        db.prepare_cached("SELECT ends FROM entry WHERE id = ?1")?
            .query_row([id], |row| row.get::<_, i64>(0))
    };
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if ends(middle)? <= end { low = middle } else { high = middle }
    }
    Ok(low)
}

/// Keeps a text beside an entry.
pub(super) fn keep_text(
    db: &Connection,
    hash: &str,
    text: &str,
    entry: i64,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO text VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO UPDATE
            SET entry = ?2, text = ?3",
    )?
    .execute(params![hash, entry, text])?;
    Ok(())
}

/// Keeps a run that has not ended, or adds parts to one that is kept.
pub(super) fn pend(db: &Connection, run: &Pending) -> rusqlite::Result<Option<i64>> {
    let id = if let Some(id) = run.id {
        let own: i64 = db
            .prepare_cached("SELECT count(*) FROM pending WHERE id = ?1 AND owner = ?2")?
            .query_row(params![id, run.owner], |row| row.get(0))?;
        if own == 0 || leases::find(db, &run.owner)?.is_none() {
            return Ok(None);
        }
        id
    } else {
        db.prepare_cached("INSERT INTO pending (owner, until) VALUES (?1, ?2)")?
            .execute(params![run.owner, run.until])?;
        db.last_insert_rowid()
    };
    add_parts(db, id, &run.parts)?;
    Ok(Some(id))
}

/// Keeps what is left of a run, if the process works on it.
pub(super) fn end(db: &Connection, owner: &str, run: &Pending) -> rusqlite::Result<bool> {
    let changed = db
        .prepare_cached("UPDATE pending SET owner = ?1, until = ?2 WHERE id = ?3 AND owner = ?4")?
        .execute(params![run.owner, run.until, run.id, owner])?;
    if changed > 0 {
        replace_parts(db, run)?;
    }
    Ok(changed > 0)
}

fn replace_parts(db: &Connection, run: &Pending) -> rusqlite::Result<()> {
    let Some(id) = run.id else { return Ok(()) };
    db.prepare_cached("DELETE FROM part WHERE run = ?1")?.execute([id])?;
    add_parts(db, id, &run.parts)
}

fn add_parts(db: &Connection, run: i64, parts: &[String]) -> rusqlite::Result<()> {
    for part in parts {
        db.prepare_cached(
            "INSERT INTO part SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM part WHERE run = ?1",
        )?
        .execute(params![run, part])?;
    }
    Ok(())
}

fn parts(db: &Connection, run: i64) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached("SELECT text FROM part WHERE run = ?1 ORDER BY number")?
        .query_map([run], |row| row.get(0))?
        .collect()
}

/// Keeps a run in place of what has its number and this holder, unless so many others have its owner.
pub(super) fn park(
    db: &Connection,
    run: &Pending,
    holder: &str,
    most: u64,
) -> rusqlite::Result<Parked> {
    let others: i64 = db
        .prepare_cached("SELECT count(*) FROM pending WHERE owner = ?1 AND id IS NOT ?2")?
        .query_row(params![run.owner, run.id], |row| row.get(0))?;
    if u64::try_from(others).unwrap_or(0) >= most {
        return Ok(Parked::Full);
    }
    let kept = match run.id {
        None => pend(db, run)?,
        Some(id) if leases::find(db, holder)?.is_some() && end(db, holder, run)? => Some(id),
        Some(_) => None,
    };
    Ok(kept.map_or(Parked::Lost, Parked::Kept))
}

/// Keeps a run in place of another one that is still as it was read.
pub(super) fn exchange(db: &Connection, kept: &Pending, next: &Pending) -> rusqlite::Result<bool> {
    let Some(id) = kept.id else { return Ok(false) };
    if parts(db, id)? != kept.parts {
        return Ok(false);
    }
    let changed = db
        .prepare_cached(
            "UPDATE pending SET owner = ?1, until = ?2 WHERE id = ?3 AND owner = ?4 AND until = ?5",
        )?
        .execute(params![next.owner, next.until, id, kept.owner, kept.until])?;
    if changed == 0 {
        return Ok(false);
    }
    replace_parts(db, &Pending { id: Some(id), ..next.clone() })?;
    Ok(true)
}

/// All runs that have not ended.
pub(super) fn pending(db: &Connection) -> rusqlite::Result<Vec<Pending>> {
    let read = |row: &Row<'_>| {
        let (id, owner, until): (_, String, _) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let lease = leases::find(db, &owner)?.filter(|lease| lease.until >= now());
        Ok(Pending { id: Some(id), owner, lease, until, parts: parts(db, id)? })
    };
    db.prepare_cached("SELECT id, owner, until FROM pending ORDER BY id")?
        .query_map([], read)?
        .collect()
}

/// Forgets a run that has ended.
pub(super) fn settle(db: &Connection, run: i64) -> rusqlite::Result<bool> {
    let forgotten = db.prepare_cached("DELETE FROM pending WHERE id = ?1")?.execute([run])?;
    Ok(forgotten > 0)
}

/// A text that is kept beside entries.
pub(super) fn text(db: &Connection, hash: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT text FROM text WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()
}

/// An entry by its number.
pub(super) fn entry(db: &Connection, id: i64) -> rusqlite::Result<Option<Entry>> {
    let sql = format!("SELECT {COLUMNS} WHERE e.id = ?1");
    db.prepare_cached(&sql)?.query_row([id], read).optional()
}

/// The entries that pass a filter.
pub(super) fn entries(
    db: &Connection,
    filter: &Filter,
    latest_first: bool,
    most: usize,
) -> rusqlite::Result<Vec<Entry>> {
    // The index of kinds leaves out runs. SQLite uses it only if the query excludes runs
    // explicitly.
    let is_rare = !matches!(filter.kind, None | Some(EntryKind::Run));
    let mut clauses = vec![if is_rare { "e.kind <> 'run'" } else { "1" }.to_owned()];
    let mut values: Vec<types::Value> = Vec::new();
    let mut add = |clause: &str, value: Option<types::Value>| {
        if let Some(value) = value {
            values.push(value);
            clauses.push(clause.replace('?', &format!("?{}", values.len())));
        }
    };
    let text = |it: &Option<String>| it.clone().map(types::Value::Text);
    add("e.kind = ?", filter.kind.map(|kind| types::Value::Text(kind.name().to_owned())));
    add("e.subject = ?", text(&filter.subject));
    add("e.ending = ?", text(&filter.ending));
    match filter.principal.as_deref() {
        None => {}
        Some("") => add("e.principal IS ?", Some(types::Value::Null)),
        Some(name) => add("e.principal = ?", Some(types::Value::Text(name.to_owned()))),
    }
    add("e.time >= ?", filter.since.map(types::Value::Integer));
    add("e.id < ?", filter.before.map(types::Value::Integer));
    add("e.id > ?", filter.after.map(types::Value::Integer));
    // The index of chains leaves out the only chain of a store that was not copied.
    let is_indexed = filter.chain.is_some_and(|chain| chain != ONLY_CHAIN);
    let of_chain = if is_indexed { "e.chain = ? AND e.chain <> 0" } else { "e.chain = ?" };
    add(of_chain, filter.chain.map(types::Value::Integer));
    let order = if latest_first { "DESC" } else { "ASC" };
    let clauses = clauses.join(" AND ");
    let sql = format!("SELECT {COLUMNS} WHERE {clauses} ORDER BY e.id {order} LIMIT {most}");
    db.prepare_cached(&sql)?.query_map(params_from_iter(values), read)?.collect()
}

/// The cost of the latest runs of a tool.
pub(super) fn statistics(db: &Connection, tool: &str, most: usize) -> rusqlite::Result<Statistics> {
    let mut statement = db.prepare_cached(
        "SELECT fuel, ending IN ('value', 'continuation') FROM entry
            WHERE subject = ?1 AND kind = 'run' ORDER BY id DESC LIMIT ?2",
    )?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![tool, most])?;
    let (mut fuel, mut faults) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        fuel.push(row.get::<_, Option<i64>>(0)?.unwrap_or_default());
        faults += usize::from(!row.get::<_, bool>(1)?);
    }
    fuel.sort_unstable();
    Ok(Statistics { fuel, faults })
}

/// Verifies all chains from their anchors to their heads.
pub(super) fn verify(db: &Connection) -> Result<ChainEnds, Error> {
    // Another process may trim the journal, so the anchor and the entries are read in one
    // transaction.
    let moment = db.unchecked_transaction()?;
    follow(&moment)
}

/// Verifies that each kept text has its hash.
pub(super) fn verify_texts(db: &Connection) -> Result<(), Error> {
    let mut statement = db.prepare("SELECT hash, text FROM text")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (hash, text): (String, String) = (row.get(0)?, row.get(1)?);
        if Digest::of(&text).sha256 != hash {
            return Err(Error::Altered { hash });
        }
    }
    Ok(())
}

fn anchors(db: &Connection) -> rusqlite::Result<Vec<Link>> {
    db.prepare_cached("SELECT id, ends, hash, chain FROM anchor")?.query_map([], link)?.collect()
}

pub(super) fn follow(db: &Connection) -> Result<ChainEnds, Error> {
    let mut walk = Walk::new(anchors(db).map_err(|error| unreadable(1, error))?);
    let mut statement = db.prepare(&format!("SELECT {COLUMNS} ORDER BY e.id"))?;
    let mut rows = statement.query([])?;
    loop {
        let failed = |error| unreadable(walk.next(), error);
        let Some(row) = rows.next().map_err(failed)? else { return Ok(walk.verified()) };
        let entry = read(row).map_err(failed)?;
        walk.step(&entry)?;
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

/// A row that cannot be decoded counts as broken, as if it were rewritten. A file that is
/// temporarily unreadable does not.
fn unreadable(id: i64, error: rusqlite::Error) -> Error {
    use ErrorCode::{DatabaseCorrupt, NotADatabase, OutOfMemory, TooBig};
    match error.sqlite_error_code() {
        // A tampered length may request any amount of memory.
        None | Some(DatabaseCorrupt | NotADatabase | OutOfMemory | TooBig) => {
            Error::Broken { id, reason: format!("it cannot be read: {error}") }
        }
        Some(_) => error.into(),
    }
}
