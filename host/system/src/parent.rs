//! The end of a process whose parent has ended.

/// Has this process killed when its parent dies. It stays so when it becomes another program.
#[cfg(target_os = "linux")]
pub fn die_with_parent() {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // Without it the end of the input ends the process.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// Does nothing: the end of the input ends the process.
#[cfg(not(target_os = "linux"))]
pub fn die_with_parent() {}
