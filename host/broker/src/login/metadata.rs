//! The two documents that lead to a token: that of a server (RFC 9728), and that of its authorization
//! server (RFC 8414, OIDC Discovery). Each has to be about whom it was asked for.

use pif_domain::text;
use reqwest::Url;
use serde::Deserialize;

use super::address::Reach;
use super::problem::{Party, Problem};

/// What a server says of the tokens that it takes.
#[derive(Debug, Deserialize)]
pub(super) struct Resource {
    /// The name of the server in tokens.
    #[serde(rename = "resource")]
    pub(super) name: String,
    /// Who grants tokens.
    #[serde(default)]
    pub(super) authorization_servers: Vec<String>,
    /// What a token may allow.
    pub(super) scopes_supported: Option<Vec<String>>,
}

impl Resource {
    /// Refuses a document that is about another server: whoever wrote it would get our tokens for that
    /// one.
    pub(super) fn ensure_of(&self, server: &Url) -> Result<(), Problem> {
        let is_part = |told: &Url| {
            let told = told.path().trim_end_matches('/');
            let own = server.path();
            own.strip_prefix(told).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let told = Url::parse(&self.name).ok();
        let is_own = told.is_some_and(|told| told.origin() == server.origin() && is_part(&told));
        if is_own {
            return Ok(());
        }
        Err(Problem::OtherResource {
            told: text::line(&self.name, text::MOST_NAME),
            expected: name(server),
        })
    }
}

/// A server without what may be secret in its address.
pub(super) fn name(server: &Url) -> String {
    let mut server = server.clone();
    server.set_query(None);
    server.set_fragment(None);
    server.to_string()
}

/// How a client says at the token endpoint who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Method {
    /// By its id.
    None,
    /// By its secret, in a header.
    ClientSecretBasic,
    /// By its secret, beside the rest.
    ClientSecretPost,
}

/// What an authorization server says of itself.
#[derive(Debug, Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    registration_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
    scopes_supported: Option<Vec<String>>,
    response_types_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// An authorization server.
#[derive(Debug)]
pub(super) struct Issuer {
    /// Its name.
    pub(super) name: String,
    pub(super) authorization: Url,
    pub(super) token: Url,
    pub(super) registration: Option<Url>,
    pub(super) revocation: Option<Url>,
    pub(super) scopes: Vec<String>,
    /// Whether the browser brings its name back (RFC 9207).
    pub(super) is_named: bool,
    /// Whether a secret is taken beside the rest, and in a header not.
    pub(super) is_post_only: bool,
}

impl Issuer {
    /// Reads the document of whom we expect.
    pub(super) fn read(
        document: &super::wire::Answer,
        expected: &str,
        reach: &Reach,
    ) -> Result<Self, Problem> {
        let told: Document = document.read()?;
        if told.issuer.trim_end_matches('/') != expected.trim_end_matches('/') {
            return Err(Problem::OtherIssuer {
                told: text::line(&told.issuer, text::MOST_NAME),
                expected: text::line(expected, text::MOST_NAME),
            });
        }
        let lacks = |list: &Option<Vec<String>>, word: &str| {
            list.as_ref().is_some_and(|list| !list.iter().any(|it| it == word))
        };
        // Who says nothing of it may support it: many documents of OIDC do not.
        if lacks(&told.code_challenge_methods_supported, "S256") {
            return Err(Problem::NoPkce);
        }
        if lacks(&told.response_types_supported, "code") {
            return Err(Problem::document(Party::Issuer, "there are no codes to exchange"));
        }
        let methods = &told.token_endpoint_auth_methods_supported;
        let is_post_only = lacks(methods, "client_secret_basic")
            && methods.iter().flatten().any(|it| it == "client_secret_post");
        let read = |party, address: &str| reach.read(party, address);
        let maybe = |party, address: Option<String>| {
            address.map(|address| reach.read(party, &address)).transpose()
        };
        Ok(Self {
            authorization: read(Party::Authorization, &told.authorization_endpoint)?,
            token: read(Party::Token, &told.token_endpoint)?,
            registration: maybe(Party::Registration, told.registration_endpoint)?,
            revocation: maybe(Party::Revocation, told.revocation_endpoint)?,
            scopes: told.scopes_supported.unwrap_or_default(),
            is_named: told.authorization_response_iss_parameter_supported,
            is_post_only,
            name: told.issuer,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_about_the_server_that_it_is_of() {
        let server = Url::parse("https://a.test/x/mcp?key=1").expect("an address");
        let of = |resource: &str| {
            let told = Resource {
                name: resource.to_owned(),
                authorization_servers: Vec::new(),
                scopes_supported: None,
            };
            told.ensure_of(&server).is_ok()
        };
        for good in
            ["https://a.test", "https://A.test/", "https://a.test/x", "https://a.test/x/mcp/"]
        {
            assert!(of(good), "{good}");
        }
        for bad in [
            "https://b.test/x/mcp",
            "https://a.test/x/m",
            "http://a.test/",
            "https://a.test:1",
            "a",
            "",
        ] {
            assert!(!of(bad), "{bad}");
        }
        assert_eq!(name(&server), "https://a.test/x/mcp");
    }
}
