//! The store in SQLite: a file, shared by all processes that serve one data directory, or a
//! database in memory. Only this folder depends on SQLite.

mod areas;
mod checkpoints;
mod connections;
mod copy;
mod entries;
mod error;
mod filesystem;
mod find;
mod leases;
mod memos;
mod open;
mod portable;
mod presence;
mod replica;
mod schema;
mod sessions;
mod stems;
mod store;
mod tools;
mod transient;

pub use self::connections::Sqlite;
pub use self::copy::{Duplicate, MovedStore, is_occupied};
pub use self::replica::Replica;
pub use self::stems::{Stem, Stemmer};
pub use self::transient::Transient;
