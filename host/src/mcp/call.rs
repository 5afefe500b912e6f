//! A call of a tool, its caller, and the result of its run.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressToken;
use rmcp::service::{Peer, RequestContext};
use tokio_util::sync::CancellationToken;

use crate::sandbox::{Limits, Outcome};
use crate::transport::Session;

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
}

impl Caller {
    pub(super) fn new(session: &Arc<Session>, context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        let progress = token.map(|token| (context.peer.clone(), token));
        Self { session: Arc::clone(session), cancelled: context.ct.clone(), progress }
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
}
