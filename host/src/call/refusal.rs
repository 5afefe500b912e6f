//! Calls without a result: what happened, and what to do.

use std::error::Error as StdError;
use std::io;

use anyhow::{Error, anyhow};
use pif_domain::text;
use rmcp::ServiceError;
use rmcp::model::ErrorData;
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::{HttpStatusError, StreamableHttpError};

use super::target::Target;

/// The most characters of a text of the server or of the system.
const MOST: usize = 300;

/// What a message needs beside the error.
pub(super) struct Refusal<'a> {
    pub(super) target: &'a Target,
    pub(super) has_token: bool,
}

impl Refusal<'_> {
    /// Why the server cannot be called.
    pub(super) fn of_start(&self, error: &ClientInitializeError) -> Error {
        match error {
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => self.of_start(fallback),
            ClientInitializeError::JsonRpcError(error) => self.of_answer(error),
            ClientInitializeError::TransportError { error, .. } => {
                self.of_transport(error.error.as_ref())
            }
            other => self.no_server(&other.to_string()),
        }
    }

    /// Why a call has no result.
    pub(super) fn of_call(&self, error: &ServiceError) -> Error {
        match error {
            ServiceError::McpError(error) => self.of_answer(error),
            ServiceError::TransportSend(error) => self.of_transport(error.error.as_ref()),
            other => anyhow!(
                "{}: the connection ended before the answer: look into its log: {other}",
                self.target
            ),
        }
    }

    fn of_answer(&self, error: &ErrorData) -> Error {
        let message = text::line(&error.message, MOST);
        anyhow!("{} refuses the call: {message} ({})", self.target, error.code.0)
    }

    fn of_transport(&self, error: &(dyn StdError + 'static)) -> Error {
        let mut cause = Some(error);
        let mut last = error;
        while let Some(error) = cause {
            last = error;
            if let Some(refusal) = self.of_cause(error) {
                return refusal;
            }
            cause = error.source();
        }
        let last = text::line(&last.to_string(), MOST);
        anyhow!("{} cannot be reached: {last}", self.target)
    }

    /// What an error means, if it says more than its cause.
    fn of_cause(&self, error: &(dyn StdError + 'static)) -> Option<Error> {
        if let Some(error) = error.downcast_ref() {
            return self.of_http(error);
        }
        if let Some(error) = tls(error) {
            return Some(self.of_tls(error));
        }
        if error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse) {
            let target = self.target;
            let message = "does not answer in HTTP: if it speaks TLS, write https://";
            return Some(anyhow!("{target} {message}"));
        }
        error.downcast_ref::<io::Error>().and_then(|error| self.of_io(error.kind()))
    }

    fn of_http(&self, error: &StreamableHttpError<reqwest::Error>) -> Option<Error> {
        let target = self.target;
        Some(match error {
            StreamableHttpError::AuthRequired(it) => self.unauthorized(&it.www_authenticate_header),
            StreamableHttpError::InsufficientScope(it) => {
                let scope = text::line(it.get_required_scope().unwrap_or("more"), MOST);
                anyhow!("{target}: the token does not allow this: it needs the scope `{scope}`")
            }
            StreamableHttpError::HttpStatus(status) => self.of_status(status),
            StreamableHttpError::Client(error) => self.of_transport(error),
            StreamableHttpError::ResponseBodyTooLarge { .. } => {
                anyhow!("the answer has more than 64 MiB: ask for less")
            }
            StreamableHttpError::UnexpectedServerResponse(_)
            | StreamableHttpError::UnexpectedContentType(_)
            | StreamableHttpError::Deserialize(_) => self.no_server(&error.to_string()),
            _ => return None,
        })
    }

    fn unauthorized(&self, challenge: &str) -> Error {
        let target = self.target;
        // The challenge may say who issues tokens.
        let challenge = text::line(challenge, MOST);
        if self.has_token {
            anyhow!(
                "{target} does not accept the token: it is wrong or has expired; it wants: {challenge}"
            )
        } else {
            anyhow!(
                "{target} wants a token: use --token-file FILE, or set MCP_PIF_TOKEN; it wants: \
                 {challenge}"
            )
        }
    }

    fn of_status(&self, error: &HttpStatusError) -> Error {
        let target = self.target;
        let status = error.status;
        match (status, &error.retry_after) {
            (429 | 503, Some(time)) => {
                let time = text::line(time, MOST);
                anyhow!("{target} is busy: try again in {time} seconds")
            }
            (429 | 503, None) => anyhow!("{target} is busy: try again later"),
            _ => anyhow!("{target} answers with the status {status}: look into its log"),
        }
    }

    fn no_server(&self, message: &str) -> Error {
        anyhow!(
            "{} is no MCP server, or refuses the request: {}\n  \
             look at the path: `mcp-pif serve --http` serves /mcp",
            self.target,
            text::line(message, MOST)
        )
    }

    fn of_io(&self, kind: io::ErrorKind) -> Option<Error> {
        let target = self.target;
        match kind {
            io::ErrorKind::ConnectionRefused => {
                Some(anyhow!("{target}: nobody listens there: start `mcp-pif serve --http ADDR`"))
            }
            io::ErrorKind::NotFound if target.socket().is_some() => Some(anyhow!(
                "{target}: there is no such socket: start `mcp-pif serve --http {target}`"
            )),
            io::ErrorKind::PermissionDenied => Some(anyhow!(
                "{target}: you may not open it: a socket is its owner's alone, so call as that user"
            )),
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                Some(anyhow!("{target} has closed the connection: look into its log"))
            }
            _ => None,
        }
    }

    fn of_tls(&self, error: &rustls::Error) -> Error {
        let target = self.target;
        match error {
            rustls::Error::InvalidMessage(_) => anyhow!(
                "{target} does not speak TLS: write http://, or give the server a certificate"
            ),
            rustls::Error::InvalidCertificate(_) => anyhow!(
                "{target}: its certificate is not trusted: {error}\n  \
                 if the authority is your own, set SSL_CERT_FILE to its certificate"
            ),
            _ => anyhow!("{target}: TLS fails: {error}"),
        }
    }
}

/// An error of TLS, which may be inside of errors of input and output.
fn tls<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    let inner = || tls(error.downcast_ref::<io::Error>()?.get_ref()?);
    error.downcast_ref().or_else(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_tls_are_found_inside_of_others() {
        let wrap = |inner| io::Error::other(io::Error::other(inner));
        assert_eq!(tls(&wrap(rustls::Error::DecryptError)), Some(&rustls::Error::DecryptError));
        assert_eq!(tls(&io::Error::other("no")), None);
        assert_eq!(tls(&io::Error::from(io::ErrorKind::NotFound)), None);
    }
}
