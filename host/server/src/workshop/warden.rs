//! Stops turns whose session is closed meanwhile, by whatever process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pif_sandbox::Watch;
use pif_store::Store;
use pif_store::session::SessionKind;

use super::session::OpenTurn;

/// The interval between two looks at the sessions in which turns run.
const LOOK: Duration = Duration::from_millis(100);

/// The turns that run in this process.
static WARDED: Mutex<GuardedRun> = Mutex::new(GuardedRun { turns: Vec::new(), has_warden: false });

struct GuardedRun {
    turns: Vec<Turn>,
    /// Whether a thread looks after them. It ends when there are none.
    has_warden: bool,
}

/// A turn that runs.
#[derive(Clone)]
struct Turn {
    store: Arc<dyn Store>,
    session: i64,
    holder: String,
    watch: Watch,
}

/// Looks after a turn until it is dropped.
pub(super) struct Guard(String);

impl Drop for Guard {
    fn drop(&mut self) {
        warded().turns.retain(|turn| turn.holder != self.0);
    }
}

/// Looks after a turn: its run is stopped when the session is closed.
pub(super) fn guard(store: &Arc<dyn Store>, begun: &OpenTurn, watch: &Watch) -> Guard {
    let store = Arc::clone(store);
    let session = begun.session.id;
    let holder = begun.holder.clone();
    let watch = watch.clone();
    let guard = Guard(holder.clone());
    let mut warded = warded();
    warded.turns.push(Turn { store, session, holder, watch });
    if !warded.has_warden {
        let begun = thread::Builder::new().name("sessions".to_owned()).spawn(look_after);
        warded.has_warden = begun.is_ok();
    }
    guard
}

fn warded() -> MutexGuard<'static, GuardedRun> {
    WARDED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn look_after() {
    loop {
        thread::sleep(LOOK);
        let turns = {
            let mut warded = warded();
            if warded.turns.is_empty() {
                warded.has_warden = false;
                return;
            }
            warded.turns.clone()
        };
        turns.iter().filter(|turn| turn.is_over()).for_each(|turn| turn.watch.cancel());
    }
}

impl Turn {
    /// Whether the session is not open any more, or has another turn. A store that cannot be read
    /// tells nothing.
    fn is_over(&self) -> bool {
        let Ok(found) = self.store.session(self.session) else { return false };
        let holder = found.filter(|it| it.standing == SessionKind::Open).and_then(|it| it.lease);
        holder.is_none_or(|lease| lease.holder != self.holder)
    }
}
