//! Checkpoints of the journal: signed notes of its size and of the root of the tree over all entries.
//! Whoever kept one can see later that the journal still has what it had then.

use pif_domain::{Fault, FaultCode, fault};
use pif_receipt::{Checkpoint, Link, PublicKey};
use pif_store::{Position, Store};

use super::keys::unsigned;
use super::opening::Workshop;
use super::refusal::stored;

/// Checkpoints that a store keeps.
const MOST: usize = 1_000;

/// Why a journal is not the one of a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum Mismatch {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] pif_store::Error),
    /// The text is no checkpoint that a trusted key has signed.
    #[error("it is no checkpoint that a trusted key has signed")]
    Unsigned,
    /// It is about another store.
    #[error("it is a checkpoint of the store {0}: this is a different journal")]
    Other(String),
    /// An entry is not there.
    #[error("entry {id}, with which chain {chain} ended, is not there: entries are missing")]
    Missing {
        /// The chain.
        chain: i64,
        /// The number of the entry.
        id: i64,
    },
    /// An entry was removed, so it cannot be compared.
    #[error(
        "entry {id}, with which chain {chain} ended, was removed to keep the journal within its size: \
         expect a checkpoint from entry {first} on"
    )]
    Removed {
        /// The chain.
        chain: i64,
        /// The number of the entry.
        id: i64,
        /// The first entry that can be compared.
        first: i64,
    },
    /// An entry is another.
    #[error(
        "entry {id} of chain {chain} is not the one of the checkpoint: it or entries before it were changed"
    )]
    Changed {
        /// The chain.
        chain: i64,
        /// The number of the entry.
        id: i64,
    },
    /// The chains have another number of entries.
    #[error("the journal has {found} entries up to the checkpoint, which has {size}")]
    Size {
        /// Entries that are there.
        found: i64,
        /// Entries of the checkpoint.
        size: u64,
    },
}

impl Workshop {
    /// Refuses where it has no key, and so can make no checkpoints.
    pub fn ensure_signs(&self) -> Result<(), Fault> {
        self.keys()?.current().map(drop).map_err(|error| unsigned(&error))
    }

    /// Makes a checkpoint, if something came since the last one and no other process makes them. Gives it.
    pub fn checkpoint(&self) -> Result<Option<String>, Fault> {
        let keys = self.keys()?;
        let key = keys.current().map_err(|error| unsigned(&error))?;
        let own: Vec<PublicKey> = keys.public().map(|(_, key)| key).collect();
        if !self.store.makes_checkpoints().map_err(stored)? {
            return Ok(None);
        }
        let last = self.store.last_checkpoint().map_err(stored)?;
        let ends = self.store.heads().map_err(stored)?;
        let size = ends.iter().map(|end| end.entries).sum::<i64>();
        let heads = ends
            .iter()
            .map(|end| (end.chain, Link { id: end.id, hash: end.hash.to_string() }))
            .collect();
        let said = last.as_deref().and_then(|note| Checkpoint::read(note, &own));
        if size == 0 || said.is_some_and(|it| it.heads == heads) {
            return Ok(None);
        }
        let checkpoint = Checkpoint {
            origin: self.store.identity().map_err(stored)?,
            size: u64::try_from(size).map_err(|_| {
                fault(FaultCode::Internal, "a chain has fewer than no entries".to_owned(), None)
            })?,
            before: last.as_deref().map(Checkpoint::digest),
            heads,
        };
        let note = checkpoint.sign(key);
        let kept = self.store.keep_checkpoint(&note, last.as_deref(), MOST).map_err(stored)?;
        Ok(kept.then_some(note))
    }
}

/// Compares a journal, whose chains are verified, with a checkpoint that one of these keys has signed.
pub fn compare(store: &dyn Store, note: &str, keys: &[PublicKey]) -> Result<Checkpoint, Mismatch> {
    let said = Checkpoint::read(note, keys).ok_or(Mismatch::Unsigned)?;
    if said.origin != store.identity()? {
        return Err(Mismatch::Other(said.origin));
    }
    let mut found = 0;
    for (&chain, link) in &said.heads {
        let id = link.id;
        match store.position(chain, id)? {
            Position::Known(head) if head.hash.to_string() == link.hash => found += head.entries,
            Position::Known(_) => return Err(Mismatch::Changed { chain, id }),
            Position::Removed(first) => return Err(Mismatch::Removed { chain, id, first }),
            Position::Missing => return Err(Mismatch::Missing { chain, id }),
        }
    }
    if u64::try_from(found) != Ok(said.size) {
        return Err(Mismatch::Size { found, size: said.size });
    }
    Ok(said)
}
