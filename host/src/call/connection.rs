//! Connections that fail: what happened, and what to do.

use std::error::Error as _;
use std::io;

use anyhow::{Error, anyhow};
use pif_domain::text;

use super::target::Target;

/// The most characters of a message of the system.
const MOST: usize = 300;

/// Why a request has no answer.
pub(super) fn unreached(target: &Target, error: &reqwest::Error) -> Error {
    if error.is_timeout() {
        return anyhow!("{target} does not answer in time: --timeout TIME gives it more");
    }
    let mut cause = error.source();
    let mut last = error.to_string();
    while let Some(error) = cause {
        last = error.to_string();
        if let Some(error) = tls(error) {
            return of_tls(target, error);
        }
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if let Some(told) = kind.and_then(|kind| of_io(target, kind)) {
            return told;
        }
        if error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse) {
            return anyhow!("{target} does not answer in HTTP: if it speaks TLS, write https://");
        }
        cause = error.source();
    }
    anyhow!("{target} cannot be reached: {}", text::line(&last, MOST))
}

/// An error of TLS, which may be inside of errors of input and output.
fn tls<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    let inner = || tls(error.downcast_ref::<io::Error>()?.get_ref()?);
    error.downcast_ref().or_else(inner)
}

fn of_io(target: &Target, kind: io::ErrorKind) -> Option<Error> {
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

fn of_tls(target: &Target, error: &rustls::Error) -> Error {
    match error {
        rustls::Error::InvalidMessage(_) => {
            anyhow!("{target} does not speak TLS: write http://, or give the server a certificate")
        }
        rustls::Error::InvalidCertificate(_) => anyhow!(
            "{target}: its certificate is not trusted: {error}\n  \
             if the authority is your own, set SSL_CERT_FILE to its certificate"
        ),
        _ => anyhow!("{target}: TLS fails: {error}"),
    }
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
