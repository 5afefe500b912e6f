//! State that must survive: a server under load, killed at any moment, and what has to be in the
//! store afterwards.

#[cfg(target_os = "linux")]
pub mod calls;
mod check;
pub mod kill;
pub mod load;
pub mod released;
pub mod share;
pub mod shop;
pub mod turns;
#[cfg(unix)]
pub mod web;
