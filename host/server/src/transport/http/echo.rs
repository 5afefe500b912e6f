//! Ids that rmcp cannot hold: it answers with a marked string, which becomes the id as it was sent.

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use rmcp::model::RequestId;

use super::super::id;
use super::reply::Reply;

/// The reply to a request with an id.
pub(super) fn with_id(reply: Reply, id: &RequestId) -> Reply {
    let Some(raw) = id::raw(id) else { return reply };
    let member = |value: &str| format!("\"id\":{value}");
    let marked = member(&id.clone().into_json_value().to_string());
    let sent = member(raw);
    // rmcp writes each message at once.
    reply.map(move |body| {
        BoxBody::new(body.map_frame(move |frame| {
            frame.map_data(|data| replaced(data, marked.as_bytes(), sent.as_bytes()))
        }))
    })
}

/// The data with the first occurrence of a text replaced.
fn replaced(data: Bytes, old: &[u8], new: &[u8]) -> Bytes {
    let found = data.windows(old.len()).position(|part| part == old);
    let Some(start) = found else { return data };
    let (before, rest) = data.split_at(start);
    let after = rest.get(old.len()..).unwrap_or_default();
    Bytes::from([before, new, after].concat())
}
