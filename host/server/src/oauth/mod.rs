//! Bearer tokens of an OAuth authorization server. The server is a resource server: it checks JWTs
//! (RFC 7519, RFC 9068) against a set of public keys (RFC 7517), and tells clients where to get
//! tokens (RFC 9728, RFC 6750). Nothing here opens a file or a connection, or reads the clock.

mod address;
mod algorithm;
mod challenge;
mod claims;
mod error;
mod key;
mod keys;
mod member;
mod metadata;
mod refusal;
#[cfg(test)]
mod tests;
mod verifier;
mod words;

pub use self::challenge::{BearerError, challenge};
pub use self::claims::VerifiedToken;
pub use self::error::Error;
pub use self::metadata::{metadata, metadata_path, metadata_url};
pub use self::refusal::Refusal;
pub use self::verifier::Verifier;
pub use self::words::ScopeWords;
