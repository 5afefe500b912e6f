//! The token of one server, as the broker uses it: read again whenever its file is another one, renewed
//! before it ends or when the server refuses it. Whatever happens to the call that needs it, a renewal
//! goes on to its end: its answer is the only copy of the next tokens.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reqwest::Url;

use super::super::config::{Secrets, Server};
use super::folder::{Folder, Login, Stamp};
use super::metadata::name;
use super::problem::Problem;
use super::target::{Own, loginable};
use super::token::{Counter, Tokens};
use super::wire::Wire;

/// Bytes of scopes that are told.
const MOST_SCOPES: usize = 300;

/// Keeps the login of one server.
pub(in super::super) struct Keeper {
    id: String,
    /// The address to which the login belongs.
    place: String,
    own: Own,
    folder: Folder,
    secrets: Secrets,
    known: Mutex<TokenFile>,
    /// One renewal at a time.
    turn: tokio::sync::Mutex<()>,
}

/// What the file held last.
#[derive(Default)]
struct TokenFile {
    stamp: Option<Stamp>,
    login: Option<Login>,
    /// A token that the server refused though it was new.
    refused: Option<String>,
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Keeper {
    /// The keeper of a server; None: it has no login.
    pub(in super::super) fn of(
        id: &str,
        server: &Server,
        folder: &Folder,
        secrets: &Secrets,
    ) -> Option<Arc<Self>> {
        let (url, own) = loginable(id, server, secrets)?;
        Some(Arc::new(Self {
            id: id.to_owned(),
            place: name(&url),
            own,
            folder: folder.clone(),
            secrets: secrets.clone(),
            known: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }))
    }

    fn known(&self) -> MutexGuard<'_, TokenFile> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The login that there is now.
    fn login(&self) -> Result<Option<Login>, Problem> {
        let stamp = self.folder.stamp(&self.id);
        if stamp == self.known().stamp {
            return Ok(self.known().login.clone());
        }
        let read = self.folder.read(&self.id)?;
        // The address may be another one by now: its server has no right to this token.
        let login = read.filter(|login| login.server == self.place);
        if let Some(login) = &login {
            self.hide(login);
        }
        let mut known = self.known();
        *known = TokenFile { stamp, login: login.clone(), refused: None };
        Ok(login)
    }

    /// Whether the login is another one than that of the last request.
    pub(in super::super) fn is_new(&self) -> bool {
        self.folder.stamp(&self.id) != self.known().stamp
    }

    /// Keeps tokens out of everything that is told.
    fn hide(&self, login: &Login) {
        let tokens = login.tokens.iter().flat_map(|it| [Some(&it.access), it.refresh.as_ref()]);
        for text in tokens.chain([login.client.secret.as_ref()]).flatten() {
            self.secrets.learn(&self.id, text);
        }
    }

    /// Whether there was a login that is worth nothing any more.
    pub(in super::super) fn has_ended(&self) -> bool {
        let is_over = |tokens: &Tokens| tokens.has_ended() && tokens.refresh.is_none();
        let login = self.login().ok().flatten();
        login.is_some_and(|login| login.tokens.as_ref().is_none_or(is_over))
    }

    /// What the login allows together with what is wanted, if a shell can read it as a text in quotes.
    pub(in super::super) fn widened(&self, wanted: Vec<String>) -> Option<String> {
        let known = self.login().ok().flatten().map(|login| login.scopes).unwrap_or_default();
        let new = wanted.into_iter().filter(|it| !known.contains(it));
        let all = known.iter().cloned().chain(new).collect::<Vec<_>>().join(" ");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " :._/-".contains(c);
        let is_short = (1..=MOST_SCOPES).contains(&all.len());
        (is_short && all.chars().all(is_plain)).then_some(all)
    }

    /// The token for a request; None: there is none.
    pub(in super::super) async fn token(self: &Arc<Self>) -> Result<Option<String>, Problem> {
        let Some(tokens) = self.login()?.and_then(|login| login.tokens) else { return Ok(None) };
        // One that cannot be renewed is used until the server refuses it.
        if tokens.is_fresh() || tokens.refresh.is_none() {
            return Ok(Some(tokens.access));
        }
        match self.renew(tokens.access.clone()).await {
            Err(_) if !tokens.has_ended() => Ok(Some(tokens.access)),
            renewed => renewed,
        }
    }

    /// Another token than this one, which the server refuses or which ends; None: the operator has to
    /// log in.
    pub(in super::super) async fn renew(
        self: &Arc<Self>,
        old: String,
    ) -> Result<Option<String>, Problem> {
        let keeper = Arc::clone(self);
        let renewed = tokio::spawn(async move { keeper.renew_in_turn(&old).await });
        renewed.await.map_err(|error| Problem::Kept(error.to_string()))?
    }

    /// The server refuses a token that is new: another one would not do either.
    pub(in super::super) fn refuse(&self, token: String) {
        self.known().refused = Some(token);
    }

    /// Waits until no renewal is under way.
    pub(in super::super) async fn rest(&self) {
        drop(self.turn.lock().await);
    }

    async fn renew_in_turn(&self, old: &str) -> Result<Option<String>, Problem> {
        let _turn = self.turn.lock().await;
        // Another process may renew it too: what it got is read below.
        let lock = self.folder.lock(&self.id).await?;
        let Some(login) = self.login()? else { return Ok(None) };
        let Some(tokens) = &login.tokens else { return Ok(None) };
        let is_fresh = tokens.is_fresh();
        if is_fresh && tokens.access != old {
            return Ok(Some(tokens.access.clone()));
        }
        let is_refused = self.known().refused.as_deref() == Some(old);
        let Some(refresh) = tokens.refresh.as_deref().filter(|_| !(is_fresh && is_refused)) else {
            return Ok(None);
        };
        let login = match self.ask(&login, refresh).await {
            Ok(tokens) => login.with(Some(tokens)),
            Err(problem) if problem.is_end() => {
                tracing::warn!(server = self.id, "the login is over: {problem}");
                login.with(None)
            }
            Err(problem) => return Err(problem),
        };
        self.hide(&login);
        self.folder.write(&lock, &self.id, &login)?;
        // What we have written is known from now on.
        Ok(self.login()?.and_then(|login| login.tokens).map(|it| it.access))
    }

    async fn ask(&self, login: &Login, refresh: &str) -> Result<Tokens, Problem> {
        let endpoint = Url::parse(&login.token).map_err(|it| Problem::Kept(it.to_string()))?;
        let client = self.own.complete(login.client.clone());
        let wire = Wire::new()?;
        let wire = &wire;
        let resource = login.resource.as_str();
        Counter { wire, endpoint: &endpoint, client: &client, resource }.renew(refresh).await
    }
}
