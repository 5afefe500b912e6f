//! The contract in `wit/` as Rust types. The types are generated. Only the list of names that the
//! rest of the sandbox uses is written by hand.

#[expect(missing_docs, reason = "generated; wit/ documents what has a meaning")]
mod generated {
    // A published package contains a copy of the contract.
    #[cfg(not(packaged))]
    wasmtime::component::bindgen!({
        world: "guest",
        path: "../../wit",
        exports: { default: async },
    });
    #[cfg(packaged)]
    wasmtime::component::bindgen!({
        world: "guest",
        path: "prebuilt/wit",
        exports: { default: async },
    });
}

#[expect(missing_docs, reason = "generated; wit/ documents what has a meaning")]
mod analyst {
    #[cfg(not(packaged))]
    wasmtime::component::bindgen!({
        world: "analyst",
        path: "../../wit",
        exports: { default: async },
        with: { "pif:evaluator/types": crate::bindings::generated::exports::pif::evaluator::types },
    });
    #[cfg(packaged)]
    wasmtime::component::bindgen!({
        world: "analyst",
        path: "prebuilt/wit",
        exports: { default: async },
        with: { "pif:evaluator/types": crate::bindings::generated::exports::pif::evaluator::types },
    });
}

pub(super) use analyst::exports::pif::evaluator::questions::GuestIndices as Questions;
pub use analyst::exports::pif::evaluator::questions::{
    Answers, Bound, Completion as Completed, Cost, Counterexample, Draft, Evidence,
    Failure as SureFault, Fused, Inquiry, Law, Misfit, Names, Normal, Parameter as Typed, Proposal,
    Proposed, Question, Ran, Schemas, Searched, Subject, Told as Came, Tool as KnownTool, TrialRun,
    Tried, Turn as Inquired, Typing, Variable,
};
pub(super) use analyst::exports::pif::evaluator::reductions::GuestIndices as Reductions;
pub use analyst::exports::pif::evaluator::reductions::Spot as TermPlace;

pub(super) use generated::exports::pif::evaluator::analysis::GuestIndices as Analysis;
pub use generated::exports::pif::evaluator::analysis::Renamed;
pub(super) use generated::exports::pif::evaluator::machines::{
    Guest as Machines, GuestIndices as MachinesIndices, GuestMachine,
};

pub(super) use generated::exports::pif::evaluator::types::{
    Call as AskedCall, Calls as Asked, Cause, Failure, Fault as Reported, Limit as Exceeded,
    Outcome as Told, Refusal as Refused, Step as Ended,
};

pub use generated::exports::pif::evaluator::types::{
    Answer, Argument, Binding, Code, Continuation, Fix, Foreseen, Left, Limits, Mention, Note,
    Outlook, Parameter, Passage, Place, Program, Source, Spot, Stepped, Summary, Usage, Value,
    Wait,
};

impl Summary {
    /// The names of the tools that the term names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }
}
