//! The token that requests of a server carry, where its operator has logged in. A request that the
//! server refuses for its token was not done: it goes out once more with another one.

use std::sync::{Arc, Mutex, PoisonError};

use pif_domain::Reason;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode};

use super::super::login::{Keeper, Problem, asks_for_token, wanted};
use super::trouble::Trouble;

/// Puts tokens into requests.
#[derive(Debug, Clone)]
pub(super) struct Bearer {
    /// None: the server has no login.
    keeper: Option<Arc<Keeper>>,
    /// Why the last request was refused.
    refusal: Arc<Mutex<Option<Refusal>>>,
}

#[derive(Debug)]
enum Refusal {
    /// The operator has to log in.
    Login,
    /// Nobody knows what the server wants.
    Other,
    /// The token allows too little: what it has to allow, if that is told.
    Narrow(Option<String>),
    /// The token could not be renewed.
    Problem(Problem),
}

impl Bearer {
    pub(super) fn new(keeper: Option<Arc<Keeper>>) -> Self {
        Self { keeper, refusal: Arc::default() }
    }

    /// The token for a request, as far as there is one.
    pub(super) async fn token(&self) -> Option<String> {
        let token = self.keeper.as_ref()?.token().await;
        token.unwrap_or_else(|problem| {
            self.note(Some(Refusal::Problem(problem)));
            None
        })
    }

    /// Sends a request.
    pub(super) async fn send(&self, request: RequestBuilder) -> Result<Response, reqwest::Error> {
        let Some(keeper) = &self.keeper else { return request.send().await };
        self.note(None);
        let again = request.try_clone();
        let token = self.token().await;
        let has_login = token.is_some() || keeper.has_ended();
        let mut response = with(request, token.as_deref()).send().await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let (Some(token), Some(again)) = (token, again)
        {
            match keeper.renew(token).await {
                Ok(None) => {}
                Ok(Some(token)) => {
                    response = with(again, Some(&token)).send().await?;
                    if response.status() == StatusCode::UNAUTHORIZED {
                        keeper.refuse(token);
                    }
                }
                Err(problem) => self.note(Some(Refusal::Problem(problem))),
            }
        }
        match response.status() {
            StatusCode::FORBIDDEN => {
                let wider = keeper.widened(wanted(response.headers()));
                self.note(Some(Refusal::Narrow(wider)));
            }
            StatusCode::UNAUTHORIZED => {
                let mut refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
                let is_asked = has_login || asks_for_token(response.headers());
                refusal.get_or_insert(if is_asked { Refusal::Login } else { Refusal::Other });
            }
            _ => {}
        }
        Ok(response)
    }

    fn note(&self, refusal: Option<Refusal>) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = refusal;
    }

    /// Why a server of this id refused its credentials, and what to do.
    pub(super) fn explain(&self, id: &str, trouble: Trouble) -> Trouble {
        if self.keeper.is_none() || trouble.reason != Reason::Auth {
            return trouble;
        }
        let refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
        let command = format!("mcp-pif capability login {id}");
        match &*refusal {
            None => trouble,
            Some(Refusal::Login) => needs_login(id),
            Some(Refusal::Other) => {
                let told = format!("{}; if it has a login, run `{command}`", trouble.message);
                Trouble::new(Reason::Auth, told)
            }
            Some(Refusal::Narrow(scopes)) => {
                let scopes = scopes.as_deref().unwrap_or("SCOPES");
                let told =
                    format!("the login allows too little: run `{command} --scope '{scopes}'`");
                Trouble::new(Reason::Auth, told)
            }
            Some(Refusal::Problem(problem)) => {
                Trouble::new(Reason::Auth, format!("the login cannot be used: {problem}"))
            }
        }
    }

    /// Whether there was a login that is worth nothing any more.
    pub(super) fn has_ended(&self) -> bool {
        self.keeper.as_ref().is_some_and(|keeper| keeper.has_ended())
    }

    /// Whether its operator has logged in since the last request: then it is worth another one.
    pub(super) fn is_new(&self) -> bool {
        self.keeper.as_ref().is_some_and(|keeper| keeper.is_new())
    }

    /// Waits until no token is renewed any more.
    pub(super) async fn rest(&self) {
        if let Some(keeper) = &self.keeper {
            keeper.rest().await;
        }
    }
}

/// What is told of a server that wants a login.
pub(super) fn needs_login(id: &str) -> Trouble {
    let message = format!("needs login: run `mcp-pif capability login {id}`");
    Trouble::new(Reason::NeedsLogin, message)
}

fn with(request: RequestBuilder, token: Option<&str>) -> RequestBuilder {
    let value = token.and_then(|it| HeaderValue::try_from(format!("Bearer {it}")).ok());
    let Some(mut value) = value else { return request };
    value.set_sensitive(true);
    request.header(AUTHORIZATION, value)
}
