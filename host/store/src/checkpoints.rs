//! What a store keeps for checkpoints of its journal: its own id, the hash of every entry, of those too
//! that were removed, and the checkpoints. It knows neither trees nor signatures.

use super::error::Error;
use super::journal::Hash;

/// An entry as checkpoints count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// The number of its chain.
    pub chain: i64,
    /// Its number in the store.
    pub id: i64,
    /// Its hash.
    pub hash: Hash,
}

/// The reads and writes that checkpoints need.
pub trait Checkpoints {
    /// What tells this store from all others: text without white space. A copy of the store has it too.
    fn identity(&self) -> Result<String, Error>;
    /// The numbers of all chains with an entry, in order.
    fn chains(&self) -> Result<Vec<i64>, Error>;
    /// Hands on all entries with greater numbers than `after`, of those too that were removed, sorted by
    /// chain and number, from one consistent state.
    fn leaves(&self, after: i64, take: &mut dyn FnMut(Leaf)) -> Result<(), Error>;
    /// The last checkpoint.
    fn last_checkpoint(&self) -> Result<Option<String>, Error>;
    /// Keeps a checkpoint, if `before` is the last one still; whether it was. The latest `most` remain.
    fn keep_checkpoint(&self, note: &str, before: Option<&str>, most: usize)
    -> Result<bool, Error>;
    /// Whether this process is the one that makes checkpoints now. Several may ask; where one of them has
    /// to be chosen, it stays so as long as its process lives.
    fn makes_checkpoints(&self) -> Result<bool, Error>;
}
