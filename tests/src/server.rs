//! The real binary under test: how it is found, a client for its pipes, folders for what it keeps, and
//! programs that several tests send.

pub mod binary;
pub mod client;
#[cfg(unix)]
pub mod connection;
pub mod endpoint;
pub mod folder;
pub mod memory;
pub mod pipe;
#[cfg(target_os = "linux")]
pub mod terminal;
pub mod text;
#[cfg(unix)]
pub mod web;
