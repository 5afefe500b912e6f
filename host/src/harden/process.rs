//! The rest of what a process can do for its own safety.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// How long a thread may take to end that has nothing left to do.
const MOMENT: Duration = Duration::from_millis(200);

/// What clients send leaves no traces in core files, and other processes of the same user cannot
/// look into this one. Neither is worth a failure.
pub(super) fn keep_memory_private() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let kept = setrlimit(Resource::Core, none)
        .and_then(|()| set_dumpable_behavior(DumpableBehavior::NotDumpable));
    if let Err(error) = kept {
        tracing::debug!(%error, "the memory of this process can be dumped");
    }
}

/// Whether this is the only thread. Without /proc it is taken to be. One that was joined may still be
/// listed for a moment.
pub(super) fn is_single_threaded() -> bool {
    let start = Instant::now();
    let count = || fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    loop {
        match count() {
            1 => return true,
            _ if start.elapsed() > MOMENT => return false,
            _ => thread::yield_now(),
        }
    }
}
