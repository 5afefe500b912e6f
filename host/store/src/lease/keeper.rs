//! Keeps the lease of this process: takes it when it is needed, renews it, and gives it back.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::process::{place, process, unique_name};
use crate::error::Error;
use crate::store::Store;

/// How often a lease is renewed in its life.
const RENEWALS: u32 = 4;

/// Keeps the lease of this process in a store. Its clones share the lease. The last one gives it back.
#[derive(Debug, Clone)]
pub struct LeaseKeeper(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    store: Arc<dyn Store>,
    life: Duration,
    /// This process among all of this machine, and in words. Both were found out before it sealed itself.
    process: String,
    place: String,
    held: Mutex<Option<HeldLease>>,
}

/// The lease, and what ends the thread that renews it.
#[derive(Debug)]
struct HeldLease {
    name: String,
    renewed: Instant,
    _renewal: Sender<()>,
}

impl LeaseKeeper {
    /// One without a lease, which lasts for `life` when it is taken.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, life: Duration) -> Self {
        let held = Mutex::default();
        Self(Arc::new(Shared { store, life, process: process(), place: place(), held }))
    }

    /// The name of the lease. Takes one if there is none, or if others have ended the last one.
    pub fn hold(&self) -> Result<String, Error> {
        let shared = &self.0;
        let mut held = shared.held();
        if let Some(lease) = &mut *held {
            // A process that slept finds out first whether it has lost the lease.
            let is_fresh = lease.renewed.elapsed() < shared.life / 2;
            if is_fresh || shared.store.renew_lease(&lease.name, shared.life)? {
                if !is_fresh {
                    lease.renewed = Instant::now();
                }
                return Ok(lease.name.clone());
            }
        }
        let name = unique_name(&shared.process);
        let renewed = Instant::now();
        shared.store.take_lease(&name, &shared.place, shared.life)?;
        let (renewal, over) = channel();
        let all = Arc::downgrade(shared);
        let period = shared.life / RENEWALS;
        let begun = thread::Builder::new().name("lease".to_owned());
        if let Err(error) = begun.spawn(move || renew(&all, period, &over)) {
            tracing::error!(%error, "the lease of this process cannot be renewed");
        }
        *held = Some(HeldLease { name: name.clone(), renewed, _renewal: renewal });
        Ok(name)
    }

    /// The name of the lease, if there is one.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        self.0.held().as_ref().map(|lease| lease.name.clone())
    }

    /// How long a lease lasts.
    #[must_use]
    pub fn life(&self) -> Duration {
        self.0.life
    }

    /// Gives the lease back: others go on at once with what this process has left.
    pub fn leave(&self) {
        self.0.leave();
    }
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, Option<HeldLease>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self) {
        let held = self.held().take();
        if let Some(lease) = held
            && let Err(error) = self.store.end_lease(&lease.name)
        {
            tracing::debug!(%error, "a lease could not be given back: it ends by itself");
        }
    }

    /// Renews the lease. One that others have ended is not held any more.
    fn renew(&self) {
        let Some(name) = self.held().as_ref().map(|lease| lease.name.clone()) else { return };
        let asked = Instant::now();
        let renewed = self.store.renew_lease(&name, self.life);
        let mut held = self.held();
        let Some(lease) = held.as_mut().filter(|lease| lease.name == name) else { return };
        match renewed {
            Ok(true) => lease.renewed = asked,
            Ok(false) => {
                tracing::warn!(
                    "this process was silent for too long: others may go on with what it worked on"
                );
                *held = None;
            }
            Err(error) => tracing::debug!(%error, "the lease could not be renewed"),
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.leave();
    }
}

fn renew(all: &Weak<Shared>, period: Duration, over: &Receiver<()>) {
    while over.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
        match all.upgrade() {
            Some(shared) => shared.renew(),
            None => return,
        }
    }
}
