//! The broker: the process that calls the tools of other MCP servers for programs. It alone has
//! sockets, secrets and the processes of those servers; it alone decides what may be called. The
//! sealed server asks it over a pair of pipes, and each takes the other for hostile.

mod arguments;
mod cached_file;
mod catalog;
mod chat;
mod client;
pub mod config;
mod definition;
mod embeddings;
mod endpoint;
pub mod grant;
mod install;
mod launch;
mod login;
pub mod order;
mod part;
mod pin;
mod process;
pub mod protocol;
mod reap;
mod redacting_log;
mod retry_after;
mod sending;
mod signature;
mod spelling;
mod start;
mod upstream;
mod worker;

pub use self::arguments::foreseen_mistake;
pub use self::client::{Client, Offers, Undone};
pub use self::launch::Launch;
pub use self::login::{LoginGrant, LoginRequest, Problem, Target};
pub use self::process::{Task, supervise, work};
pub use self::redacting_log::Quiet;
pub use self::signature::sample;
pub use self::spelling::meant;
pub use self::start::{Link, Origin, Pipes};
