//! The protocol over HTTP: both kinds of Streamable HTTP at `/mcp`, of the older protocol versions
//! with sessions and of 2026-07-28 without. A listener is bound before the process is sealed; then
//! it accepts, reads and writes. rmcp serves what has passed the gate.

mod accept;
mod access;
mod allowed_hosts;
mod asked;
mod body;
mod connection;
mod door;
mod event_buffer;
mod gate;
mod handlers;
mod issuer;
mod listener;
mod manager;
mod mend;
mod pages;
mod patient;
mod place;
mod probe;
mod rate_limiter;
mod reply;
mod reread;
mod serve;
mod sessions;
mod tls;
mod tokens;

pub use self::access::Access;
pub use self::allowed_hosts::AllowedHosts;
pub use self::issuer::IssuerSettings;
pub use self::listener::{Address, Listener, Share};
pub use self::place::Places;
pub use self::serve::Http;
pub use self::tls::Tls;
pub use self::tokens::Error;

pub(crate) use self::handlers::{Handlers, Way};
