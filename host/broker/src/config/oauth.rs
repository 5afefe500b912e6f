//! How the operator logs in at a server: needed only where its authorization server registers no clients
//! by itself, or where the token should allow something else than the server says.

use std::num::NonZeroU16;

use serde::Deserialize;

use super::error::Error;
use super::reader::Place;
use super::secret::Template;

/// What is said of a login. All of it may be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Oauth {
    /// The client that the operator made at the authorization server.
    pub client_id: Option<String>,
    /// The secret of that client, if it has one.
    pub client_secret: Option<Template>,
    /// What the token shall allow.
    pub scopes: Option<Vec<String>>,
    /// The port of this machine to which the browser comes back.
    pub port: Option<u16>,
}

/// A login as the file writes it, with the names that other clients give the members, too.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLogin {
    #[serde(alias = "clientId")]
    client_id: Option<String>,
    #[serde(alias = "clientSecret")]
    client_secret: Option<String>,
    #[serde(alias = "scope")]
    scopes: Option<Scopes>,
    #[serde(alias = "callbackPort")]
    callback_port: Option<NonZeroU16>,
}

/// A list, or words in one text.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Scopes {
    Words(String),
    List(Vec<String>),
}

impl RawLogin {
    /// The login, with the secret that it names.
    pub(super) fn resolve(self, place: &Place<'_>) -> Result<Oauth, Error> {
        if self.client_id.as_deref() == Some("") {
            return Err(place.member("client_id").wrong("the text is empty"));
        }
        if self.client_secret.is_some() && self.client_id.is_none() {
            return Err(place.wrong("a `client_secret` belongs to a `client_id`"));
        }
        let read = |text: &String| Template::read(text, &place.member("client_secret"));
        let scopes = self.scopes.map(|scopes| match scopes {
            Scopes::Words(words) => words.split_whitespace().map(str::to_owned).collect(),
            Scopes::List(list) => list,
        });
        Ok(Oauth {
            client_id: self.client_id,
            client_secret: self.client_secret.as_ref().map(read).transpose()?,
            scopes,
            port: self.callback_port.map(NonZeroU16::get),
        })
    }
}
