//! A session that is logged in.

use std::fmt;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};

use super::address::Address;

/// A connection of any kind.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// A session that is logged in and idle.
pub(super) struct Session {
    /// The bytes that come and go.
    pub(super) stream: Box<dyn Stream>,
    /// What the database said when it let us in.
    pub(super) welcome: Bytes,
    /// The process that serves the session, and what lets us cancel its work.
    pub(super) key: Option<Key>,
    /// Where to cancel it.
    pub(super) address: Address,
}

/// What identifies a session to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) process: i32,
    pub(super) secret: i32,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("address", &self.address).finish_non_exhaustive()
    }
}
