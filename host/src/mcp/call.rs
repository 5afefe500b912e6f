//! A call of a tool, and who called.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::ProgressToken;
use rmcp::service::{Peer, RequestContext};
use tokio_util::sync::CancellationToken;

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
