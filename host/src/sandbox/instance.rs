//! Instances of the component, and the compiled code that they are made from.

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
