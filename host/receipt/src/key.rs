//! A key of ed25519 (RFC 8032), in the forms that other programs read: PKCS #8 (RFC 5958) and
//! `SubjectPublicKeyInfo` in PEM (RFC 8410).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::sha256;

/// What stands before the 32 bytes of a public key in its `SubjectPublicKeyInfo`.
const PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

const BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
const END: &str = "-----END PUBLIC KEY-----";

/// Why a key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text is no key of this kind.
    #[error("it is no key of ed25519")]
    Malformed,
    /// The system gives no random numbers.
    #[error("the system has no random numbers")]
    NoRandomness,
}

/// A private key. It has no `Debug` that would show it.
pub struct PrivateKey {
    pair: Ed25519KeyPair,
    document: Vec<u8>,
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PrivateKey").field(&self.public().id()).finish()
    }
}

impl PrivateKey {
    /// Makes a key from random numbers of the system.
    pub fn generate() -> Result<Self, KeyError> {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        Self::from_pkcs8(document.map_err(|_| KeyError::NoRandomness)?.as_ref())
    }

    /// Reads a PKCS #8 document.
    pub fn from_pkcs8(document: &[u8]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_pkcs8(document).map_err(|_| KeyError::Malformed)?;
        Ok(Self { pair, document: document.to_vec() })
    }

    /// Its PKCS #8 document.
    #[must_use]
    pub fn to_pkcs8(&self) -> &[u8] {
        &self.document
    }

    /// Its public key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.pair.public_key().as_ref());
        PublicKey(bytes)
    }

    /// The signature of a message: 64 bytes.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

/// A public key: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Its `SubjectPublicKeyInfo`, in DER.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        [&PREFIX[..], &self.0[..]].concat()
    }

    /// Reads a `SubjectPublicKeyInfo` in DER.
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        let bytes = der.strip_prefix(&PREFIX[..]).and_then(|it| it.try_into().ok());
        bytes.map(Self).ok_or(KeyError::Malformed)
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key of these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        bytes.try_into().map(Self).map_err(|_| KeyError::Malformed)
    }

    /// Its id: the sha256 of its `SubjectPublicKeyInfo`, as 64 hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> String {
        sha256(self.to_der())
    }

    /// The key in PEM, with a line end.
    #[must_use]
    pub fn to_pem(&self) -> String {
        format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode(self.to_der()))
    }

    /// Reads all keys of a text in PEM. What stands between them is a comment.
    pub fn all_from_pem(text: &str) -> Result<Vec<Self>, KeyError> {
        let mut keys = Vec::new();
        for block in text.split(BEGIN).skip(1) {
            let (body, _) = block.split_once(END).ok_or(KeyError::Malformed)?;
            let body: String = body.split_whitespace().collect();
            let der = STANDARD.decode(body).map_err(|_| KeyError::Malformed)?;
            keys.push(Self::from_der(&der)?);
        }
        Ok(keys)
    }

    /// Whether this key made the signature of a message.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(message, signature).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, section 7.1, test 3.
    #[test]
    fn a_signature_of_the_standard_is_verified() {
        let bytes = |hex: &str| -> Vec<u8> {
            (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
                .collect()
        };
        let der = [
            &PREFIX[..],
            &bytes("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"),
        ]
        .concat();
        let key = PublicKey::from_der(&der).unwrap();
        let signature = bytes(
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac\
             18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        );
        assert!(key.verifies(&bytes("af82"), &signature));
        assert!(!key.verifies(&bytes("af83"), &signature));
    }

    #[test]
    fn keys_are_written_and_read_back() {
        let key = PrivateKey::generate().unwrap();
        let again = PrivateKey::from_pkcs8(key.to_pkcs8()).unwrap();
        assert_eq!(key.public(), again.public());
        let other = PrivateKey::generate().unwrap().public();
        let text = format!("# first\n{}\n# second\n{}", key.public().to_pem(), other.to_pem());
        assert_eq!(PublicKey::all_from_pem(&text).unwrap(), [key.public(), other]);
        assert_eq!(
            PublicKey::all_from_pem("-----BEGIN PUBLIC KEY-----\nAAAA"),
            Err(KeyError::Malformed)
        );
        assert!(format!("{key:?}").len() < 100);
    }
}
