//! A call of a tool, its caller, and the result of its run.

use std::sync::{Arc, OnceLock};

use pif_domain::Principal;
use pif_domain::json::Object;
use rmcp::RoleServer;
use rmcp::model::ProgressToken;
use rmcp::service::{Peer, RequestContext};
use tokio_util::sync::CancellationToken;

use super::ask::Asker;
use super::sample::Sampler;
use super::sent::way;
use crate::observe::Notes;
use crate::transport::Session;
use crate::workshop::{ApprovalWait, RunResult};

/// A call of a tool: its arguments, and the caller.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) arguments: Arc<Object>,
    pub(super) caller: Caller,
}

impl Call {
    /// The arguments as text, for the journal.
    pub(super) fn text(&self) -> Arc<str> {
        Arc::clone(self.arguments.text())
    }
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
    /// The client's model, if it offers one.
    pub(super) sampler: Option<Sampler>,
    principal: Principal,
    /// The way to the client, in the words of the conventions.
    pub(super) transport: &'static str,
    /// What the call notes of itself, to be measured.
    pub(super) notes: Arc<Notes>,
    /// The run in the background that the call has begun.
    begun: Arc<OnceLock<i64>>,
    /// The question that a run of this call is kept for, if the client's answer names it.
    kept: Arc<OnceLock<ApprovalWait>>,
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
        let session = Arc::clone(session);
        let cancelled = context.ct.clone();
        let notes = Arc::default();
        let begun = Arc::default();
        let kept = Arc::default();
        let sampler = Sampler::of(context);
        let transport = way(&context.extensions);
        let principal = principal.clone();
        Self {
            session,
            cancelled,
            progress,
            asker,
            sampler,
            principal,
            transport,
            notes,
            begun,
            kept,
        }
    }

    /// A caller that nobody is: it has no client.
    pub(super) fn nobody(session: Arc<Session>, principal: &Principal) -> Self {
        Self {
            session,
            cancelled: CancellationToken::new(),
            progress: None,
            asker: Asker::Nobody,
            sampler: None,
            principal: principal.clone(),
            transport: "pipe",
            notes: Arc::default(),
            begun: Arc::default(),
            kept: Arc::default(),
        }
    }

    /// The caller of a run that goes on without its client.
    pub(super) fn detached(self, session: Arc<Session>) -> Self {
        Self { transport: self.transport, ..Self::nobody(session, &self.principal) }
    }

    /// The caller, whose run another token stops.
    pub(super) fn stopped_by(self, cancelled: CancellationToken) -> Self {
        Self { cancelled, ..self }
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
    pub(super) fn note(&self, run: &RunResult) {
        let usage = &run.outcome.usage;
        self.notes.ran(usage.fuel, usage.peak_memory, run.entry);
        if let Some(waiting) = &run.waiting {
            self.keep(waiting.clone());
        }
    }

    /// Notes a question that has a handle.
    pub(super) fn keep(&self, waiting: ApprovalWait) {
        if waiting.handle.is_some() {
            // A call runs one program.
            let _ = self.kept.set(waiting);
        }
    }

    /// Notes that the call has begun a run in the background.
    pub(super) fn begin(&self, run: i64) {
        // A call begins one run.
        let _ = self.begun.set(run);
    }

    /// The run in the background that the call has begun.
    pub(super) fn begun(&self) -> Option<i64> {
        self.begun.get().copied()
    }

    /// The question that the result of the call has to ask.
    pub(super) fn kept(&self) -> Option<&ApprovalWait> {
        self.kept.get()
    }
}
