//! Requests to authorization servers: short ones, with short answers, that follow nobody elsewhere.

use std::error::Error as _;
use std::time::Duration;

use pif_domain::text;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, WWW_AUTHENTICATE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Url};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::problem::{Party, Problem};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of an answer.
const MOST: usize = 256 << 10;

const JSON: &str = "application/json";

/// Asks others, one request at a time.
#[derive(Debug, Clone)]
pub(super) struct Wire(Client);

/// What somebody answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) party: Party,
    pub(super) status: u16,
    /// What `WWW-Authenticate` says.
    pub(super) challenges: Vec<String>,
    body: Vec<u8>,
}

impl Wire {
    pub(super) fn new() -> Result<Self, Problem> {
        // It fails where there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().redirect(Policy::none()).pool_max_idle_per_host(0).build();
        client.map(Self).map_err(|error| Problem::Target(error.to_string()))
    }

    pub(super) async fn get(&self, party: Party, url: &Url) -> Result<Answer, Problem> {
        ask(party, url, self.0.get(url.clone()).header(ACCEPT, JSON)).await
    }

    pub(super) async fn post(
        &self,
        party: Party,
        url: &Url,
        headers: HeaderMap,
        (kind, body): (&'static str, Vec<u8>),
    ) -> Result<Answer, Problem> {
        let request = self.0.post(url.clone()).headers(headers).header(CONTENT_TYPE, kind);
        ask(party, url, request.body(body)).await
    }
}

async fn ask(party: Party, url: &Url, request: RequestBuilder) -> Result<Answer, Problem> {
    let host = || text::line(url.authority(), text::MOST_NAME);
    let unreached = |error: reqwest::Error| {
        // The outermost text holds the address, which may hold more than the host.
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        Problem::Unreached { party, host: host(), why: text::line(&cause, text::MOST_NAME) }
    };
    let asked = async {
        let mut response = request.send().await.map_err(unreached)?;
        let status = response.status().as_u16();
        let challenges = response.headers().get_all(WWW_AUTHENTICATE).iter();
        let challenges =
            challenges.map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned()).collect();
        let mut body = Vec::new();
        // The server itself may go on with a stream.
        while party != Party::Server
            && let Some(part) = response.chunk().await.map_err(unreached)?
        {
            body.extend_from_slice(&part);
            if body.len() > MOST {
                return Err(Problem::TooLarge { party, most: MOST });
            }
        }
        Ok(Answer { party, status, challenges, body })
    };
    let late = |_| Problem::Late { party, host: host(), time: PATIENCE };
    timeout(PATIENCE, asked).await.map_err(late)?
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether it asks for a token, or for another one.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self.status, 401 | 403)
    }

    /// The document that it is.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        serde_json::from_slice(&self.body).map_err(|error| {
            // The error may quote what stands there: only its place is told.
            let why = format!("line {}, column {}", error.line(), error.column());
            Problem::document(self.party, why)
        })
    }

    /// Why it is no success: the error of OAuth that it holds, or its status.
    pub(super) fn refusal(&self) -> Problem {
        #[derive(serde::Deserialize)]
        struct ErrorResponse {
            error: String,
            error_description: Option<String>,
        }
        match serde_json::from_slice::<ErrorResponse>(&self.body) {
            Ok(told) => {
                Problem::refused(self.party, &told.error, told.error_description.as_deref())
            }
            Err(_) => Problem::Status { party: self.party, status: self.status },
        }
    }
}
