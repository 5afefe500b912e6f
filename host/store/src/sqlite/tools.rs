//! The statements for tools. Each uses an index, so its time does not grow with the number of
//! tools.

use pif_domain::text::time::now;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::registry::{CurrentTool, Definition, Fact, Past, name};
use crate::{Term, ToolChange};

/// The most names that are compared with an unknown one.
const COMPARED: usize = 2_000;

const COLUMNS: &str = "c.name, r.hash, r.source, c.description, c.examples, c.id, c.output_schema, \
    c.members, c.properties";

fn tool(row: &Row<'_>) -> rusqlite::Result<Definition> {
    Ok(Definition {
        name: row.get(0)?,
        hash: row.get(1)?,
        source: row.get(2)?,
        description: row.get(3)?,
        examples: row.get(4)?,
        change: row.get(5)?,
        output_schema: row.get(6)?,
        members: row.get(7)?,
        properties: row.get(8)?,
    })
}

/// The number of the last change; 0 before the first.
pub(super) fn last_change(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT coalesce(max(id), 0) FROM change")?.query_row([], |row| row.get(0))
}

pub(super) fn count(db: &Connection) -> rusqlite::Result<u64> {
    let tools: i64 =
        db.prepare_cached("SELECT tools FROM tally")?.query_row([], |row| row.get(0))?;
    Ok(tools.unsigned_abs())
}

/// The tool of a name after the change `as_of`; None if the name was unknown or retired.
pub(super) fn find(
    db: &Connection,
    name: &str,
    as_of: i64,
) -> rusqlite::Result<Option<Definition>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM change c JOIN revision r ON r.id = c.revision WHERE c.id =
            (SELECT max(id) FROM change WHERE name = ?1 AND id <= ?2)"
    );
    db.prepare_cached(&sql)?.query_row(params![name, as_of], tool).optional()
}

/// The latest revision of a name whose hash has this prefix, retired or not; and whether the prefix
/// also fits other hashes.
pub(super) fn find_pinned(
    db: &Connection,
    name: &str,
    prefix: &str,
    as_of: i64,
) -> rusqlite::Result<Option<(Definition, bool)>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM change c JOIN revision r ON r.id = c.revision
            WHERE c.name = ?1 AND c.id <= ?2 AND r.hash >= ?3 AND r.hash < ?3 || 'g'
            ORDER BY c.id DESC"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query_map(params![name, as_of, prefix], tool)?;
    let Some(latest) = rows.next().transpose()? else { return Ok(None) };
    for other in rows {
        if other?.hash != latest.hash {
            return Ok(Some((latest, true)));
        }
    }
    Ok(Some((latest, false)))
}

/// Current tools with names after `after`, in the order of names.
pub(super) fn page(db: &Connection, after: &str, most: usize) -> rusqlite::Result<Vec<Definition>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM tool t JOIN change c ON c.id = t.change
            JOIN revision r ON r.id = c.revision
            WHERE t.name > ?1 ORDER BY t.name LIMIT ?2"
    );
    db.prepare_cached(&sql)?.query_map(params![after, limit(most)], tool)?.collect()
}

/// The tools with the latest changes, in the order of names.
pub(super) fn latest(db: &Connection, most: usize) -> rusqlite::Result<Vec<Definition>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM tool t JOIN change c ON c.id = t.change
            JOIN revision r ON r.id = c.revision ORDER BY t.change DESC LIMIT ?1"
    );
    let tools: Result<Vec<Definition>, _> =
        db.prepare_cached(&sql)?.query_map([limit(most)], tool)?.collect();
    let mut tools = tools?;
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tools)
}

/// Current tools that are native capabilities, in the order of names.
pub(super) fn capabilities(db: &Connection, most: usize) -> rusqlite::Result<Vec<Definition>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM change c JOIN tool t ON t.change = c.id
            JOIN revision r ON r.id = c.revision
            WHERE c.members IS NOT NULL ORDER BY c.name LIMIT ?1"
    );
    db.prepare_cached(&sql)?.query_map([limit(most)], tool)?.collect()
}

/// Current names with this prefix.
pub(super) fn names(db: &Connection, prefix: &str, most: usize) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached("SELECT name FROM tool WHERE name >= ?1 ORDER BY name LIMIT ?2")?
        .query_map(params![prefix, limit(most)], |row| row.get(0))?
        .take_while(|name: &rusqlite::Result<String>| {
            name.as_ref().map_or(true, |name| name.starts_with(prefix))
        })
        .collect()
}

/// The number of current names with this prefix.
pub(super) fn count_names(db: &Connection, prefix: &str) -> rusqlite::Result<u64> {
    // Names are ASCII letters, digits, `_` and `-`, which all sort before `~`.
    let count: i64 = db
        .prepare_cached("SELECT count(*) FROM tool WHERE name >= ?1 AND name < ?1 || '~'")?
        .query_row([prefix], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Candidates for a misspelled name: all names, or only those with the same first letter if there
/// are too many.
pub(super) fn near(db: &Connection, name: &str) -> rusqlite::Result<Vec<String>> {
    let all = names(db, "", COMPARED + 1)?;
    if all.len() <= COMPARED {
        return Ok(all);
    }
    let first = name.chars().next().map(String::from).unwrap_or_default();
    let mut near = names(db, &first.to_lowercase(), COMPARED)?;
    near.extend(names(db, &first.to_uppercase(), COMPARED)?);
    Ok(near)
}

/// All changes of a name, the latest first.
pub(super) fn history(db: &Connection, name: &str, most: usize) -> rusqlite::Result<Vec<Past>> {
    let past = |row: &Row<'_>| {
        Ok(Past {
            change: row.get(0)?,
            hash: row.get(1)?,
            description: row.get(2)?,
            entry: row.get(3)?,
            time: row.get(4)?,
        })
    };
    db.prepare_cached(
        "SELECT c.id, r.hash, c.description, c.entry,
            strftime('%Y-%m-%dT%H:%M:%SZ', c.time / 1000, 'unixepoch') FROM change c
            LEFT JOIN revision r ON r.id = c.revision
            WHERE c.name = ?1 ORDER BY c.id DESC LIMIT ?2",
    )?
    .query_map(params![name, limit(most)], past)?
    .collect()
}

/// Current tools whose terms name this tool.
pub(super) fn callers(
    db: &Connection,
    name: &str,
    most: usize,
) -> rusqlite::Result<Vec<Definition>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM uses u JOIN change c ON c.revision = u.revision
            JOIN tool t ON t.change = c.id JOIN revision r ON r.id = c.revision
            WHERE u.tool = ?1 AND c.name <> ?1 ORDER BY c.name LIMIT ?2"
    );
    db.prepare_cached(&sql)?.query_map(params![name, limit(most)], tool)?.collect()
}

/// The tools that a term names.
pub(super) fn uses(db: &Connection, hash: &str) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached(
        "SELECT u.tool FROM revision r JOIN uses u ON u.revision = r.id
            WHERE r.hash = ?1 ORDER BY u.tool",
    )?
    .query_map([hash], |row| row.get(0))?
    .collect()
}

/// The output schema that a change of the registry gave its tool.
pub(super) fn output_schema(db: &Connection, change: i64) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT output_schema FROM change WHERE id = ?1")?
        .query_row([change], |row| row.get(0))
        .optional()
        .map(Option::flatten)
}

/// A fact about a revision.
pub(super) fn fact(db: &Connection, kind: Fact, of: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT told FROM fact WHERE kind = ?1 AND about = ?2")?
        .query_row([kind.name(), of], |row| row.get(0))
        .optional()
}

/// Keeps a fact about a revision.
pub(super) fn put_fact(db: &Connection, kind: Fact, of: &str, told: &str) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO fact VALUES (?1, ?2, ?3)")?
        .execute([kind.name(), of, told])
        .map(drop)
}

/// The source of the term with this hash.
pub(super) fn source(db: &Connection, hash: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT source FROM revision WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()
}

/// The last name of the term with this hash.
pub(super) fn name_of(db: &Connection, hash: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached(
        "SELECT c.name FROM revision r JOIN change c ON c.revision = r.id
            WHERE r.hash = ?1 ORDER BY c.id DESC LIMIT 1",
    )?
    .query_row([hash], |row| row.get(0))
    .optional()
}

/// Another name that is hard to distinguish from this one by sight.
pub(super) fn twin(db: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    for (kind, look) in name::twins(name).into_iter().enumerate() {
        if let Some(other) = other(db, &format!("{kind}:{look}"), name)? {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Another name that a reader may confuse with this one.
pub(super) fn lookalike(db: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    other(db, &format!("sketch:{}", name::sketch(name)), name)
}

fn other(db: &Connection, look: &str, name: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT name FROM look WHERE look = ?1 AND name <> ?2")?
        .query_row([look, name], |row| row.get(0))
        .optional()
}

/// Keeps a term and the tools that it names. Returns the number of the revision.
pub(super) fn keep(db: &Connection, term: Term<'_>) -> rusqlite::Result<i64> {
    let Term { hash, source, tools } = term;
    let known = db
        .prepare_cached("SELECT id FROM revision WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    db.prepare_cached("INSERT INTO revision (hash, source) VALUES (?1, ?2)")?
        .execute([hash, source])?;
    let id = db.last_insert_rowid();
    let mut insert = db.prepare_cached("INSERT OR IGNORE INTO uses VALUES (?1, ?2)")?;
    for tool in tools {
        insert.execute(params![name::split(tool).0, id])?;
    }
    Ok(id)
}

/// Writes a change of a tool.
pub(super) fn define(db: &Connection, defined: &ToolChange<'_>) -> rusqlite::Result<()> {
    let ToolChange { name, term, description, examples, .. } = defined;
    let ToolChange { output_schema, members, properties, entry, .. } = defined;
    let revision = term.map(|term| keep(db, term)).transpose()?;
    db.prepare_cached(
        "INSERT INTO change
            (time, name, revision, description, examples, output_schema, members, properties, entry)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        now(),
        name,
        revision,
        description,
        examples,
        output_schema,
        members,
        properties,
        entry
    ])?;
    let id = db.last_insert_rowid();
    let before: Option<i64> = db
        .prepare_cached("SELECT change FROM tool WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    match (revision, before) {
        (None, _) => {
            db.prepare_cached("DELETE FROM tool WHERE name = ?1")?.execute([name])?;
            return super::find::remove(db, super::find::TOOLS, name);
        }
        (Some(_), Some(_)) => {
            db.prepare_cached("UPDATE tool SET change = ?2 WHERE name = ?1")?
                .execute(params![name, id])?;
        }
        (Some(_), None) => {
            db.prepare_cached("INSERT INTO tool VALUES (?1, ?2)")?.execute(params![name, id])?;
        }
    }
    if let Some(tool) = find(db, name, i64::MAX)? {
        super::find::put(db, super::find::TOOLS, &tool.document())?;
    }
    let mut insert = db.prepare_cached("INSERT OR IGNORE INTO look VALUES (?1, ?2)")?;
    for (kind, look) in name::twins(name).into_iter().enumerate() {
        insert.execute([&format!("{kind}:{look}"), *name])?;
    }
    insert.execute([&format!("sketch:{}", name::sketch(name)), *name])?;
    Ok(())
}

/// Forgets a name with all its changes.
pub(super) fn drop_name(db: &Connection, name: &str) -> rusqlite::Result<()> {
    for table in ["tool", "change"] {
        db.prepare_cached(&format!("DELETE FROM {table} WHERE name = ?1"))?.execute([name])?;
    }
    super::find::remove(db, super::find::TOOLS, name)
}

/// Writes the current state of a tool of another store in place of what has its name.
pub(super) fn put_current(db: &Connection, current: &CurrentTool) -> rusqlite::Result<()> {
    let CurrentTool { tool, uses, time, entry } = current;
    let Definition { name, hash, source, description, examples, change, .. } = tool;
    drop_name(db, name)?;
    let revision = keep(db, Term { hash, source, tools: uses })?;
    let Definition { output_schema, members, properties, .. } = tool;
    db.prepare_cached(
        "INSERT INTO change (id, time, name, revision, description, examples, output_schema, members,
            properties, entry) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        change,
        time,
        name,
        revision,
        description,
        examples,
        output_schema,
        members,
        properties,
        entry
    ])?;
    db.prepare_cached("INSERT INTO tool VALUES (?1, ?2)")?.execute(params![name, change])?;
    super::find::put(db, super::find::TOOLS, &tool.document())
}

fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}
