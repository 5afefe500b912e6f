//! The contract in `wit/` as Rust types. Generated; nothing here is written by hand but the list
//! of names that the rest of the sandbox uses.

#[expect(missing_docs, reason = "generated; wit/ documents what has a meaning")]
mod generated {
    // A published package carries a copy of the contract.
    #[cfg(not(packaged))]
    wasmtime::component::bindgen!({
        world: "guest",
        path: "../wit",
        exports: { default: async },
    });
    #[cfg(packaged)]
    wasmtime::component::bindgen!({
        world: "guest",
        path: "prebuilt/wit",
        exports: { default: async },
    });
}

pub(super) use generated::exports::pif::evaluator::analysis::GuestIndices as Analysis;
pub(super) use generated::exports::pif::evaluator::machines::{
    Guest as Machines, GuestIndices as MachinesIndices, GuestMachine,
};

pub(super) use generated::exports::pif::evaluator::types::{
    Fault as Told, Limit as Exceeded, Step as Ended,
};

pub use generated::exports::pif::evaluator::types::{
    Answer, Argument, Code, Continuation, Effect, Limits, Mention, Note, Place, Program, Source,
    Summary, Usage, Value,
};
