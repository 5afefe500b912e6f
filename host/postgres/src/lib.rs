//! The state in PostgreSQL: one store for many servers. Rows, rules and hashes are those of the store in SQLite;
//! this crate has the statements, the connections and the chain of the journal that each server holds.

mod connect;
mod connection;
mod context;
mod copy;
mod error;
mod postgres;
mod rows;
mod schema;
mod store;
mod transaction;
mod wait;
mod watch;
mod writer;

pub use self::connect::{Connect, ConnectFuture, Direct, Stream};
pub use self::postgres::{Migration, Postgres};
