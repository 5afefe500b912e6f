//! The rows of the index for searches. Stems are those of the store in SQLite, and so are the weights: each finds
//! alike.

use std::collections::BTreeMap;

use pif_store::find::{Collection, Document, Embedding, Hit, Kind, Unmeant, is_typo};
use pif_store::journal::Digest;
use pif_store::{Error, Stem, Stemmer};

use super::limit;
use crate::connection::{Columns as _, Connection, Parameter};

/// The shelf of the tools.
pub(crate) const TOOLS: Collection<'static> = Collection { kind: Kind::Tool, owner: "" };

/// The shelf of an owner's memory.
pub(crate) fn memory(owner: &str) -> Collection<'_> {
    Collection { kind: Kind::Memory, owner }
}

/// What a stem counts in each field.
const WEIGHTS: [f64; 3] = [3.0, 2.0, 1.0];

/// The places of a field follow on those of the fields before.
const FIELD: i64 = 1 << 24;

/// BM25's constants, as SQLite has them.
const SATURATION: f64 = 1.2;
const BY_LENGTH: f64 = 0.75;

/// Puts documents into the index.
#[derive(Debug)]
pub(crate) struct Indexer(Stemmer);

impl Indexer {
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self(Stemmer::new()?))
    }

    /// Puts a document on a shelf, in place of the one with its name.
    pub(crate) fn put(
        &self,
        db: &Connection,
        shelf: Collection<'_>,
        it: &Document,
    ) -> Result<(), Error> {
        let hash = Digest::of(&[it.name.as_str(), &it.about, &it.body].join("\0")).sha256;
        let (kind, owner, place) = keys(shelf, &it.place);
        let known = db.row_if_any(
            "SELECT hash FROM document WHERE kind = $1 AND owner = $2 AND place = $3",
            &[&kind, &owner, &place],
        )?;
        if known.map(|row| row.text(0)).transpose()?.as_ref() == Some(&hash) {
            return Ok(());
        }
        let (stems, words) = self.0.cut(it)?;
        let mut terms: BTreeMap<&str, (f64, Vec<i64>)> = BTreeMap::new();
        for Stem { term, field, offset } in &stems {
            let (weight, places) = terms.entry(term).or_default();
            *weight += WEIGHTS.get(*field).copied().unwrap_or_default();
            places.push(i64::try_from(*field).unwrap_or_default() * FIELD + offset);
        }
        let names: Vec<&[u8]> = terms.keys().map(|term| term.as_bytes()).collect();
        let weights: Vec<f64> = terms.values().map(|(weight, _)| *weight).collect();
        let places: Vec<String> = terms.values().map(|(_, places)| listed(places)).collect();
        let places: Vec<&[u8]> = places.iter().map(String::as_bytes).collect();
        let lengths: Vec<i64> = words.iter().map(|word| limit(word.chars().count())).collect();
        let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
        let of: &[Parameter<'_>] = &[
            &kind,
            &owner,
            &place,
            &hash.as_bytes(),
            &limit(stems.len()),
            &names,
            &weights,
            &places,
            &words,
            &lengths,
        ];
        db.rows("SELECT put_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", of).map(drop)
    }

    /// The documents that have a word.
    pub(crate) fn hits(
        &self,
        db: &Connection,
        shelf: Collection<'_>,
        word: &str,
    ) -> Result<Vec<Hit>, Error> {
        let stems = self.0.stems_of(word)?;
        match stems.as_slice() {
            [] => Ok(Vec::new()),
            [stem] => one(db, shelf, stem),
            stems => phrase(db, shelf, stems),
        }
    }
}

/// An array as PostgreSQL writes it.
fn listed(places: &[i64]) -> String {
    let places: Vec<String> = places.iter().map(i64::to_string).collect();
    format!("{{{}}}", places.join(","))
}

fn keys<'a>(shelf: Collection<'a>, place: &'a str) -> (&'a [u8], &'a [u8], &'a [u8]) {
    (shelf.kind.name().as_bytes(), shelf.owner.as_bytes(), place.as_bytes())
}

/// Takes a document from a shelf.
pub(crate) fn remove(db: &Connection, shelf: Collection<'_>, place: &str) -> Result<(), Error> {
    let (kind, owner, place) = keys(shelf, place);
    db.rows("SELECT remove_document($1, $2, $3)", &[&kind, &owner, &place]).map(drop)
}

pub(crate) fn size(db: &Connection, shelf: Collection<'_>) -> Result<u64, Error> {
    let (kind, owner, _) = keys(shelf, "");
    let sql = "SELECT count(*) FROM document WHERE kind = $1 AND owner = $2";
    Ok(db.row(sql, &[&kind, &owner])?.number(0)?.unsigned_abs())
}

fn one(db: &Connection, shelf: Collection<'_>, stem: &str) -> Result<Vec<Hit>, Error> {
    let (kind, owner, _) = keys(shelf, "");
    let rows = db.rows(
        "SELECT d.place, s.weight, d.stems, t.stems::float8 / t.documents
            FROM stem s JOIN document d ON d.id = s.document, document_sum t
            WHERE s.term = $1 AND d.kind = $2 AND d.owner = $3 ORDER BY d.place",
        &[&stem.as_bytes(), &kind, &owner],
    )?;
    let hit = |row: &tokio_postgres::Row| {
        let frequency = frequency(row.float(1)?, row.number(2)?, row.float(3)?);
        Ok(Hit { place: row.text(0)?, frequency })
    };
    rows.iter().map(hit).collect()
}

/// The documents in which some stems follow each other.
fn phrase(db: &Connection, shelf: Collection<'_>, stems: &[String]) -> Result<Vec<Hit>, Error> {
    let (kind, owner, _) = keys(shelf, "");
    let mut found: BTreeMap<String, (Vec<i64>, i64, f64)> = BTreeMap::new();
    for (number, stem) in (0_i64..).zip(stems) {
        let rows = db.rows(
            "SELECT d.place, s.places, d.stems, t.stems::float8 / t.documents
                FROM stem s JOIN document d ON d.id = s.document, document_sum t
                WHERE s.term = $1 AND d.kind = $2 AND d.owner = $3",
            &[&stem.as_bytes(), &kind, &owner],
        )?;
        let mut next = BTreeMap::new();
        for row in &rows {
            let (place, starts) = (row.text(0)?, row.numbers(1)?);
            let mut starts: Vec<i64> = starts.into_iter().map(|it| it - number).collect();
            if number > 0 {
                let Some((before, ..)) = found.get(&place) else { continue };
                starts.retain(|it| before.contains(it));
            }
            if !starts.is_empty() {
                next.insert(place, (starts, row.number(2)?, row.float(3)?));
            }
        }
        found = next;
    }
    let hit = |(place, (starts, length, usual)): (String, (Vec<i64>, i64, f64))| {
        let field = |start: &i64| usize::try_from(start / FIELD).unwrap_or_default();
        let weight = starts.iter().filter_map(|it| WEIGHTS.get(field(it))).sum();
        Hit { place, frequency: frequency(weight, length, usual) }
    };
    Ok(found.into_iter().map(hit).collect())
}

/// The part of BM25 that counts occurrences against the length of the document.
#[expect(clippy::cast_precision_loss, reason = "a document has less than 2^52 stems")]
fn frequency(weight: f64, length: i64, usual: f64) -> f64 {
    let length = length as f64 / usual;
    weight * (SATURATION + 1.0) / (weight + SATURATION * (1.0 - BY_LENGTH + BY_LENGTH * length))
}

pub(crate) fn beginning_with(
    db: &Connection,
    word: &str,
    most: usize,
) -> Result<Vec<String>, Error> {
    let rows = db.rows(
        "SELECT term FROM word WHERE term >= $1 AND term < $1 || '\\xff'::bytea
            GROUP BY term ORDER BY count(*) DESC, term LIMIT $2",
        &[&word.as_bytes(), &limit(most)],
    )?;
    rows.iter().map(|row| row.text(0)).collect()
}

pub(crate) fn near(db: &Connection, word: &str, most: usize) -> Result<Vec<String>, Error> {
    let length = limit(word.chars().count());
    let sql =
        "SELECT DISTINCT term FROM word WHERE length BETWEEN $1::bigint - 1 AND $1::bigint + 1
        ORDER BY term";
    let rows = db.rows(sql, &[&length])?;
    let terms: Vec<String> = rows.iter().map(|row| row.text(0)).collect::<Result<_, _>>()?;
    Ok(terms.into_iter().filter(|term| is_typo(word, term)).take(most).collect())
}

pub(crate) fn unmeant(
    db: &Connection,
    shelf: Collection<'_>,
    (model, numbers): (&str, usize),
    most: usize,
) -> Result<Vec<Unmeant>, Error> {
    let bytes = limit(numbers.saturating_mul(size_of::<f32>()));
    let (kind, owner, _) = keys(shelf, "");
    let rows = db.rows(
        "SELECT d.place, d.hash FROM document d LEFT JOIN document_meaning m
            ON m.document = d.id AND m.model = $3 AND length(m.vector)::bigint = $4
            WHERE d.kind = $1 AND d.owner = $2 AND m.document IS NULL ORDER BY d.place LIMIT $5",
        &[&kind, &owner, &model.as_bytes(), &bytes, &limit(most)],
    )?;
    rows.iter().map(|row| Ok(Unmeant { place: row.text(0)?, hash: row.text(1)? })).collect()
}

pub(crate) fn keep_meaning(
    db: &Connection,
    shelf: Collection<'_>,
    document: &Unmeant,
    model: &str,
    numbers: &[f32],
) -> Result<(), Error> {
    let vector: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
    let (kind, owner, place) = keys(shelf, &document.place);
    let of: &[Parameter<'_>] =
        &[&kind, &owner, &place, &document.hash.as_bytes(), &model.as_bytes(), &vector];
    db.rows("SELECT keep_meaning($1, $2, $3, $4, $5, $6)", of).map(drop)
}

pub(crate) fn meanings(
    db: &Connection,
    shelf: Collection<'_>,
    model: &str,
) -> Result<Vec<Embedding>, Error> {
    let (kind, owner, _) = keys(shelf, "");
    let rows = db.rows(
        "SELECT d.place, m.vector FROM document d JOIN document_meaning m ON m.document = d.id
            WHERE d.kind = $1 AND d.owner = $2 AND m.model = $3 ORDER BY d.place",
        &[&kind, &owner, &model.as_bytes()],
    )?;
    let meaning = |row: &tokio_postgres::Row| {
        let numbers = row.bytes(1)?.as_chunks::<4>().0.iter().map(|it| f32::from_le_bytes(*it));
        Ok(Embedding { place: row.text(0)?, numbers: numbers.collect() })
    };
    rows.iter().map(meaning).collect()
}
