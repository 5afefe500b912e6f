//! The rows of staging areas.

use pif_store::Error;
use pif_store::registry::Evolution;
use pif_store::staging::{Area, Operation, Verification};
use tokio_postgres::Row;

use super::tools::split;
use crate::connection::{Columns as _, Connection};
use crate::error::damaged;

const SELECT: &str =
    "SELECT a.id, a.owner, a.base, a.created, a.changed, a.version, a.verified, a.passed, a.record,
    ARRAY(SELECT o.told FROM operation o WHERE o.area = a.id ORDER BY o.number) FROM area a";

fn read(row: &Row) -> Result<Area, Error> {
    let (version, passed) = (row.number_if_any(6)?, row.number_if_any(7)?);
    let verification = version
        .zip(passed)
        .zip(row.text_if_any(8)?)
        .map(|((version, passed), record)| Verification { version, passed: passed != 0, record });
    let operation = |told: String| {
        serde_json::from_str::<Operation>(&told)
            .map_err(|error| damaged(format!("an operation cannot be read: {error}")))
    };
    Ok(Area {
        id: row.number(0)?,
        owner: row.text(1)?,
        base: row.number(2)?,
        created: row.number(3)?,
        changed: row.number(4)?,
        version: row.number(5)?,
        verification,
        operations: row.texts(9)?.into_iter().map(operation).collect::<Result<_, _>>()?,
    })
}

/// An area by its number.
pub(crate) fn find(db: &Connection, id: i64) -> Result<Option<Area>, Error> {
    let row = db.row_if_any(&format!("{SELECT} WHERE a.id = $1"), &[&id])?;
    row.as_ref().map(read).transpose()
}

/// The areas of an owner.
pub(crate) fn all(db: &Connection, owner: &str) -> Result<Vec<Area>, Error> {
    let rows =
        db.rows(&format!("{SELECT} WHERE a.owner = $1 ORDER BY a.id"), &[&owner.as_bytes()])?;
    rows.iter().map(read).collect()
}

/// Writes an area. Returns its number, which is made if it is 0.
pub(crate) fn put(db: &Connection, area: &Area) -> Result<i64, Error> {
    let id = (area.id != 0).then_some(area.id);
    let verified = area.verification.as_ref().map(|it| it.version);
    let passed = area.verification.as_ref().map(|it| i64::from(it.passed));
    let record = area.verification.as_ref().map(|it| it.record.as_bytes());
    let told = area.operations.iter().map(serde_json::to_vec).collect::<Result<Vec<_>, _>>();
    let told = told.map_err(|error| damaged(error.to_string()))?;
    let Area { base, created, changed, version, .. } = area;
    let row = db.row(
        "SELECT put_area($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        &[
            &id,
            &area.owner.as_bytes(),
            base,
            created,
            changed,
            version,
            &verified,
            &passed,
            &record,
            &told,
        ],
    )?;
    row.number(0)
}

/// Who works on an area.
pub(crate) fn holder(db: &Connection, id: i64) -> Result<Option<String>, Error> {
    let row = db.row_if_any("SELECT holder FROM area WHERE id = $1", &[&id])?;
    Ok(row.map(|row| row.text_if_any(0)).transpose()?.flatten())
}

/// Notes who works on an area.
pub(crate) fn hold(db: &Connection, id: i64, holder: Option<&str>) -> Result<(), Error> {
    db.rows("SELECT hold_area($1, $2)", &[&id, &holder.map(str::as_bytes)]).map(drop)
}

/// Removes an area.
pub(crate) fn remove(db: &Connection, id: i64) -> Result<(), Error> {
    db.rows("SELECT remove_area($1)", &[&id]).map(drop)
}

/// The names that have changed after a change of the registry.
pub(crate) fn changed_since(db: &Connection, change: i64) -> Result<Vec<String>, Error> {
    let rows =
        db.rows("SELECT DISTINCT name FROM change WHERE id > $1 ORDER BY name", &[&change])?;
    rows.iter().map(|row| row.text(0)).collect()
}

/// Keeps a term that no tool has yet.
pub(crate) fn keep_source(db: &Connection, term: &Evolution) -> Result<(), Error> {
    let tools = split(&term.tools);
    let parameters: &[crate::connection::Parameter<'_>] =
        &[&term.hash.as_bytes(), &term.source.as_bytes(), &tools];
    db.rows("SELECT keep_source($1, $2, $3)", parameters).map(drop)
}
