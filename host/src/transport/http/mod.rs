//! The protocol over HTTP: both kinds of Streamable HTTP at `/mcp`, of the older protocol versions
//! with sessions and of 2026-07-28 without. A listener is bound before the process is sealed; then
//! it accepts, reads and writes. rmcp serves what has passed the gate.

mod access;
mod body;
mod connection;
mod echo;
mod gate;
mod issuer;
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

use rmcp::ServerHandler;

pub use self::access::Access;
pub use self::issuer::Issuer;
pub use self::listener::{Address, Listener};
pub use self::serve::Http;
pub use self::site::Sites;
pub use self::tls::{Tls, acceptor};
pub use self::tokens::Error;

use self::probe::Probe;
use crate::domain::Scope;

/// What serves the requests that pass the gate.
pub(crate) trait Handlers: Send + Sync + 'static {
    /// The handler of a session, or of a request without one.
    type Handler: ServerHandler + Send + 'static;

    /// Makes a handler.
    fn handler(&self) -> Self::Handler;

    /// The scope that a call of a tool needs. The name may be an older one.
    fn needed(&self, tool: &str, arguments: &str) -> Scope;

    /// Whether requests can be served now, or why not. It may block.
    fn ready(&self) -> Result<(), String>;

    /// The type and the text of what is measured.
    fn metrics(&self) -> (&'static str, String);
}
