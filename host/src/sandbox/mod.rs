//! The evaluator behind its walls: a fresh instance of the component for each call, under
//! wasmtime fuel, a memory ceiling and a deadline. Nothing outside this module knows wasmtime,
//! and nothing in it knows MCP or the registry.

mod artifact;
mod bindings;
mod ceiling;
mod drive;
mod engine;
mod fault;
mod gate;
mod machine;
mod opening;
mod spare;
mod turn;
mod watch;
mod world;

use std::path::Path;
use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;
use wasmtime::Store;
use wasmtime::component;

pub use self::artifact::{COMPONENT, HASH, Origin, compile};
pub use self::bindings::{
    Answer, Argument, Code, Continuation, Effect, Limits, Mention, Note, Place, Program, Source,
    Summary, Usage, Value,
};
pub use self::ceiling::{Allowance, FUEL_PER_BYTE, FUEL_PER_HEAP_BYTE, Net, Taken};
pub use self::drive::{Ending, Outcome, Request, drive, drive_in_turns};
pub use self::engine::Addresses;
pub use self::gate::{Busy, Gate, LOOKS, WAITING};
pub use self::machine::{Machine, Step};
pub use self::opening::Opening;
pub use self::turn::{Turn, Turns, finish, give_way};
pub(crate) use self::watch::milliseconds;
pub use self::watch::{LONGEST_WAIT, Watch};
pub use self::world::{Asking, World};

use self::bindings::Machines;
use self::ceiling::Ceiling;
use self::opening::Opened;
use self::spare::Spare;
use self::turn::TURN;
use crate::domain::Fault;

/// Why the sandbox could not be opened. What a program did wrong is a [`Fault`] instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The host cannot run WebAssembly as configured, for instance for want of address space.
    #[error("the WebAssembly engine does not start: {0}")]
    Engine(String),
    /// The embedded component is damaged or does not fit the contract.
    #[error("the embedded evaluator is unusable: {0}")]
    Component(String),
}

impl Error {
    #[expect(clippy::needless_pass_by_value, reason = "errors are mapped by it")]
    fn engine(error: wasmtime::Error) -> Self {
        Self::Engine(format!("{error:#}"))
    }

    #[expect(clippy::needless_pass_by_value, reason = "errors are mapped by it")]
    fn component(error: wasmtime::Error) -> Self {
        Self::Component(format!("{error:#}"))
    }
}

/// How a sandbox is set up.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The component. It is not trusted, whoever wrote it.
    pub component: &'a [u8],
    /// Where its compiled code is kept between starts.
    pub cache: Option<&'a Path>,
    /// Machines that may be alive at once, besides [`LOOKS`] instances that only look at terms, and
    /// [`WAITING`] that wait for the world.
    pub concurrency: usize,
    /// The net below the language's own limits.
    pub net: Net,
}

/// The compiled evaluator and what it takes to start instances of it.
pub struct Sandbox {
    /// sha256 of the component, not of the code compiled from it.
    hash: String,
    /// Bytes of the component.
    size: usize,
    net: Net,
    spare: Spare,
    /// Set when instances can be made, or never can be.
    opened: OnceLock<(Result<Opened, Error>, Origin)>,
    /// Cancelled after that.
    is_open: CancellationToken,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("hash", &self.hash).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Compiles the evaluator, or loads it compiled from `cache`. `concurrency` is the number of
    /// machines that may be alive at once.
    pub fn open(cache: Option<&Path>, concurrency: usize) -> Result<Self, Error> {
        Self::set_up(&Setup { component: COMPONENT, cache, concurrency, net: Net::WIDE })
    }

    /// sha256 of the component, 64 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Size of the component in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Parses a program. The machine has evaluated nothing yet.
    pub fn start(
        &self,
        program: &Program,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Machine, Fault> {
        finish(self.start_in_turns(program, limits, watch))
    }

    /// The same, giving way after each turn.
    pub async fn start_in_turns(
        &self,
        program: &Program,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Machine, Fault> {
        let allowance = Allowance::for_run(self.net, limits, program);
        let instance = self.enter(allowance, watch).await?;
        Machine::start(instance, program, limits).await
    }

    /// Looks at a term without running it.
    pub fn check(&self, code: &str, watch: &Watch) -> Result<Summary, Vec<Fault>> {
        let allowance = Allowance::for_text(self.net, code.len());
        let code = code.to_owned();
        let opened = self.entrance().map_err(|fault| vec![fault])?;
        let checked = finish(async {
            let mut instance = self.enter(allowance, watch).await?;
            let check = async |guest: &Guest, store: &mut Store<Ceiling>| {
                let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
                analysis.call_check(store, &code).await
            };
            instance.call(check).await
        });
        let told = checked.map_err(|fault| vec![fault])?;
        told.map_err(|faults| faults.into_iter().map(Fault::from).collect())
    }

    /// A term in the notation.
    pub fn notation(&self, code: &str, watch: &Watch) -> Result<String, Fault> {
        let allowance = Allowance::for_text(self.net, code.len());
        let code = code.to_owned();
        let opened = self.entrance()?;
        let told = finish(async {
            let mut instance = self.enter(allowance, watch).await?;
            let notation = async |guest: &Guest, store: &mut Store<Ceiling>| {
                let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
                analysis.call_notation(store, &code).await
            };
            instance.call(notation).await
        })?;
        told.map_err(Fault::from)
    }

    /// The reference of all forms as JSON.
    pub fn forms(&self, watch: &Watch) -> Result<String, Fault> {
        let opened = self.entrance()?;
        finish(async {
            let mut instance = self.enter(Allowance::for_text(self.net, 0), watch).await?;
            let forms = async |guest: &Guest, store: &mut Store<Ceiling>| {
                let analysis = opened.analysis.load(&mut *store, &guest.instance)?;
                analysis.call_forms(store).await
            };
            instance.call(forms).await
        })
    }

    /// A fresh instance under an allowance.
    async fn enter(&self, allowance: Allowance, watch: &Watch) -> Result<Instance, Fault> {
        watch.verdict()?;
        let Made { mut store, guest } = match self.spare.take() {
            Some(made) => made,
            None => self.make(allowance, watch).await?,
        };
        store.set_hostcall_fuel(allowance.answer);
        let used = store.get_fuel().map(|left| store.data().taken(left).instructions);
        store.data_mut().renew(allowance);
        let fueled = used.and_then(|used| store.set_fuel(allowance.fuel.saturating_sub(used)));
        if let Err(error) = fueled {
            return Err(watch.explain(&error, store.data()));
        }
        Ok(Instance { store, guest, watch: watch.clone(), most: self.net.memory, trapped: None })
    }

    async fn make(&self, allowance: Allowance, watch: &Watch) -> Result<Made, Fault> {
        let opened = self.entrance()?;
        let mut store = Store::new(opened.component.engine(), Ceiling::new(allowance));
        store.limiter(|ceiling| ceiling);
        let fueled = store
            .set_fuel(allowance.fuel)
            .and_then(|()| store.fuel_async_yield_interval(Some(TURN)));
        let made = match fueled {
            Ok(()) => watch.over(opened.component.instantiate_async(&mut store)).await,
            Err(error) => Err(error),
        };
        let found = made.and_then(|instance| {
            Ok(Guest { machines: opened.machines.load(&mut store, &instance)?, instance })
        });
        match found {
            Ok(guest) => Ok(Made { store, guest }),
            Err(error) => Err(watch.explain(&error, store.data())),
        }
    }
}

/// An instance of the component. To look up its functions takes a tenth of a short call, so those
/// that only look at terms are looked up where they are called.
struct Guest {
    instance: component::Instance,
    machines: Machines,
}

/// An instance of the component that nothing has entered yet, with its store.
struct Made {
    store: Store<Ceiling>,
    guest: Guest,
}

/// A live instance of the component with its store.
struct Instance {
    store: Store<Ceiling>,
    guest: Guest,
    watch: Watch,
    /// Bytes of memory that it may have at most, whatever it is given to read.
    most: u64,
    /// Why no further call can succeed: wasmtime lets nobody back in after a trap.
    trapped: Option<Fault>,
}

impl Instance {
    /// Allows for another text of so many bytes that it is going to read.
    fn admit(&mut self, bytes: usize) {
        let added = self.store.data_mut().admit(bytes, self.most);
        // Without fuel in the store there is none to add to.
        if let Ok(left) = self.store.get_fuel() {
            let _ = self.store.set_fuel(left.saturating_add(added));
        }
    }

    /// Calls into the guest, watches over it, and puts a trap into words.
    async fn call<T>(
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
