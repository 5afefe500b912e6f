//! Tables from forms to a stage's functions. An incomplete table does not compile.

use crate::language::form::{Evaluation, Form};
use crate::language::forms::{COUNT, FORMS};

/// An entry for each form of one evaluation.
pub(crate) struct Table<T: 'static>([Option<T>; COUNT]);

impl<T: Copy> Table<T> {
    /// Makes a table with an entry for each form of this evaluation.
    ///
    /// # Panics
    /// At compile time, if a form of this evaluation has no entry, or any form has two.
    pub(crate) const fn of(evaluation: Evaluation, entries: &[(Form, T)]) -> Self {
        let mut table = [None; COUNT];
        let mut at = 0;
        while at < entries.len() {
            let (form, entry) = entries[at];
            assert!(table[form as usize].is_none(), "a form has two entries");
            table[form as usize] = Some(entry);
            at += 1;
        }
        let mut at = 0;
        while at < COUNT {
            let is_missing = table[at].is_none() && FORMS[at].evaluation as u8 == evaluation as u8;
            assert!(!is_missing, "a form of this evaluation has no entry");
            at += 1;
        }
        Self(table)
    }

    /// Returns the entry of a form.
    pub(crate) fn get(&self, form: Form) -> Option<T> {
        *self.0.get(form as usize)?
    }
}
