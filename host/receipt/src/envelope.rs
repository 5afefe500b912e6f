//! The envelope of a signed text: DSSE v1.0.2 (<https://github.com/secure-systems-lab/dsse>).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::key::{PrivateKey, PublicKey};

/// The type of an in-toto statement.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// A text with its signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// The type of the text.
    payload_type: String,
    /// The text, in base64.
    payload: String,
    /// Who signed it.
    signatures: Vec<Signature>,
}

/// A signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// The id of the key.
    pub keyid: String,
    /// 64 bytes, in base64.
    sig: String,
}

impl Envelope {
    /// Signs a text with each of these keys.
    #[must_use]
    pub fn sign(text: &str, keys: &[&PrivateKey]) -> Self {
        let message = encoding(PAYLOAD_TYPE, text.as_bytes());
        let signature = |key: &&PrivateKey| Signature {
            keyid: key.public().id(),
            sig: STANDARD.encode(key.sign(&message)),
        };
        Self {
            payload_type: PAYLOAD_TYPE.to_owned(),
            payload: STANDARD.encode(text),
            signatures: keys.iter().map(signature).collect(),
        }
    }

    /// The text, without regard to its signatures. None if it is no statement.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let payload = STANDARD.decode(&self.payload).ok()?;
        (self.payload_type == PAYLOAD_TYPE).then(|| String::from_utf8(payload).ok()).flatten()
    }

    /// Whether this key signed it: there is a signature under its id, and it verifies.
    #[must_use]
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        let Ok(payload) = STANDARD.decode(&self.payload) else { return false };
        let message = encoding(&self.payload_type, &payload);
        let id = key.id();
        let mut signatures = self.signatures.iter().filter(|it| it.keyid == id);
        signatures.any(|it| STANDARD.decode(&it.sig).is_ok_and(|sig| key.verifies(&message, &sig)))
    }

    /// The signatures.
    #[must_use]
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }
}

/// The bytes that are signed: DSSE's pre-authentication encoding.
fn encoding(kind: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of DSSE's `protocol.md`.
    #[test]
    fn the_encoding_is_that_of_the_protocol() {
        let encoded = encoding("http://example.com/HelloWorld", b"hello world");
        assert_eq!(encoded, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    }

    #[test]
    fn a_changed_byte_is_refused() {
        let (key, other) = (PrivateKey::generate().unwrap(), PrivateKey::generate().unwrap());
        let envelope = Envelope::sign("{\"a\":1}", &[&key]);
        assert!(envelope.is_signed_by(&key.public()));
        assert!(!envelope.is_signed_by(&other.public()));
        assert_eq!(envelope.text().as_deref(), Some("{\"a\":1}"));
        let json = serde_json::to_string(&envelope).unwrap();
        let mut read = 0;
        for at in 0..json.len() {
            let mut bytes = json.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = serde_json::from_slice::<Envelope>(&bytes);
            let Ok(changed) = changed else { continue };
            read += 1;
            assert!(!changed.is_signed_by(&key.public()), "{at}");
        }
        assert!(read > 100, "{read} were read");
    }
}
