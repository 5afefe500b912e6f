//! Opens the sandbox and the store that a command works with.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result};

use crate::config::Config;
use crate::domain::Limit;
use crate::sandbox::{COMPONENT, HASH, Origin, Sandbox, Setup};
use crate::state::Place;
use crate::workshop::{State, Workshop};

/// Opens everything.
pub(super) fn open(config: &Config) -> Result<Workshop> {
    let (workshop, ()) = open_with(config, |setup| Ok((Arc::new(Sandbox::set_up(setup)?), ())))?;
    warn_unkept(config, &workshop.sandbox);
    Ok(workshop)
}

/// Opens everything. Whoever has never kept anything needs no place to keep it.
pub(super) fn open_if_any(mut config: Config) -> Result<Workshop> {
    if !config.place.exists() {
        config.place = Place::Memory;
    }
    open(&config)
}

/// Sets up the sandbox and opens the store, both at once: each takes a third of a start.
pub(super) fn open_with<T: Send>(
    config: &Config,
    set_up: impl FnOnce(&Setup<'_>) -> Result<(Arc<Sandbox>, T)> + Send,
) -> Result<(Workshop, T)> {
    let setup = Setup {
        component: COMPONENT,
        cache: config.cache.as_deref(),
        concurrency: config.values.size(Limit::Concurrency),
        net: config.net,
    };
    thread::scope(|scope| {
        let sandbox = thread::Builder::new().spawn_scoped(scope, || set_up(&setup));
        let sandbox = sandbox.context("no thread can be started")?;
        let state = State::open(config, HASH);
        let (sandbox, rest) = sandbox.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok((Workshop::new(config, state?, sandbox), rest))
    })
}

/// Says that each start takes longer than it has to.
pub(super) fn warn_unkept(config: &Config, sandbox: &Sandbox) {
    if let (Some(_), Origin::InMemory(reason)) = (&config.cache, sandbox.origin()) {
        tracing::warn!(
            "each start takes a second or two, because the compiled evaluator cannot be kept: \
             {reason}. --cache DIR names another directory, --no-cache keeps nothing"
        );
    }
}
