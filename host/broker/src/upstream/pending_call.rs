//! Calls that are sent. The time of a call may begin anew whenever its server tells of progress.

use std::time::Duration;

use pif_domain::Limit;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest, RequestId,
    ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle};
use rmcp::{RoleClient, ServiceError};

/// A call that is on its way. To drop it cancels the call.
pub(super) struct PendingCall {
    handle: RequestHandle<RoleClient>,
    abandoned: CancelOnDrop,
}

impl PendingCall {
    /// Sends a call. With `rest` it ends when its server has told of no progress for so long.
    pub(super) async fn new(
        peer: &Peer<RoleClient>,
        params: CallToolRequestParams,
        rest: Option<Duration>,
    ) -> Result<Self, ServiceError> {
        let options = rest.map_or_else(PeerRequestOptions::no_options, |rest| {
            PeerRequestOptions::with_timeout(rest)
                .reset_timeout_on_progress()
                .with_max_total_timeout(Duration::from_nanos(Limit::UpstreamLongest.fixed()))
        });
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let handle = peer.send_request_with_option(request, options).await?;
        let abandoned = CancelOnDrop { peer: peer.clone(), id: Some(handle.id.clone()) };
        Ok(Self { handle, abandoned })
    }

    /// Waits for the answer.
    pub(super) async fn answer(self) -> Result<ServerResult, ServiceError> {
        let Self { handle, mut abandoned } = self;
        let result = handle.await_response().await;
        abandoned.id = None;
        result
    }
}

/// Tells the server of a call that nobody waits for any more.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        tokio::spawn(async move {
            let params = CancelledNotificationParam::new(Some(id), None);
            // The server may be gone.
            let _ = peer.notify_cancelled(params).await;
        });
    }
}
