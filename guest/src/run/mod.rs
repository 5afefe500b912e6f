//! The state of one run: registers, stack, fuel, room, and open `try`s.

mod again;
mod apply;
pub(crate) mod catch;
pub(crate) mod context;
pub(crate) mod meter;
pub(crate) mod named;
pub(crate) mod notes;
mod passing;
pub(crate) mod retry;
pub(crate) mod room;
pub(crate) mod site;
pub(crate) mod state;
pub(crate) mod steps;
pub(crate) mod trial;
