//! A call of a tool, who called, and what came of the run if there was one.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressToken;
use rmcp::service::{Peer, RequestContext};
use tokio_util::sync::CancellationToken;

use crate::sandbox::{Limits, Outcome};
use crate::transport::Session;

/// A call of a tool: its arguments as text, and who called.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) arguments: Arc<str>,
    pub(super) caller: Caller,
}

/// Who asked for a run, as far as the run is concerned.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// The connection that the call came by.
    pub(super) session: Arc<Session>,
    pub(super) cancelled: CancellationToken,
    pub(super) progress: Option<(Peer<RoleServer>, ProgressToken)>,
}

impl Caller {
    pub(super) fn new(session: &Arc<Session>, context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        let progress = token.map(|token| (context.peer.clone(), token));
        Self { session: Arc::clone(session), cancelled: context.ct.clone(), progress }
    }
}

/// A run and what it said on the way.
#[derive(Debug)]
pub(super) struct Evaluated {
    pub(super) outcome: Outcome,
    /// The first evaluation steps, if they were asked for.
    pub(super) evaluation: Vec<String>,
    /// What each step was allowed.
    pub(super) limits: Limits,
    /// From its start to its end.
    pub(super) elapsed: Duration,
    /// sha256 of what was run, where the profile tells it.
    pub(super) revision: Option<String>,
    /// Its entry in the journal.
    pub(super) entry: Option<i64>,
}
