//! The sandboxed evaluator and the sandboxed analyst. Each call gets a fresh instance of a component,
//! with wasmtime fuel, a memory ceiling and a deadline. Nothing outside this crate knows wasmtime. Nothing in it knows
//! MCP or the registry.

mod analyst;
mod artifact;
mod bindings;
mod calls;
mod ceiling;
mod compiled_analyst;
mod drive;
mod engine;
mod error;
mod evaluator;
mod fault;
mod gate;
mod instance;
mod machine;
mod opening;
mod turn;
mod watch;
mod world;

pub use self::artifact::{
    ANALYST, ANALYST_HASH, COMPONENT, EmbeddedComponent, HASH, Origin, REFERENCE, compile,
};
pub use self::bindings::{
    Answer, Answers, Argument, Binding, Bound, Came, Code, Completed, Continuation, Cost,
    Counterexample, Draft, Evidence, Fix, Foreseen, Fused, Inquired, Inquiry, KnownTool, Law, Left,
    Limits, Mention, Misfit, Names, Normal, Note, Outlook, Parameter, Passage, Place, Program,
    Proposal, Proposed, Question, Ran, Renamed, Schemas, Searched, Source, Spot, Stepped, Subject,
    Summary, SureFault, TermPlace, TrialRun, Tried, Typed, Typing, Usage, Value, Variable, Wait,
};
pub use self::calls::Calls;
pub use self::ceiling::{Allowance, FUEL_PER_BYTE, FUEL_PER_HEAP_BYTE, InstanceUsage, Net};
pub use self::drive::{Completion, NO_TOOL, Outcome, Request, drive, drive_in_turns};
pub use self::engine::Addresses;
pub use self::error::Error;
pub use self::evaluator::{Sandbox, Setup};
pub use self::gate::{Crowd, Gate, GateTimeout, LOOKS};
pub use self::machine::{Machine, Step};
pub use self::opening::Opening;
pub use self::turn::{Turns, finish, give_way};
pub use self::watch::Watch;
pub use self::watch::milliseconds;
pub use self::world::{AnswerFuture, World};
