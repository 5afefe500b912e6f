//! What is known of the language.

use super::super::reference::{Form, Spelling, forms, spellings};

/// A form of the language, or something of JavaScript and its meaning.
#[derive(Debug, Clone, Copy)]
pub enum LanguageTopic {
    /// A form.
    Form(&'static Form),
    /// Something of JavaScript.
    Spelling(&'static Spelling),
}

/// The form or spelling with a name.
pub(super) fn known(place: &str) -> Option<LanguageTopic> {
    let form = forms().iter().find(|form| form.name == place).map(LanguageTopic::Form);
    form.or_else(|| spellings().iter().find(|it| it.names == place).map(LanguageTopic::Spelling))
}
