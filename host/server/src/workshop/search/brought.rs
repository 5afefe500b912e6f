//! The index of what the program brings along: the forms and the library.

use std::sync::LazyLock;

use pif_store::find::{Document, Kind, sign};
use pif_store::registry::Definition;
use pif_store::{Error, Transient};

use super::super::library::library;
use super::super::reference::{Form, Spelling, forms, spellings};
use super::sought::own;

static BROUGHT: LazyLock<Result<Transient, Error>> = LazyLock::new(|| {
    let index = Transient::new()?;
    let tools: Vec<Document> = library().tools().map(Definition::document).collect();
    index.put(own(Kind::Library), &tools)?;
    let forms = forms().iter().map(of_form);
    let all: Vec<Document> = forms.chain(spellings().iter().map(of_spelling)).collect();
    index.put(own(Kind::Form), &all)?;
    Ok(index)
});

/// The index.
pub(super) fn brought() -> Result<&'static Transient, Error> {
    BROUGHT.as_ref().map_err(|error| {
        tracing::error!(%error, "the index of forms cannot be made");
        Error::Confused
    })
}

fn of_form(form: &Form) -> Document {
    let body = format!("{} {} {}", form.group, form.notation, form.details.join(" "));
    Document::new(&form.name, &form.name, &form.doc, &body)
}

fn of_spelling(it: &Spelling) -> Document {
    let about = format!("{} {}", it.words, it.doc);
    Document::new(&it.names, &names(&it.names).join(" "), &about, &it.example)
}

/// The names in a row: words without the letters that stand for anything, and operators.
fn names(text: &str) -> Vec<String> {
    let is_sign = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_punctuation());
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let between = word.trim_matches(char::is_alphanumeric);
        if is_sign(word) || (between.len() > 1 && is_sign(between)) {
            found.push(sign(between));
        }
        let parts = word.split(|c: char| !c.is_alphanumeric() && c != '_');
        found.extend(parts.filter(|it| it.len() > 1 && *it != "xs").map(str::to_owned));
    }
    found
}
