//! The links of the chain.

use std::fmt;

/// A link of the chain: sha256.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hash(pub [u8; 32]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: [char; 16] =
            ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
        let digit = |n: u8| DIGITS.get(usize::from(n)).copied().unwrap_or_default();
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in self.0 {
            text.extend([digit(byte >> 4), digit(byte & 15)]);
        }
        f.write_str(&text)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Where a chain stands: after an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The entry's number, 0 before the first.
    pub id: i64,
    /// Bytes of all bodies up to there.
    pub ends: i64,
    /// The entry's hash.
    pub hash: Hash,
}
