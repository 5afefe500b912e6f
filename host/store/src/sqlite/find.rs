//! The statements for searches by words: SQLite's FTS5, one table with the stems of all fields, and one with
//! the words as they are, whose vocabulary completes beginnings and mends typos.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::find::{Collection, Document, Embedding, Hit, Kind, Unmeant, is_typo};
use crate::journal::Digest;

/// The tables, which a store gets in a migration.
pub(super) const TABLES: &str = include_str!("find.sql");

/// What FTS5 counts of a word that more than half of the documents have.
const LEAST_RARITY: f64 = 1e-6;

/// The number and the hash of a document.
fn row_of(
    db: &Connection,
    shelf: Collection<'_>,
    place: &str,
) -> rusqlite::Result<Option<(i64, String)>> {
    db.prepare_cached(
        "SELECT id, hash FROM document WHERE kind = ?1 AND owner = ?2 AND place = ?3",
    )?
    .query_row([shelf.kind.name(), shelf.owner, place], |row| Ok((row.get(0)?, row.get(1)?)))
    .optional()
}

/// Puts a document on a shelf, in place of the one with its name.
pub(super) fn put(db: &Connection, shelf: Collection<'_>, it: &Document) -> rusqlite::Result<()> {
    let hash = Digest::of(&[it.name.as_str(), &it.about, &it.body].join("\0")).sha256;
    match row_of(db, shelf, &it.place)? {
        Some((_, known)) if known == hash => return Ok(()),
        Some((id, _)) => delete(db, id)?,
        None => {}
    }
    db.prepare_cached("INSERT INTO document (kind, owner, place, hash) VALUES (?1, ?2, ?3, ?4)")?
        .execute([shelf.kind.name(), shelf.owner, &it.place, &hash])?;
    let id = db.last_insert_rowid();
    db.prepare_cached(
        "INSERT INTO document_text (rowid, name, about, body) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![id, it.name, it.about, it.body])?;
    db.prepare_cached("INSERT INTO document_word (rowid, words) VALUES (?1, ?2)")?
        .execute(params![id, format!("{} {} {}", it.name, it.about, it.body)])?;
    Ok(())
}

/// Takes a document from a shelf.
pub(super) fn remove(db: &Connection, shelf: Collection<'_>, place: &str) -> rusqlite::Result<()> {
    row_of(db, shelf, place)?.map_or(Ok(()), |(id, _)| delete(db, id))
}

fn delete(db: &Connection, id: i64) -> rusqlite::Result<()> {
    for table in ["document_text", "document_word"] {
        db.prepare_cached(&format!("DELETE FROM {table} WHERE rowid = ?1"))?.execute([id])?;
    }
    db.prepare_cached("DELETE FROM document WHERE id = ?1")?.execute([id]).map(drop)
}

/// The shelf of the tools.
pub(super) const TOOLS: Collection<'static> = Collection { kind: Kind::Tool, owner: "" };

/// The shelf of an owner's memory.
pub(super) fn memory(owner: &str) -> Collection<'_> {
    Collection { kind: Kind::Memory, owner }
}

pub(super) fn size(db: &Connection, shelf: Collection<'_>) -> rusqlite::Result<u64> {
    let count: i64 = db
        .prepare_cached("SELECT count(*) FROM document WHERE kind = ?1 AND owner = ?2")?
        .query_row([shelf.kind.name(), shelf.owner], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// The documents that have a word. FTS5 gives the product of rarity and frequency; the rarity among all
/// documents of all owners is nobody's business, so it is taken out.
#[expect(clippy::cast_precision_loss, reason = "there are less than 2^52 documents")]
pub(super) fn hits(
    db: &Connection,
    shelf: Collection<'_>,
    word: &str,
) -> rusqlite::Result<Vec<Hit>> {
    let phrase = format!("\"{}\"", word.replace('"', "\"\""));
    let having: i64 = db
        .prepare_cached("SELECT count(*) FROM document_text WHERE document_text MATCH ?1")?
        .query_row([&phrase], |row| row.get(0))?;
    if having == 0 {
        return Ok(Vec::new());
    }
    let all: i64 =
        db.prepare_cached("SELECT count(*) FROM document")?.query_row([], |row| row.get(0))?;
    let (all, having) = (all as f64, having as f64);
    let rarity = ((all - having + 0.5) / (having + 0.5)).ln();
    let rarity = if rarity > 0.0 { rarity } else { LEAST_RARITY };
    let mut statement = db.prepare_cached(
        "SELECT d.place, bm25(document_text, 3.0, 2.0, 1.0)
            FROM document_text JOIN document d ON d.id = document_text.rowid
            WHERE document_text MATCH ?1 AND d.kind = ?2 AND d.owner = ?3",
    )?;
    let hit = |row: &rusqlite::Row<'_>| {
        let score: f64 = row.get(1)?;
        Ok(Hit { place: row.get(0)?, frequency: -score / rarity })
    };
    statement.query_map([&phrase, shelf.kind.name(), shelf.owner], hit)?.collect()
}

pub(super) fn beginning_with(
    db: &Connection,
    word: &str,
    most: usize,
) -> rusqlite::Result<Vec<String>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    db.prepare_cached(
        "SELECT term FROM document_vocabulary WHERE term >= ?1 AND term < ?1 || char(1114111)
            ORDER BY doc DESC, term LIMIT ?2",
    )?
    .query_map(params![word, most], |row| row.get(0))?
    .collect()
}

pub(super) fn near(db: &Connection, word: &str, most: usize) -> rusqlite::Result<Vec<String>> {
    let length = i64::try_from(word.chars().count()).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(
        "SELECT term FROM document_vocabulary WHERE length(term) BETWEEN ?1 - 1 AND ?1 + 1
            ORDER BY term",
    )?;
    let mut rows = statement.query([length])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let term = row.get_ref(0)?.as_str()?;
        if is_typo(word, term) {
            found.push(term.to_owned());
        }
        if found.len() == most {
            break;
        }
    }
    Ok(found)
}

pub(super) fn unmeant(
    db: &Connection,
    shelf: Collection<'_>,
    (model, numbers): (&str, usize),
    most: usize,
) -> rusqlite::Result<Vec<Unmeant>> {
    let bytes = i64::try_from(numbers.saturating_mul(size_of::<f32>())).unwrap_or(i64::MAX);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let unmeant = |row: &rusqlite::Row<'_>| Ok(Unmeant { place: row.get(0)?, hash: row.get(1)? });
    db.prepare_cached(
        "SELECT d.place, d.hash FROM document d LEFT JOIN document_meaning m
                ON m.document = d.id AND m.model = ?3 AND length(m.vector) = ?4
            WHERE d.kind = ?1 AND d.owner = ?2 AND m.document IS NULL ORDER BY d.place LIMIT ?5",
    )?
    .query_map(params![shelf.kind.name(), shelf.owner, model, bytes, most], unmeant)?
    .collect()
}

pub(super) fn keep_meaning(
    db: &Connection,
    shelf: Collection<'_>,
    document: &Unmeant,
    model: &str,
    numbers: &[f32],
) -> rusqlite::Result<()> {
    let Some((id, hash)) = row_of(db, shelf, &document.place)? else { return Ok(()) };
    if hash != document.hash {
        return Ok(());
    }
    let vector: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
    db.prepare_cached("INSERT OR REPLACE INTO document_meaning VALUES (?1, ?2, ?3)")?
        .execute(params![id, model, vector])
        .map(drop)
}

pub(super) fn meanings(
    db: &Connection,
    shelf: Collection<'_>,
    model: &str,
) -> rusqlite::Result<Vec<Embedding>> {
    let meaning = |row: &rusqlite::Row<'_>| {
        let vector = row.get_ref(1)?.as_blob()?;
        let numbers = vector.as_chunks::<4>().0.iter().map(|it| f32::from_le_bytes(*it));
        Ok(Embedding { place: row.get(0)?, numbers: numbers.collect() })
    };
    db.prepare_cached(
        "SELECT d.place, m.vector FROM document d JOIN document_meaning m ON m.document = d.id
            WHERE d.kind = ?1 AND d.owner = ?2 AND m.model = ?3 ORDER BY d.place",
    )?
    .query_map([shelf.kind.name(), shelf.owner, model], meaning)?
    .collect()
}
