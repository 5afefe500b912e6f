//! The algorithms of signatures that are accepted. All of them have a public key, so a token cannot
//! be signed with anything that the server publishes or reads.

/// An algorithm of a signature (RFC 7518, RFC 8037).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// RSA with the padding of PKCS #1.
    Rs256,
    /// RSA with the padding of PSS.
    Ps256,
    /// ECDSA with the curve P-256.
    Es256,
    /// `EdDSA` with the curve Ed25519.
    EdDsa,
}

impl Algorithm {
    /// Finds an algorithm by its name. RFC 9864 gives `EdDSA` its second name.
    pub(super) fn find(name: &str) -> Option<Self> {
        Some(match name {
            "RS256" => Self::Rs256,
            "PS256" => Self::Ps256,
            "ES256" => Self::Es256,
            "EdDSA" | "Ed25519" => Self::EdDsa,
            _ => return None,
        })
    }

    /// The name in tokens.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }
}
