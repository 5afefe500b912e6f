//! The journal of a store: writes and reads.

use std::borrow::Cow;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use pif_domain::{EntryKind, EntryOutcome, FaultCode, Principal};
use serde_json::{Value, json};

use super::chain::ChainEnds;
use super::entry::{Draft, Entry, Link};
use super::error::Error;
use super::filter::{Filter, Statistics};
use super::pending::{Parked, Pending, RunProgress};
use super::settings::Settings;
use crate::change::{Done, Refusal, Wait, Write};
use crate::error::Error as StoreError;
use crate::lease::LeaseKeeper;
use crate::store::Store;

/// The journal of a store.
#[derive(Debug, Clone)]
pub struct Journal {
    store: Arc<dyn Store>,
    settings: Settings,
    /// The lease of this process, for runs and whatever else it works on.
    lease: LeaseKeeper,
    /// Whether it shows only entries of its principal.
    is_private: bool,
}

impl Journal {
    /// The journal of a store. It is not verified.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Self {
        let lease = LeaseKeeper::new(Arc::clone(&store), settings.lease);
        Self { store, settings, lease, is_private: false }
    }

    /// The journal of a principal, who writes entries and sees them. Some see those of others too.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Self {
        let is_private = !principal.sees_all();
        Self { is_private, ..self.written_by(principal.owner()) }
    }

    fn written_by(&self, owner: &Arc<str>) -> Self {
        let settings = Settings { principal: Arc::clone(owner), ..self.settings.clone() };
        Self { settings, ..self.clone() }
    }

    /// The only owner whose entries it shows.
    fn only(&self) -> Option<&str> {
        self.is_private.then_some(&*self.settings.principal)
    }

    /// The settings of the journal.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The lease of this process.
    #[must_use]
    pub fn lease(&self) -> &LeaseKeeper {
        &self.lease
    }

    /// Makes changes, each with its entry: all of them or none.
    pub fn commit(&self, writes: &[Write]) -> Result<Vec<Done>, Refusal> {
        self.store.commit(writes, &self.settings_of(writes), Wait::Patiently)
    }

    /// The settings, with the lease where a run ends that was worked on.
    fn settings_of(&self, writes: &[Write]) -> Cow<'_, Settings> {
        match self.lease.name().filter(|_| writes.iter().any(|it| it.entry.pending.is_some())) {
            Some(holder) => Cow::Owned(Settings { holder, ..self.settings.clone() }),
            None => Cow::Borrowed(&self.settings),
        }
    }

    /// Makes one change with its entry.
    pub fn commit_one(&self, write: Write) -> Result<Done, Refusal> {
        let done = self.commit(&[write])?;
        done.into_iter().next().ok_or(Refusal::Store(StoreError::Confused))
    }

    /// Writes an entry. Returns its number.
    pub fn append(&self, draft: Draft) -> Result<i64, StoreError> {
        self.append_within(&Write::entry(draft), Wait::Patiently)
    }

    /// Writes an entry without a change. Returns its number.
    pub fn append_within(&self, entry: &Write, wait: Wait) -> Result<i64, StoreError> {
        let writes = slice::from_ref(entry);
        match self.store.commit(writes, &self.settings_of(writes), wait) {
            Ok(done) => Ok(done.first().ok_or(StoreError::Confused)?.entry),
            Err(Refusal::Store(error)) => Err(error),
            // Without a change nothing can be refused.
            Err(
                Refusal::Registry(_)
                | Refusal::Memory(_)
                | Refusal::Session(_)
                | Refusal::Staging(_),
            ) => Err(StoreError::Confused),
        }
    }

    /// An entry by its number.
    pub fn entry(&self, id: i64) -> Result<Option<Entry>, StoreError> {
        let found = self.store.entry(id)?;
        let is_seen = |entry: &Entry| {
            self.only().is_none_or(|owner| entry.principal.as_deref().unwrap_or_default() == owner)
        };
        Ok(found.filter(is_seen))
    }

    /// Keeps what a run has asked for, for so long unless it ends. Gives the number of that; None: this
    /// process has lost the run. What `is_lasting` withstands a power failure.
    pub fn pend(
        &self,
        id: Option<i64>,
        run: RunProgress,
        time: Duration,
        is_lasting: bool,
    ) -> Result<Option<i64>, StoreError> {
        let holder = self.lease.hold()?;
        self.store.pend(&run.keep(id, time, &self.settings, &holder), is_lasting)
    }

    /// Keeps a run that waits for an approval, for so long, in place of what has this number, which this
    /// process works on. There may be `most` such runs. Gives the moment until which it is kept, too.
    pub fn park(
        &self,
        id: Option<i64>,
        run: RunProgress,
        life: Duration,
        most: u64,
    ) -> Result<(Parked, i64), StoreError> {
        self.recover()?;
        let holder = self.lease.hold()?;
        let run = run.keep(id, life, &self.settings, &holder);
        Ok((self.store.park(&run, &holder, most)?, run.until))
    }

    /// Keeps a run in place of a row, if that is still as it was read. Without a time it is kept as
    /// long as the row. Gives what is kept now.
    pub fn exchange(
        &self,
        row: &Pending,
        run: RunProgress,
        time: Option<Duration>,
    ) -> Result<Option<Pending>, StoreError> {
        let holder = self.lease.hold()?;
        let next = run.keep(row.id, time.unwrap_or_default(), &self.settings, &holder);
        let next = if time.is_none() { Pending { until: row.until, ..next } } else { next };
        Ok(self.store.exchange(row, &next)?.then_some(next))
    }

    /// Writes the entries of runs that ended with their processes; how many there are. Forgets durable
    /// runs that ended long ago.
    pub fn recover(&self) -> Result<usize, StoreError> {
        let mut count = 0;
        for run in self.store.pending()?.into_iter().filter(Pending::is_over) {
            if let Some(id) = run.id.filter(|_| run.has_ended()) {
                self.store.forget(id)?;
                continue;
            }
            match self.written_by(&run.principal()).append(draft(&run)) {
                Ok(_) => count += 1,
                // Another process was faster.
                Err(StoreError::Lost) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// A text that is kept beside entries, by its sha256 in hexadecimal digits.
    pub fn text(&self, sha256: &str) -> Result<Option<String>, StoreError> {
        self.store.text(sha256)
    }

    /// Entries that pass a filter: the latest first, or the earliest first.
    pub fn entries(
        &self,
        filter: &Filter,
        latest_first: bool,
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        match self.only() {
            None => self.store.entries(filter, latest_first, most),
            Some(owner) => {
                let filter = Filter { principal: Some(owner.to_owned()), ..filter.clone() };
                self.store.entries(&filter, latest_first, most)
            }
        }
    }

    /// The cost of the latest runs of a tool, at most `most` of them.
    pub fn statistics(&self, tool: &str, most: usize) -> Result<Statistics, StoreError> {
        self.store.statistics(tool, most)
    }

    /// The last position of the chain.
    pub fn head(&self) -> Result<Link, StoreError> {
        self.store.head()
    }

    /// The last entry that was removed to keep the journal within its size.
    pub fn anchor(&self) -> Result<Link, StoreError> {
        self.store.anchor()
    }

    /// The position before an entry in its chain; None: what stood there was removed meanwhile.
    pub fn before(&self, entry: &Entry) -> Result<Option<Link>, StoreError> {
        self.store.before(entry)
    }

    /// Verifies all chains from their anchors to their heads.
    pub fn verify(&self) -> Result<ChainEnds, Error> {
        self.store.verify()
    }

    /// Verifies that each text that entries and bindings have is the one that was written.
    pub fn verify_texts(&self) -> Result<(), Error> {
        self.store.verify_texts()
    }

    /// The store that holds the journal.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }
}

/// The entry of a run that its process did not end.
fn draft(run: &Pending) -> Draft {
    let kept = RunProgress::read(&run.parts);
    // All that was asked for before was answered, and no more was sent.
    let (ending, outcome) = if kept.waits.is_some() {
        let code = FaultCode::Timeout;
        let message = "nobody approved or declined the calls that the run waited for";
        let fault = json!({"code": code.name(), "message": message, "at": ""});
        (EntryOutcome::Fault(code), json!({ "fault": fault }))
    } else if kept.durable.is_some() {
        let code = FaultCode::Timeout;
        let message = "nobody went on with the run, which was interrupted";
        let fault = json!({"code": code.name(), "message": message, "at": ""});
        (EntryOutcome::Fault(code), json!({ "fault": fault }))
    } else {
        (EntryOutcome::Unknown, Value::Null)
    };
    Draft {
        outcome,
        request: kept.request,
        answers: kept.answers,
        texts: kept.texts,
        pending: run.id,
        ..Draft::new(EntryKind::Run, kept.subject.as_deref(), ending)
    }
}
