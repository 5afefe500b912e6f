//! The rule for sessions and areas, on which one process works at a time: a row names a holder, whose lease
//! lasts or not.

use crate::error::Error;
use crate::lease::{ProcessLease, lease_of};
use crate::transaction::Transaction;

/// Whether somebody may go on with something, or commit what it has done with it.
pub(super) enum Standing {
    /// Nobody works on it.
    Free,
    /// This holder works on it, and has its lease.
    Own,
    /// Somebody else works on it, with this lease.
    Taken(ProcessLease),
}

/// How something stands that has a holder, for one who works on it if `own` is given.
pub(super) fn standing_of(
    db: &mut dyn Transaction,
    holder: Option<&str>,
    own: Option<&str>,
) -> Result<Standing, Error> {
    let Some(holder) = holder else { return Ok(Standing::Free) };
    if own == Some(holder) {
        // It is no longer its own if others have ended the lease meanwhile.
        let has_lease = db.has_lease(lease_of(holder))?;
        return Ok(if has_lease { Standing::Own } else { Standing::Free });
    }
    let lease = db.lasting_lease(lease_of(holder))?;
    Ok(lease.map_or(Standing::Free, Standing::Taken))
}
