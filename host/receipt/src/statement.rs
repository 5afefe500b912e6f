//! A statement about something that its digest names: in-toto's Statement, version 1
//! (<https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md>).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::envelope::Envelope;
use crate::key::{PrivateKey, PublicKey};

/// The version of the form.
const TYPE: &str = "https://in-toto.io/Statement/v1";

/// The type of a predicate that says which key follows another.
pub const ROTATION: &str = "https://github.com/mcp-pif/mcp-pif/key-rotation/v1";

/// A statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    /// What it is about.
    pub subject: Vec<Subject>,
    /// A URI that says how to read the predicate.
    pub predicate_type: String,
    /// What it says.
    pub predicate: Value,
}

/// A text that a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its sha256.
    pub digest: Sha256,
}

/// The sha256 of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sha256 {
    /// 64 hexadecimal digits.
    pub sha256: String,
}

impl Statement {
    /// A statement about texts, each a name and its sha256.
    #[must_use]
    pub fn new(subjects: &[(&str, &str)], predicate_type: &str, predicate: Value) -> Self {
        let subject = |(name, sha256): &(&str, &str)| Subject {
            name: (*name).to_owned(),
            digest: Sha256 { sha256: (*sha256).to_owned() },
        };
        Self {
            kind: TYPE.to_owned(),
            subject: subjects.iter().map(subject).collect(),
            predicate_type: predicate_type.to_owned(),
            predicate,
        }
    }

    /// Signs it.
    #[must_use]
    pub fn sign(&self, keys: &[&PrivateKey]) -> Envelope {
        Envelope::sign(&serde_json::json!(self).to_string(), keys)
    }

    /// Reads the statement of an envelope, if it is one of this predicate. It does not look at the
    /// signatures: see [`crate::Trust::signer`].
    #[must_use]
    pub fn read(envelope: &Envelope, predicate_type: &str) -> Option<Self> {
        let read: Self = serde_json::from_str(&envelope.text()?).ok()?;
        (read.kind == TYPE && read.predicate_type == predicate_type).then_some(read)
    }
}

/// The predicate of a rotation. Both keys sign it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rotation {
    /// The older key, in PEM.
    pub(crate) from: String,
    /// The key that follows it, in PEM.
    pub(crate) to: String,
    /// When, as RFC 3339 has it.
    pub(crate) at: String,
}

impl Rotation {
    /// The statement that one key follows another from a moment on, signed by both.
    pub(crate) fn sign(from: &PrivateKey, to: &PrivateKey, at: &str) -> Envelope {
        let (older, newer) = (from.public(), to.public());
        let predicate = serde_json::json!({"from": older.to_pem(), "to": newer.to_pem(), "at": at});
        Statement::new(&[("key", &newer.id())], ROTATION, predicate).sign(&[from, to])
    }

    /// The two keys of a rotation that both have signed.
    pub(crate) fn read(envelope: &Envelope) -> Option<(PublicKey, PublicKey, String)> {
        let statement = Statement::read(envelope, ROTATION)?;
        let rotation: Self = serde_json::from_value(statement.predicate).ok()?;
        let one = |pem: &str| match PublicKey::all_from_pem(pem).ok()?.as_slice() {
            [key] => Some(*key),
            _ => None,
        };
        let (from, to) = (one(&rotation.from)?, one(&rotation.to)?);
        let is_signed = envelope.is_signed_by(&from) && envelope.is_signed_by(&to);
        is_signed.then_some((from, to, rotation.at))
    }
}
