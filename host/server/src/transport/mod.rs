//! Connections to clients. A [`Transport`] opens a connection that lines come from and go to. A
//! [`Session`] is the server's state of a connection: its open requests, whether the client is
//! still there, and how it ends. [`wire`] converts lines into messages. Standard input and output
//! are one transport ([`stdio`]).

mod ends;
mod handshake;
pub mod http;
pub(crate) mod input;
mod message;
mod outlet;
mod session;
mod stdio;
mod streams;
mod window;
mod wire;

pub use self::ends::{Ends, HangupCheck, Transport};
pub use self::input::Input;
pub use self::outlet::MessageWriter;
pub use self::stdio::Stdio;
pub use self::streams::Streams;

pub(crate) use self::message::{Bounds, RawArguments};
pub(crate) use self::session::Session;
pub(crate) use self::wire::Wire;
