//! The state of one run: registers, stack, fuel, room, and open `try`s.

mod apply;
pub(crate) mod catch;
pub(crate) mod context;
pub(crate) mod meter;
pub(crate) mod notes;
pub(crate) mod room;
pub(crate) mod site;
pub(crate) mod state;
pub(crate) mod steps;
pub(crate) mod trial;
