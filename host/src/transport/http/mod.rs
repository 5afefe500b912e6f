//! The protocol over HTTP: both kinds of Streamable HTTP at `/mcp`, of the older protocol versions
//! with sessions and of 2026-07-28 without. A listener is bound before the process is sealed; then
//! it accepts, reads and writes. rmcp serves what has passed the gate.

mod access;
mod body;
mod connection;
mod echo;
mod gate;
mod handlers;
mod listener;
mod patient;
mod probe;
mod reply;
mod serve;
mod sessions;
mod site;
mod strikes;
mod tls;
mod tokens;

pub use self::access::{Access, IssuerSettings};
pub use self::listener::{Address, Listener};
pub use self::serve::Http;
pub use self::site::Sites;
pub use self::tls::{Tls, acceptor};
pub use self::tokens::Error;

pub(crate) use self::handlers::{Handlers, Way};
