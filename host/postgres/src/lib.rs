//! The state in PostgreSQL: one store for many servers.

mod connect;

pub use self::connect::{Connect, Connecting, Direct, Stream};
