//! Signed statements: keys of ed25519 ([`Keyring`], [`PublicKey`]), DSSE envelopes ([`Envelope`]),
//! in-toto statements ([`Statement`]), the keys that a reader trusts ([`Trust`]), and checkpoints of a
//! log ([`Checkpoint`]). It knows nothing of runs and tools: whoever makes a statement gives
//! its predicate.

mod checkpoint;
mod envelope;
mod key;
mod keyring;
mod note;
mod statement;
mod tree;
mod trust;

pub use self::checkpoint::{Checkpoint, Link};
pub use self::envelope::{Envelope, Signature};
pub use self::key::{KeyError, PrivateKey, PublicKey};
pub use self::keyring::{Error, Keyring};
pub use self::note::{Note, verifier};
pub use self::statement::{ROTATION, Statement, Subject};
pub use self::trust::{Distrust, Trust};

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The sha256 of bytes, as 64 hexadecimal digits.
#[must_use]
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
