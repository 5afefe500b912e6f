//! The store in SQLite: a file, shared by all processes that serve the same data directory, or in
//! memory. Nothing outside this folder knows the database.

mod commit;
mod connections;
mod copy;
mod entries;
mod error;
mod filesystem;
mod memos;
mod open;
mod presence;
mod reads;
mod schema;
mod tools;
mod writer;

pub use self::connections::Sqlite;
pub use self::copy::{Aside, Duplicate, is_occupied};
