//! Standard error. Whoever reads it may be slow, may have stopped, or may be gone: nothing that the
//! process does fails or waits for that. A thread writes what stands in a queue. When the queue is
//! full, lines are lost and counted, and the count is told as soon as there is room again.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::streams::stderr;
use crate::text;

/// Bytes that may wait to be written, on top of one line of any length.
const MOST: usize = 1 << 20;

/// How long a line of [`tell`] waits for room.
const PATIENCE: Duration = Duration::from_millis(100);

static STATE: Mutex<State> = Mutex::new(State::NEW);

/// Told of every change of the state.
static CHANGED: Condvar = Condvar::new();

struct State {
    queue: VecDeque<Vec<u8>>,
    /// In the queue.
    bytes: usize,
    /// Lines that were not written and not yet told of.
    lost: u64,
    /// Whether the last attempt to write failed.
    is_broken: bool,
    /// Whether a line is being written.
    is_busy: bool,
    /// Lines that left the queue.
    taken: u64,
    thread: Thread,
}

/// The thread that writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thread {
    /// It is started with the first line.
    Later,
    /// It must not be started yet.
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

    /// Whether there is something that can be written.
    fn has_work(&self) -> bool {
        !self.queue.is_empty() || (self.lost > 0 && !self.is_broken)
    }

    /// Whether lines are lost until the queue is empty, so that the gap has one place.
    fn is_deaf(&self) -> bool {
        self.lost > 0 && !self.is_broken
    }

    /// Starts the thread when there is something for it to do.
    fn wake(&mut self) {
        let thread = thread::Builder::new().name("stderr".to_owned());
        // Without a thread the queue fills, and what comes then is lost.
        if self.thread == Thread::Later && self.has_work() && thread.spawn(write_all).is_ok() {
            self.thread = Thread::Started;
        }
        CHANGED.notify_all();
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line to stderr, which may be a terminal. It may wait for a moment if many others wait
/// already.
pub(crate) fn complain(text: &str) {
    let mut line = text::visible(text).into_owned();
    line.push('\n');
    push(line.into_bytes(), PATIENCE);
}

/// The way of the log, on which each piece is a line. It never waits.
#[derive(Debug)]
pub(crate) struct Log;

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

/// Keeps all lines in the queue: the process must not have a second thread yet.
pub(crate) fn hold() {
    state().thread = Thread::Held;
}

/// Ends that.
pub(crate) fn release() {
    let mut state = state();
    if state.thread == Thread::Held {
        state.thread = Thread::Later;
    }
    state.wake();
}

/// Waits until all lines are written, or none was for so long: before the process ends.
pub(crate) fn settle(patience: Duration) {
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

/// Waits for a change, but not longer than so long.
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

/// Writes lines as they come.
fn write_all() {
    let mut state = state();
    loop {
        while !state.has_work() {
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // What was lost stood behind all that is still in the queue, or before it where writing failed.
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

/// False: nobody reads it.
fn write(line: &[u8]) -> bool {
    let mut stderr = stderr();
    stderr.write_all(line).and_then(|()| stderr.flush()).is_ok()
}
