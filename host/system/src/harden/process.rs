//! Further protection of the process.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// The time that a finished thread may take to disappear.
const MOMENT: Duration = Duration::from_millis(200);

/// Keeps the memory of this process out of core files and away from other processes of the user,
/// because it contains the clients' data. A failure is only logged.
pub(super) fn keep_memory_private() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let kept = setrlimit(Resource::Core, none)
        .and_then(|()| set_dumpable_behavior(DumpableBehavior::NotDumpable));
    if let Err(error) = kept {
        tracing::debug!(%error, "the memory of this process can be dumped");
    }
}

/// Whether this is the only thread. Returns true if /proc cannot be read. A joined thread may still
/// be listed for a moment, so this tries again for [`MOMENT`].
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
