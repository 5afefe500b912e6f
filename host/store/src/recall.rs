//! A bounded cache of computed results. A result must depend only on its key.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Results by key, with a limit on their number and on their bytes. A full cache is emptied.
#[derive(Debug)]
pub struct Recall<T> {
    most: usize,
    most_bytes: usize,
    kept: Mutex<Entries<T>>,
}

#[derive(Debug)]
struct Entries<T> {
    results: HashMap<String, T>,
    bytes: usize,
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self { results: HashMap::new(), bytes: 0 }
    }
}

impl<T: Clone> Recall<T> {
    /// An empty cache for `most` results and `most_bytes` bytes.
    #[must_use]
    pub fn new(most: usize, most_bytes: usize) -> Self {
        Self { most, most_bytes, kept: Mutex::default() }
    }

    /// The result of a key, if it is cached.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<T> {
        self.kept().results.get(key).cloned()
    }

    /// Caches a result of about `bytes` bytes.
    pub fn keep(&self, key: &str, result: T, bytes: usize) {
        let bytes = bytes.saturating_add(key.len());
        let mut kept = self.kept();
        if kept.results.len() >= self.most || kept.bytes.saturating_add(bytes) > self.most_bytes {
            *kept = Entries::default();
        }
        if bytes <= self.most_bytes {
            kept.bytes += bytes;
            kept.results.insert(key.to_owned(), result);
        }
    }

    fn kept(&self) -> MutexGuard<'_, Entries<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_when_it_is_full() {
        let recall = Recall::new(2, 100);
        recall.keep("a", 1, 10);
        recall.keep("b", 2, 10);
        assert_eq!((recall.get("a"), recall.get("b"), recall.get("c")), (Some(1), Some(2), None));
        recall.keep("c", 3, 98);
        assert_eq!((recall.get("a"), recall.get("b"), recall.get("c")), (None, None, Some(3)));
        recall.keep("d", 4, 100);
        assert_eq!(recall.get("d"), None);
    }
}
