//! Observes the run of a call for its client.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pif_domain::text;
use pif_domain::{CallOutcome, CallPreview, Limit, Part, StepTold};
use pif_sandbox::{AnswerFuture, Stepped};
use pif_system::stdio;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::ask::Asker;
use super::call::Caller;
use crate::config::Config;
use crate::observe::Notes;
use crate::render::{Steps, step_line};
use crate::workshop::{Observer, Said};

/// The most characters of an evaluation line in a reply.
const LONGEST_LINE: usize = 400;

/// The most characters of an evaluation line on stderr.
const MOST_ECHO: usize = 10_000;

/// How far a run has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// How often it was told before; it grows.
    pub(super) count: u64,
    pub(super) message: String,
}

/// Collects the progress and the debug lines of a run, and asks its client for approvals.
pub(super) struct Lines {
    advance: watch::Sender<Progress>,
    /// The steps of the program so far, for whoever asks meanwhile.
    told: Arc<Mutex<Vec<StepTold>>>,
    /// The number of debug lines to keep.
    keep: usize,
    pub(super) kept: Vec<String>,
    pub(super) steps: Steps,
    /// Whether debug lines go to stderr.
    echo: bool,
    asker: Asker,
    /// How long a question waits.
    patience: Duration,
    runtime: Handle,
    notes: Arc<Notes>,
}

impl Lines {
    pub(super) fn new(
        advance: watch::Sender<Progress>,
        keep: usize,
        steps: u64,
        config: &Config,
        caller: &Caller,
    ) -> Self {
        let echo = config.debug;
        let asker = caller.asker.clone();
        let patience = config.values.time(Limit::Asking);
        let kept = Vec::new();
        let runtime = Handle::current();
        let notes = Arc::clone(&caller.notes);
        let steps = Steps::new(steps);
        let told = Arc::default();
        Self { advance, told, keep, kept, steps, echo, asker, patience, runtime, notes }
    }
}

impl Lines {
    /// Tells the steps of the program there, too.
    pub(super) fn telling(self, told: Arc<Mutex<Vec<StepTold>>>) -> Self {
        Self { told, ..self }
    }

    fn progress(&self, message: String) {
        self.advance.send_modify(|it| {
            *it = Progress { count: it.count + 1, message };
        });
    }
}

impl Observer for Lines {
    fn advance(&mut self, driven: u64) {
        self.progress(format!("{driven} continuations driven"));
    }

    fn step(&mut self, all: &[StepTold], ended: Option<(usize, Instant)>) {
        let ended = ended.and_then(|(at, since)| Some((all.get(at)?, since)));
        if let Some((step, since)) = ended {
            self.notes.stepped(since, step);
        }
        let now = ended.map(|(step, _)| step).or_else(|| all.last());
        self.progress(now.map(step_line).unwrap_or_default());
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for (told, step) in told.iter_mut().zip(all).filter(|(told, step)| *told != *step) {
            told.clone_from(step);
        }
        let known = told.len();
        told.extend_from_slice(all.get(known..).unwrap_or_default());
    }

    fn debug(&mut self, line: &str) {
        if self.echo {
            stdio::complain(&text::line(line, MOST_ECHO));
        }
        if self.kept.len() < self.keep {
            self.kept.push(text::line(line, LONGEST_LINE));
        }
    }

    fn stepped(&mut self, step: &Stepped) {
        self.steps.add(step);
    }

    fn passed(&mut self, part: Part, since: Instant) {
        self.notes.passed(part, since);
    }

    fn called(&mut self, since: Instant, time: Duration, tool: &str, came: Option<&CallOutcome>) {
        self.notes.called(since, time, tool, came);
    }

    fn ask<'a>(&'a mut self, wishes: &'a [CallPreview]) -> AnswerFuture<'a, Said> {
        Box::pin(self.asker.ask(wishes, self.patience, &self.runtime))
    }
}
