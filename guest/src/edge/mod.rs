//! The edge: the component of wit/, and a run as JSON in and JSON out.

#[cfg(all(target_arch = "wasm32", feature = "component"))]
mod allocator;
#[cfg(all(target_arch = "wasm32", feature = "component"))]
mod component;
pub mod envelope;
pub(crate) mod eval;
