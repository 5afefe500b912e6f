//! Secrets that come while the broker works: the tokens of logins. Whoever has a copy of the secrets
//! learns them too.

use std::sync::{Arc, PoisonError, RwLock};

use super::redact::Spellings;

/// Texts of one name that are remembered: tokens follow each other, and an old one may still show.
const MOST: usize = 16;

/// The texts, with their names and their spellings.
#[derive(Clone, Default)]
pub(super) struct SecretTexts(Arc<RwLock<All>>);

#[derive(Default)]
struct All {
    texts: Vec<(String, String)>,
    spellings: Arc<Spellings>,
}

impl SecretTexts {
    /// Remembers a text.
    pub(super) fn add(&self, name: &str, text: &str) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.texts.iter().any(|(_, known)| known == text) {
            return;
        }
        let is_of = |(known, _): &(String, String)| known == name;
        if all.texts.iter().filter(|it| is_of(it)).count() >= MOST
            && let Some(first) = all.texts.iter().position(is_of)
        {
            all.texts.remove(first);
        }
        all.texts.push((name.to_owned(), text.to_owned()));
        let named = all.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let spellings = Spellings::of(named);
        all.spellings = Arc::new(spellings);
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).texts.is_empty()
    }

    /// How they may be spelled.
    pub(super) fn spellings(&self) -> Arc<Spellings> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner).spellings)
    }
}
