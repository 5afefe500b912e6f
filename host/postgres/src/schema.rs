//! The schema: made and migrated by its owner, and what the role of the servers may do with it.

use std::path::PathBuf;

use pif_store::Error;

use crate::connection::{Columns as _, Connection};

/// The migrations from nothing to the current schema. A released migration never changes; a new version appends
/// one.
const MIGRATIONS: [&str; 3] =
    [include_str!("schema/1.sql"), include_str!("schema/2.sql"), include_str!("schema/3.sql")];

/// The functions of the current schema.
const FUNCTIONS: &str = include_str!("schema/functions.sql");

const GRANTS: &str = include_str!("schema/grants.sql");

/// One who migrates at a time.
const ALONE: &str = "SELECT pg_advisory_xact_lock(20550, 0)";

const START: &str = "CREATE SCHEMA IF NOT EXISTS pif; \
    CREATE TABLE IF NOT EXISTS pif.version (number bigint NOT NULL)";

/// The number of the current schema.
pub(crate) fn current() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// The number of the schema in the database; None: there is none.
pub(crate) fn version(db: &Connection) -> Result<Option<i64>, Error> {
    let row = db.row("SELECT to_regclass('pif.version') IS NOT NULL", &[])?;
    if !row.truth(0)? {
        return Ok(None);
    }
    let row = db.row_if_any("SELECT number FROM pif.version", &[])?;
    row.map(|row| row.number(0)).transpose()
}

/// Ensures that the database has the schema of this program.
pub(crate) fn ensure(db: &Connection, address: &str) -> Result<(), Error> {
    let path = || PathBuf::from(address);
    let unusable = |reason: &str| Error::Unusable { path: path(), reason: reason.to_owned() };
    match version(db)? {
        None => Err(unusable("there is no store in it: `mcp-pif store init` makes one")),
        Some(found) if found < current() => Err(unusable(
            "an earlier version has made its store: `mcp-pif store migrate` takes it along",
        )),
        Some(found) if found > current() => {
            let found = usize::try_from(found).unwrap_or(usize::MAX);
            Err(Error::Newer { path: path(), found, known: MIGRATIONS.len() })
        }
        Some(_) => Ok(()),
    }
}

/// Makes the schema, or migrates it. Gives the numbers before and after.
pub(crate) fn migrate(db: &Connection, address: &str) -> Result<(i64, i64), Error> {
    db.execute(&format!("BEGIN; SET LOCAL synchronous_commit = on; {ALONE}; {START}"))?;
    let migrated = advance(db, address);
    db.execute(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    migrated
}

fn advance(db: &Connection, address: &str) -> Result<(i64, i64), Error> {
    let row = db.row_if_any("SELECT number FROM pif.version", &[])?;
    let start = row.map_or(Ok(0), |row| row.number(0))?;
    if start > current() {
        let found = usize::try_from(start).unwrap_or(usize::MAX);
        return Err(Error::Newer { path: address.into(), found, known: MIGRATIONS.len() });
    }
    for migration in MIGRATIONS.iter().skip(usize::try_from(start).unwrap_or_default()) {
        db.execute_patiently(migration)?;
    }
    db.execute_patiently(FUNCTIONS)?;
    db.execute(&format!(
        "DELETE FROM pif.version; INSERT INTO pif.version VALUES ({})",
        current()
    ))?;
    Ok((start, current()))
}

/// Gives the role of the servers what it needs.
pub(crate) fn grant(db: &Connection, role: &str) -> Result<(), Error> {
    let grants = grants(role);
    db.execute(&format!("BEGIN; SET LOCAL synchronous_commit = on; {grants}; COMMIT"))
}

/// The statements that make the schema, with the grants for a role, for whoever executes them by hand.
#[must_use]
pub(crate) fn sql(role: &str) -> String {
    let migrations = MIGRATIONS.join("\n");
    let current = current();
    let grants = grants(role);
    format!(
        "BEGIN;\n{START};\nSET LOCAL search_path = pif, pg_temp;\n\n{migrations}\n{FUNCTIONS}\n\
         INSERT INTO version VALUES ({current});\n\n{grants}\nCOMMIT;\n"
    )
}

fn grants(role: &str) -> String {
    GRANTS.replace(":role", &format!("\"{}\"", role.replace('"', "\"\"")))
}
