//! Processes of this machine: their names, and whether one is gone.

use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// The name of this process. No other process of this machine ever has it. A process that has sealed itself
/// cannot find it out any more, and gets an empty name.
#[must_use]
pub fn process() -> String {
    let id = process::id();
    match (started(id), namespace()) {
        (Some(started), Some(namespace)) => format!("{id} {started} {namespace}"),
        _ => String::new(),
    }
}

/// A name that nothing else ever has: that of a process, then a word. [`super::process_of`] finds the process.
#[must_use]
pub fn unique_name(process: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let random = RandomState::new().hash_one(number);
    format!("{process} {number}-{random:016x}")
}

/// Whether a process is known to be gone. Of one elsewhere nobody knows.
#[must_use]
pub fn is_gone(owner: &str) -> bool {
    let mut parts = owner.splitn(3, ' ');
    let (Some(id), Some(start), Some(place)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let Ok(id) = id.parse() else { return false };
    namespace().is_some_and(|here| here == place) && started(id).as_deref() != Some(start)
}

/// When a process started, as Linux counts. One that has ended is gone, though nobody has waited for it.
fn started(id: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let has_ended = matches!(fields.next()?, "Z" | "X");
    fields.nth(18).filter(|_| !has_ended).map(str::to_owned)
}

/// The machine since it started, and the part of it that this process sees.
fn namespace() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), space.display()))
}

/// This process in words.
pub(super) fn place() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match host.trim() {
        "" => format!("process {}", process::id()),
        host => format!("process {} on {host}", process::id()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_from_one_that_is_gone() {
        let here = process();
        assert!(!is_gone(&here));
        if let Some((_, rest)) = here.split_once(' ') {
            assert!(is_gone(&format!("{} {rest}", u32::MAX)));
            assert!(!is_gone(&format!("{} 1 another place", u32::MAX)));
        }
        assert!(!is_gone(""));
    }
}
