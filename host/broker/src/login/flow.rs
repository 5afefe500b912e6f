//! The login itself, from the address of a server to its tokens; and its end.

use std::time::Duration;

use reqwest::Url;

use super::client::Client;
use super::discovery::{TokenSource, discover};
use super::folder::{Login, New};
use super::metadata::{Issuer, name};
use super::page::{Door, ExpectedCallback};
use super::pkce::{challenge, random};
use super::problem::Problem;
use super::target::Target;
use super::token::{Counter, Tokens};
use super::wire::Wire;

/// The scope for tokens that can be renewed, where one has to ask for it.
const OFFLINE: &str = "offline_access";

/// What the operator wants of a login.
#[derive(Debug, Clone)]
pub struct LoginRequest {
    /// What the token shall allow; None: what the server says.
    pub scopes: Option<Vec<String>>,
    /// How long to wait for the browser.
    pub within: Duration,
}

/// A login that came about.
#[derive(Debug, Clone)]
pub struct LoginGrant {
    /// Who granted it.
    pub issuer: String,
    /// What it allows, as far as that is known.
    pub scopes: Vec<String>,
    /// How long the first token lasts.
    pub lasts: Option<Duration>,
    /// Whether the broker can renew it.
    pub is_renewable: bool,
}

impl Target {
    /// Logs in. `show` gets the address for the browser.
    pub async fn login(
        &self,
        wish: LoginRequest,
        show: impl FnOnce(&str),
    ) -> Result<LoginGrant, Problem> {
        let wire = Wire::new()?;
        let found = discover(&wire, &self.url, &self.headers).await?;
        let door = Door::open(self.own.port).await?;
        let redirect = door.address();
        let asked = wish.scopes.or_else(|| self.own.scopes.clone());
        let scopes = asked.unwrap_or_else(|| suggested(&found));
        let client = self.client(&wire, &found.issuer, &redirect, &scopes).await?;
        let state = random()?;
        let verifier = random()?;
        self.hide(&verifier);
        let asked = ConsentRequest { client: &client.id, redirect: &redirect, scopes: &scopes };
        show(asked.address(&found, &state, &challenge(&verifier)).as_str());
        let TokenSource { issuer, resource, .. } = found;
        let expected =
            ExpectedCallback { state, issuer: issuer.name.clone(), is_named: issuer.is_named };
        let code = door.wait(expected, wish.within).await?;
        self.hide(&code);
        let counter =
            Counter { wire: &wire, endpoint: &issuer.token, client: &client, resource: &resource };
        let (tokens, allowed) = counter.exchange(&code, &verifier, &redirect).await?;
        let granted = LoginGrant {
            scopes: allowed.map_or(scopes, |it| super::challenge::words(&it)),
            lasts: tokens.lasts.map(Duration::from_secs),
            is_renewable: tokens.refresh.is_some(),
            issuer: issuer.name.clone(),
        };
        self.keep((issuer, resource), &granted.scopes, client, tokens).await?;
        Ok(granted)
    }

    /// The client of the file, or one that is registered now.
    async fn client(
        &self,
        wire: &Wire,
        issuer: &Issuer,
        redirect: &str,
        scopes: &[String],
    ) -> Result<Client, Problem> {
        if let Some((id, secret)) = &self.own.client {
            return Ok(Client::own(id, secret.as_deref(), issuer));
        }
        let client = Client::register(wire, issuer, redirect, scopes).await?;
        client.secret.iter().for_each(|secret| self.hide(secret));
        Ok(client)
    }

    async fn keep(
        &self,
        (issuer, resource): (Issuer, String),
        scopes: &[String],
        client: Client,
        tokens: Tokens,
    ) -> Result<(), Problem> {
        // The secret of the file stays there.
        let secret = client.secret.filter(|_| self.own.client.is_none());
        let login = Login::from(New {
            server: name(&self.url),
            resource,
            issuer: issuer.name,
            token: issuer.token.into(),
            revocation: issuer.revocation.map(Into::into),
            scopes: scopes.to_vec(),
            client: Client { secret, ..client },
            tokens,
        });
        let lock = self.folder.lock(&self.id).await?;
        self.folder.write(&lock, &self.id, &login)
    }

    /// Gives the tokens back and forgets them. Says whether there were any, and why they could not be
    /// given back.
    pub async fn logout(&self) -> Result<(bool, Option<Problem>), Problem> {
        let lock = self.folder.lock(&self.id).await?;
        let login = self.folder.read(&self.id);
        let was_there = self.folder.remove(&lock, &self.id)?;
        // What cannot be read is gone as well.
        let Ok(Some(mut login)) = login else { return Ok((was_there, None)) };
        let (Some(tokens), Some(revocation)) = (login.tokens.take(), login.revocation.take())
        else {
            return Ok((was_there, None));
        };
        let refresh = tokens.refresh.unwrap_or_default();
        for text in [&tokens.access, &refresh] {
            self.hide(text);
        }
        let client = self.own.complete(login.client);
        let given = give_back(&client, &revocation, [&refresh, &tokens.access]).await;
        Ok((was_there, given.err()))
    }
}

async fn give_back(client: &Client, place: &str, tokens: [&str; 2]) -> Result<(), Problem> {
    let endpoint = Url::parse(place).map_err(|it| Problem::Kept(it.to_string()))?;
    let wire = Wire::new()?;
    let counter = Counter { wire: &wire, endpoint: &endpoint, client, resource: "" };
    for token in tokens.into_iter().filter(|it| !it.is_empty()) {
        counter.give_back(token).await?;
    }
    Ok(())
}

/// What a token should allow, as the server says; and that it can be renewed.
fn suggested(found: &TokenSource) -> Vec<String> {
    let mut scopes = found.scopes.clone();
    let is_offered = found.issuer.scopes.iter().any(|it| it == OFFLINE);
    if is_offered && !scopes.is_empty() && !scopes.iter().any(|it| it == OFFLINE) {
        scopes.push(OFFLINE.to_owned());
    }
    scopes
}

/// What the operator is asked in the browser.
struct ConsentRequest<'a> {
    client: &'a str,
    redirect: &'a str,
    scopes: &'a [String],
}

impl ConsentRequest<'_> {
    fn address(&self, found: &TokenSource, state: &str, challenge: &str) -> Url {
        let mut url = found.issuer.authorization.clone();
        let mut query = url.query_pairs_mut();
        query.extend_pairs([
            ("response_type", "code"),
            ("client_id", self.client),
            ("redirect_uri", self.redirect),
            ("state", state),
            ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
            ("resource", &found.resource),
        ]);
        if !self.scopes.is_empty() {
            query.append_pair("scope", &self.scopes.join(" "));
        }
        drop(query);
        url
    }
}
