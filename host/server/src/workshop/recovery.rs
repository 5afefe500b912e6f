//! What processes that are gone have left behind in sessions.

use pif_store::journal;
use pif_store::session::Lease;
use pif_store::{Error, Refusal, Store, sessions};

/// Ends the turns of processes that are gone. A server cannot find that out while it serves.
pub(super) fn recover(store: &dyn Store) -> Result<(), Error> {
    let is_gone = |lease: &Lease| {
        let process = lease.holder.rsplit_once('/').map_or("", |(process, _)| process);
        journal::is_gone(process)
    };
    let gone = store.leased()?.into_iter();
    let gone: Vec<(i64, Lease)> =
        gone.filter_map(|session| Some((session.id, session.lease.filter(is_gone)?))).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let end = store.transact(&mut |db| {
        gone.iter().try_for_each(|(id, lease)| Ok(sessions::end(db, *id, &lease.holder)?))
    });
    end.map_err(|refusal| match refusal {
        Refusal::Store(error) => error,
        _ => Error::Confused,
    })
}
