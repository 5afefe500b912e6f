//! Leases: each process that works on something of a store holds one, and renews it while it lives. A
//! session, a snapshot or a run names the lease of the process that works on it. Whoever wants it finds
//! out whether that lease still lasts. If not, the lease is ended for good, so that the former holder
//! cannot commit any more, whenever it wakes.

mod keeper;
mod process;
mod rows;

pub use self::keeper::LeaseKeeper;
pub use self::process::{is_gone, process, unique_name};
pub use self::rows::{Leases, ProcessLease, holder, lease_of, milliseconds, process_of};
