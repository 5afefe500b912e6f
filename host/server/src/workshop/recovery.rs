//! Cleans up after processes that are gone.

use pif_store::lease::{is_gone, process_of};
use pif_store::{Error, Store};

/// Ends the leases of processes of this machine that are gone, so that nobody waits until they are over. A
/// server cannot find that out while it serves.
pub(super) fn end_leases_of_the_gone(store: &dyn Store) -> Result<(), Error> {
    let leases = store.leases()?.into_iter();
    leases
        .filter(|lease| is_gone(process_of(&lease.name)))
        .try_for_each(|lease| store.end_lease(&lease.name))
}
