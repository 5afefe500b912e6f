//! What writes: one connection, which holds a chain of the journal. Entries of many who write at once go to the
//! database together.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use pif_store::journal::{Digest, Draft, Entry, Link, Settings};
use pif_store::{Change, Done, Effect, Error, Refusal, Wait, Write, apply};

use crate::connection::{Columns as _, Connection};
use crate::context::StoreContext;
use crate::rows::entries::{self, Text};
use crate::transaction::Transaction;

/// The most entries that go to the database together.
const MOST_TOGETHER: usize = 256;

/// How long a chain is held without a word of its holder, in milliseconds.
pub(crate) const LIFE: i64 = 30_000;

/// The changes of all servers stand in one order: each holds this lock until it is committed.
const ORDER: &str = "SELECT pg_advisory_xact_lock(20550, 1)";

/// What is known of the chain that this process holds.
#[derive(Debug)]
pub(crate) struct HeldChain {
    /// Its last entry.
    pub(crate) head: Link,
    /// Numbers of entries that nobody has.
    pub(crate) numbers: VecDeque<i64>,
}

/// The connection, and the chain.
#[derive(Debug, Default)]
struct State {
    connection: Option<Connection>,
    held: Option<HeldChain>,
}

/// An entry that waits to be written.
#[derive(Debug)]
struct QueuedEntry {
    draft: Draft,
    settings: Settings,
    slot: Arc<Slot>,
}

/// Where the number of an entry comes, or why it was not written.
#[derive(Debug, Default)]
struct Slot(Mutex<Option<Result<i64, Error>>>);

impl Slot {
    fn fill(&self, result: Result<i64, Error>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    fn take(&self) -> Option<Result<i64, Error>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What writes.
#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<StoreContext>,
    state: Mutex<State>,
    queue: Mutex<Queue>,
    /// Tells those who wait in the queue that something was written, or that nobody writes any more.
    moved: Condvar,
}

/// Entries that wait to be written, and whether somebody writes for all.
#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<QueuedEntry>,
    is_led: bool,
}

impl Writer {
    pub(crate) fn new(shared: Arc<StoreContext>) -> Self {
        Self { shared, state: Mutex::default(), queue: Mutex::default(), moved: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self, wait: Wait) -> Result<MutexGuard<'_, State>, Error> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if wait == Wait::Never => Err(Error::Locked),
            Err(TryLockError::WouldBlock) => Ok(self.state()),
        }
    }

    /// Makes changes, each with its entry, or writes entries. Two servers that keep equal texts may wait for each
    /// other: the database ends one of the two, who tries again.
    pub(crate) fn commit(
        &self,
        writes: &[Write],
        settings: &Settings,
        wait: Wait,
    ) -> Result<Vec<Done>, Refusal> {
        match self.try_commit(writes, settings, wait) {
            Err(Refusal::Store(Error::Locked)) if wait == Wait::Patiently => {
                self.try_commit(writes, settings, wait)
            }
            result => result,
        }
    }

    fn try_commit(
        &self,
        writes: &[Write],
        settings: &Settings,
        wait: Wait,
    ) -> Result<Vec<Done>, Refusal> {
        if let [Write { change: Change::None, entry }] = writes
            && entry.pending.is_none()
            && entry.pins(settings).is_empty()
        {
            let number = self.append(entry, settings, wait)?;
            return Ok(vec![Done { entry: number, effect: Effect::None }]);
        }
        let is_change = writes.iter().any(Write::is_change);
        let mut state = self.turn(wait)?;
        self.transact(&mut state, is_change, is_change, |transaction| {
            apply(transaction, writes, settings)
        })
    }

    /// Makes changes without an entry. They stand in one order with all others.
    pub(crate) fn change(
        &self,
        change: &mut dyn FnMut(&mut dyn pif_store::Transaction) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.transact(&mut self.state(), true, false, |transaction| change(transaction))
    }

    /// Calls a function that is a transaction by itself.
    pub(crate) fn call<T>(
        &self,
        function: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut state = self.state();
        let result = function(self.shared.connect(&mut state.connection)?);
        state.after(result.as_ref().err());
        self.note_answer(result.is_ok());
        result
    }

    /// Writes an entry, together with all that wait by then. One of those who wait writes for the others.
    fn append(&self, draft: &Draft, settings: &Settings, wait: Wait) -> Result<i64, Error> {
        let slot = Arc::new(Slot::default());
        let mut queue = self.queue();
        let is_busy = || matches!(self.state.try_lock(), Err(TryLockError::WouldBlock));
        if wait == Wait::Never && (queue.is_led || is_busy()) {
            return Err(Error::Locked);
        }
        let (draft, settings) = (draft.clone(), settings.clone());
        queue.waiting.push(QueuedEntry { draft, settings, slot: Arc::clone(&slot) });
        loop {
            if let Some(result) = slot.take() {
                return result;
            }
            if !queue.is_led {
                break;
            }
            queue = self.moved.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.is_led = true;
        drop(queue);
        let _lead = Lead(self);
        self.write_for_all(&mut self.state(), &slot)
    }

    /// Writes what waits until the own entry is written.
    fn write_for_all(&self, state: &mut State, own: &Slot) -> Result<i64, Error> {
        loop {
            let together: Vec<QueuedEntry> = {
                let waiting = &mut self.queue().waiting;
                let most = waiting.len().min(MOST_TOGETHER);
                waiting.drain(..most).collect()
            };
            if together.is_empty() {
                return Err(Error::Confused);
            }
            let written = self.write_together(state, &together);
            state.after(written.as_ref().err());
            self.note_answer(written.is_ok());
            match written {
                Ok(numbers) => {
                    for (it, number) in together.iter().zip(numbers) {
                        it.slot.fill(Ok(number));
                    }
                }
                Err(error) => {
                    let reason = error.to_string();
                    let failed = || crate::error::again(&error, &reason);
                    together.iter().for_each(|it| it.slot.fill(Err(failed())));
                }
            }
            if let Some(result) = own.take() {
                return result;
            }
        }
    }

    fn write_together(
        &self,
        state: &mut State,
        waiting: &[QueuedEntry],
    ) -> Result<Vec<i64>, Error> {
        let State { connection, held } = state;
        let connection = self.shared.connect(connection)?;
        let held = self.hold(connection, held)?;
        let missing = waiting.len().saturating_sub(held.numbers.len());
        if missing > 0 {
            held.numbers.extend(entries::numbers(connection, missing)?);
        }
        let (mut head, mut written, mut texts) = (held.head, Vec::new(), Vec::new());
        for (QueuedEntry { draft, settings, .. }, number) in waiting.iter().zip(&held.numbers) {
            let entry = Entry::after(head, *number, draft, settings);
            for text in draft.texts(settings) {
                texts.push(Text { sha256: Digest::of(text).sha256, text, entry: *number });
            }
            head = Link::after(&entry);
            written.push(entry);
        }
        entries::append(connection, &self.shared.holder, held.head, &written, &texts)?;
        held.head = head;
        held.numbers.drain(..written.len());
        Ok(written.iter().map(|entry| entry.id).collect())
    }

    /// The chain that this process holds. Takes one if it holds none.
    fn hold<'a>(
        &self,
        connection: &Connection,
        held: &'a mut Option<HeldChain>,
    ) -> Result<&'a mut HeldChain, Error> {
        if held.is_none() {
            let row = connection.row(
                "SELECT taken, last_id, last_ends, last_hash FROM take_chain($1, $2)",
                &[&self.shared.holder.as_bytes(), &LIFE],
            )?;
            let (chain, id) = (row.number(0)?, row.number(1)?);
            let head = Link { chain, id, ends: row.number(2)?, hash: entries::hash(&row, 3)? };
            self.shared.note_chain(chain);
            *held = Some(HeldChain { head, numbers: VecDeque::new() });
        }
        held.as_mut().ok_or(Error::Confused)
    }

    fn transact<T>(
        &self,
        state: &mut State,
        is_ordered: bool,
        is_lasting: bool,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let State { connection, held } = &mut *state;
        let result = self.try_transact(connection, held, is_ordered, is_lasting, work);
        let error = match &result {
            Err(Refusal::Store(error)) => Some(error),
            _ => None,
        };
        state.after(error);
        self.note_answer(result.is_ok());
        result
    }

    fn try_transact<T>(
        &self,
        connection: &mut Option<Connection>,
        held: &mut Option<HeldChain>,
        is_ordered: bool,
        is_lasting: bool,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let connection = self.shared.connect(connection)?;
        let held = self.hold(connection, held)?;
        let level = if is_lasting { "SET LOCAL synchronous_commit = on; " } else { "" };
        connection.execute(&format!("BEGIN; {level}{}", if is_ordered { ORDER } else { "" }))?;
        let mut transaction =
            Transaction::new(connection, &self.shared, held.head, mem::take(&mut held.numbers));
        let result = work(&mut transaction);
        let (head, numbers, changed) = transaction.end();
        match result {
            Ok(result) => {
                connection.execute("COMMIT")?;
                held.head = head;
                held.numbers = numbers.unused;
                self.shared.note_change(changed);
                Ok(result)
            }
            Err(refusal) => {
                connection.execute("ROLLBACK")?;
                held.numbers = numbers.all;
                Err(refusal)
            }
        }
    }

    /// The database is there if it has answered. Why it refuses a write is another matter.
    fn note_answer(&self, has_answered: bool) {
        if has_answered {
            self.shared.contact.note_answer();
        }
    }

    /// Leaves the chain to others.
    pub(crate) fn leave(&self) {
        let mut state = self.state();
        let State { connection, held } = &mut *state;
        if let (Some(connection), Some(held)) = (connection, held.take()) {
            let holder = self.shared.holder.as_bytes();
            if let Err(error) =
                connection.rows("SELECT leave_chain($1, $2)", &[&held.head.chain, &holder])
            {
                tracing::debug!(%error, "a chain of the journal could not be left");
            }
        }
    }
}

/// The lead of those who wait: it ends with this.
struct Lead<'a>(&'a Writer);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        self.0.queue().is_led = false;
        self.0.moved.notify_all();
    }
}

impl State {
    /// Forgets the chain after an error that leaves unknown what was written, and a connection that is lost.
    fn after(&mut self, error: Option<&Error>) {
        if matches!(error, Some(Error::Unavailable { .. } | Error::Failed(_) | Error::Confused)) {
            self.held = None;
        }
        if self.connection.as_ref().is_some_and(Connection::is_lost) {
            (self.connection, self.held) = (None, None);
        }
    }
}
