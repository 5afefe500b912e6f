//! The reasons why a token is refused. They go to the log: a client learns only that its token is
//! invalid.

/// The reason why a token is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is too long.
    #[error("the token has {0} bytes, too many")]
    TooLong(usize),
    /// It is not a signed JWT.
    #[error("the token is not a signed JWT: {0}")]
    Malformed(&'static str),
    /// A part lacks a member, has one twice or one of another type, or is not JSON.
    #[error("the {part} of the token cannot be read: {reason}")]
    Unreadable {
        /// The name of the part.
        part: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The header names extensions that must be understood.
    #[error("`crit` of the token names extensions")]
    Extended,
    /// It is no bearer token.
    #[error("`cnf` of the token binds it to a key, so it is no bearer token")]
    Bound,
    /// Its subject cannot be a name.
    #[error("`sub` of the token is not a name of 1 to 255 bytes")]
    Subject,
    /// The signature has an algorithm that is not accepted.
    #[error("the algorithm `{0}` is not accepted")]
    Algorithm(String),
    /// The token has another purpose.
    #[error("the token is of type `{0}`, which is no access token")]
    Type(String),
    /// The issuer has no such key.
    #[error("the issuer has no key `{id}` for {algorithm}")]
    UnknownKey {
        /// The name of the key in the token, or nothing.
        id: String,
        /// The name of the algorithm in the token.
        algorithm: &'static str,
    },
    /// Several keys of the issuer fit.
    #[error("several keys of the issuer fit the token")]
    AmbiguousKey,
    /// The signature does not fit.
    #[error("the signature of the token is wrong")]
    Signature,
    /// Somebody else issued it.
    #[error("the token was issued by `{0}`")]
    Issuer(String),
    /// It was issued for other resources.
    #[error("the token is for another audience, {0}: if that is this server, give --audience")]
    Audience(String),
    /// It has expired.
    #[error("the token has expired")]
    Expired,
    /// It is not valid yet.
    #[error("the token is not valid yet")]
    Early,
}
