//! Checkpoints (<https://c2sp.org/tlog-checkpoint>): a signed note with the size and the root of a log.
//! Two extension lines tell of the checkpoint before and of the parts of which the log consists.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::key::{PrivateKey, PublicKey};
use crate::note::Note;
use crate::sha256;
use crate::tree::Root;

/// What begins the line of the checkpoint before.
const BEFORE: &str = "before";

/// What begins the line of a part.
const HEAD: &str = "head";

/// What a checkpoint says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The id of the log.
    pub origin: String,
    /// The number of its leaves.
    pub size: u64,
    /// The root of its tree.
    pub root: Root,
    /// The sha256 of the checkpoint before, if there was one.
    pub before: Option<String>,
    /// The number of the last leaf of each part.
    pub heads: BTreeMap<i64, i64>,
}

impl Checkpoint {
    /// Signs it, by the name of the log. Gives the note.
    #[must_use]
    pub fn sign(&self, key: &PrivateKey) -> String {
        let Self { origin, size, root, before, heads } = self;
        let mut lines = vec![origin.clone(), size.to_string(), STANDARD.encode(root)];
        lines.extend(before.iter().map(|it| format!("{BEFORE} {it}")));
        lines.extend(heads.iter().map(|(part, last)| format!("{HEAD} {part} {last}")));
        Note::sign(&format!("{}\n", lines.join("\n")), origin, key)
    }

    /// Reads a checkpoint that one of these keys has signed by the name of its log. None if it is none.
    #[must_use]
    pub fn read(note: &str, keys: &[PublicKey]) -> Option<Self> {
        let note = Note::read(note)?;
        let read = Self::parse(note.text())?;
        keys.iter().any(|key| note.is_signed_by(&read.origin, key)).then_some(read)
    }

    /// Reads the text of a checkpoint, whoever signed it.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        let (mut before, mut heads) = (None, BTreeMap::new());
        for line in lines {
            match line.split(' ').collect::<Vec<_>>().as_slice() {
                [BEFORE, digest] if before.is_none() => before = Some((*digest).to_owned()),
                [HEAD, part, last] => {
                    let part = part.parse().ok()?;
                    if heads.insert(part, last.parse().ok()?).is_some() {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let is_canonical = size.parse::<u64>().is_ok_and(|it| it.to_string() == size);
        let root = STANDARD.decode(root).ok()?.try_into().ok()?;
        let (origin, size) = (origin.to_owned(), size.parse().ok()?);
        is_canonical.then_some(Self { origin, size, root, before, heads })
    }

    /// The sha256 by which the checkpoint after it names a note.
    #[must_use]
    pub fn digest(note: &str) -> String {
        sha256(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_written_and_read_back() {
        let (key, other) = (PrivateKey::generate().unwrap(), PrivateKey::generate().unwrap());
        let first = Checkpoint {
            origin: "log/1".to_owned(),
            size: 3,
            root: [7; 32],
            before: None,
            heads: BTreeMap::from([(0, 3)]),
        };
        let note = first.sign(&key);
        assert_eq!(Checkpoint::read(&note, &[other.public(), key.public()]), Some(first.clone()));
        assert_eq!(Checkpoint::read(&note, &[other.public()]), None);
        let next = Checkpoint {
            before: Some(Checkpoint::digest(&note)),
            size: 4,
            heads: BTreeMap::from([(0, 3), (2, 4)]),
            ..first
        };
        assert_eq!(Checkpoint::read(&next.sign(&key), &[key.public()]), Some(next));
        for text in ["log\n1\n", "log\n01\nAA==\n", "log\n1\nAA==\n", "log\n1\nAA==\nhead 1\n"] {
            let note = Note::sign(text, "log", &key);
            assert_eq!(Checkpoint::read(&note, &[key.public()]), None, "{text}");
        }
    }
}
