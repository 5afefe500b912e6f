//! Connections to clients. A [`Transport`] opens one: lines come in, lines go out. A [`Session`] is
//! what the server knows of it: what the client has asked for and is owed, whether it is still there,
//! and how to end in good order. [`wire`] makes messages of lines. Standard input and output are one
//! transport ([`stdio`]).

mod awake;
mod ends;
mod handshake;
pub(crate) mod id;
mod input;
mod line;
mod message;
mod outlet;
mod scan;
mod session;
mod stdio;
mod streams;
mod window;
mod wire;

pub use self::awake::Awake;
pub use self::ends::{Deserted, Ends, Transport};
pub use self::input::Input;
pub use self::outlet::Outlet;
pub use self::stdio::Stdio;
pub use self::streams::Streams;

pub(crate) use self::message::{Bounds, RawArguments};
pub(crate) use self::session::Session;
pub(crate) use self::wire::Wire;
