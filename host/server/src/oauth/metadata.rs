//! The metadata of the protected resource (RFC 9728): they lead clients from a refused request to
//! the authorization server.

use serde_json::json;

use super::address;
use super::error::Error;

/// The path of the metadata of a resource at the root of its host.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Builds the document. `scopes` are those that a token can have.
pub fn metadata(resource: &str, issuer: &str, scopes: &[&str]) -> Result<String, Error> {
    address::resource(resource)?;
    address::issuer(issuer)?;
    let document = json!({
        "resource": resource,
        "authorization_servers": [issuer],
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
    });
    Ok(document.to_string())
}

/// The path under which the server of a resource offers the document: the path of the resource
/// follows the well-known one.
pub fn metadata_path(resource: &str) -> Result<String, Error> {
    let path = address::resource(resource)?.path;
    Ok(format!("{WELL_KNOWN}{}", if path == "/" { "" } else { path }))
}

/// The URL of the document.
pub fn metadata_url(resource: &str) -> Result<String, Error> {
    let origin = address::resource(resource)?.origin;
    Ok(format!("{origin}{}", metadata_path(resource)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_to_the_issuer() {
        let document =
            metadata("https://pif.example.com/mcp", "https://login.example.com", &["read", "run"]);
        let document: serde_json::Value =
            serde_json::from_str(&document.expect("a document")).expect("JSON");
        let expected = json!({
            "resource": "https://pif.example.com/mcp",
            "authorization_servers": ["https://login.example.com"],
            "scopes_supported": ["read", "run"],
            "bearer_methods_supported": ["header"],
        });
        assert_eq!(document, expected);
        assert!(metadata("https://a", "http://b", &[]).is_err());
        assert!(metadata("http://a", "https://b", &[]).is_err());
    }

    #[test]
    fn the_path_of_the_resource_comes_last() {
        for (resource, url) in [
            ("https://a/mcp", "https://a/.well-known/oauth-protected-resource/mcp"),
            ("https://a:1/b/mcp", "https://a:1/.well-known/oauth-protected-resource/b/mcp"),
            ("https://a/", "https://a/.well-known/oauth-protected-resource"),
            ("https://a", "https://a/.well-known/oauth-protected-resource"),
        ] {
            assert_eq!(metadata_url(resource).as_deref(), Ok(url));
        }
    }
}
