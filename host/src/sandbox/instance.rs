//! Instances of the component: the compiled code that they are made from, those that calls live in,
//! and the two that are made and torn down when there is nothing else to do.

use std::sync::{Mutex, PoisonError};

use wasmtime::Store;
use wasmtime::component::{self, Component, InstancePre, Linker};

use super::bindings::{Analysis, Machines, MachinesIndices};
use super::ceiling::Ceiling;
use super::error::Error;
use super::watch::Watch;
use crate::domain::Fault;

/// The compiled evaluator, ready to make instances of.
pub(super) struct Opened {
    pub(super) component: InstancePre<Ceiling>,
    pub(super) machines: MachinesIndices,
    pub(super) analysis: Analysis,
}

impl Opened {
    pub(super) fn new(component: &Component) -> Result<Self, Error> {
        let linker = Linker::new(component.engine());
        let component = linker.instantiate_pre(component).map_err(Error::component)?;
        let machines = MachinesIndices::new(&component).map_err(Error::component)?;
        let analysis = Analysis::new(&component).map_err(Error::component)?;
        Ok(Self { component, machines, analysis })
    }
}

/// An instance of the component. To look up its functions takes a tenth of a short call, so those
/// that only look at terms are looked up where they are called.
pub(super) struct Guest {
    pub(super) instance: component::Instance,
    pub(super) machines: Machines,
}

/// An instance of the component that nothing has entered yet, with its store.
pub(super) struct Made {
    pub(super) store: Store<Ceiling>,
    pub(super) guest: Guest,
}

/// A live instance of the component with its store.
pub(super) struct Instance {
    pub(super) store: Store<Ceiling>,
    pub(super) guest: Guest,
    pub(super) watch: Watch,
    /// Bytes of memory that it may have at most, whatever it is given to read.
    pub(super) most: u64,
    /// Why no further call can succeed: wasmtime lets nobody back in after a trap.
    pub(super) trapped: Option<Fault>,
}

impl Instance {
    /// Allows for another text of so many bytes that it is going to read.
    pub(super) fn admit(&mut self, bytes: usize) {
        let added = self.store.data_mut().admit(bytes, self.most);
        // Without fuel in the store there is none to add to.
        if let Ok(left) = self.store.get_fuel() {
            let _ = self.store.set_fuel(left.saturating_add(added));
        }
    }

    /// Calls into the guest, watches over it, and puts a trap into words.
    pub(super) async fn call<T>(
        &mut self,
        action: impl AsyncFnOnce(&Guest, &mut Store<Ceiling>) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        if let Some(fault) = &self.trapped {
            return Err(fault.clone());
        }
        let result = self.watch.over(action(&self.guest, &mut self.store)).await;
        result.map_err(|error| {
            let fault = self.watch.explain(&error, self.store.data());
            self.trapped.insert(fault).clone()
        })
    }
}

/// Bytes of memory of an instance that is torn down later, at most. To clear more may take longer
/// than whoever asks next should wait.
const MOST_LEFT: u64 = 4 << 20;

/// One instance of each kind at most.
#[derive(Default)]
pub(super) struct Spare {
    /// Nothing has entered it yet, and one run at most ever will.
    fresh: Mutex<Option<Made>>,
    /// Nothing will enter it again.
    spent: Mutex<Option<Instance>>,
}

impl Spare {
    /// An instance that was made ahead.
    pub(super) fn take(&self) -> Option<Made> {
        swap(&self.fresh, None)
    }

    /// Leaves an instance to be torn down, unless that is to be done at once.
    pub(super) fn leave(&self, instance: Instance) {
        if instance.store.data().memory() <= MOST_LEFT {
            drop(swap(&self.spent, Some(instance)));
        }
    }

    /// Tears down what was left. Its place is the next one's: what is mapped there need not be
    /// mapped again.
    pub(super) fn tear_down(&self) {
        drop(swap(&self.spent, None));
    }

    /// Makes an instance ahead, unless there is one.
    pub(super) fn fill(&self, make: impl FnOnce() -> Option<Made>) {
        let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        if fresh.is_none() {
            *fresh = make();
        }
    }
}

fn swap<T>(place: &Mutex<Option<T>>, next: Option<T>) -> Option<T> {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *place, next)
}
