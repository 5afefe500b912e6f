//! The chain: each entry holds the hash of itself and of the entry before, so that nothing in the
//! middle can be changed, added or taken away unseen.

use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use super::Error;
use super::entry::{COLUMNS, Entry, Hash};

/// Where a chain stands: after an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The entry's number, 0 before the first.
    pub id: i64,
    /// Bytes of all bodies up to there.
    pub ends: i64,
    /// The entry's hash.
    pub hash: Hash,
}

/// What a verification has found in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// The last entry that was removed to keep the journal small.
    pub anchor: Link,
    /// The last entry.
    pub head: Link,
}

impl Verified {
    /// Entries that were looked at.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.head.id - self.anchor.id
    }
}

pub(super) fn anchor(db: &Connection) -> rusqlite::Result<Link> {
    db.prepare_cached("SELECT id, ends, hash FROM anchor")?.query_row([], |row| {
        Ok(Link { id: row.get(0)?, ends: row.get(1)?, hash: Hash(row.get(2)?) })
    })
}

/// Where the next entry goes.
pub(super) fn head(db: &Connection) -> rusqlite::Result<Link> {
    let last = db
        .prepare_cached("SELECT id, ends, hash FROM entry ORDER BY id DESC LIMIT 1")?
        .query_row([], |row| {
            Ok(Link { id: row.get(0)?, ends: row.get(1)?, hash: Hash(row.get(2)?) })
        })
        .optional()?;
    last.map_or_else(|| anchor(db), Ok)
}

/// Follows the chain from its anchor to its head.
pub(super) fn verify(db: &Connection) -> Result<Verified, Error> {
    // Another process may trim meanwhile: anchor and entries have to be of one moment.
    let moment = db.unchecked_transaction()?;
    follow(&moment)
}

fn follow(db: &Connection) -> Result<Verified, Error> {
    let anchor = anchor(db).map_err(|error| unreadable(1, error))?;
    let mut head = anchor;
    let mut statement = db.prepare(&format!("SELECT {COLUMNS} ORDER BY e.id"))?;
    let mut rows = statement.query([])?;
    loop {
        let broken = |id, reason: &str| Error::Broken { id, reason: reason.to_owned() };
        let next = head.id + 1;
        let row = rows.next().map_err(|error| unreadable(next, error))?;
        let Some(row) = row else { return Ok(Verified { anchor, head }) };
        let entry = Entry::read(row).map_err(|error| unreadable(next, error))?;
        if entry.id != next {
            return Err(broken(next, &format!("it is missing: entry {} follows", entry.id)));
        }
        if entry.link(head.hash) != entry.hash {
            return Err(broken(entry.id, "it is not as it was written"));
        }
        head = Link { id: entry.id, ends: entry.ends, hash: entry.hash };
    }
}

/// A row that cannot even be read is as broken as one that was rewritten; a file that cannot be
/// read just now is not.
fn unreadable(id: i64, error: rusqlite::Error) -> Error {
    use ErrorCode::{DatabaseCorrupt, NotADatabase, OutOfMemory, TooBig};
    match error.sqlite_error_code() {
        // A length that was tampered with may ask for any amount of memory.
        None | Some(DatabaseCorrupt | NotADatabase | OutOfMemory | TooBig) => {
            Error::Broken { id, reason: format!("it cannot be read: {error}") }
        }
        Some(_) => error.into(),
    }
}

/// Removes the oldest entries once there is more than `most` bytes of them, so many that it takes
/// a while until that is so again; the chain goes on from the last that was removed.
pub(super) fn trim(db: &Connection, head: Link, most: i64) -> rusqlite::Result<()> {
    let anchor = anchor(db)?;
    if head.ends - anchor.ends <= most {
        return Ok(());
    }
    let kept = head.ends - most / 8 * 7;
    // The entries are numbered without gaps and end one after the other.
    let (mut low, mut high) = (anchor.id, head.id);
    let ends = |id: i64| {
        db.prepare_cached("SELECT ends FROM entry WHERE id = ?1")?
            .query_row([id], |row| row.get::<_, i64>(0))
    };
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if ends(middle)? <= kept { low = middle } else { high = middle }
    }
    if low == anchor.id {
        return Ok(());
    }
    db.execute(
        "UPDATE anchor SET (id, ends, hash) = (SELECT id, ends, hash FROM entry WHERE id = ?1)",
        [low],
    )?;
    db.execute("DELETE FROM entry WHERE id <= ?1", params![low])?;
    Ok(())
}
