//! The rows of tools.

use pif_domain::text::time::now;
use pif_store::registry::{CurrentTool, Definition, Fact, Past, name};
use pif_store::{Error, Term, ToolChange};
use tokio_postgres::Row;

use super::{find as index, limit};
use crate::connection::{Columns as _, Connection, Parameter};

/// The most tools that are taken over at once.
const TAKEN_TOGETHER: usize = 500;

/// The most names that are compared with an unknown one.
const COMPARED: usize = 2_000;

const COLUMNS: &str =
    "c.name, r.hash, r.source, c.description, c.examples, c.id, c.output_schema, c.members,
    c.properties";

fn tool(row: &Row) -> Result<Definition, Error> {
    Ok(Definition {
        name: row.text(0)?,
        hash: row.text(1)?,
        source: row.text(2)?,
        description: row.text(3)?,
        examples: row.text(4)?,
        change: row.number(5)?,
        output_schema: row.text_if_any(6)?,
        members: row.text_if_any(7)?,
        properties: row.text_if_any(8)?,
    })
}

fn all(rows: &[Row]) -> Result<Vec<Definition>, Error> {
    rows.iter().map(tool).collect()
}

fn texts(rows: &[Row]) -> Result<Vec<String>, Error> {
    rows.iter().map(|row| row.text(0)).collect()
}

/// The number of the last change; 0 before the first.
pub(crate) fn last_change(db: &Connection) -> Result<i64, Error> {
    db.row("SELECT coalesce(max(id), 0) FROM change", &[])?.number(0)
}

pub(crate) fn count(db: &Connection) -> Result<u64, Error> {
    Ok(db.row("SELECT count(*) FROM tool", &[])?.number(0)?.unsigned_abs())
}

/// The tool of a name after the change `as_of`; None if the name was unknown or retired.
pub(crate) fn find(db: &Connection, name: &str, as_of: i64) -> Result<Option<Definition>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM change c JOIN revision r ON r.id = c.revision WHERE c.id =
            (SELECT max(id) FROM change WHERE name = $1 AND id <= $2)"
    );
    db.row_if_any(&sql, &[&name.as_bytes(), &as_of])?.as_ref().map(tool).transpose()
}

/// The latest revision of a name whose hash has this prefix, retired or not; and whether the prefix also fits
/// other hashes.
pub(crate) fn find_pinned(
    db: &Connection,
    name: &str,
    prefix: &str,
    as_of: i64,
) -> Result<Option<(Definition, bool)>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM change c JOIN revision r ON r.id = c.revision
            WHERE c.name = $1 AND c.id <= $2 AND r.hash >= $3 AND r.hash < $3 || 'g'::bytea
            ORDER BY c.id DESC"
    );
    let rows = db.rows(&sql, &[&name.as_bytes(), &as_of, &prefix.as_bytes()])?;
    let mut found = all(&rows)?.into_iter();
    let Some(latest) = found.next() else { return Ok(None) };
    let is_ambiguous = found.any(|other| other.hash != latest.hash);
    Ok(Some((latest, is_ambiguous)))
}

/// Current tools with names after `after`, in the order of names.
pub(crate) fn page(db: &Connection, after: &str, most: usize) -> Result<Vec<Definition>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM tool t JOIN change c ON c.id = t.change
            JOIN revision r ON r.id = c.revision WHERE t.name > $1 ORDER BY t.name LIMIT $2"
    );
    all(&db.rows(&sql, &[&after.as_bytes(), &limit(most)])?)
}

/// The tools with the latest changes, in the order of names.
pub(crate) fn latest(db: &Connection, most: usize) -> Result<Vec<Definition>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM tool t JOIN change c ON c.id = t.change
            JOIN revision r ON r.id = c.revision ORDER BY t.change DESC LIMIT $1"
    );
    let mut tools = all(&db.rows(&sql, &[&limit(most)])?)?;
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tools)
}

/// Current tools that are native capabilities, in the order of names.
pub(crate) fn capabilities(db: &Connection, most: usize) -> Result<Vec<Definition>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM change c JOIN tool t ON t.change = c.id
            JOIN revision r ON r.id = c.revision
            WHERE c.members IS NOT NULL ORDER BY c.name LIMIT $1"
    );
    all(&db.rows(&sql, &[&limit(most)])?)
}

/// Current names with this prefix.
pub(crate) fn names(db: &Connection, prefix: &str, most: usize) -> Result<Vec<String>, Error> {
    let sql =
        "SELECT name FROM tool WHERE name >= $1 AND name < $1 || '~'::bytea ORDER BY name LIMIT $2";
    texts(&db.rows(sql, &[&prefix.as_bytes(), &limit(most)])?)
}

/// The number of current names with this prefix.
pub(crate) fn count_names(db: &Connection, prefix: &str) -> Result<u64, Error> {
    // Names are ASCII letters, digits, `_` and `-`, which all sort before `~`.
    let sql = "SELECT count(*) FROM tool WHERE name >= $1 AND name < $1 || '~'::bytea";
    Ok(db.row(sql, &[&prefix.as_bytes()])?.number(0)?.unsigned_abs())
}

/// Candidates for a misspelled name: all names, or only those with the same first letter if there are too many.
pub(crate) fn near(db: &Connection, name: &str) -> Result<Vec<String>, Error> {
    let all = names(db, "", COMPARED + 1)?;
    if all.len() <= COMPARED {
        return Ok(all);
    }
    let first = name.chars().next().map(String::from).unwrap_or_default();
    let mut near = names(db, &first.to_lowercase(), COMPARED)?;
    near.extend(names(db, &first.to_uppercase(), COMPARED)?);
    Ok(near)
}

/// The names that were retired after a change and have no tool now.
pub(crate) fn retired(db: &Connection, since: i64) -> Result<Vec<String>, Error> {
    let sql = "SELECT DISTINCT c.name FROM change c WHERE c.id > $1 AND c.revision IS NULL
        AND NOT EXISTS (SELECT 1 FROM tool t WHERE t.name = c.name)";
    texts(&db.rows(sql, &[&since])?)
}

/// The first current tools whose last change comes after `since` and not after `last`, in the order of these
/// changes.
pub(crate) fn current_after(
    db: &Connection,
    since: i64,
    last: i64,
) -> Result<Vec<CurrentTool>, Error> {
    let sql = format!(
        "SELECT {COLUMNS}, c.time, c.entry,
            ARRAY(SELECT u.tool FROM uses u WHERE u.revision = r.id ORDER BY u.tool)
            FROM tool t JOIN change c ON c.id = t.change JOIN revision r ON r.id = c.revision
            WHERE t.change > $1 AND t.change <= $2 ORDER BY t.change LIMIT $3"
    );
    let rows = db.rows(&sql, &[&since, &last, &limit(TAKEN_TOGETHER)])?;
    let current = |row: &Row| {
        let (tool, uses) = (tool(row)?, row.texts(11)?);
        Ok(CurrentTool { tool, uses, time: row.number(9)?, entry: row.number(10)? })
    };
    rows.iter().map(current).collect()
}

/// All changes of a name, the latest first.
pub(crate) fn history(db: &Connection, name: &str, most: usize) -> Result<Vec<Past>, Error> {
    let past = |row: &Row| {
        Ok(Past {
            change: row.number(0)?,
            hash: row.text_if_any(1)?,
            description: row.text(2)?,
            entry: row.number(3)?,
            time: row.text(4)?,
        })
    };
    let rows = db.rows(
        "SELECT c.id, r.hash, c.description, c.entry, convert_to(to_char(
            to_timestamp(c.time / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), 'UTF8')
            FROM change c LEFT JOIN revision r ON r.id = c.revision
            WHERE c.name = $1 ORDER BY c.id DESC LIMIT $2",
        &[&name.as_bytes(), &limit(most)],
    )?;
    rows.iter().map(past).collect()
}

/// Current tools whose terms name this tool.
pub(crate) fn callers(db: &Connection, name: &str, most: usize) -> Result<Vec<Definition>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM uses u JOIN change c ON c.revision = u.revision
            JOIN tool t ON t.change = c.id JOIN revision r ON r.id = c.revision
            WHERE u.tool = $1 AND c.name <> $1 ORDER BY c.name LIMIT $2"
    );
    all(&db.rows(&sql, &[&name.as_bytes(), &limit(most)])?)
}

/// The tools that a term names.
pub(crate) fn uses(db: &Connection, hash: &str) -> Result<Vec<String>, Error> {
    let sql = "SELECT u.tool FROM revision r JOIN uses u ON u.revision = r.id
        WHERE r.hash = $1 ORDER BY u.tool";
    texts(&db.rows(sql, &[&hash.as_bytes()])?)
}

/// The output schema that a change of the registry gave its tool.
pub(crate) fn output_schema(db: &Connection, change: i64) -> Result<Option<String>, Error> {
    let row = db.row_if_any("SELECT output_schema FROM change WHERE id = $1", &[&change])?;
    row.map_or(Ok(None), |row| row.text_if_any(0))
}

/// A fact about a revision.
pub(crate) fn fact(db: &Connection, kind: Fact, of: &str) -> Result<Option<String>, Error> {
    let sql = "SELECT told FROM fact WHERE kind = $1 AND about = $2";
    let row = db.row_if_any(sql, &[&kind.name().as_bytes(), &of.as_bytes()])?;
    row.map(|row| row.text(0)).transpose()
}

/// Keeps a fact about a revision.
pub(crate) fn put_fact(db: &Connection, kind: Fact, of: &str, told: &str) -> Result<(), Error> {
    let parameters: [Parameter<'_>; 3] =
        [&kind.name().as_bytes(), &of.as_bytes(), &told.as_bytes()];
    db.rows("SELECT put_fact($1, $2, $3)", &parameters).map(drop)
}

/// The source of the term with this hash.
pub(crate) fn source(db: &Connection, hash: &str) -> Result<Option<String>, Error> {
    let row = db.row_if_any("SELECT source FROM revision WHERE hash = $1", &[&hash.as_bytes()])?;
    row.map(|row| row.text(0)).transpose()
}

/// The last name of the term with this hash.
pub(crate) fn name_of(db: &Connection, hash: &str) -> Result<Option<String>, Error> {
    let sql = "SELECT c.name FROM revision r JOIN change c ON c.revision = r.id
        WHERE r.hash = $1 ORDER BY c.id DESC LIMIT 1";
    db.row_if_any(sql, &[&hash.as_bytes()])?.map(|row| row.text(0)).transpose()
}

/// Another name that is hard to distinguish from this one by sight.
pub(crate) fn twin(db: &Connection, name: &str) -> Result<Option<String>, Error> {
    for look in twins(name) {
        if let Some(other) = other(db, &look, name)? {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Another name that a reader may confuse with this one.
pub(crate) fn lookalike(db: &Connection, name: &str) -> Result<Option<String>, Error> {
    other(db, &sketch(name), name)
}

fn twins(name: &str) -> impl Iterator<Item = String> {
    name::twins(name).into_iter().enumerate().map(|(kind, look)| format!("{kind}:{look}"))
}

fn sketch(name: &str) -> String {
    format!("sketch:{}", name::sketch(name))
}

fn other(db: &Connection, look: &str, name: &str) -> Result<Option<String>, Error> {
    let sql = "SELECT name FROM look WHERE look = $1 AND name <> $2";
    let row = db.row_if_any(sql, &[&look.as_bytes(), &name.as_bytes()])?;
    row.map(|row| row.text(0)).transpose()
}

/// The names of the tools that a term names, without their revisions.
pub(crate) fn split(tools: &[String]) -> Vec<&[u8]> {
    tools.iter().map(|tool| name::split(tool).0.as_bytes()).collect()
}

/// Writes a change of a tool and makes it current. Returns the number of the change.
pub(crate) fn define(
    db: &Connection,
    index: &index::Indexer,
    defined: &ToolChange<'_>,
) -> Result<i64, Error> {
    let ToolChange { name, term, description, examples, .. } = defined;
    let ToolChange { output_schema, members, properties, entry, .. } = defined;
    let tools = term.map(|Term { tools, .. }| split(tools)).unwrap_or_default();
    let looks: Vec<String> = twins(name).chain([sketch(name)]).collect();
    let looks: Vec<&[u8]> = looks.iter().map(String::as_bytes).collect();
    let (hash, source) = (term.map(|it| it.hash.as_bytes()), term.map(|it| it.source.as_bytes()));
    let (schema, members) = (output_schema.map(str::as_bytes), members.map(str::as_bytes));
    let properties = properties.map(str::as_bytes);
    let row = db.row(
        "SELECT define($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &[
            &now(),
            &name.as_bytes(),
            &hash,
            &source,
            &tools,
            &description.as_bytes(),
            &examples.as_bytes(),
            &schema,
            &members,
            &properties,
            entry,
            &looks,
        ],
    )?;
    match find(db, name, i64::MAX)? {
        Some(tool) => index.put(db, index::TOOLS, &tool.document())?,
        None => index::remove(db, index::TOOLS, name)?,
    }
    row.number(0)
}
