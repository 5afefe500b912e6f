//! Errors of rmcp become JSON-RPC errors.

use http::header;
use http_body_util::BodyExt as _;
use rmcp::model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage};

use super::reply::{self, Refusal, Reply};

/// The most bytes of an error of rmcp.
const MOST_ERROR: usize = 64 << 10;

/// Makes an error of rmcp a JSON-RPC error with the id of its request.
pub(super) async fn mend(reply: Reply, id: Option<RequestId>) -> Reply {
    if !reply.status().is_client_error() && !reply.status().is_server_error() {
        return reply;
    }
    let (mut parts, body) = reply.into_parts();
    let text = http_body_util::Limited::new(body, MOST_ERROR).collect().await;
    let text = text.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let is_json = parts.headers.get(header::CONTENT_TYPE) == Some(&reply::JSON);
    let mended = match serde_json::from_slice::<ServerJsonRpcMessage>(&text) {
        Ok(JsonRpcMessage::Error(mut error)) if is_json => {
            error.id = error.id.or(id);
            reply::message(parts.status, &JsonRpcMessage::Error(error))
        }
        _ => {
            let told = String::from_utf8_lossy(&text);
            let told: String = told.chars().take(400).collect();
            Refusal::invalid(parts.status, told).reply(id)
        }
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    let (new, body) = mended.into_parts();
    parts.headers.extend(new.headers);
    Reply::from_parts(parts, body)
}
