//! What no answer has to wait for: the instance of a run that has ended is torn down, and the one
//! for the next run made, when there is nothing else to do.

use std::sync::{Mutex, PoisonError};

use super::instance::{Instance, Made};

/// Bytes of memory of an instance that is torn down later, at most. To clear more may take longer
/// than whoever asks next should wait.
const MOST_LEFT: u64 = 4 << 20;

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

    /// Tears down what was left. Its place is the next one's: what is mapped there need not be
    /// mapped again.
    pub(super) fn tear_down(&self) {
        drop(swap(&self.spent, None));
    }

    /// Makes an instance ahead, unless there is one.
    pub(super) fn fill(&self, make: impl FnOnce() -> Option<Made>) {
        let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        if fresh.is_none() {
            *fresh = make();
        }
    }
}

fn swap<T>(place: &Mutex<Option<T>>, next: Option<T>) -> Option<T> {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *place, next)
}
