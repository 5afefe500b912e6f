//! One machine in its instance. The instance lives as long as the machine can be resumed and is
//! dropped with it.

use pif_domain::{Fault, FaultCode};
use wasmtime::Store;
use wasmtime::component::ResourceAny;

use super::bindings::{
    Answer, Continuation, Ended, GuestMachine, Left, Limits, Program, Reported, Stepped, Usage,
    Value, Wait,
};
use super::calls::Calls;
use super::ceiling::{Ceiling, InstanceUsage};
use super::fault::excess;
use super::instance::{Guest, Instance};
use super::turn::finish;

/// A program being evaluated.
pub struct Machine {
    instance: Instance,
    handle: ResourceAny,
    limits: Limits,
}

/// The state of a machine that has not failed.
#[derive(Debug, Clone)]
pub enum Step {
    /// It ended with this value.
    Done(Value),
    /// It ended with this continuation.
    Continuation(Continuation),
    /// It needs the source of the tool with this name.
    Lookup(String),
    /// It needs the term of this binding.
    Recall(String),
    /// It needs the results of these calls.
    Perform(Calls),
    /// A call has failed, and the program would try again after a while.
    Wait(Wait),
    /// A step of the program begins, which has this name.
    Enter(String),
    /// The innermost step of the program has ended.
    Leave(Left),
    /// It has used up its slice of fuel.
    Paused,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").finish_non_exhaustive()
    }
}

impl Machine {
    pub(super) async fn start(
        mut instance: Instance,
        program: &Program,
        limits: Limits,
    ) -> Result<Self, Fault> {
        let started = instance
            .call(async |guest: &Guest, store: &mut Store<Ceiling>| {
                machine(guest).call_start(store, program, limits).await
            })
            .await?;
        match started {
            Ok(handle) => Ok(Self { instance, handle, limits }),
            Err(told) => {
                // No machine exists that could report its usage. The program needed more than its
                // limits, so the limits count as used.
                let used = Usage {
                    fuel: limits.fuel,
                    peak_memory: limits.memory,
                    peak_depth: limits.depth,
                };
                let limit = instance.store.data().denied();
                let limit = limit.or_else(|| excess(told.limit?, limits, used));
                Err(Fault::from(told).by(limit))
            }
        }
    }

    /// Evaluates until the program ends, asks for something, or has spent `slice` more fuel.
    /// After an error the machine is gone.
    pub fn resume(&mut self, answer: &Answer, slice: u64) -> Result<Step, Fault> {
        finish(self.resume_in_turns(answer, slice))
    }

    /// Evaluates like [`Machine::resume`] and gives way after each turn.
    pub async fn resume_in_turns(&mut self, answer: &Answer, slice: u64) -> Result<Step, Fault> {
        self.instance.watch.verdict()?;
        let handle = self.handle;
        if let Answer::Source(Some(source)) = answer {
            self.instance.admit(source.len());
        }
        let resume = async |guest: &Guest, store: &mut Store<Ceiling>| {
            machine(guest).call_resume(store, handle, answer, slice).await
        };
        let step = self.instance.call(resume).await?;
        Ok(match step {
            Ended::Done(value) => Step::Done(value),
            Ended::Continuation(continuation) => Step::Continuation(continuation),
            Ended::Lookup(tool) => Step::Lookup(tool),
            Ended::Recall(name) => Step::Recall(name),
            Ended::Perform(calls) => Step::Perform(calls.into()),
            Ended::Wait(wait) => Step::Wait(wait),
            Ended::Enter(name) => Step::Enter(name),
            Ended::Leave(left) => Step::Leave(left),
            Ended::Paused => Step::Paused,
            Ended::Failed(told) => return Err(self.explain(told).await),
        })
    }

    /// Has the world told of the first so many steps of the program.
    pub(super) async fn tell_named_steps(&mut self, most: u32) -> Result<(), Fault> {
        let handle = self.handle;
        let tell = async |guest: &Guest, store: &mut Store<Ceiling>| {
            machine(guest).call_tell_named_steps(store, handle, most).await
        };
        self.instance.call(tell).await
    }

    /// Whether the machine trapped. It then answers no more calls.
    pub(super) fn is_lost(&self) -> bool {
        self.instance.trapped.is_some()
    }

    /// The usage of the machine until now.
    pub fn usage(&mut self) -> Result<Usage, Fault> {
        finish(self.usage_in_turns())
    }

    /// The usage of the machine until now. It gives way after each turn.
    pub(super) async fn usage_in_turns(&mut self) -> Result<Usage, Fault> {
        let handle = self.handle;
        let usage = async |guest: &Guest, store: &mut Store<Ceiling>| {
            machine(guest).call_usage(store, handle).await
        };
        self.instance.call(usage).await
    }

    /// The resources that the whole instance has used, including parsing, compiling and printing.
    #[must_use]
    pub fn taken(&self) -> InstanceUsage {
        let store = &self.instance.store;
        store.data().taken(store.get_fuel().unwrap_or_default())
    }

    /// Takes the steps of a debug run that came to their values since the last call.
    pub fn steps(&mut self) -> Result<Vec<Stepped>, Fault> {
        let handle = self.handle;
        let steps = async |guest: &Guest, store: &mut Store<Ceiling>| {
            machine(guest).call_steps(store, handle).await
        };
        finish(self.instance.call(steps))
    }

    /// Takes the debug lines written since the last call.
    pub fn debug(&mut self) -> Result<Vec<String>, Fault> {
        let handle = self.handle;
        let debug = async |guest: &Guest, store: &mut Store<Ceiling>| {
            machine(guest).call_debug(store, handle).await
        };
        finish(self.instance.call(debug))
    }

    /// Adds the limit that was met to a fault of the program. An evaluator that was refused memory
    /// reports `too-large`; it does not know that it met its own ceiling.
    async fn explain(&mut self, told: Reported) -> Fault {
        let exceeded = told.limit;
        let denied = self.instance.store.data().denied();
        let fault = Fault::from(told);
        let met = match denied.filter(|_| fault.code == FaultCode::TooLarge) {
            Some(ceiling) => Some(ceiling),
            None => match (exceeded, self.usage_in_turns().await) {
                (Some(exceeded), Ok(usage)) => excess(exceeded, self.limits, usage),
                _ => None,
            },
        };
        fault.by(met)
    }
}

fn machine(guest: &Guest) -> GuestMachine<'_> {
    guest.machines.machine()
}
