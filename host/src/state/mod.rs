//! All that lasts: the tools, the journal and the memory. [`Store`] says what keeps them, and
//! [`sqlite`] is what keeps them here. Each write goes in with its entry of the journal.
//!
//! The rules stand once, whatever keeps the state: [`mod@write`] judges a change and makes its entry,
//! [`journal`] chains entries, [`registry`] and [`memory`] say what may be kept. A store only reads and
//! writes rows.

mod change;
mod error;
pub mod journal;
pub mod memory;
mod open;
mod place;
pub(crate) mod recall;
pub mod registry;
mod sqlite;
mod store;
mod transaction;
mod write;

pub use self::change::{Change, Done, Effect, Refusal, Taken, Wait, Write};
pub use self::error::{Error, Failure, Nature};
pub use self::open::open;
pub use self::place::Place;
pub use self::sqlite::{Aside, Duplicate, Sqlite, is_occupied};
pub use self::store::Store;
pub use self::transaction::{Defined, Term, Transaction};
pub use self::write::apply;
