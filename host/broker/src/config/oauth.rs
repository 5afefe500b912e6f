//! How the operator logs in at a server: needed only where its authorization server registers no clients
//! by itself, or where the token should allow something else than the server says.

use std::collections::BTreeMap;

use super::error::Error;
use super::reader::Node;
use super::secret::{Secret, Template};

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

/// The members, with the names that other clients give them.
const NAMES: [[&str; 2]; 4] = [
    ["client_id", "clientId"],
    ["client_secret", "clientSecret"],
    ["scopes", "scope"],
    ["callback_port", "callbackPort"],
];

/// Reads `{client_id, client_secret, scopes, callback_port}`.
pub(super) fn read(node: &Node<'_>, secrets: &BTreeMap<String, Secret>) -> Result<Oauth, Error> {
    node.only(&NAMES.concat())?;
    let [id, secret, scopes, port] =
        NAMES.map(|names| names.iter().find_map(|name| node.get(name)));
    let oauth = Oauth {
        client_id: id.map(|it| token(&it)).transpose()?,
        client_secret: secret.as_ref().map(|it| Template::read(it, secrets)).transpose()?,
        scopes: scopes.map(|it| words(&it)).transpose()?,
        port: port.map(|it| it.count(1, u64::from(u16::MAX))).transpose()?.and_then(narrow),
    };
    match (&oauth.client_secret, &oauth.client_id) {
        (Some(_), None) => Err(node.wrong("a `client_secret` belongs to a `client_id`")),
        _ => Ok(oauth),
    }
}

fn narrow(port: u64) -> Option<u16> {
    u16::try_from(port).ok()
}

fn token(node: &Node<'_>) -> Result<String, Error> {
    match node.text()? {
        "" => Err(node.wrong("the text is empty")),
        text => Ok(text.to_owned()),
    }
}

/// A list, or words in one text.
fn words(node: &Node<'_>) -> Result<Vec<String>, Error> {
    if node.value.is_string() {
        return Ok(node.text()?.split_whitespace().map(str::to_owned).collect());
    }
    node.texts()
}
