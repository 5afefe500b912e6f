//! Our registration with an authorization server: a client that the operator made there, or one that
//! registers itself (RFC 7591).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::metadata::{Issuer, Method};
use super::problem::{Party, Problem};
use super::wire::Wire;

/// The name that the operator sees in the browser.
const NAME: &str = "mcp-pif";

/// A client of an authorization server. It has no `Debug`: its secret shows nowhere.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    /// None: it is that of the file, or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
    pub(super) method: Method,
}

impl Client {
    /// A client that the operator made.
    pub(super) fn own(id: &str, secret: Option<&str>, issuer: &Issuer) -> Self {
        let method = if secret.is_some() { with_secret(issuer) } else { Method::None };
        Self { id: id.to_owned(), secret: secret.map(str::to_owned), method }
    }

    /// Registers a client to which the browser comes back at this address.
    pub(super) async fn register(
        wire: &Wire,
        issuer: &Issuer,
        redirect: &str,
        scopes: &[String],
    ) -> Result<Self, Problem> {
        let none = || Problem::NoRegistration { issuer: issuer.name.clone() };
        let url = issuer.registration.as_ref().ok_or_else(none)?;
        let mut asked = json!({
            "client_name": NAME,
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "native",
        });
        if !scopes.is_empty() {
            asked["scope"] = scopes.join(" ").into();
        }
        let body = ("application/json", asked.to_string().into_bytes());
        let answer = wire.post(Party::Registration, url, HeaderMap::new(), body).await?;
        if !answer.is_success() {
            return Err(answer.refusal());
        }
        let told: RegistrationResponse = answer.read()?;
        if told.client_id.is_empty() {
            return Err(Problem::document(Party::Registration, "`client_id` is empty"));
        }
        let secret = told.client_secret.filter(|it| !it.is_empty());
        let method = match (&secret, told.token_endpoint_auth_method.as_deref()) {
            (None, _) | (_, Some("none")) => Method::None,
            (_, Some("client_secret_post")) => Method::ClientSecretPost,
            (_, Some("client_secret_basic")) => Method::ClientSecretBasic,
            _ => with_secret(issuer),
        };
        Ok(Self { id: told.client_id, secret, method })
    }

    /// Says who we are, in the parameters of a request or in its headers.
    pub(super) fn sign(&self, form: &mut Vec<(&'static str, String)>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let secret = self.secret.as_deref().unwrap_or_default();
        match self.method {
            Method::ClientSecretBasic => {
                let pair = format!("{}:{}", encoded(&self.id), encoded(secret));
                let value = format!("Basic {}", STANDARD.encode(pair));
                if let Ok(mut value) = HeaderValue::try_from(value) {
                    value.set_sensitive(true);
                    headers.insert(AUTHORIZATION, value);
                }
                return headers;
            }
            Method::ClientSecretPost => form.push(("client_secret", secret.to_owned())),
            Method::None => {}
        }
        form.push(("client_id", self.id.clone()));
        headers
    }
}

#[derive(Deserialize)]
struct RegistrationResponse {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

fn with_secret(issuer: &Issuer) -> Method {
    if issuer.is_post_only { Method::ClientSecretPost } else { Method::ClientSecretBasic }
}

/// The parameters of a request as forms have them.
pub(super) fn form(parameters: &[(&str, String)]) -> Vec<u8> {
    let Ok(mut url) = Url::parse("https://form.invalid/") else { return Vec::new() };
    url.query_pairs_mut().extend_pairs(parameters);
    url.query().unwrap_or_default().as_bytes().to_vec()
}

/// A text as forms have it: so it stands in the header of a client with a secret.
fn encoded(text: &str) -> String {
    let pair = form(&[("", text.to_owned())]);
    String::from_utf8_lossy(&pair).trim_start_matches('=').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_says_who_it_is_in_its_way() {
        let signed = |method| {
            let client = Client { id: "a b".into(), secret: Some("c:d=".into()), method };
            let mut parameters = Vec::new();
            let headers = client.sign(&mut parameters);
            let header =
                headers.get(AUTHORIZATION).map(|it| it.to_str().unwrap_or_default().to_owned());
            (String::from_utf8(form(&parameters)).expect("a text"), header)
        };
        assert_eq!(signed(Method::None), ("client_id=a+b".to_owned(), None));
        let post = "client_secret=c%3Ad%3D&client_id=a+b".to_owned();
        assert_eq!(signed(Method::ClientSecretPost), (post, None));
        let basic = format!("Basic {}", STANDARD.encode("a+b:c%3Ad%3D"));
        assert_eq!(signed(Method::ClientSecretBasic), (String::new(), Some(basic)));
    }
}
