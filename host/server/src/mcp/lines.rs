//! Observes the run of a call for its client.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pif_domain::text;
use pif_domain::{CallOutcome, Limit, Part, Wish};
use pif_sandbox::{Asking, Stepped};
use pif_system::stdio;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::ask::Asker;
use super::call::Caller;
use crate::config::Config;
use crate::observe::Notes;
use crate::render::Steps;
use crate::workshop::{Observer, Said};

/// The most characters of an evaluation line in a reply.
const LONGEST_LINE: usize = 400;

/// The most characters of an evaluation line on stderr.
const MOST_ECHO: usize = 10_000;

/// Collects the progress and the debug lines of a run, and asks its client for approvals.
pub(super) struct Lines {
    advance: watch::Sender<u64>,
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
        advance: watch::Sender<u64>,
        keep: usize,
        steps: u64,
        config: &Config,
        caller: &Caller,
    ) -> Self {
        let (echo, asker) = (config.debug, caller.asker.clone());
        let patience = config.values.time(Limit::Asking);
        let (kept, runtime, notes) = (Vec::new(), Handle::current(), Arc::clone(&caller.notes));
        let steps = Steps::new(steps);
        Self { advance, keep, kept, steps, echo, asker, patience, runtime, notes }
    }
}

impl Observer for Lines {
    fn advance(&mut self, driven: u64) {
        self.advance.send_replace(driven);
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

    fn ask<'a>(&'a mut self, wishes: &'a [Wish]) -> Asking<'a, Said> {
        Box::pin(self.asker.ask(wishes, self.patience, &self.runtime))
    }
}
