//! The page to which the browser comes back: on a port of this machine, for one login, for a while.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use pif_domain::text;
use reqwest::Url;
use subtle::ConstantTimeEq as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::problem::{Party, Problem};

/// The path of the page.
const PATH: &str = "/callback";

/// Connections at once: a browser opens some that it does not use.
const MOST: usize = 16;

/// Bytes of the head of a request.
const MOST_HEAD: usize = 16 << 10;

/// How long a browser may take for one request, and for the last page.
const PATIENCE: Duration = Duration::from_secs(10);
const PARTING: Duration = Duration::from_secs(2);

/// The port on which we wait.
#[derive(Debug)]
pub(super) struct Door {
    listener: TcpListener,
    port: u16,
}

/// What the browser has to bring.
#[derive(Debug)]
pub(super) struct ExpectedCallback {
    /// The text by which we know our login.
    pub(super) state: String,
    /// Who has to send the browser back.
    pub(super) issuer: String,
    /// Whether that one says its name.
    pub(super) is_named: bool,
}

type Outcome = Result<String, Problem>;

impl Door {
    /// Waits on this port, or on any.
    pub(super) async fn open(port: Option<u16>) -> Result<Self, Problem> {
        let port = port.unwrap_or(0);
        let wrong = |error: std::io::Error| Problem::Port { port, why: error.to_string() };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(wrong)?;
        let port = listener.local_addr().map_err(wrong)?.port();
        Ok(Self { listener, port })
    }

    /// The address of the page.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the browser; gives the code that it brings.
    pub(super) async fn wait(self, expected: ExpectedCallback, within: Duration) -> Outcome {
        let (sender, mut outcomes) = mpsc::channel(1);
        let desk = Arc::new(Callback { expected, port: self.port, sender });
        let mut connections = JoinSet::new();
        let came = timeout(within, async {
            loop {
                tokio::select! {
                    accepted = self.listener.accept() => {
                        if let Ok((stream, _)) = accepted && connections.len() < MOST {
                            connections.spawn(serve(Arc::clone(&desk), stream));
                        }
                    }
                    Some(_) = connections.join_next() => {}
                    Some(outcome) = outcomes.recv() => return outcome,
                }
            }
        });
        let came = came.await.map_err(|_| Problem::Alone(within));
        // The last page is on its way.
        let _ = timeout(PARTING, async { while connections.join_next().await.is_some() {} }).await;
        came?
    }
}

struct Callback {
    expected: ExpectedCallback,
    port: u16,
    sender: mpsc::Sender<Outcome>,
}

async fn serve(desk: Arc<Callback>, stream: TcpStream) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let desk = Arc::clone(&desk);
        async move { Ok::<_, Infallible>(desk.answer(&request)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .keep_alive(false)
        .max_buf_size(MOST_HEAD)
        .serve_connection(TokioIo::new(stream), answer);
    // A browser that goes away harms nobody.
    let _ = timeout(PATIENCE, connection).await;
}

impl Callback {
    fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let host = request.headers().get(HOST).and_then(|it| it.to_str().ok()).unwrap_or_default();
        let is_own =
            ["127.0.0.1", "localhost"].iter().any(|it| host == format!("{it}:{}", self.port));
        if !is_own || request.uri().path() != PATH || request.method() != http::Method::GET {
            return page(StatusCode::NOT_FOUND, "There is nothing here.");
        }
        let query = request.uri().query().unwrap_or_default();
        let Some(outcome) = self.expected.read(query) else {
            let message =
                "This is no answer to a login that is under way. Begin it again in the terminal.";
            return page(StatusCode::BAD_REQUEST, message);
        };
        let is_good = outcome.is_ok();
        // Who comes twice is told the same, and changes nothing.
        let _ = self.sender.try_send(outcome);
        if is_good {
            page(StatusCode::OK, "mcp-pif has the answer. You may close this page.")
        } else {
            let told = "The login did not succeed: the terminal says why. You may close this page.";
            page(StatusCode::OK, told)
        }
    }
}

impl ExpectedCallback {
    /// What the browser brings; None: it is not from our login.
    fn read(&self, query: &str) -> Option<Outcome> {
        let url = Url::parse(&format!("http://127.0.0.1/?{query}")).ok()?;
        let mut brought: HashMap<String, String> = HashMap::new();
        for (name, value) in url.query_pairs() {
            // What is there twice has no meaning.
            if brought.insert(name.into_owned(), value.into_owned()).is_some() {
                return None;
            }
        }
        let state = brought.get("state")?;
        if !bool::from(state.as_bytes().ct_eq(self.state.as_bytes())) {
            return None;
        }
        let issuer = brought.get("iss");
        if issuer.is_none() && self.is_named || issuer.is_some_and(|it| *it != self.issuer) {
            let told = issuer.map_or("nobody", String::as_str);
            return Some(Err(Problem::OtherIssuer {
                told: text::line(told, text::MOST_NAME),
                expected: self.issuer.clone(),
            }));
        }
        if let Some(code) = brought.get("error") {
            let description = brought.get("error_description").map(String::as_str);
            return Some(Err(Problem::refused(Party::Authorization, code, description)));
        }
        Some(
            brought.remove("code").filter(|it| !it.is_empty()).ok_or_else(|| {
                Problem::document(Party::Authorization, "the browser brings no `code`")
            }),
        )
    }
}

fn page(status: StatusCode, told: &'static str) -> Response<Full<Bytes>> {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mcp-pif</title><p>{told}</p></html>"
    );
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        response.headers_mut().insert(name, http::HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(is_named: bool) -> ExpectedCallback {
        ExpectedCallback { state: "s".into(), issuer: "https://a.test".into(), is_named }
    }

    #[test]
    fn only_the_answer_to_our_login_counts() {
        let it = expected(false);
        assert_eq!(it.read("code=c&state=s"), Some(Ok("c".to_owned())));
        assert_eq!(it.read("code=c&state=s&iss=https%3A%2F%2Fa.test"), Some(Ok("c".to_owned())));
        for strange in [
            "",
            "code=c",
            "code=c&state=t",
            "code=c&state=s&state=s",
            "code=c&code=d&state=s",
            "state=",
        ] {
            assert_eq!(it.read(strange), None, "{strange}");
        }
        for bad in [
            "state=s",
            "state=s&code=",
            "state=s&error=access_denied&code=c",
            "code=c&state=s&iss=x",
        ] {
            assert!(matches!(it.read(bad), Some(Err(_))), "{bad}");
        }
        assert!(matches!(
            expected(true).read("code=c&state=s"),
            Some(Err(Problem::OtherIssuer { .. }))
        ));
    }
}
