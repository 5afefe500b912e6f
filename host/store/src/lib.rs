//! The persistent state: the tools, the journal and the memory. [`Store`] is the interface of a
//! store, and [`sqlite`] implements it. Each write includes its journal entry.
//!
//! The rules are independent of the store: [`mod@write`] judges a change and makes its entry,
//! [`journal`] chains entries, [`registry`] and [`memory`] validate content. A store only reads and
//! writes rows.

mod change;
mod checkpoints;
mod error;
pub mod find;
pub mod journal;
pub mod lease;
pub mod memory;
mod open;
mod place;
pub mod portable;
pub mod recall;
pub mod registry;
pub mod session;
mod sqlite;
pub mod staging;
mod store;
mod transaction;
mod write;

pub use self::change::{
    Change, CommittedTool, Done, Effect, Erasure, Refusal, ToolImport, Wait, Write,
};
pub use self::checkpoints::{Checkpoints, Head, Position};
pub use self::error::{Error, Failure, Nature};
pub use self::open::open;
pub use self::place::Place;
pub use self::sqlite::{
    Duplicate, MovedStore, Replica, Sqlite, Stem, Stemmer, Transient, is_occupied,
};
pub use self::store::Store;
pub use self::transaction::{Term, ToolChange, Transaction};
pub use self::write::{apply, areas, sessions};
