//! Words of the field that mean the same.

use std::sync::LazyLock;

use super::document::{Document, Kind};
use super::index::{Collection, Index as _};
use crate::error::Error;
use crate::sqlite::Transient;

/// The table: on each line words that mean the same.
const TABLE: &str = include_str!("synonyms.txt");

/// The lines as documents, so that an inflected word finds its line.
static LINES: LazyLock<Result<Transient, Error>> = LazyLock::new(|| {
    let index = Transient::new()?;
    let lines = lines().map(|(number, line)| Document::new(&number.to_string(), "", line, ""));
    index.put(SHELF, &lines.collect::<Vec<_>>())?;
    Ok(index)
});

const SHELF: Collection<'static> = Collection { kind: Kind::Form, owner: "" };

fn lines() -> impl Iterator<Item = (usize, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).enumerate()
}

/// The words that mean the same as this one.
pub(super) fn synonyms(word: &str) -> Result<Vec<&'static str>, Error> {
    let Ok(index) = LINES.as_ref() else { return Err(Error::Confused) };
    let mut found = Vec::new();
    for hit in index.hits(SHELF, word)? {
        let line = lines().find(|(number, _)| number.to_string() == hit.place);
        let words = line.into_iter().flat_map(|(_, line)| line.split_whitespace());
        found.extend(words.filter(|it| *it != word));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_words_have_synonyms() {
        let of = |word: &str| synonyms(word).expect("an index");
        assert!(of("dividing").contains(&"quotient") && of("uniquely").contains(&"distinct"));
        assert!(of("defaults").contains(&"fallback"));
        assert_eq!(of("xylophone"), [""; 0]);
    }

    #[test]
    fn each_line_has_several_words_in_small_letters() {
        for (_, line) in lines() {
            assert!(line.split_whitespace().count() > 1, "{line}");
            assert!(
                line.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == ' '),
                "{line}"
            );
        }
    }
}
