//! Where the parts meet: terms are run in the sandbox with the tools of the registry, and what
//! happens goes into the journal. The server, the command line and replays work here. It blocks
//! its thread and knows nothing of MCP.

mod backup;
mod bundle;
mod check;
mod conform;
mod evolve;
mod export;
mod import;
mod library;
mod memory;
mod record;
mod replay;
mod rollback;
mod world;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use self::backup::{Contents, Restored, back_up, restore};
pub use self::evolve::{Evolved, Example, Prepared, Proposal, Refused};
pub use self::export::Exported;
pub use self::import::{Imported, Taken, Wanted};
pub use self::library::{Library, PREFIX as LIBRARY_PREFIX, library};
pub use self::memory::{Remember, unkept};
pub use self::replay::{Difference, Replayed, Verdict};
pub use self::world::{Candidate, Denied, Effects, Observer, Tools};

use self::world::{Live, Witness};
use crate::config::Config;
use crate::domain::{EntryEnding, EntryKind, Excess, Fault, FaultCode, Limit, fault};
use crate::journal::{self, Draft, Journal};
use crate::memory::{Capacity, Memory};
use crate::registry::{self, Registry};
use crate::sandbox::{Limits, Outcome, Request, Sandbox, Watch, drive_in_turns, finish, give_way};
use crate::state::{self, Refusal, Store, Wait, Write};

/// Why a workshop does not open.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] state::Error),
    /// The journal was tampered with.
    #[error("{place}: {reason}")]
    Journal {
        /// The file.
        place: String,
        /// What is wrong.
        reason: journal::Error,
    },
}

/// The workshop: a sandbox and all state.
#[derive(Debug)]
pub struct Workshop {
    /// Where terms are run.
    pub sandbox: Arc<Sandbox>,
    /// The tools.
    pub registry: Registry,
    /// What happened.
    pub journal: Journal,
    /// What models want to know again later.
    pub memory: Memory,
    store: Arc<dyn Store>,
    limits: Limits,
    effects: Arc<dyn Effects>,
    /// Bytes of a term.
    most_code: usize,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// From its start to its end.
    pub elapsed: Duration,
    /// Its entry in the journal.
    pub entry: Option<i64>,
}

/// All that lasts, open.
#[derive(Debug)]
pub struct State {
    store: Arc<dyn Store>,
    registry: Registry,
    journal: Journal,
    memory: Memory,
}

impl State {
    /// Opens the store that the settings name, and verifies its journal. `evaluator` is the sha256
    /// of the component that runs will be made with, 64 hexadecimal digits.
    pub fn open(config: &Config, evaluator: &str) -> Result<Self, Error> {
        let store = open_store(config)?;
        let journal = Journal::new(Arc::clone(&store), settings(config, evaluator));
        verify(config, &journal)?;
        let registry = Registry::open(Arc::clone(&store))?;
        let memory = Memory::new(Arc::clone(&store));
        Ok(Self { store, registry, journal, memory })
    }
}

impl Workshop {
    /// Opens the store that the settings name, and verifies its journal.
    pub fn open(config: &Config, sandbox: Arc<Sandbox>) -> Result<Self, Error> {
        let state = State::open(config, sandbox.hash())?;
        Ok(Self::new(config, state, sandbox))
    }

    /// Puts together what was opened apart.
    #[must_use]
    pub fn new(config: &Config, state: State, sandbox: Arc<Sandbox>) -> Self {
        let State { store, registry, journal, memory } = state;
        let (limits, most_code) = (config.limits, config.values.size(Limit::Code));
        let effects = Arc::new(Denied);
        Self { sandbox, registry, journal, memory, store, limits, effects, most_code }
    }

    /// Has effects of runs answered.
    #[must_use]
    pub fn granting(self, effects: Arc<dyn Effects>) -> Self {
        Self { effects, ..self }
    }

    /// The file that keeps all this, unless it is in memory.
    #[must_use]
    pub fn path(&self) -> Option<&std::path::Path> {
        self.store.path()
    }

    /// The tools there are now.
    pub fn tools(&self) -> Result<Tools, Fault> {
        let registered = self.registry.snapshot().map_err(stored)?;
        Ok(Tools { registered, candidates: Arc::default() })
    }

    /// Runs a request to its end. Its entry is written before this returns; where that fails the
    /// outcome is a fault that says so, for a run that nobody can look up has not taken place.
    pub fn run(
        &self,
        request: &Request,
        tools: Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> Finished {
        finish(self.run_in_turns(request, tools, observer, watch))
    }

    /// The same, giving way after each turn, and before whatever may have to wait.
    pub async fn run_in_turns(
        &self,
        request: &Request,
        tools: Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> Finished {
        let start = Instant::now();
        let mut answers = Vec::new();
        let asked = match &request.output_schema {
            Some(text) => conform::recall_in_turns(text).await.map(Some),
            None => Ok(None),
        };
        let mut outcome = match asked {
            Ok(asked) => {
                let known = tools.clone();
                let live = Live::new(tools, Arc::clone(&self.effects));
                let mut witness = Witness::new(live, observer);
                let request = request.clone();
                let mut outcome = drive_in_turns(&self.sandbox, request, &mut witness, watch).await;
                answers = witness.into_answers();
                answers.extend(conform::conform(&mut outcome, asked, &known, watch).await);
                outcome
            }
            Err(fault) => Outcome::before(fault),
        };
        let elapsed = start.elapsed();
        let entry = Write::entry(record::run(request, answers, &outcome, elapsed));
        let appended = match self.journal.append_within(&entry, Wait::Never) {
            Err(state::Error::Locked) => {
                give_way().await;
                self.journal.append_within(&entry, Wait::Patiently)
            }
            appended => appended,
        };
        let entry = match appended {
            Ok(entry) => Some(entry),
            Err(error) => {
                outcome.ending = Err(stored(error));
                None
            }
        };
        Finished { outcome, elapsed, entry }
    }

    /// Tells whoever watches the tools that they have changed.
    fn announce(&self) {
        if let Err(error) = self.registry.refresh() {
            tracing::warn!(%error, "a change was made and cannot be announced");
        }
    }

    /// Journals a call that was refused before it did anything.
    pub fn refuse(&self, call: &str, arguments: &str, fault: &Fault) {
        let mut draft = Draft::new(EntryKind::Refusal, Some(call), EntryEnding::Fault(fault.code));
        draft.request = serde_json::json!({ "arguments": arguments });
        draft.outcome = record::fault(fault);
        if let Err(error) = self.journal.append(draft) {
            tracing::error!(%error, "a refusal could not be journaled");
        }
    }
}

/// Opens the journal that the settings name as it is, for whoever only reads it.
pub fn open_journal(config: &Config) -> Result<Journal, Error> {
    // An evaluator is named in what is written.
    Ok(Journal::new(open_store(config)?, settings(config, "")))
}

/// Follows the chain of the journal that the settings name, and looks at the file below it. In
/// this order: the chain can name the entry that is damaged.
pub fn verify(config: &Config, journal: &Journal) -> Result<journal::Verified, Error> {
    let file = config.place.file();
    let place = || file.map_or_else(|| "memory".to_owned(), |file| file.display().to_string());
    let verified = journal.verify();
    let verified = verified.map_err(|reason| Error::Journal { place: place(), reason })?;
    journal.store().check()?;
    Ok(verified)
}

fn open_store(config: &Config) -> Result<Arc<dyn Store>, Error> {
    Ok(state::open(&config.place, config.values.time(Limit::Patience))?)
}

fn settings(config: &Config, component: &str) -> journal::Settings {
    journal::Settings {
        policy: config.journal.policy,
        most_payload: config.journal.most_payload,
        most: config.journal.most,
        memory: Capacity {
            keys: config.values.get(Limit::MemoryKeys),
            bytes: config.values.get(Limit::MemoryBytes),
        },
        component: component.to_owned(),
    }
}

/// The fault of a text that is over the limit of this name.
#[must_use]
pub fn too_large(limit: Limit, what: &str, length: usize, most: usize) -> Fault {
    let message = format!("`{what}` has {length} bytes, more than the {most} that are accepted");
    let count = |bytes| u64::try_from(bytes).unwrap_or(u64::MAX);
    let limit = Excess { name: limit, used: count(length), limit: count(most) };
    fault(FaultCode::TooLarge, message, Some("send less at a time")).by(Some(limit))
}

/// What a caller learns when the store fails.
#[must_use]
pub fn stored(error: impl Into<state::Error>) -> Fault {
    let error = error.into();
    tracing::error!(%error, "the store failed");
    let hint = match error {
        state::Error::Locked => "try again later",
        _ => "tell the operator of this server, then try again",
    };
    fault(FaultCode::Storage, error.to_string(), Some(hint))
}

/// What a caller learns when nothing was written.
fn unwritten(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Registry(error) => refused(error),
        Refusal::Memory(error) => unkept(error),
        Refusal::Store(error) => stored(error),
    }
}

/// What a caller learns when the registry refuses something.
#[must_use]
pub fn refused(error: registry::Error) -> Fault {
    match error {
        registry::Error::Store(error) => stored(error),
        registry::Error::Unknown(_) => fault(FaultCode::UnknownTool, error.to_string(), None),
        registry::Error::Present { .. } => {
            let hint = "`--replace` takes the tools of the file";
            fault(FaultCode::Malformed, error.to_string(), Some(hint))
        }
        error => fault(FaultCode::Malformed, error.to_string(), None),
    }
}
