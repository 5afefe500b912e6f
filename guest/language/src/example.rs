//! Examples of code: JSON in which bare words stand for terms, such as `{"get": [record, key?]}`.

use crate::parse::{Reading, parse};
use crate::term::{Origin, TermId, Terms};
use std::mem;

/// An example as a term.
#[derive(Debug)]
pub struct Example {
    /// The terms.
    pub terms: Terms,
    /// The whole.
    pub root: TermId,
    /// The words that stand for terms: free variables.
    pub words: Vec<String>,
}

/// Reads an example. A `?` behind a word or a key says that it may be missing; `…` stands for more
/// of the same and has no term. Of several words the first one counts, as in `text or regex`.
#[must_use]
pub fn read(example: &str) -> Option<Example> {
    let mut reader = Reader::default();
    let mut characters = example.chars().peekable();
    while let Some(c) = characters.next() {
        let is_escape = reader.is_text && c == '\\';
        reader.character(c);
        if is_escape {
            reader.json.extend(characters.next());
        }
    }
    reader.end_word();
    let mut terms = Terms::default();
    let root = parse(&mut terms, &reader.json, Origin::Code, Reading::Code).ok()?.root;
    Some(Example { terms, root, words: reader.words })
}

#[derive(Default)]
struct Reader {
    json: String,
    words: Vec<String>,
    /// The beginning of a word.
    word: String,
    /// Whether a word or a value stands before, so that no other can follow.
    is_full: bool,
    is_text: bool,
}

impl Reader {
    fn character(&mut self, c: char) {
        if self.is_text {
            self.is_text = c != '"';
            self.json.push(c);
            return;
        }
        match c {
            '"' => {
                self.is_text = true;
                self.json.push(c);
            }
            '?' => {}
            '…' => {
                // Without the comma before it.
                let kept = self.json.trim_end_matches([',', ' ']).len();
                self.json.truncate(kept);
            }
            _ if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') => self.word.push(c),
            _ => {
                self.end_word();
                self.is_full &= c == ' ';
                self.json.push(c);
            }
        }
    }

    fn end_word(&mut self) {
        let word = mem::take(&mut self.word);
        if word.is_empty() || mem::replace(&mut self.is_full, true) {
            return;
        }
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        if is_number || matches!(&*word, "true" | "false" | "null") {
            self.json.push_str(&word);
        } else {
            self.json.extend([r#"{"var":""#, &word, r#""}"#]);
            self.words.push(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::forms::FORMS;
    use crate::print;

    #[test]
    fn words_stand_for_terms() {
        for (example, term) in [
            (
                r#"{"get": [record, key, default?]}"#,
                r#"{"get":[{"var":"record"},{"var":"key"},{"var":"default"}]}"#,
            ),
            (r#"{"add": [a, -1, …]}"#, r#"{"add":[{"var":"a"},-1]}"#),
            (r#"{"slice": [s or list, from?]}"#, r#"{"slice":[{"var":"s"},{"var":"from"}]}"#),
            (r#"{"eq": [s, "a \" b, c"]}"#, r#"{"eq":[{"var":"s"},"a \" b, c"]}"#),
            (r#"["a", b, …]"#, r#"["a",{"var":"b"}]"#),
        ] {
            let found = read(example).map(|it| print::term(&it.terms, it.root));
            assert_eq!(found.as_deref(), Some(term));
        }
    }

    /// The syntax of each form is an example.
    #[test]
    fn syntaxes_are_examples() {
        for row in FORMS {
            for way in row.syntax.replace(" or {", "\n{").lines() {
                // A hole is no term of its own, and these show two lists of operands.
                let is_odd = matches!(row.name, "unquote" | "moment" | "insert");
                assert!(is_odd || read(way).is_some(), "{way}");
            }
        }
    }
}
