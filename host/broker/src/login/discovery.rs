//! Finds out who grants tokens for a server. The server says so when it refuses a request, or in its
//! metadata; one of the older kind is its own authorization server.

use reqwest::Url;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::address::Reach;
use super::challenge::Challenge;
use super::metadata::{Issuer, Resource, name};
use super::problem::{Party, Problem};
use super::wire::{Answer, Wire};

/// Authorization servers of a server that are tried.
const MOST_ISSUERS: usize = 4;

/// Where tokens for a server come from.
#[derive(Debug)]
pub(super) struct TokenSource {
    /// The name of the server in tokens.
    pub(super) resource: String,
    /// What a token should allow, as the server says.
    pub(super) scopes: Vec<String>,
    pub(super) issuer: Issuer,
}

/// Looks for it from the address of a server. The headers are those of the file.
pub(super) async fn discover(
    wire: &Wire,
    server: &Url,
    headers: &HeaderMap,
) -> Result<TokenSource, Problem> {
    let reach = Reach::of(server);
    let refusal = refusal(wire, server, headers).await?;
    let challenge = Challenge::read(&refusal.challenges);
    let Some(resource) = resource(wire, server, &reach, challenge.metadata.as_deref()).await?
    else {
        // Servers of the older kind have no metadata of their own.
        let own = server.origin().ascii_serialization();
        let issuer = issuer(wire, &own, &reach).await?;
        let none = if refusal.is_refusal() { Problem::NoIssuer } else { Problem::NotAsked };
        let scopes = challenge.scopes.unwrap_or_default();
        return issuer
            .map(|issuer| TokenSource { resource: name(server), scopes, issuer })
            .ok_or(none);
    };
    resource.ensure_of(server)?;
    let mut last = Problem::NoIssuer;
    for named in resource.authorization_servers.iter().take(MOST_ISSUERS) {
        match issuer(wire, named, &reach).await {
            Ok(Some(issuer)) => {
                let scopes = challenge.scopes.or(resource.scopes_supported).unwrap_or_default();
                return Ok(TokenSource { resource: resource.name, scopes, issuer });
            }
            Ok(None) => {}
            Err(problem) => last = problem,
        }
    }
    Err(last)
}

/// What the server says to requests without a token: not each of them needs one.
async fn refusal(wire: &Wire, server: &Url, headers: &HeaderMap) -> Result<Answer, Problem> {
    let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "mcp-pif", "version": env!("CARGO_PKG_VERSION")},
    }});
    let answer = ask(wire, server, headers, &begin).await?;
    if answer.is_refusal() {
        return Ok(answer);
    }
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    ask(wire, server, headers, &list).await
}

async fn ask(
    wire: &Wire,
    server: &Url,
    headers: &HeaderMap,
    message: &Value,
) -> Result<Answer, Problem> {
    let mut headers = headers.clone();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    let body = ("application/json", message.to_string().into_bytes());
    wire.post(Party::Server, server, headers, body).await
}

/// The metadata of the server: where its refusal says, or where it has to be.
async fn resource(
    wire: &Wire,
    server: &Url,
    reach: &Reach,
    told: Option<&str>,
) -> Result<Option<Resource>, Problem> {
    if let Some(told) = told {
        let url = match server.join(told) {
            Ok(url) => reach.read(Party::Resource, url.as_str())?,
            Err(_) => reach.read(Party::Resource, told)?,
        };
        let answer = wire.get(Party::Resource, &url).await?;
        if answer.is_success() {
            return answer.read().map(Some);
        }
    }
    let answer =
        first(wire, Party::Resource, well_known(server, "oauth-protected-resource")).await?;
    answer.map(|it| it.read()).transpose()
}

/// The authorization server of a name; None: it has no metadata.
async fn issuer(wire: &Wire, named: &str, reach: &Reach) -> Result<Option<Issuer>, Problem> {
    let url = reach.read(Party::Issuer, named)?;
    let mut places = well_known(&url, "oauth-authorization-server");
    // A name with a path has its own place each; one without has only the first.
    places.truncate(1);
    places.extend(well_known(&url, "openid-configuration").into_iter().take(1));
    let path = url.path().trim_end_matches('/');
    if !path.is_empty() {
        places.extend(url.join(&format!("{path}/.well-known/openid-configuration")));
    }
    let answer = first(wire, Party::Issuer, places).await?;
    answer.map(|it| Issuer::read(&it, named, reach)).transpose()
}

/// The places of a document: that of the path, and that of the host.
fn well_known(url: &Url, name: &str) -> Vec<Url> {
    let path = url.path().trim_end_matches('/');
    let mut paths = vec![format!("/.well-known/{name}{path}")];
    if !path.is_empty() {
        paths.push(format!("/.well-known/{name}"));
    }
    paths.iter().filter_map(|path| url.join(path).ok()).collect()
}

/// The first of these places that has a document.
async fn first(wire: &Wire, party: Party, places: Vec<Url>) -> Result<Option<Answer>, Problem> {
    let mut failed = None;
    for place in places {
        let answer = wire.get(party, &place).await?;
        if answer.is_success() {
            return Ok(Some(answer));
        }
        let is_failure = answer.status >= 500;
        failed = failed.or(is_failure.then_some(Problem::Status { party, status: answer.status }));
    }
    failed.map_or(Ok(None), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_their_places() {
        let places = |url: &str| {
            let url = Url::parse(url).expect("an address");
            let places = well_known(&url, "x");
            places.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let root = "https://a.test/.well-known/x";
        assert_eq!(places("https://a.test"), [root]);
        assert_eq!(places("https://a.test/"), [root]);
        assert_eq!(places("https://a.test/b/c/?d=e"), [&format!("{root}/b/c"), root]);
    }
}
