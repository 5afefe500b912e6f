//! Opens a workshop: the sandbox, the registry, the journal and the memory.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pif_broker::Client;
use pif_domain::text::time;
use pif_domain::{EntryKind, EntryOutcome, Fault, Limit, Principal};
use pif_receipt::Keyring;
use pif_sandbox::{Limits, Sandbox};
use pif_store::journal::{self, Draft, Journal};
use pif_store::memory::{Memory, MemoryCapacity};
use pif_store::registry::{Registry, Snapshot, name};
use pif_store::session::SessionCapacity as Capacities;
use pif_store::staging;
use pif_store::{self, Store};

use super::budget::CallLimits;
use super::database;
use super::effects::{Effects, NoEffects};
use super::intent::Patience;
use super::kept_types::KeptTypes;
use super::keys::open_keys;
use super::record;
use super::recovery::end_leases_of_the_gone;
use super::refusal::{refused, stored, unwritten};
use super::search::IndexCache;
use super::world::Tools;
use crate::config::Config;

/// The error of a workshop that does not open.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] pif_store::Error),
    /// The journal was tampered with.
    #[error("{place}: {reason}")]
    Journal {
        /// The file.
        place: String,
        /// The broken entry, or the error of the store.
        reason: journal::Error,
    },
}

/// The workshop: a sandbox and all state.
#[derive(Debug, Clone)]
pub struct Workshop {
    /// Runs terms.
    pub sandbox: Arc<Sandbox>,
    /// The tools.
    pub registry: Arc<Registry>,
    /// The log of runs and changes.
    pub journal: Journal,
    /// Values that models keep between sessions.
    pub memory: Memory,
    /// For whom it works.
    pub(super) principal: Principal,
    pub(super) store: Arc<dyn Store>,
    pub(super) limits: Limits,
    pub(super) effects: Arc<dyn Effects>,
    pub(super) allowed: CallLimits,
    /// The longest that a run takes.
    pub(super) longest: Duration,
    pub(super) patience: Patience,
    /// How long a turn keeps others out of its session, unless it ends.
    pub(super) lease: Duration,
    /// Who calls tools of other servers.
    pub(super) broker: Option<Arc<Client>>,
    /// The most bytes that a term may have.
    pub(super) most_code: usize,
    /// The tools that it shows, if they are those of a snapshot.
    pub(super) view: Option<Snapshot>,
    /// The snapshot that it is within.
    pub(super) snapshot: Option<i64>,
    /// Whether existing tools are changed by commits only.
    pub(super) requires_staging: bool,
    /// The indexes of what the store does not index.
    pub(super) fed: Arc<IndexCache>,
    /// The types that the store keeps.
    pub(super) kept_types: Arc<KeptTypes>,
    /// The keys of the store, or why there are none.
    pub(super) keys: Arc<Result<Keyring, pif_receipt::Error>>,
}

/// The opened store, with the registry, the journal and the memory in it.
#[derive(Debug)]
pub struct State {
    store: Arc<dyn Store>,
    registry: Registry,
    journal: Journal,
    memory: Memory,
    keys: Result<Keyring, pif_receipt::Error>,
}

impl State {
    /// Opens the store of the settings and verifies its journal. `evaluator` is the sha256 of the
    /// component that makes runs, as 64 hexadecimal digits.
    pub fn open(config: &Config, evaluator: &str) -> Result<Self, Error> {
        let store = open_store(config)?;
        let journal = Journal::new(Arc::clone(&store), settings(config, evaluator));
        // A database is verified by `store check`.
        if config.database.is_none() {
            verify(config, &journal)?;
        }
        match end_leases_of_the_gone(store.as_ref()) {
            // A server starts without its database.
            Err(error) if error.is_absence() => {}
            ended => ended?,
        }
        if config.database.is_none() {
            let recovered = journal.recover()?;
            if recovered > 0 {
                tracing::warn!(recovered, "runs that called others did not end: see the journal");
            }
        }
        let registry = Registry::open(Arc::clone(&store))?;
        let memory = Memory::new(Arc::clone(&store));
        let keys = open_keys(config);
        Ok(Self { store, registry, journal, memory, keys })
    }
}

impl Workshop {
    /// Opens the store of the settings and verifies its journal.
    pub fn open(config: &Config, sandbox: Arc<Sandbox>) -> Result<Self, Error> {
        let state = State::open(config, sandbox.hash())?;
        Ok(Self::new(config, state, sandbox))
    }

    /// Joins a state and a sandbox that were opened separately.
    #[must_use]
    pub fn new(config: &Config, state: State, sandbox: Arc<Sandbox>) -> Self {
        let State { store, registry, journal, memory, keys } = state;
        let (limits, most_code) = (config.limits, config.values.size(Limit::Code));
        let effects = Arc::new(NoEffects);
        let kept_types = Arc::new(KeptTypes::new(Arc::clone(&store)));
        let allowed = CallLimits {
            calls: config.values.get(Limit::Calls),
            bytes: config.values.get(Limit::AnswersSize),
        };
        let time = |limit| config.values.time(limit);
        // It may wait for its place again after each call.
        let longest = time(Limit::WallClock)
            .saturating_add(time(Limit::Waiting))
            .saturating_add(time(Limit::Asking))
            .saturating_add(time(Limit::Patience).saturating_mul(2))
            .saturating_add(Duration::from_mins(1));
        Self {
            sandbox,
            registry: Arc::new(registry),
            principal: Principal::local(),
            journal,
            memory,
            store,
            limits,
            effects,
            broker: None,
            allowed,
            longest,
            patience: Patience {
                most: config.values.get(Limit::PendingRuns),
                life: time(Limit::PendingLife),
            },
            lease: time(Limit::WallClock).saturating_mul(2),
            most_code,
            view: None,
            snapshot: None,
            requires_staging: config.requires_staging,
            fed: Arc::default(),
            kept_types,
            keys: Arc::new(keys),
        }
    }

    /// The workshop of a principal: its journal, memory and sessions are theirs.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Self {
        Self {
            journal: self.journal.of(principal),
            memory: self.memory.of(principal.owner()),
            principal: principal.clone(),
            ..self.clone()
        }
    }

    /// For whom it works.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Who calls other servers.
    #[must_use]
    pub fn effects(&self) -> &Arc<dyn Effects> {
        &self.effects
    }

    /// Sets the handler of calls. Without it every call is denied.
    #[must_use]
    pub fn granting(self, effects: Arc<dyn Effects>) -> Self {
        Self { effects, ..self }
    }

    /// Has tools of other servers called.
    #[must_use]
    pub fn calling(self, broker: Option<Client>) -> Self {
        let Some(broker) = broker.map(Arc::new) else { return self };
        let effects: Arc<dyn Effects> = Arc::<Client>::clone(&broker);
        // A turn may wait for others, too.
        let lease = self.longest;
        Self { broker: Some(broker), effects, lease, ..self }
    }

    /// The workshop, whose runs change nothing at other servers, whatever is granted.
    #[must_use]
    pub(super) fn reading(self) -> Self {
        let effects: Arc<dyn Effects> = match &self.broker {
            Some(broker) => Arc::new(broker.reading()),
            None => Arc::new(NoEffects),
        };
        Self { effects, ..self }
    }

    /// Who calls tools of other servers, if some are configured.
    #[must_use]
    pub fn broker(&self) -> Option<&Client> {
        self.broker.as_deref()
    }

    /// Whether the operator lets models install servers.
    #[must_use]
    pub fn may_install(&self) -> bool {
        self.broker().is_some_and(|broker| !broker.greeting().installable.is_empty())
    }

    /// Journals that a server was installed or removed.
    pub fn note_install(
        &self,
        name: &str,
        arguments: &str,
        ending: EntryOutcome,
    ) -> Result<(), Fault> {
        let mut draft = Draft::new(EntryKind::Install, Some(name), ending);
        draft.request = serde_json::json!({ "arguments": arguments });
        self.journal.append(draft).map(drop).map_err(stored)
    }

    /// The path of the store's file; None if the store is in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.store.path()
    }

    /// Gives the lease of this process back, so that others go on at once with its work.
    pub fn leave(&self) {
        self.journal.lease().leave();
    }

    /// When the database last answered, if it does not now: RFC 3339. The registry is shown as of that time.
    #[must_use]
    pub fn as_of(&self) -> Option<String> {
        self.store.away_since().map(time::format)
    }

    /// Refuses if nothing can be written now.
    pub fn ensure_writable(&self) -> Result<(), Fault> {
        self.store.transact(&mut |_| Ok(())).map_err(unwritten)
    }

    /// A snapshot of the current tools.
    pub fn tools(&self) -> Result<Tools, Fault> {
        let registered = match &self.view {
            Some(view) => view.clone(),
            None => self.registry.snapshot().map_err(stored)?,
        };
        Ok(Tools { registered, candidates: Arc::default() })
    }

    /// Tools whose names were reserved for the server later.
    pub fn shadowed(&self) -> Result<Vec<&'static str>, Fault> {
        let registered = self.registry.snapshot().map_err(stored)?;
        let mut shadowed = Vec::new();
        for name in name::reserved() {
            if registered.find(name).map_err(refused)?.is_some() {
                shadowed.push(name);
            }
        }
        Ok(shadowed)
    }

    /// Notifies subscribers of the registry that tools have changed.
    pub(super) fn announce(&self) {
        if let Err(error) = self.registry.refresh() {
            tracing::warn!(%error, "a change was made and cannot be announced");
        }
    }

    /// Journals a call that was refused before it changed anything.
    pub fn refuse(&self, call: &str, arguments: &str, fault: &Fault) {
        let mut draft = Draft::new(EntryKind::Refusal, Some(call), EntryOutcome::Fault(fault.code));
        draft.request = serde_json::json!({ "arguments": arguments });
        draft.outcome = record::fault(fault);
        if let Err(error) = self.journal.append(draft) {
            tracing::error!(%error, "a refusal could not be journaled");
        }
    }
}

/// Opens the journal of the settings for reading, without verifying it.
pub fn open_journal(config: &Config) -> Result<Journal, Error> {
    // Only new entries name the evaluator, so the hash is empty.
    Ok(Journal::new(open_store(config)?, settings(config, "")))
}

/// Verifies the hash chain of the journal, then checks the file. The chain comes first because its
/// error names the damaged entry.
pub fn verify(config: &Config, journal: &Journal) -> Result<journal::ChainEnds, Error> {
    let place = || match (&config.database, config.place.file()) {
        (Some(database), _) => database.address().to_string(),
        (None, Some(file)) => file.display().to_string(),
        (None, None) => "memory".to_owned(),
    };
    let verified = journal.verify();
    let verified = verified.map_err(|reason| Error::Journal { place: place(), reason })?;
    journal.store().check()?;
    Ok(verified)
}

fn open_store(config: &Config) -> Result<Arc<dyn Store>, Error> {
    if let Some(database) = &config.database {
        return Ok(database::open(config, database)?);
    }
    Ok(pif_store::open(&config.place, config.values.time(Limit::Patience))?)
}

fn milliseconds(config: &Config, limit: Limit) -> i64 {
    i64::try_from(config.values.time(limit).as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn settings(config: &Config, component: &str) -> journal::Settings {
    journal::Settings {
        policy: config.journal.policy,
        most_payload: config.journal.most_payload,
        most: config.journal.most,
        memory: MemoryCapacity {
            keys: config.values.get(Limit::MemoryKeys),
            bytes: config.values.get(Limit::MemoryBytes),
        },
        sessions: Capacities {
            sessions: config.values.get(Limit::Sessions),
            saved: config.values.get(Limit::SavedStates),
            bindings: config.values.get(Limit::SessionBindings),
            bytes: config.values.get(Limit::SessionSize),
            turns: config.values.get(Limit::SessionHistory),
            closed: Limit::ClosedSessions.fixed(),
            ttl: milliseconds(config, Limit::SessionTtl),
            idle: milliseconds(config, Limit::SessionIdle),
        },
        staging: staging::StagingCapacity {
            areas: config.values.get(Limit::Snapshots),
            operations: config.values.get(Limit::SnapshotOperations),
            life: milliseconds(config, Limit::SnapshotLife),
        },
        component: component.to_owned(),
        holder: String::new(),
        lease: config.values.time(Limit::Lease),
        principal: Arc::default(),
    }
}
