//! The statements, by the kind of row. Each reads one state of the store.

pub(crate) mod areas;
pub(crate) mod checkpoints;
pub(crate) mod entries;
pub(crate) mod find;
pub(crate) mod leases;
pub(crate) mod memos;
pub(crate) mod sessions;
pub(crate) mod tools;

/// A number of rows as the database counts.
pub(crate) fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// Texts as the database keeps them.
pub(crate) fn bytes(texts: &[String]) -> Vec<&[u8]> {
    texts.iter().map(String::as_bytes).collect()
}
