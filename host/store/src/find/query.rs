//! The words of a query. No character of it is syntax.

use super::document::{is_gap, parts, sign};

/// The most words of a query that are looked for.
const MOST_WORDS: usize = 32;

/// The most characters of a word.
const LONGEST_WORD: usize = 100;

/// Words of questions that say nothing of what is looked for, with blanks between them.
const STOPS: &str = include_str!("stops.txt");

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The words, in small letters, each once.
    pub(super) words: Vec<String>,
    /// The query as a whole, in small letters.
    pub(super) whole: String,
}

impl Query {
    /// The words of a text. Without any word it finds nothing.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            for word in asked(word) {
                let word: String = word.chars().take(LONGEST_WORD).collect();
                if words.len() < MOST_WORDS && !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        let is_telling = |word: &String| !STOPS.split_whitespace().any(|stop| stop == word);
        if words.iter().any(is_telling) {
            words.retain(is_telling);
        }
        Self { words, whole: text.trim().to_lowercase() }
    }

    /// Where the first of its words begins in a text in small letters.
    #[must_use]
    pub fn first_in(&self, text: &str) -> Option<usize> {
        self.words.iter().filter_map(|word| text.find(word.as_str())).min()
    }

    /// Whether there is no word in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// The words of what stands between blanks; an operator is one.
fn asked(word: &str) -> Vec<String> {
    let bare = word.trim_matches(['`', '"', '\'']);
    if !bare.is_empty() && bare.chars().all(|c| c.is_ascii_punctuation()) {
        return vec![sign(bare)];
    }
    let is_word = |it: &&str| it.contains(char::is_alphanumeric);
    word.split(is_gap).filter(is_word).flat_map(parts).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_words() {
        let words = |text: &str| Query::new(text).words;
        assert_eq!(words("xs NEAR(b\" median\0*"), ["xs", "near", "b", "median"]);
        assert_eq!(
            words("How do I compute the leftJoin of a table?"),
            ["compute", "left", "join", "table"]
        );
        assert_eq!(words("for"), ["for"], "nothing else is there");
        assert_eq!(words("?."), ["sign3f2e"]);
        for nothing in ["", " \t", "\0\u{1b}", "🙂"] {
            assert!(Query::new(nothing).is_empty(), "{nothing:?}");
        }
        let many = (0..10_000).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(words(&many).len(), MOST_WORDS);
    }
}
