//! Tables from forms to a stage's functions. An incomplete table does not compile.

use crate::form::{Evaluation, Form};
use crate::forms::{COUNT, FORMS};

/// An entry for each form of one evaluation.
#[derive(Debug)]
pub struct Table<T> {
    entries: [Option<T>; COUNT],
}

impl<T: Copy> Table<T> {
    /// Makes a table with an entry for each form of this evaluation, of groups of entries.
    ///
    /// # Panics
    /// At compile time, where a form of this evaluation has no entry, or any form has two.
    pub const fn of(evaluation: Evaluation, groups: &[&[(Form, T)]]) -> Self {
        let (mut entries, mut group) = ([None; COUNT], 0);
        while group < groups.len() {
            let mut at = 0;
            while at < groups[group].len() {
                let (form, entry) = groups[group][at];
                assert!(entries[form as usize].is_none(), "a form has two entries");
                entries[form as usize] = Some(entry);
                at += 1;
            }
            group += 1;
        }
        let mut at = 0;
        while at < COUNT {
            let is_missing =
                entries[at].is_none() && FORMS[at].evaluation as u8 == evaluation as u8;
            assert!(!is_missing, "a form of this evaluation has no entry");
            at += 1;
        }
        Self { entries }
    }

    /// Returns the entry of a form.
    #[must_use]
    pub fn get(&self, form: Form) -> Option<T> {
        *self.entries.get(form as usize)?
    }
}
