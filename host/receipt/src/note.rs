//! Signed notes (<https://c2sp.org/signed-note>): a text, an empty line, and lines with signatures.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::key::{PrivateKey, PublicKey};

/// What begins a line with a signature.
const MARK: &str = "\u{2014} ";

/// The byte that stands for ed25519.
const ED25519: u8 = 1;

/// A note that was read. Its signatures are not verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The signed text, with its last line end.
    text: String,
    signatures: Vec<Line>,
}

/// A line with a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    name: String,
    /// Four bytes of the key's hash, then the signature.
    bytes: Vec<u8>,
}

impl Note {
    /// Signs a text of whole lines by the name of a key. Gives the note.
    #[must_use]
    pub fn sign(text: &str, name: &str, key: &PrivateKey) -> String {
        let hash = hash(name, &key.public());
        let signature = STANDARD.encode([&hash[..], &key.sign(text.as_bytes())].concat());
        format!("{text}\n{MARK}{name} {signature}\n")
    }

    /// Reads a note. None if it is none.
    #[must_use]
    pub fn read(note: &str) -> Option<Self> {
        let (text, lines) = note.rsplit_once("\n\n")?;
        let lines = lines.strip_suffix('\n')?;
        let signatures: Option<Vec<Line>> = lines.split('\n').map(Line::read).collect();
        let is_plain = |it: char| it == '\n' || !it.is_control();
        let text = format!("{text}\n");
        text.chars().all(is_plain).then_some(Self { text, signatures: signatures? })
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a key signed it by this name.
    #[must_use]
    pub fn is_signed_by(&self, name: &str, key: &PublicKey) -> bool {
        let hash = hash(name, key);
        let mut signatures = self.signatures.iter().filter(|it| it.name == name);
        signatures.any(|it| {
            let signature = it.bytes.strip_prefix(&hash[..]);
            signature.is_some_and(|it| key.verifies(self.text.as_bytes(), it))
        })
    }
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let (name, signature) = line.strip_prefix(MARK)?.split_once(' ')?;
        let bytes = STANDARD.decode(signature).ok()?;
        let is_name =
            !name.is_empty() && !name.contains(|it: char| it == '+' || it.is_whitespace());
        (is_name && bytes.len() > 4).then(|| Self { name: name.to_owned(), bytes })
    }
}

/// The key as programs that verify notes take it: its name, its hash, and its bytes.
#[must_use]
pub fn verifier(name: &str, key: &PublicKey) -> String {
    let digits: String = hash(name, key).iter().map(|byte| format!("{byte:02x}")).collect();
    let bytes = [&[ED25519], &key.bytes()[..]].concat();
    format!("{name}+{digits}+{}", STANDARD.encode(bytes))
}

/// What tells keys of a name apart.
fn hash(name: &str, key: &PublicKey) -> [u8; 4] {
    let digest = Sha256::new()
        .chain_update(name)
        .chain_update([b'\n', ED25519])
        .chain_update(key.bytes())
        .finalize();
    [digest[0], digest[1], digest[2], digest[3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key and the note of the documentation of Go's `golang.org/x/mod/sumdb/note`.
    #[test]
    fn a_note_of_another_implementation_is_verified() {
        let bytes = STANDARD.decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW").unwrap();
        let key = PublicKey::from_bytes(&bytes[1..]).unwrap();
        assert_eq!(
            verifier("PeterNeumann", &key),
            "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
        );
        let text = "If you think cryptography is the answer to your problem,\n\
            then you don't know what your problem is.\n";
        let note = format!(
            "{text}\n\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
        );
        let read = Note::read(&note).unwrap();
        assert_eq!(read.text(), text);
        assert!(read.is_signed_by("PeterNeumann", &key));
        assert!(!read.is_signed_by("Somebody", &key));
    }

    #[test]
    fn a_changed_byte_is_refused() {
        let key = PrivateKey::generate().unwrap();
        let note = Note::sign("a\nb\n", "me", &key);
        assert!(Note::read(&note).unwrap().is_signed_by("me", &key.public()));
        for at in 0..note.len() {
            let mut bytes = note.clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            let Some(changed) = Note::read(&changed) else { continue };
            assert!(!changed.is_signed_by("me", &key.public()), "{at}");
        }
        for wrong in [
            "",
            "a",
            "a\n\n",
            "a\n\nb\n",
            "a\n\n\u{2014} me AAAA\n",
            "a\tb\n\n\u{2014} me AAAAAAAA\n",
        ] {
            assert_eq!(Note::read(wrong), None, "{wrong:?}");
        }
    }
}
