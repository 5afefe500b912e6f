//! All that lasts: the tools, the journal and the memory. [`Store`] says what keeps them, and
//! [`sqlite`] is what keeps them here. Each write goes in with its entry of the journal.
//!
//! The rules stand once, whatever keeps the state: [`write`] judges a change and makes its entry,
//! [`journal`] chains entries, [`registry`] and [`memory`] say what may be kept. A store only reads and
//! writes rows.

mod error;
pub mod journal;
pub mod memory;
mod place;
pub mod registry;
mod sqlite;
mod store;
mod write;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use self::error::{Error, Failure, Nature};
pub use self::place::Place;
pub use self::sqlite::{Aside, Duplicate, Sqlite, is_occupied};
pub use self::store::Store;
pub use self::write::{
    Change, Defined, Done, Effect, Refusal, Taken, Term, Transaction, Wait, Write, apply,
};

/// Opens the store at a place, made and migrated as need be. Other processes are waited for so
/// long. [`Store::check`] tells whether it is damaged.
pub fn open(place: &Place, patience: Duration) -> Result<Arc<dyn Store>, Error> {
    Ok(Arc::new(Sqlite::open(place, patience)?))
}

/// The time, in milliseconds since 1970, as stores keep it.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
