//! Opens the sandbox and the store of a command.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use pif_broker::{Link, Origin};
use pif_domain::Limit;
use pif_sandbox::{self as sandbox, COMPONENT, HASH, Sandbox, Setup};
use pif_server::config::Config;
use pif_server::workshop::{State, Workshop};
use pif_store::Place;

/// Opens the sandbox and the store.
pub(super) fn open(config: &Config) -> Result<Workshop> {
    let (sandbox, state, ()) =
        open_with(config, |setup| Ok((Arc::new(Sandbox::set_up(setup)?), ())))?;
    warn_unkept(config, &sandbox);
    join(config, sandbox, state)
}

/// Joins a sandbox and a state, which is opened now if that was put off.
pub(super) fn join(
    config: &Config,
    sandbox: Arc<Sandbox>,
    state: Option<State>,
) -> Result<Workshop> {
    let state = state.map_or_else(|| State::open(config, HASH), Ok)?;
    Ok(Workshop::new(config, state, sandbox))
}

/// Opens the sandbox and the store. If no store exists, the command uses an empty one in memory.
pub(super) fn open_if_any(mut config: Config) -> Result<Workshop> {
    if config.database.is_none() && !config.place.exists() {
        config.place = Place::Memory;
    }
    open(&config)
}

/// Sets up the sandbox and opens the store in parallel: each takes a third of the start-up time. A database
/// is opened later, because it needs threads, and a server starts none before its files are closed.
pub(super) fn open_with<T: Send>(
    config: &Config,
    set_up: impl FnOnce(&Setup<'_>) -> Result<(Arc<Sandbox>, T)> + Send,
) -> Result<(Arc<Sandbox>, Option<State>, T)> {
    let setup = Setup {
        component: COMPONENT,
        cache: config.cache.as_deref(),
        concurrency: config.values.size(Limit::Concurrency),
        net: config.net,
    };
    thread::scope(|scope| {
        let sandbox = thread::Builder::new().spawn_scoped(scope, || set_up(&setup));
        let sandbox = sandbox.context("no thread can be started")?;
        let state = config.database.is_none().then(|| State::open(config, HASH)).transpose();
        let (sandbox, rest) = sandbox.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok((sandbox, state?, rest))
    })
}

/// The broker of the settings, if other servers are configured. `once` says whether this process keeps
/// its environment: else it may become itself once more.
///
/// A run may wait as long as the longest call that the file allows, unless the operator says how long.
pub(super) fn open_link(config: &mut Config, once: bool) -> Result<Option<Link>> {
    let state = config.place.file().and_then(|file| Some(file.parent()?.to_owned()));
    let origin = Origin { pipes: config.broker, file: config.capabilities.clone(), state };
    let link = Link::open(&origin, once)?;
    if let Some(Link { greeting, .. }) = &link {
        let longest = Duration::from_millis(greeting.longest_ms);
        config.values.extend(Limit::Waiting, longest);
        greeting.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    }
    Ok(link)
}

/// Warns that each start compiles the evaluator again because it cannot be cached.
pub(super) fn warn_unkept(config: &Config, sandbox: &Sandbox) {
    if let (Some(_), sandbox::Origin::InMemory(reason)) = (&config.cache, sandbox.origin()) {
        tracing::warn!(
            "each start takes a second or two, because the compiled evaluator cannot be kept: \
             {reason}. --cache DIR names another directory, --no-cache keeps nothing"
        );
    }
}
