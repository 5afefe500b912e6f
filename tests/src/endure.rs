//! State that must survive: a server under load, killed at any moment, and what has to be in the
//! store afterwards.

mod check;
pub mod kill;
pub mod load;
pub mod released;
pub mod share;
pub mod shop;
