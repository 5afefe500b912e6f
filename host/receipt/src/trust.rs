//! Whose signatures count: the keys that a reader trusts, those that followed them by a rotation,
//! and not those that were revoked before a statement was made.

use std::collections::BTreeMap;

use pif_domain::text::time;

use crate::envelope::Envelope;
use crate::key::PublicKey;
use crate::statement::Rotation;

/// Why a signature does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// No key that is trusted has signed.
    #[error("no trusted key has signed it: it is signed by {0}")]
    Unknown(String),
    /// The key was revoked before the statement was made.
    #[error("its key {0} was revoked before it was signed")]
    Revoked(String),
}

/// The keys that a reader trusts.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    keys: Vec<PublicKey>,
    /// The ids of keys, with the moment from which each does not count, in milliseconds since 1970.
    revoked: BTreeMap<String, i64>,
}

impl Trust {
    /// Trusts these keys.
    #[must_use]
    pub fn new(keys: Vec<PublicKey>) -> Self {
        Self { keys, revoked: BTreeMap::new() }
    }

    /// The keys that it was made of.
    #[must_use]
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// Takes away keys: each line of the text has the id of a key and the moment from which its
    /// signatures do not count, as RFC 3339 has it; without one none of them counts. The error is the
    /// number of the line that is wrong.
    pub fn revoke(&mut self, text: &str) -> Result<(), usize> {
        for (line, number) in text.lines().zip(1..) {
            let line = line.split('#').next().unwrap_or(line).trim();
            let mut words = line.split_whitespace();
            let Some(id) = words.next() else { continue };
            let is_id = id.len() == 64 && id.bytes().all(|it| it.is_ascii_hexdigit());
            let moment = match words.next() {
                None => Some(i64::MIN),
                Some(word) => time::parse(word),
            };
            let (true, Some(moment), None) = (is_id, moment, words.next()) else {
                return Err(number);
            };
            self.revoked.insert(id.to_ascii_lowercase(), moment);
        }
        Ok(())
    }

    /// Who signed an envelope at a moment, in milliseconds since 1970: the id of a trusted key, or of one that
    /// followed a trusted one by these rotations.
    pub fn signer(
        &self,
        envelope: &Envelope,
        rotations: &[Envelope],
        moment: i64,
    ) -> Result<String, Distrust> {
        let mut keys = self.keys.clone();
        for (from, to, at) in rotations.iter().filter_map(Rotation::read) {
            let at = time::parse(&at).unwrap_or(i64::MAX);
            if keys.contains(&from) && !self.is_revoked(&from.id(), at) && !keys.contains(&to) {
                keys.push(to);
            }
        }
        let signers = keys.iter().filter(|key| envelope.is_signed_by(key)).map(PublicKey::id);
        let mut revoked = None;
        for id in signers {
            if !self.is_revoked(&id, moment) {
                return Ok(id);
            }
            revoked = Some(id);
        }
        let named = || envelope.signatures().iter().map(|it| it.keyid.clone()).collect::<Vec<_>>();
        Err(revoked.map_or_else(|| Distrust::Unknown(named().join(", ")), Distrust::Revoked))
    }

    fn is_revoked(&self, id: &str, moment: i64) -> bool {
        self.revoked.get(id).is_some_and(|from| *from <= moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::PrivateKey;

    #[test]
    fn trust_follows_rotations_and_ends_with_a_revocation() {
        let keys: Vec<PrivateKey> = (0..4).map(|_| PrivateKey::generate().unwrap()).collect();
        let id = |at: usize| keys[at].public().id();
        let rotations = [
            Rotation::sign(&keys[0], &keys[1], "2026-01-01T00:00:00Z"),
            Rotation::sign(&keys[1], &keys[2], "2026-02-01T00:00:00Z"),
        ];
        let signed = |at: usize| Envelope::sign("{}", &[&keys[at]]);
        let moment = |text: &str| time::parse(text).unwrap();
        let march = moment("2026-03-01T00:00:00Z");
        let mut trust = Trust::new(vec![keys[0].public()]);
        for at in 0..3 {
            assert_eq!(trust.signer(&signed(at), &rotations, march), Ok(id(at)));
        }
        assert_eq!(trust.signer(&signed(3), &rotations, march), Err(Distrust::Unknown(id(3))));
        assert_eq!(trust.signer(&signed(2), &rotations[1..], march), Err(Distrust::Unknown(id(2))));
        // A rotation that one key alone has signed counts for nothing.
        let alone = Statement::read(&rotations[0], crate::ROTATION).unwrap().sign(&[&keys[1]]);
        assert_eq!(trust.signer(&signed(1), &[alone], march), Err(Distrust::Unknown(id(1))));
        // Before the moment a key counts, from it on it does not, nor does what followed it later.
        trust.revoke(&format!("# a thief\n{} 2026-01-15T00:00:00Z\n", id(1))).unwrap();
        let early = moment("2026-01-10T00:00:00Z");
        assert_eq!(trust.signer(&signed(1), &rotations, early), Ok(id(1)));
        assert_eq!(trust.signer(&signed(1), &rotations, march), Err(Distrust::Revoked(id(1))));
        assert_eq!(trust.signer(&signed(2), &rotations, march), Err(Distrust::Unknown(id(2))));
        assert_eq!(trust.revoke("abc"), Err(1));
        assert_eq!(trust.revoke(&format!("\n{} soon", id(0))), Err(2));
    }

    use crate::statement::Statement;
}
