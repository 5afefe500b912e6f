//! Checkpoints (<https://c2sp.org/tlog-checkpoint>): a signed note with the size and the root of a log.
//! The log consists of chains: the hash of an entry covers all entries of its chain before it. So the root is
//! that of a tree whose leaves are the last entries of the chains. Extension lines tell of them, and of the
//! checkpoint before.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::key::{PrivateKey, PublicKey};
use crate::note::Note;
use crate::sha256;
use crate::tree;

/// What begins the line of the checkpoint before.
const BEFORE: &str = "before";

/// What begins the line of a chain.
const HEAD: &str = "head";

/// What a checkpoint says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The id of the log.
    pub origin: String,
    /// The number of its entries.
    pub size: u64,
    /// The sha256 of the checkpoint before, if there was one.
    pub before: Option<String>,
    /// The last entry of each chain.
    pub heads: BTreeMap<i64, Link>,
}

/// An entry of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its number.
    pub id: i64,
    /// Its hash, as hexadecimal digits.
    pub hash: String,
}

impl Checkpoint {
    /// Signs it, by the name of the log. Gives the note.
    #[must_use]
    pub fn sign(&self, key: &PrivateKey) -> String {
        let Self { origin, size, before, heads } = self;
        let mut lines = vec![origin.clone(), size.to_string(), root(heads)];
        lines.extend(before.iter().map(|it| format!("{BEFORE} {it}")));
        lines.extend(leaves(heads).map(|leaf| format!("{HEAD} {leaf}")));
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
        let (origin, size, said) = (lines.next()?, lines.next()?, lines.next()?);
        let (mut before, mut heads) = (None, BTreeMap::new());
        for line in lines {
            match line.split(' ').collect::<Vec<_>>().as_slice() {
                [BEFORE, digest] if before.is_none() => before = Some((*digest).to_owned()),
                [HEAD, chain, id, hash] => {
                    let (chain, id) = (chain.parse().ok()?, id.parse().ok()?);
                    if heads.insert(chain, Link { id, hash: (*hash).to_owned() }).is_some() {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let is_canonical = size.parse::<u64>().is_ok_and(|it| it.to_string() == size);
        let is_root = said == root(&heads);
        let (origin, size) = (origin.to_owned(), size.parse().ok()?);
        (is_canonical && is_root).then_some(Self { origin, size, before, heads })
    }

    /// The sha256 by which the checkpoint after it names a note.
    #[must_use]
    pub fn digest(note: &str) -> String {
        sha256(note)
    }
}

/// The leaves of the tree: `CHAIN NUMBER HASH`, sorted by chain.
fn leaves(heads: &BTreeMap<i64, Link>) -> impl Iterator<Item = String> {
    heads.iter().map(|(chain, Link { id, hash })| format!("{chain} {id} {hash}"))
}

/// The root of the tree, in base64.
fn root(heads: &BTreeMap<i64, Link>) -> String {
    STANDARD.encode(tree::root(leaves(heads)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(id: i64) -> Link {
        Link { id, hash: "7".repeat(64) }
    }

    #[test]
    fn checkpoints_are_written_and_read_back() {
        let (key, other) = (PrivateKey::generate().unwrap(), PrivateKey::generate().unwrap());
        let first = Checkpoint {
            origin: "log/1".to_owned(),
            size: 3,
            before: None,
            heads: BTreeMap::from([(0, link(3))]),
        };
        let note = first.sign(&key);
        assert_eq!(Checkpoint::read(&note, &[other.public(), key.public()]), Some(first.clone()));
        assert_eq!(Checkpoint::read(&note, &[other.public()]), None);
        let next = Checkpoint {
            before: Some(Checkpoint::digest(&note)),
            size: 4,
            heads: BTreeMap::from([(0, link(3)), (2, link(4))]),
            ..first
        };
        assert_eq!(Checkpoint::read(&next.sign(&key), &[key.public()]), Some(next.clone()));
        let (root, other_root) = (root(&next.heads), root(&BTreeMap::new()));
        let hash = "7".repeat(64);
        let heads = format!("head 0 3 {hash}\nhead 2 4 {hash}\n");
        let right = Note::sign(&format!("log\n4\n{root}\n{heads}"), "log", &key);
        assert!(Checkpoint::read(&right, &[key.public()]).is_some());
        for text in [
            "log\n1\n".to_owned(),
            "log\n1\nAA==\n".to_owned(),
            format!("log\n04\n{root}\n{heads}"),
            format!("log\n4\n{other_root}\n{heads}"),
            format!("log\n4\n{root}\n{heads}head 2 4 {hash}\n"),
            format!("log\n4\n{root}\n{heads}head 5\n"),
        ] {
            let text = text.as_str();
            let note = Note::sign(text, "log", &key);
            assert_eq!(Checkpoint::read(&note, &[key.public()]), None, "{text}");
        }
    }
}
