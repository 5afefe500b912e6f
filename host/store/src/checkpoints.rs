//! What a store keeps for checkpoints of its journal: its own id, where each chain ends, and the checkpoints.
//! It knows neither trees nor signatures.

use super::error::Error;
use super::journal::Hash;

/// An entry with all entries of its chain before it, to which its hash commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of the chain.
    pub chain: i64,
    /// The number of the entry in the store.
    pub id: i64,
    /// Its hash.
    pub hash: Hash,
    /// The number of entries of the chain up to this one, removed ones included.
    pub entries: i64,
}

/// What a store knows of an entry that a chain once ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// It is there, or is the last one that was removed.
    Known(Head),
    /// It was removed to keep the journal within its size; this one is the last that was.
    Removed(i64),
    /// The chain has no such entry.
    Missing,
}

/// The reads and writes that checkpoints need.
pub trait Checkpoints {
    /// What tells this store from all others: text without white space. A copy of the store has it too.
    fn identity(&self) -> Result<String, Error>;
    /// The last entry of each chain that ever had one, sorted by chain, from one consistent state.
    fn heads(&self) -> Result<Vec<Head>, Error>;
    /// An entry of a chain, by its number.
    fn position(&self, chain: i64, id: i64) -> Result<Position, Error>;
    /// The last checkpoint.
    fn last_checkpoint(&self) -> Result<Option<String>, Error>;
    /// Keeps a checkpoint, if `before` is the last one still; whether it was. The latest `most` remain.
    fn keep_checkpoint(&self, note: &str, before: Option<&str>, most: usize)
    -> Result<bool, Error>;
    /// Whether this process is the one that makes checkpoints now. Several may ask; where one of them has
    /// to be chosen, it stays so as long as its process lives.
    fn makes_checkpoints(&self) -> Result<bool, Error>;
}
