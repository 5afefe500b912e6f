//! The rows of leases. The clock is that of the database.

use std::time::Duration;

use pif_store::Error;
use pif_store::lease::{ProcessLease, milliseconds};
use tokio_postgres::Row;

use crate::connection::{Columns as _, Connection};

fn read(row: &Row) -> Result<ProcessLease, Error> {
    Ok(ProcessLease { name: row.text(0)?, place: row.text(1)?, until: row.number(2)? })
}

/// Takes a lease.
pub(crate) fn take(db: &Connection, name: &str, place: &str, life: Duration) -> Result<(), Error> {
    let life = milliseconds(life);
    db.rows("SELECT take_lease($1, $2, $3)", &[&name.as_bytes(), &place.as_bytes(), &life])
        .map(drop)
}

/// Renews a lease that is there, and ends others that are over.
pub(crate) fn renew(db: &Connection, name: &str, life: Duration) -> Result<bool, Error> {
    db.row("SELECT renew_lease($1, $2)", &[&name.as_bytes(), &milliseconds(life)])?.truth(0)
}

/// Ends a lease.
pub(crate) fn end(db: &Connection, name: &str) -> Result<(), Error> {
    db.rows("SELECT end_lease($1)", &[&name.as_bytes()]).map(drop)
}

/// All leases.
pub(crate) fn all(db: &Connection) -> Result<Vec<ProcessLease>, Error> {
    db.rows("SELECT name, place, until FROM lease ORDER BY name", &[])?.iter().map(read).collect()
}

/// Whether a lease is there, which nobody ends before the transaction does.
pub(crate) fn is_there(db: &Connection, name: &str) -> Result<bool, Error> {
    db.row("SELECT has_lease($1)", &[&name.as_bytes()])?.truth(0)
}

/// A lease that lasts. Ends one that is over.
pub(crate) fn lasting(db: &Connection, name: &str) -> Result<Option<ProcessLease>, Error> {
    db.rows("SELECT end_lease_if_over($1)", &[&name.as_bytes()])?;
    let sql = "SELECT name, place, until FROM lease WHERE name = $1";
    db.row_if_any(sql, &[&name.as_bytes()])?.as_ref().map(read).transpose()
}
