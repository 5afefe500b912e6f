//! Standard error. Its reader may be slow, stuck or gone, so no other part of the process fails
//! because of it or waits long for it. A thread writes the lines of a queue. When the queue is
//! full, lines are lost and counted. The count is written as soon as there is room again.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pif_domain::text;

use super::streams::stderr;

/// The most bytes that may wait to be written, besides one line of any length.
const MOST: usize = 1 << 20;

/// The longest time that [`complain`] waits for room.
const PATIENCE: Duration = Duration::from_millis(100);

static STATE: Mutex<State> = Mutex::new(State::NEW);

/// Notified of every change of the state.
static CHANGED: Condvar = Condvar::new();

struct State {
    queue: VecDeque<Vec<u8>>,
    /// The bytes in the queue.
    bytes: usize,
    /// The number of lost lines that are not reported yet.
    lost: u64,
    /// Whether the last attempt to write failed.
    is_broken: bool,
    /// Whether a line is being written.
    is_busy: bool,
    /// The number of lines that left the queue.
    taken: u64,
    thread: Thread,
}

/// The state of the thread that writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thread {
    /// The first line will start it.
    Later,
    /// It must not start yet.
    Held,
    Started,
}

impl State {
    const NEW: Self = Self {
        queue: VecDeque::new(),
        bytes: 0,
        lost: 0,
        is_broken: false,
        is_busy: false,
        taken: 0,
        thread: Thread::Later,
    };

    /// Whether the thread has something to write.
    fn has_work(&self) -> bool {
        !self.queue.is_empty() || (self.lost > 0 && !self.is_broken)
    }

    /// Whether new lines are lost until the queue is empty. All lost lines then leave one gap.
    fn is_deaf(&self) -> bool {
        self.lost > 0 && !self.is_broken
    }

    /// Starts the thread if it has something to write.
    fn wake(&mut self) {
        let thread = thread::Builder::new().name("stderr".to_owned());
        // Without a thread the queue fills, and further lines are lost.
        if self.thread == Thread::Later && self.has_work() && thread.spawn(write_all).is_ok() {
            self.thread = Thread::Started;
        }
        CHANGED.notify_all();
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line to stderr, which may be a terminal. It waits for a moment if the queue is full.
pub fn complain(text: &str) {
    let mut line = text::visible(text).into_owned();
    line.push('\n');
    push(line.into_bytes(), PATIENCE);
}

/// A writer for the log. Each piece written is a line. It never waits.
#[derive(Debug)]
pub struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        push(bytes.to_owned(), Duration::ZERO);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn push(line: Vec<u8>, patience: Duration) {
    let has_room = |state: &State| state.queue.is_empty() || state.bytes + line.len() <= MOST;
    let mut state = state();
    if !state.is_deaf() && !has_room(&state) {
        state = wait(state, patience, |state| !has_room(state));
    }
    if state.is_deaf() || !has_room(&state) {
        state.lost += 1;
        return;
    }
    state.bytes += line.len();
    state.queue.push_back(line);
    state.wake();
}

/// Keeps all lines in the queue, because the process must not start a second thread yet.
pub fn hold() {
    state().thread = Thread::Held;
}

/// Allows the thread to start.
pub fn release() {
    let mut state = state();
    if state.thread == Thread::Held {
        state.thread = Thread::Later;
    }
    state.wake();
}

/// Waits before the process ends until all lines are written. Gives up if no line is written for
/// `patience`.
pub fn settle(patience: Duration) {
    release();
    let mut state = state();
    while state.thread == Thread::Started && (state.is_busy || state.has_work()) {
        let taken = state.taken;
        state = wait(state, patience, |state| {
            state.taken == taken && (state.is_busy || state.has_work())
        });
        if state.taken == taken {
            return;
        }
    }
}

/// Waits while `goes_on` returns true, at most for `patience`.
fn wait(
    mut state: MutexGuard<'_, State>,
    patience: Duration,
    goes_on: impl Fn(&State) -> bool,
) -> MutexGuard<'_, State> {
    let start = Instant::now();
    while goes_on(&state) {
        let Some(left) = patience.checked_sub(start.elapsed()) else { break };
        let waited = CHANGED.wait_timeout(state, left);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    state
}

/// Writes the lines of the queue for ever.
fn write_all() {
    let mut state = state();
    loop {
        while !state.has_work() {
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // Lost lines came after all lines in the queue. After a failed write they came before them.
        let is_due = state.lost > 0 && (state.is_broken || state.queue.is_empty());
        let lost = if is_due { mem::take(&mut state.lost) } else { 0 };
        let line = state.queue.pop_front();
        state.bytes -= line.as_ref().map_or(0, Vec::len);
        state.is_busy = true;
        drop(state);
        let is_told = lost == 0 || write(count(lost).as_bytes());
        let is_written = is_told && line.as_ref().is_none_or(|line| write(line));
        state = self::state();
        state.is_busy = false;
        state.taken += 1;
        state.is_broken = !is_written;
        state.lost += if is_told { 0 } else { lost } + u64::from(!is_written && line.is_some());
        CHANGED.notify_all();
    }
}

fn count(lost: u64) -> String {
    let lines = if lost == 1 { "line is" } else { "lines are" };
    format!("mcp-pif: {lost} {lines} missing here: standard error was not read or not writable\n")
}

/// Writes a line. Returns false if that fails.
fn write(line: &[u8]) -> bool {
    let mut stderr = stderr();
    stderr.write_all(line).and_then(|()| stderr.flush()).is_ok()
}
