//! Checkpoints of the journal: signed notes of its size and of the root of the tree over all entries.
//! Whoever kept one can see later that the journal still has what it had then.

use std::collections::BTreeMap;

use pif_domain::Fault;
use pif_receipt::{Checkpoint, PublicKey, Tree};
use pif_store::{Leaf, Store};

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
    /// Entries are not there.
    #[error("the journal has {found} of the {size} entries of the checkpoint: entries are missing")]
    Missing {
        /// Entries that are there.
        found: u64,
        /// Entries of the checkpoint.
        size: u64,
    },
    /// Entries are others.
    #[error("the journal does not contain the entries of the checkpoint: some were changed")]
    Changed,
}

/// The tree over the entries of a journal, as far as they were read.
#[derive(Debug, Default)]
pub struct JournalTree {
    tree: Tree,
    heads: BTreeMap<i64, i64>,
}

impl JournalTree {
    /// Adds what came since. Leaves are sorted by chain: only those of a single chain all come last.
    fn grow(&mut self, store: &dyn Store) -> Result<(), pif_store::Error> {
        let chains = store.chains()?;
        let known: Vec<i64> = self.heads.keys().copied().collect();
        if chains.len() > 1 || known != chains {
            *self = Self::default();
        }
        let after = self.heads.values().max().copied().unwrap_or_default();
        let mut is_single = true;
        store.leaves(after, &mut |leaf| {
            self.add(leaf);
            is_single &= self.heads.len() == 1;
        })?;
        // A chain began meanwhile.
        if after > 0 && !is_single {
            *self = Self::default();
            return store.leaves(0, &mut |leaf| self.add(leaf));
        }
        Ok(())
    }

    fn add(&mut self, leaf: Leaf) {
        let Leaf { chain, id, hash } = leaf;
        self.tree.push(format!("{chain} {id} {hash}").as_bytes());
        self.heads.insert(chain, id);
    }
}

impl Workshop {
    /// Whether it has a key, so that it can make checkpoints.
    #[must_use]
    pub fn can_sign(&self) -> bool {
        self.keys().is_ok_and(|keys| keys.current().is_ok())
    }

    /// Makes a checkpoint, if something came since the last one and no other process makes them. Gives
    /// it. `grown` is what was read before.
    pub fn checkpoint(&self, grown: &mut JournalTree) -> Result<Option<String>, Fault> {
        let keys = self.keys()?;
        let key = keys.current().map_err(|error| unsigned(&error))?;
        let own: Vec<PublicKey> = keys.public().map(|(_, key)| key).collect();
        if !self.store.makes_checkpoints().map_err(stored)? {
            return Ok(None);
        }
        let last = self.store.last_checkpoint().map_err(stored)?;
        grown.grow(self.store.as_ref()).map_err(stored)?;
        let (size, root) = (grown.tree.size(), grown.tree.root());
        let said = last.as_deref().and_then(|note| Checkpoint::read(note, &own));
        if size == 0 || said.is_some_and(|it| it.size == size && it.root == root) {
            return Ok(None);
        }
        let checkpoint = Checkpoint {
            origin: self.store.identity().map_err(stored)?,
            size,
            root,
            before: last.as_deref().map(Checkpoint::digest),
            heads: grown.heads.clone(),
        };
        let note = checkpoint.sign(key);
        let kept = self.store.keep_checkpoint(&note, last.as_deref(), MOST).map_err(stored)?;
        Ok(kept.then_some(note))
    }
}

/// Compares a journal with a checkpoint that one of these keys has signed.
pub fn compare(store: &dyn Store, note: &str, keys: &[PublicKey]) -> Result<Checkpoint, Mismatch> {
    let said = Checkpoint::read(note, keys).ok_or(Mismatch::Unsigned)?;
    if said.origin != store.identity()? {
        return Err(Mismatch::Other(said.origin));
    }
    let mut then = JournalTree::default();
    store.leaves(0, &mut |leaf| {
        if said.heads.get(&leaf.chain).is_some_and(|last| leaf.id <= *last) {
            then.add(leaf);
        }
    })?;
    let found = then.tree.size();
    if found < said.size {
        return Err(Mismatch::Missing { found, size: said.size });
    }
    if found != said.size || then.tree.root() != said.root {
        return Err(Mismatch::Changed);
    }
    Ok(said)
}
