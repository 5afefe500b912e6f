//! One machine in its instance. The instance lives as long as the machine may be resumed and is
//! dropped with it.

use wasmtime::Store;
use wasmtime::component::ResourceAny;

use super::bindings::{
    Answer, Continuation, Effect, Ended, GuestMachine, Limits, Program, Told, Usage, Value,
};
use super::ceiling::{Ceiling, Taken};
use super::fault::excess;
use super::spare::Spare;
use super::turn::finish;
use super::{Guest, Instance};
use crate::domain::{Fault, FaultCode};

/// A program being evaluated.
pub struct Machine {
    instance: Instance,
    handle: ResourceAny,
    limits: Limits,
}

/// Where a machine stands that did not fail.
#[derive(Debug, Clone)]
pub enum Step {
    /// It ended with a value.
    Done(Value),
    /// It ended with a continuation, which is its value.
    Continuation(Continuation),
    /// It needs the source of this tool.
    Lookup(String),
    /// It needs an effect.
    Perform(Effect),
    /// The slice is used up.
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
                // There is no machine to ask what it used; what it wanted is more than there was.
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

    /// The same, giving way after each turn.
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
            Ended::Perform(effect) => Step::Perform(effect),
            Ended::Paused => Step::Paused,
            Ended::Failed(told) => return Err(self.explain(told).await),
        })
    }

    /// Ends the machine. What is left to do for that can wait until there is nothing else to do.
    pub(super) fn end(self, spare: &Spare) {
        spare.leave(self.instance);
    }

    /// Whether the machine trapped, and can be asked nothing any more.
    pub(super) fn is_lost(&self) -> bool {
        self.instance.trapped.is_some()
    }

    /// What the machine has used so far.
    pub fn usage(&mut self) -> Result<Usage, Fault> {
        finish(self.usage_in_turns())
    }

    /// The same, giving way after each turn.
    pub(super) async fn usage_in_turns(&mut self) -> Result<Usage, Fault> {
        let handle = self.handle;
        let usage = async |guest: &Guest, store: &mut Store<Ceiling>| {
            machine(guest).call_usage(store, handle).await
        };
        self.instance.call(usage).await
    }

    /// What the whole instance has taken so far: parsing, compiling and printing are part of it.
    #[must_use]
    pub fn taken(&self) -> Taken {
        let store = &self.instance.store;
        store.data().taken(store.get_fuel().unwrap_or_default())
    }

    /// Takes the debug lines written since the last call.
    pub fn debug(&mut self) -> Result<Vec<String>, Fault> {
        let handle = self.handle;
        let debug = async |guest: &Guest, store: &mut Store<Ceiling>| {
            machine(guest).call_debug(store, handle).await
        };
        finish(self.instance.call(debug))
    }

    /// Adds to a fault of the program which limit it met. An evaluator that was refused memory says
    /// that the program is too large, and does not know that the ceiling was meant for itself.
    async fn explain(&mut self, told: Told) -> Fault {
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
