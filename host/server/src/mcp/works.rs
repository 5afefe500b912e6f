//! The durable runs on which a server works.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pif_domain::StepTold;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::observe::WorkSnapshot;
use crate::render::step_line;
use crate::workshop::CancelCheck;

/// The time between two looks whether it works on any.
const LOOK: Duration = Duration::from_millis(20);

/// The durable runs on which this server works.
#[derive(Debug, Default)]
pub(super) struct Works {
    running: Mutex<BTreeMap<i64, RunningRun>>,
    /// Cancelled when the server ends.
    pub(super) leave: CancellationToken,
}

/// A durable run on which this server works.
#[derive(Debug, Clone)]
pub(super) struct RunningRun {
    /// Stops it.
    pub(super) stop: CancellationToken,
    /// Whether somebody ends it.
    pub(super) by_hand: CancelCheck,
    /// Its steps so far.
    pub(super) steps: Arc<Mutex<Vec<StepTold>>>,
    /// Whether it has stopped.
    pub(super) done: watch::Receiver<bool>,
}

impl Works {
    /// All of them, by their numbers.
    pub(super) fn running(&self) -> MutexGuard<'_, BTreeMap<i64, RunningRun>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it works on none, for so long at most.
    pub(super) async fn settled(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.running().is_empty() && Instant::now() < until {
            sleep(LOOK).await;
        }
    }

    /// What is told of all of them, by their numbers.
    pub(super) fn worked(&self) -> Vec<WorkSnapshot> {
        let told = |(run, running): (&i64, &RunningRun)| {
            let steps = running.steps();
            let ended = steps.iter().filter(|it| it.ms.is_some()).count();
            let now = steps.iter().rfind(|it| it.ms.is_none()).or(steps.last());
            let step = now.map(step_line).unwrap_or_default();
            WorkSnapshot { run: *run, steps: u64::try_from(ended).unwrap_or(u64::MAX), step }
        };
        self.running().iter().map(told).collect()
    }

    /// The run with this number.
    pub(super) fn find(&self, run: i64) -> Option<RunningRun> {
        self.running().get(&run).cloned()
    }
}

impl RunningRun {
    /// Its steps so far.
    pub(super) fn steps(&self) -> Vec<StepTold> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
