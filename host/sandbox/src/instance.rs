//! Instances of the components, and the compiled code they are made from.

use pif_domain::Fault;
use wasmtime::Store;
use wasmtime::component::{self, Component, InstancePre, Linker};

use super::bindings::{Analysis, Machines, MachinesIndices};
use super::ceiling::{Allowance, Ceiling, Net};
use super::error::Error;
use super::turn::TURN;
use super::watch::Watch;

/// The compiled evaluator, from which instances are made.
pub(super) struct CompiledEvaluator {
    pub(super) component: InstancePre<Ceiling>,
    pub(super) machines: MachinesIndices,
    pub(super) analysis: Analysis,
}

impl CompiledEvaluator {
    pub(super) fn new(component: &Component) -> Result<Self, Error> {
        let linker = Linker::new(component.engine());
        let component = linker.instantiate_pre(component).map_err(Error::component)?;
        let machines = MachinesIndices::new(&component).map_err(Error::component)?;
        let analysis = Analysis::new(&component).map_err(Error::component)?;
        Ok(Self { component, machines, analysis })
    }
}

/// An instance of the component. Looking up its functions takes a tenth of a short call, so the
/// functions that only check terms are looked up when they are called.
pub(super) struct Guest {
    pub(super) instance: component::Instance,
    pub(super) machines: Machines,
}

/// A live instance of a component with its store. `G` are its functions.
pub(super) struct Instance<G = Guest> {
    pub(super) store: Store<Ceiling>,
    pub(super) guest: G,
    pub(super) watch: Watch,
    /// The most bytes of memory that it may have, whatever it reads.
    pub(super) most: u64,
    /// The fault of every further call. Wasmtime allows no call into an instance after a trap.
    pub(super) trapped: Option<Fault>,
}

impl<G> Instance<G> {
    /// Makes a fresh instance with this allowance, within the ceilings of `net`.
    pub(super) async fn enter(
        component: &InstancePre<Ceiling>,
        (net, allowance): (Net, Allowance),
        watch: &Watch,
        load: impl FnOnce(&mut Store<Ceiling>, component::Instance) -> wasmtime::Result<G>,
    ) -> Result<Self, Fault> {
        watch.verdict()?;
        let mut store = Store::new(component.engine(), Ceiling::new(allowance));
        store.limiter(|ceiling| ceiling);
        store.set_hostcall_fuel(allowance.answer);
        let fueled = store
            .set_fuel(allowance.fuel)
            .and_then(|()| store.fuel_async_yield_interval(Some(TURN)));
        let made = match fueled {
            Ok(()) => watch.over(component.instantiate_async(&mut store)).await,
            Err(error) => Err(error),
        };
        match made.and_then(|instance| load(&mut store, instance)) {
            Ok(guest) => {
                let watch = watch.clone();
                let most = net.memory;
                Ok(Self { store, guest, watch, most, trapped: None })
            }
            Err(error) => Err(watch.explain(&error, store.data())),
        }
    }

    /// Adds a text of this many bytes, which the instance is going to read, to its allowance.
    pub(super) fn admit(&mut self, bytes: usize) {
        let added = self.store.data_mut().admit(bytes, self.most);
        // A store without fuel needs no more.
        if let Ok(left) = self.store.get_fuel() {
            let _ = self.store.set_fuel(left.saturating_add(added));
        }
    }

    /// Calls into the guest, watches over the call, and turns a trap into a fault.
    pub(super) async fn call<T>(
        &mut self,
        action: impl AsyncFnOnce(&G, &mut Store<Ceiling>) -> wasmtime::Result<T>,
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
