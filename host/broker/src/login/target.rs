//! A server that the operator logs in at, as the configuration has it.

use std::fmt;
use std::path::{Path, PathBuf};

use pif_domain::text;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::super::config::{Capabilities, Oauth, Secrets, Server, Transport, fill};
use super::super::install::InstallState;
use super::client::Client;
use super::folder::Folder;
use super::problem::Problem;

/// A server with a login.
pub struct Target {
    pub(super) id: String,
    pub(super) url: Url,
    /// The headers of the file.
    pub(super) headers: HeaderMap,
    pub(super) own: Own,
    pub(super) folder: Folder,
    secrets: Secrets,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What the file says of a login. It has no `Debug`: it may hold a secret.
#[derive(Clone)]
pub(super) struct Own {
    /// The client that the operator made.
    pub(super) client: Option<(String, Option<String>)>,
    pub(super) scopes: Option<Vec<String>>,
    pub(super) port: Option<u16>,
}

impl Own {
    fn of(oauth: &Oauth, secrets: &Secrets) -> Self {
        let secret = oauth.client_secret.as_ref().map(|it| fill(it, secrets));
        let client = oauth.client_id.clone().map(|id| (id, secret));
        Self { client, scopes: oauth.scopes.clone(), port: oauth.port }
    }

    /// A client with the secret of the file, if it is that of the file.
    pub(super) fn complete(&self, client: Client) -> Client {
        let secret = match &self.client {
            Some((id, secret)) if *id == client.id => secret.clone(),
            _ => client.secret.clone(),
        };
        Client { secret, ..client }
    }
}

/// What a server needs for a login: its address and its client. None: it has no address, or a token of
/// its own in the file.
pub(super) fn loginable(id: &str, server: &Server, secrets: &Secrets) -> Option<(Url, Own)> {
    let Transport::Http { url, headers, oauth } = &server.manner else { return None };
    if let Some(secret) = &oauth.client_secret {
        secrets.learn(id, &fill(secret, secrets));
    }
    if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
        return None;
    }
    Some((Url::parse(&fill(url, secrets)).ok()?, Own::of(oauth, secrets)))
}

impl Target {
    /// Finds a server in a configuration, or among those that were installed.
    pub fn find(file: &Path, state: Option<PathBuf>, id: &str) -> Result<Self, Problem> {
        let told = |error: &dyn fmt::Display| Problem::Target(error.to_string());
        let mut capabilities = Capabilities::read(file).map_err(|it| told(&it))?;
        let secrets = capabilities.texts();
        let mut server = capabilities.servers.remove(id);
        if server.is_none() {
            let installed = InstallState::open(state, capabilities.allow_install);
            let mut servers = installed.and_then(|mut it| it.servers()).map_err(|it| told(&it))?;
            server = servers.remove(id);
        }
        let Some(server) = server else {
            return Err(Problem::Target(format!("there is no server {}", text::quote_one(id))));
        };
        let Transport::Http { headers, .. } = &server.manner else {
            let why = match &server.manner {
                Transport::Off(why) => format!("the server `{id}` is off: {why}"),
                _ => format!("the server `{id}` has no `url`: only such a server has a login"),
            };
            return Err(Problem::Target(why));
        };
        let headers = headers.iter().filter_map(|(name, text)| {
            let value = HeaderValue::try_from(fill(text, &secrets)).ok();
            HeaderName::try_from(name).ok().zip(value)
        });
        let headers: HeaderMap = headers.collect();
        if headers.contains_key(AUTHORIZATION) {
            let told = "has a header `Authorization` in the file: take it away to log in";
            return Err(Problem::Target(format!("the server `{id}` {told}")));
        }
        let Some((url, own)) = loginable(id, &server, &secrets) else {
            return Err(Problem::Target(format!("the address of the server `{id}` is no URL")));
        };
        let folder = Folder::beside(file);
        Ok(Self { id: id.to_owned(), url, headers, own, folder, secrets })
    }

    /// A text in which no secret shows.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.secrets.redact(text)
    }

    /// Keeps a text out of everything that is told from now on.
    pub(super) fn hide(&self, text: &str) {
        self.secrets.learn(&self.id, text);
    }
}
