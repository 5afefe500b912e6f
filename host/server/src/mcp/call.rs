//! A call of a tool, its caller, and the result of its run.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pif_domain::{CallMade, Principal};
use pif_sandbox::{Limits, Outcome};
use rmcp::RoleServer;
use rmcp::model::ProgressToken;
use rmcp::service::{Peer, RequestContext};
use tokio_util::sync::CancellationToken;

use super::ask::Asker;
use super::sent::way;
use crate::observe::Notes;
use crate::transport::Session;
use crate::workshop::{Finished, Turned, Waiting};

/// A call of a tool: its arguments as JSON text, and the caller.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) arguments: Arc<str>,
    pub(super) caller: Caller,
}

/// The caller of a run.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// The session of the connection.
    pub(super) session: Arc<Session>,
    pub(super) cancelled: CancellationToken,
    pub(super) progress: Option<(Peer<RoleServer>, ProgressToken)>,
    /// How the client can be asked.
    pub(super) asker: Asker,
    principal: Principal,
    /// The way to the client, in the words of the conventions.
    pub(super) transport: &'static str,
    /// What the call notes of itself, to be measured.
    pub(super) notes: Arc<Notes>,
    /// The question that a run of this call is kept for, if the client's answer names it.
    kept: Arc<OnceLock<Waiting>>,
}

impl Caller {
    pub(super) fn new(
        session: &Arc<Session>,
        context: &RequestContext<RoleServer>,
        asker: Asker,
        principal: &Principal,
    ) -> Self {
        let token = context.meta.get_progress_token();
        let progress = token.map(|token| (context.peer.clone(), token));
        let (session, cancelled) = (Arc::clone(session), context.ct.clone());
        let (notes, kept) = (Arc::default(), Arc::default());
        let (transport, principal) = (way(&context.extensions), principal.clone());
        Self { session, cancelled, progress, asker, principal, transport, notes, kept }
    }

    /// Who calls; empty for the local user.
    pub(super) fn owner(&self) -> &Arc<str> {
        self.principal.owner()
    }

    /// Whether the caller may see what others do.
    pub(super) fn sees_all(&self) -> bool {
        self.principal.sees_all()
    }

    /// Notes what a run has used, and the question of one that waits.
    pub(super) fn note(&self, run: &Evaluated) {
        let usage = &run.outcome.usage;
        self.notes.ran(usage.fuel, usage.peak_memory, run.entry);
        if let Some(waiting) = &run.waiting {
            self.keep(waiting.clone());
        }
    }

    /// Notes a question that has a handle.
    pub(super) fn keep(&self, waiting: Waiting) {
        if waiting.handle.is_some() {
            // A call runs one program.
            let _ = self.kept.set(waiting);
        }
    }

    /// The question that the result of the call has to ask.
    pub(super) fn kept(&self) -> Option<&Waiting> {
        self.kept.get()
    }
}

/// A completed run and its reports.
#[derive(Debug)]
pub(super) struct Evaluated {
    pub(super) outcome: Outcome,
    /// The first evaluation steps, if the caller asked for them.
    pub(super) evaluation: Vec<String>,
    /// The limits of each step.
    pub(super) limits: Limits,
    /// The time from start to end.
    pub(super) elapsed: Duration,
    /// sha256 of the term, in profiles that report it.
    pub(super) revision: Option<String>,
    /// The number of its journal entry.
    pub(super) entry: Option<i64>,
    /// The question that it is kept for. It has no outcome then.
    pub(super) waiting: Option<Waiting>,
    /// What it has made, as a turn of a session.
    pub(super) turned: Option<Turned>,
    /// The calls that it has made.
    pub(super) made: Vec<CallMade>,
}

impl Evaluated {
    /// What is told of a run.
    pub(super) fn new(run: Finished, limits: Limits) -> Self {
        let Finished { outcome, elapsed, entry, waiting, turned, made } = run;
        let (evaluation, revision) = (Vec::new(), None);
        Self { outcome, evaluation, limits, elapsed, revision, entry, waiting, turned, made }
    }
}
