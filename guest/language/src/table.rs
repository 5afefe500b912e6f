//! Tables from forms to a stage's functions. An incomplete table does not compile.

use crate::form::{Evaluation, Form};
use crate::forms::{COUNT, FORMS};

/// An entry for each form of one evaluation.
#[derive(Debug)]
pub struct Table<T: 'static> {
    entries: &'static [(Form, T)],
    /// The number of each form's entry, counted from 1; 0 for none.
    numbers: [u8; COUNT],
}

impl<T: Copy> Table<T> {
    /// Makes a table with an entry for each form of this evaluation.
    ///
    /// # Panics
    /// At compile time, where a form of this evaluation has no entry, or any form has two.
    pub const fn of(evaluation: Evaluation, entries: &'static [(Form, T)]) -> Self {
        assert!(entries.len() < 256, "the number of an entry is a byte");
        let (mut numbers, mut number) = ([0; COUNT], 0);
        while (number as usize) < entries.len() {
            let form = entries[number as usize].0;
            assert!(numbers[form as usize] == 0, "a form has two entries");
            number += 1;
            numbers[form as usize] = number;
        }
        let mut at = 0;
        while at < COUNT {
            let is_missing = numbers[at] == 0 && FORMS[at].evaluation as u8 == evaluation as u8;
            assert!(!is_missing, "a form of this evaluation has no entry");
            at += 1;
        }
        Self { entries, numbers }
    }

    /// Returns the entry of a form.
    #[must_use]
    pub fn get(&self, form: Form) -> Option<T> {
        let number = usize::from(*self.numbers.get(form as usize)?);
        Some(self.entries.get(number.checked_sub(1)?)?.1)
    }
}
