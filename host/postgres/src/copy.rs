//! Checks of whole tables.

use pif_store::Error;

use crate::connection::Connection;
use crate::error::damaged;

/// Verifies that each term and each sum is as its rows say.
pub(crate) fn check(db: &Connection) -> Result<(), Error> {
    let checks = [
        (
            "a term is not the one that its hash names",
            "SELECT 1::bigint FROM revision WHERE hash <> convert_to(encode(sha256(source), 'hex'), 'UTF8')",
        ),
        (
            "the sums of the memory are not those of its rows",
            "SELECT 1::bigint FROM memory_sum s WHERE (s.keys, s.bytes) IS DISTINCT FROM
                (SELECT (count(*), coalesce(sum(length(value)), 0)::bigint) FROM memory)",
        ),
        (
            "the sums of the index are not those of its rows",
            "SELECT 1::bigint FROM document_sum s WHERE s.documents IS DISTINCT FROM
                (SELECT count(*) FROM document)",
        ),
        (
            "a name stands for something else than its last change",
            "SELECT 1::bigint FROM tool t WHERE t.change <> (SELECT max(c.id) FROM change c WHERE c.name = t.name)",
        ),
    ];
    for (told, sql) in checks {
        db.execute("SET statement_timeout = 0")?;
        if db.row_if_any(&format!("{sql} LIMIT 1"), &[])?.is_some() {
            return Err(damaged(told.to_owned()));
        }
    }
    Ok(())
}
