//! One machine in its instance. The instance lives as long as the machine may be resumed and is
//! dropped with it.

use wasmtime::component::ResourceAny;

use super::Instance;
use super::bindings::{Answer, Fault, Guest, GuestMachine, Limits, Program, Step, Usage};

/// A program being evaluated.
pub struct Machine<'a> {
    instance: Instance<'a>,
    handle: ResourceAny,
}

impl std::fmt::Debug for Machine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").finish_non_exhaustive()
    }
}

impl<'a> Machine<'a> {
    pub(super) fn start(
        mut instance: Instance<'a>,
        program: &Program,
        limits: Limits,
    ) -> Result<Self, Fault> {
        let handle =
            instance.call(|guest, store| machine(guest).call_start(store, program, limits))??;
        Ok(Self { instance, handle })
    }

    /// Evaluates until the program ends, asks for something, or has spent `slice` more fuel.
    /// After an error the machine is gone.
    pub fn resume(&mut self, answer: &Answer, slice: u64) -> Result<Step, Fault> {
        self.instance.watch.verdict()?;
        let handle = self.handle;
        self.instance.call(|guest, store| machine(guest).call_resume(store, handle, answer, slice))
    }

    /// What the machine has used so far.
    pub fn usage(&mut self) -> Result<Usage, Fault> {
        let handle = self.handle;
        self.instance.call(|guest, store| machine(guest).call_usage(store, handle))
    }

    /// Takes the debug lines written since the last call.
    pub fn debug(&mut self) -> Result<Vec<String>, Fault> {
        let handle = self.handle;
        self.instance.call(|guest, store| machine(guest).call_debug(store, handle))
    }
}

fn machine(guest: &Guest) -> GuestMachine<'_> {
    guest.pif_evaluator_machines().machine()
}
