//! The rest of what a process can do for its own safety.

use std::fs;

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

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

/// Whether this is the only thread. Without /proc it is taken to be.
pub(super) fn is_single_threaded() -> bool {
    fs::read_dir("/proc/self/task").map_or(true, |threads| threads.count() == 1)
}
