//! Secrets that come while the broker works: the tokens of logins. Whoever has a copy of the secrets
//! learns them too.

use std::sync::{Arc, PoisonError, RwLock};

/// Texts of one name that are remembered: tokens follow each other, and an old one may still show.
const MOST: usize = 16;

/// The texts, with their names.
#[derive(Clone, Default)]
pub(super) struct Learned(Arc<RwLock<Vec<(String, String)>>>);

impl Learned {
    /// Remembers a text.
    pub(super) fn add(&self, name: &str, text: &str) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.iter().any(|(_, known)| known == text) {
            return;
        }
        let of_name = all.iter().filter(|(known, _)| known == name).count();
        if of_name >= MOST
            && let Some(first) = all.iter().position(|(known, _)| known == name)
        {
            all.remove(first);
        }
        all.push((name.to_owned(), text.to_owned()));
    }

    /// All texts, with their names.
    pub(super) fn all(&self) -> Vec<(String, String)> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
