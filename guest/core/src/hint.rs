//! Hints: what to write instead, as words with examples of code between them.

use std::borrow::Cow;
use std::fmt;

/// A hint. Both notations share its words; each notation has its own spelling of an
/// example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Words(Cow<'static, str>),
    /// JSON in which bare words stand for terms, such as `{"add": [a, b]}`.
    Example(Cow<'static, str>),
}

/// A hint in a table: words and examples by turns. Words come first.
pub type Parts = &'static [&'static str];

impl Hint {
    /// Adds words.
    #[must_use]
    pub fn words(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.parts.push(Part::Words(words.into()));
        self
    }

    /// Adds an example: JSON in which bare words stand for terms, `a?` for one that may be missing,
    /// and `…` for more of them.
    #[must_use]
    pub fn example(mut self, example: impl Into<Cow<'static, str>>) -> Self {
        self.parts.push(Part::Example(example.into()));
        self
    }

    /// Adds the parts of another hint.
    #[must_use]
    pub fn extend(mut self, other: impl Into<Self>) -> Self {
        self.parts.extend(other.into().parts);
        self
    }

    /// Adds another hint after `; `.
    #[must_use]
    pub fn and(self, other: impl Into<Self>) -> Self {
        self.words("; ").extend(other)
    }

    /// Returns the examples.
    pub fn examples(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Example(example) => Some(&**example),
            Part::Words(_) => None,
        })
    }

    /// Returns the hint with its examples in another notation, as words. An example that `spell`
    /// cannot spell stays as it is.
    #[must_use]
    pub fn spelled(self, spell: impl Fn(&str) -> Option<String>) -> Self {
        let parts = self.parts.into_iter().map(|part| match part {
            Part::Example(example) => Part::Words(spell(&example).map_or(example, Cow::Owned)),
            words @ Part::Words(_) => words,
        });
        Self { parts: parts.collect() }
    }
}

impl From<&'static str> for Hint {
    fn from(words: &'static str) -> Self {
        Self::default().words(words)
    }
}

impl From<String> for Hint {
    fn from(words: String) -> Self {
        Self::default().words(words)
    }
}

/// Words and examples by turns.
#[inline(never)]
fn by_turns(parts: &[&'static str]) -> Hint {
    let part = |(at, text): (usize, &&'static str)| match at % 2 {
        0 => Part::Words(Cow::Borrowed(*text)),
        _ => Part::Example(Cow::Borrowed(*text)),
    };
    Hint { parts: parts.iter().enumerate().map(part).collect() }
}

impl From<Parts> for Hint {
    fn from(parts: Parts) -> Self {
        by_turns(parts)
    }
}

impl<const N: usize> From<[&'static str; N]> for Hint {
    fn from(parts: [&'static str; N]) -> Self {
        by_turns(&parts)
    }
}

/// The hint with its examples as JSON.
impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Words(text) | Part::Example(text) => f.write_str(text),
        })
    }
}
