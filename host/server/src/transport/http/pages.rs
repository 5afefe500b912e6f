//! Rights of pages of other sites, as browsers ask for them (CORS).

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use super::reply::{self, Reply};

/// The headers that a page may send if its browser does not say which ones it wants to.
const NAMES: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, \
     mcp-method, mcp-name, traceparent, tracestate",
);

/// The answer to a browser that asks what a page of an allowed origin may send.
pub(super) fn preflight(asked: &HeaderMap) -> Reply {
    let mut reply = reply::empty(StatusCode::NO_CONTENT);
    let headers = reply.headers_mut();
    let methods = HeaderValue::from_static("GET, POST, DELETE");
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    let names = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned().unwrap_or(NAMES);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    reply
}

/// A document for everybody, so for the pages of all sites.
pub(super) fn public(method: &Method, asked: &HeaderMap, document: &str) -> Reply {
    let mut reply = if method == Method::OPTIONS {
        preflight(asked)
    } else {
        reply::with_type(StatusCode::OK, reply::JSON, document.to_owned())
    };
    let all = HeaderValue::from_static("*");
    reply.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
    reply
}

/// Lets a page read a reply.
pub(super) fn share(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let vary = HeaderValue::from_static("origin, access-control-request-headers");
    headers.insert(header::VARY, vary);
    let names = HeaderValue::from_static("mcp-session-id, www-authenticate, retry-after");
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, names);
}
