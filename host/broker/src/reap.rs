//! Processes that nobody may leave behind. A process that adopts becomes the parent of all
//! descendants whose parents have died, so it can end every one of them. Linux only: elsewhere the
//! end of their input ends them.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long all descendants may take to end that were killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Children whose ends somebody waits for.
static KNOWN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// A child whose end somebody waits for.
#[derive(Debug)]
pub(super) struct AwaitedChild(u32);

impl AwaitedChild {
    pub(super) fn new(id: u32) -> Self {
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        Self(id)
    }
}

impl Drop for AwaitedChild {
    fn drop(&mut self) {
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Makes this process the parent of orphans below it, and has it told when its own parent dies.
#[cfg(target_os = "linux")]
pub(super) fn adopt() {
    use rustix::process::{Signal, getpid, set_child_subreaper, set_parent_process_death_signal};
    let adopted = set_child_subreaper(Some(getpid()))
        .and_then(|()| set_parent_process_death_signal(Some(Signal::TERM)));
    if let Err(error) = adopted {
        tracing::warn!(%error, "processes of servers may be left behind");
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() {}

/// Forgets adopted processes that have ended.
pub(super) fn tidy() {
    for child in children().into_iter().filter(|child| child.is_dead) {
        let is_known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).contains(&child.id);
        if !is_known {
            wait(child.id);
        }
    }
}

/// Ends all descendants. It blocks.
pub(super) fn end_descendants() {
    let start = Instant::now();
    loop {
        let children = children();
        if children.is_empty() || start.elapsed() > PATIENCE {
            return;
        }
        for child in children {
            kill(child.id);
            wait(child.id);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

struct Child {
    id: u32,
    /// It has ended and its end was not heard of.
    is_dead: bool,
}

/// The children of this process, adopted ones too.
fn children() -> Vec<Child> {
    let own = std::process::id().to_string();
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let child = |id: u32| {
        let status = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name before it may hold anything.
        let (_, rest) = status.rsplit_once(')')?;
        let mut words = rest.split_whitespace();
        let state = words.next()?;
        let parent = words.next()?;
        (parent == own).then_some(Child { id, is_dead: state == "Z" })
    };
    ids.filter_map(child).collect()
}

#[cfg(unix)]
fn pid(id: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(id).ok()?)
}

#[cfg(unix)]
fn kill(id: u32) {
    if let Some(pid) = pid(id) {
        // It may be gone already.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(unix)]
fn wait(id: u32) {
    if let Some(pid) = pid(id) {
        // It may still be ending: then it is heard of the next time.
        let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG);
    }
}

#[cfg(not(unix))]
fn kill(_id: u32) {}

#[cfg(not(unix))]
fn wait(_id: u32) {}
