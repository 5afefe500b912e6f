//! The public keys of an issuer: a JWK Set (RFC 7517).

use pif_domain::text;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::algorithm::Algorithm;
use super::error::Error;
use super::key::Key;
use super::refusal::Refusal;

/// The most bytes of a set.
const LARGEST: usize = 256 << 10;
/// The most keys of a set.
const MOST: usize = 64;

/// The keys of an issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    keys: Vec<Key>,
    /// Why other keys of the set are not used.
    pub(super) notes: Vec<String>,
}

/// A set whose keys are read one by one: an unusable key does not spoil the others.
#[derive(Deserialize)]
struct Set<'a> {
    #[serde(borrow)]
    keys: Vec<&'a RawValue>,
}

impl Keys {
    /// Reads a set. Keys of other kinds are left out, as RFC 7517 wants.
    pub(super) fn read(json: &str) -> Result<Self, Error> {
        let refused = |reason: &str| Err(Error(format!("the set of keys is unusable: {reason}")));
        if json.len() > LARGEST {
            return refused("it has more than 256 KiB");
        }
        let set: Set<'_> = match serde_json::from_str(json) {
            Ok(set) => set,
            Err(error) => return refused(&error.to_string()),
        };
        if set.keys.len() > MOST {
            return refused("it has more than 64 keys");
        }
        let mut keys = Vec::new();
        let mut notes = Vec::new();
        for (index, item) in set.keys.into_iter().enumerate() {
            match Key::read(item.get()) {
                Ok(key) => keys.push(key),
                Err(reason) => notes.push(format!("/keys/{index} is not used: {reason}")),
            }
        }
        if keys.is_empty() {
            let notes = notes.join("; ");
            return refused(&format!("it has no key to check signatures with; {notes}"));
        }
        Ok(Self { keys, notes })
    }

    /// Picks the key of a token by its name, or the only key that fits.
    pub(super) fn pick(&self, id: Option<&str>, algorithm: Algorithm) -> Result<&Key, Refusal> {
        let is_named = |key: &&Key| id.is_none() || key.id.as_deref() == id;
        let mut fitting = self.keys.iter().filter(is_named).filter(|key| key.fits(algorithm));
        match (fitting.next(), fitting.next()) {
            (Some(key), None) => Ok(key),
            (Some(_), Some(_)) => Err(Refusal::AmbiguousKey),
            (None, _) => Err(Refusal::UnknownKey {
                id: text::line(id.unwrap_or_default(), text::MOST_NAME),
                algorithm: algorithm.name(),
            }),
        }
    }
}
