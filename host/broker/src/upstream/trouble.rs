//! Why a call of another server has no value: errors of the protocol and of transports, as reasons.

use std::error::Error;
use std::time::Duration;

use pif_domain::text;
use pif_domain::{MOST_MESSAGE, Reason};
use rmcp::ServiceError;
use rmcp::model::ErrorData;
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::{HttpStatusError, StreamableHttpError};

use crate::retry_after::wait;

/// The code of an error that we make of an answer that cannot be read. No server may send it: the
/// range belongs to nobody.
pub(super) const UNREADABLE: i32 = -31_999;

/// Why something has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Trouble {
    /// The kind.
    pub(in super::super) reason: Reason,
    /// One sentence; what servers say themselves is in it.
    pub(in super::super) message: String,
    /// The JSON text of what the server told beside it.
    pub(in super::super) value: Option<String>,
    /// How long the server takes no more calls, if it says so.
    pub(in super::super) after: Option<Duration>,
}

impl Trouble {
    pub(in super::super) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: shorten(message.into()), value: None, after: None }
    }

    /// Nothing was sent.
    pub(super) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Reason::Unavailable, message)
    }

    /// This trouble, where nothing was sent.
    pub(super) fn before_sending(self) -> Self {
        Self { reason: self.reason.before_sending(), ..self }
    }

    /// This trouble after a call was sent: a reason that says otherwise becomes another one.
    pub(super) fn after_sending(self) -> Self {
        match self.reason {
            Reason::Unavailable => Self { reason: Reason::Lost, ..self },
            _ => self,
        }
    }
}

/// A message of a bounded length.
pub(super) fn shorten(mut message: String) -> String {
    if message.len() > MOST_MESSAGE {
        let end = message.floor_char_boundary(MOST_MESSAGE - '…'.len_utf8());
        message.truncate(end);
        message.push('…');
    }
    message
}

/// Why a call failed that was sent.
pub(super) fn of_call(error: &ServiceError) -> Trouble {
    match error {
        ServiceError::McpError(error) => of_answer(error),
        ServiceError::TransportSend(error) => of_sending(error.error.as_ref()),
        ServiceError::UnexpectedResponse => {
            Trouble::new(Reason::BadOutput, "the answer is none that a call of a tool can have")
        }
        ServiceError::Timeout { timeout } => {
            let message = format!("the server told of no progress for {timeout:?}; {UNKNOWN}");
            Trouble::new(Reason::Timeout, message)
        }
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
            Trouble::new(Reason::Lost, format!("the server ended before it answered; {UNKNOWN}"))
        }
        other => Trouble::new(Reason::Lost, format!("{other}; {UNKNOWN}")),
    }
}

fn of_answer(error: &ErrorData) -> Trouble {
    if error.code.0 == UNREADABLE {
        return Trouble::new(Reason::BadOutput, error.message.to_string());
    }
    let told = format!("{} (code {})", error.message, error.code.0);
    let value = error.data.as_ref().filter(|it| !it.is_null()).map(ToString::to_string);
    Trouble { value, ..Trouble::new(Reason::RpcError, told) }
}

/// What is told of a call that may have been made.
const UNKNOWN: &str = "what it did is unknown";

/// Why a call has no answer that went through a transport. A connection that was never there took
/// nothing; a status from 400 to 499 says that nothing was done.
fn of_sending(error: &(dyn Error + 'static)) -> Trouble {
    let told = of_transport(error);
    if is_unconnected(error) || is_expired(error) {
        return told;
    }
    match (told.reason, status_of(error)) {
        (Reason::Unavailable, Some(400..=499)) => Trouble { reason: Reason::RpcError, ..told },
        (Reason::Unavailable, _) => {
            Trouble::new(Reason::Lost, format!("{}; {UNKNOWN}", told.message))
        }
        _ => told,
    }
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    fn cause<'a>(error: &&'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
        (**error).source()
    }
    std::iter::successors(Some(error), cause)
}

/// The errors of HTTP among the causes of an error.
fn of_http<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a reqwest::Error> {
    causes(error).filter_map(|it| match it.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => Some(error),
        _ => it.downcast_ref(),
    })
}

fn is_unconnected(error: &(dyn Error + 'static)) -> bool {
    of_http(error).any(reqwest::Error::is_connect)
}

/// Whether the server has forgotten the session: it did nothing.
fn is_expired(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|it| {
        let error = it.downcast_ref::<StreamableHttpError<reqwest::Error>>();
        matches!(error, Some(StreamableHttpError::SessionExpired))
    })
}

fn status_of(error: &(dyn Error + 'static)) -> Option<u16> {
    let of_status = |it: &(dyn Error + 'static)| {
        let status = it.downcast_ref::<HttpStatusError>();
        match it.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(StreamableHttpError::HttpStatus(status)) => Some(status.status),
            _ => status.map(|it| it.status),
        }
    };
    let own = causes(error).find_map(of_status);
    own.or_else(|| of_http(error).find_map(|it| Some(it.status()?.as_u16())))
}

/// Why a server cannot be reached.
pub(super) fn of_start(error: &ClientInitializeError) -> Trouble {
    if error.is_authorization_required() {
        return Trouble::new(Reason::Auth, "the server asks for other credentials");
    }
    match error {
        ClientInitializeError::TransportError { error, .. } => of_transport(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_start(fallback),
        ClientInitializeError::JsonRpcError(error) => {
            Trouble::unavailable(format!("the server refuses to start: {}", error.message))
        }
        ClientInitializeError::ConnectionClosed(_) => {
            Trouble::unavailable("the server ended while it started")
        }
        other => Trouble::unavailable(format!("the server does not speak the protocol: {other}")),
    }
}

/// Errors of HTTP, of which only their kinds are told: texts of these may hold addresses.
fn of_transport(error: &(dyn Error + 'static)) -> Trouble {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(status) = error.downcast_ref::<HttpStatusError>() {
            return of_status(status);
        }
        match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(
                StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_),
            ) => {
                return Trouble::new(Reason::Auth, "the server asks for other credentials");
            }
            Some(StreamableHttpError::ResponseBodyTooLarge { max_size }) => {
                return Trouble::new(
                    Reason::TooLarge,
                    format!("the server sent a message of more than {max_size} bytes"),
                );
            }
            Some(StreamableHttpError::HttpStatus(status)) => return of_status(status),
            Some(StreamableHttpError::SessionExpired) => {
                let told = "the server has forgotten the session, and did nothing; the next call begins another one";
                return Trouble::unavailable(told);
            }
            Some(StreamableHttpError::Client(error)) => return of_client(error),
            Some(StreamableHttpError::Deserialize(error)) => {
                let told = format!("the server sent a message that is no JSON: {error}");
                return Trouble::new(Reason::BadOutput, told);
            }
            Some(StreamableHttpError::UnexpectedContentType(found)) => {
                let found = text::quote_one(found.as_deref().unwrap_or("none"));
                let told = format!("the server answered with the content type {found}");
                return Trouble::new(Reason::BadOutput, told);
            }
            Some(StreamableHttpError::UnexpectedServerResponse(told)) => {
                return of_words(told);
            }
            _ => {}
        }
        cause = error.source();
    }
    Trouble::unavailable(format!("the connection to the server fails: {error}"))
}

fn of_status(status: &HttpStatusError) -> Trouble {
    let later = status.retry_after.as_ref().map(|it| format!("; it says: retry after {it}"));
    let message = format!(
        "the server answered with the status {}{}",
        status.status,
        later.unwrap_or_default()
    );
    let reason = if status.status == 429 { Reason::RateLimited } else { Reason::Unavailable };
    let after = status.retry_after.as_deref().and_then(wait);
    Trouble { after, ..Trouble::new(reason, message) }
}

fn of_client(error: &reqwest::Error) -> Trouble {
    match error.status().map(|status| status.as_u16()) {
        Some(401 | 403) => Trouble::new(Reason::Auth, "the server asks for other credentials"),
        Some(429) => Trouble::new(Reason::RateLimited, "the server takes no more calls for now"),
        Some(status) => {
            Trouble::unavailable(format!("the server answered with the status {status}"))
        }
        None if error.is_timeout() => {
            Trouble::new(Reason::Timeout, "the server did not answer in time")
        }
        None => {
            let cause = error.source().map_or_else(String::new, |it| format!(": {it}"));
            Trouble::unavailable(format!("the server cannot be reached{cause}"))
        }
    }
}

/// A status that the transport gives in words only.
fn of_words(told: &str) -> Trouble {
    let has = |status: &str| told.contains(status);
    if has("401") || has("403") {
        return Trouble::new(Reason::Auth, "the server asks for other credentials");
    }
    Trouble::unavailable(format!("the server cannot be used: {told}"))
}
