//! All that lasts: the tools, the journal and the memory. [`Store`] says what keeps them, and
//! [`sqlite`] is what keeps them here. Each write goes in with its entry of the journal.
//!
//! The rules stand once, whatever keeps the state: [`write`] judges a change and makes its entry,
//! [`journal`] chains entries, [`registry`] and [`memory`] say what may be kept. A store only reads and
//! writes rows.

mod clock;
mod error;
pub mod journal;
pub mod memory;
mod open;
mod place;
pub mod registry;
mod sqlite;
mod store;
mod write;

pub use self::clock::now;
pub use self::error::{Error, Failure, Nature};
pub use self::open::open;
pub use self::place::Place;
pub use self::sqlite::{Aside, Duplicate, Sqlite, is_occupied};
pub use self::store::Store;
pub use self::write::{
    Change, Defined, Done, Effect, Refusal, Taken, Term, Transaction, Wait, Write, apply,
};
