//! The names of tools as labels. Evolved tools are many, and each label is a series of figures.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The most names of evolved tools and of other servers that get figures of their own.
const MOST: usize = 200;

/// The name of all others.
const OTHERS: &str = "_others";

/// The names that were met.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<HashSet<String>>);

impl Names {
    /// The label of a name.
    pub(super) fn label(&self, name: Cow<'static, str>) -> Cow<'static, str> {
        let Cow::Owned(name) = name else { return name };
        self.of(&name)
    }

    /// The label of a name that may be any.
    pub(super) fn of(&self, name: &str) -> Cow<'static, str> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(name) {
            if known.len() >= MOST {
                return OTHERS.into();
            }
            known.insert(name.to_owned());
        }
        name.to_owned().into()
    }
}
