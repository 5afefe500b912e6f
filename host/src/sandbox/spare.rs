//! What no answer has to wait for: the instance of a run that has ended is torn down, and the one
//! for the next run made, when there is nothing else to do.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::ceiling::Allowance;
use super::{Instance, Made, Sandbox, Watch, finish};

/// Bytes of memory of an instance that is torn down later, at most. To clear more may take longer
/// than whoever asks next should wait.
const MOST_LEFT: u64 = 4 << 20;

/// How long the making of an instance may take.
const PATIENCE: Duration = Duration::from_millis(100);

/// One instance of each kind at most.
#[derive(Default)]
pub(super) struct Spare {
    /// Nothing has entered it yet, and one run at most ever will.
    fresh: Mutex<Option<Made>>,
    /// Nothing will enter it again.
    spent: Mutex<Option<Instance>>,
}

impl Spare {
    /// An instance that was made ahead.
    pub(super) fn take(&self) -> Option<Made> {
        swap(&self.fresh, None)
    }

    /// Leaves an instance to be torn down, unless that is to be done at once.
    pub(super) fn leave(&self, instance: Instance) {
        if instance.store.data().memory() <= MOST_LEFT {
            drop(swap(&self.spent, Some(instance)));
        }
    }
}

impl Sandbox {
    /// Does what a run has left, and what the next one would have to wait for. To be called by a
    /// server that has nothing else to do.
    pub fn tidy(&self) {
        // Its place is the next one's: what is mapped there need not be mapped again.
        drop(swap(&self.spare.spent, None));
        let mut fresh = self.spare.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        if fresh.is_none() && self.is_open() {
            let watch = Watch::new(PATIENCE);
            // Whoever wants one will hear why there is none.
            *fresh = finish(self.make(Allowance::for_text(self.net, 0), &watch)).ok();
        }
    }
}

fn swap<T>(place: &Mutex<Option<T>>, next: Option<T>) -> Option<T> {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *place, next)
}
