//! Calls whose time begins anew whenever their server tells of progress.

use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult,
    CancelledNotificationParam, ClientRequest, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions};
use rmcp::{RoleClient, ServiceError};

use crate::domain::Limit;

/// Sends a call. With `rest` it ends when its server has told of no progress for so long.
pub(super) async fn send(
    peer: &Peer<RoleClient>,
    params: CallToolRequestParams,
    rest: Option<Duration>,
) -> Result<CallToolResponse, ServiceError> {
    let Some(rest) = rest else { return peer.call_tool_once(params).await };
    let options = PeerRequestOptions::with_timeout(rest)
        .reset_timeout_on_progress()
        .with_max_total_timeout(Duration::from_nanos(Limit::UpstreamLongest.fixed()));
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = peer.send_cancellable_request(request, options).await?;
    let mut sent = Sent { peer: peer.clone(), id: Some(handle.id.clone()) };
    let result = handle.await_response().await;
    sent.id = None;
    match result? {
        ServerResult::CallToolResult(result) => Ok(CallToolResponse::Complete(result)),
        ServerResult::InputRequiredResult(result) => Ok(CallToolResponse::InputRequired(result)),
        ServerResult::CreateTaskResult(result) => Ok(CallToolResponse::Task(result)),
        // A result with nothing in it.
        ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => {
            Ok(CallToolResponse::Complete(CallToolResult::default()))
        }
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

/// A call that nobody has answered. To drop it cancels the call.
struct Sent {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Sent {
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
