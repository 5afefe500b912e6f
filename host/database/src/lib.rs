//! The way to a PostgreSQL database: its address, TLS, the login, and the relay of its sessions. The
//! sealed server opens no sockets and knows no password. A process that starts before it is sealed
//! connects and logs in, and then hands over a socket on which the session's bytes come and go.

mod address;
mod client;
mod connector;
mod direct;
mod error;
mod gateway;
mod login;
mod passing;
mod password;
mod process;
mod relay;
mod session;
mod target;
mod tls;
mod wire;

pub use self::address::{Address, Host, Privacy};
pub use self::connector::Connector;
pub use self::error::{Error, Kind};
pub use self::process::{supervise, work};
pub use self::session::Stream;
pub use self::target::Target;
