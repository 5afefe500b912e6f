//! What can be looked for, as fields of text.

use std::collections::HashSet;
use std::fmt::Write as _;

use pif_domain::json::text_length;

/// The most bytes of a body that are indexed.
const MOST_BODY: usize = 256 << 10;

/// The kind of a document. Each kind stands on a shelf of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A tool that was evolved.
    Tool,
    /// A tool of the standard library.
    Library,
    /// A form of the language, or something of JavaScript and its meaning.
    Form,
    /// An entry of the memory.
    Memory,
    /// An entry of the journal.
    Journal,
    /// A tool of another server, or a native capability.
    Upstream,
    /// A session or a saved state.
    Session,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Tool,
        Self::Library,
        Self::Form,
        Self::Memory,
        Self::Journal,
        Self::Upstream,
        Self::Session,
    ];

    /// The name in replies and in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Library => "library",
            Self::Form => "form",
            Self::Memory => "memory",
            Self::Journal => "journal",
            Self::Upstream => "upstream",
            Self::Session => "session",
        }
    }

    /// The name of all of them, in requests.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Library => "library",
            Self::Form => "forms",
            Self::Memory => "memory",
            Self::Journal => "journal",
            Self::Upstream => "upstream",
            Self::Session => "sessions",
        }
    }

    /// The kind that a request names, in either number.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| [kind.plural(), kind.name()].contains(&name))
    }
}

/// Something that can be looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Its name among those of its kind and owner.
    pub place: String,
    /// Its name as words, which count three times.
    pub name: String,
    /// What it is said to be, which counts twice.
    pub about: String,
    /// Its content, each word once.
    pub body: String,
}

impl Document {
    /// A document with its texts as they are written.
    #[must_use]
    pub fn new(place: &str, name: &str, about: &str, body: &str) -> Self {
        Self { place: place.to_owned(), name: named(name), about: spread(about), body: once(body) }
    }
}

/// The word that stands for an operator such as `?.` in an index, which knows letters and digits only.
#[must_use]
pub fn sign(operator: &str) -> String {
    let mut word = "sign".to_owned();
    for byte in operator.bytes() {
        // Writing to a text cannot fail.
        let _ = write!(word, "{byte:02x}");
    }
    word
}

/// What stands between words. Other characters are left to the index.
pub(super) fn is_gap(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c.is_ascii_punctuation()
}

/// The words of a text; of `camelCase` the parts follow on the whole.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_gap).filter(|it| !it.is_empty()).flat_map(|word| {
        let parts = parts(word);
        let several = parts.len() > 1;
        std::iter::once(word).chain(parts.into_iter().filter(move |_| several))
    })
}

/// The parts of a word in `camelCase`.
pub(super) fn parts(word: &str) -> Vec<&str> {
    let (mut parts, mut start, mut was_small) = (Vec::new(), 0, false);
    for (at, c) in word.char_indices() {
        if c.is_uppercase() && was_small {
            parts.extend(word.get(start..at));
            start = at;
        }
        was_small = c.is_lowercase();
    }
    parts.extend(word.get(start..));
    parts
}

fn spread(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

/// The words of a name, and those of each part without blanks as one: `group_by` is found as `groupby`.
fn named(name: &str) -> String {
    let mut told = spread(name);
    for part in name.split_whitespace() {
        let pieces: Vec<&str> = part.split(is_gap).filter(|it| !it.is_empty()).collect();
        if pieces.len() > 1 {
            told.push(' ');
            told.push_str(&pieces.concat());
        }
    }
    told
}

/// Each word of a text once, so that long texts are not taken for unlikely ones.
fn once(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(MOST_BODY)).unwrap_or_default();
    let mut seen = HashSet::new();
    words(text).filter(|word| seen.insert(word.to_lowercase())).collect::<Vec<_>>().join(" ")
}

/// JSON with strings and keys decoded and everything else as it is.
#[must_use]
pub fn decoded(json: &str) -> String {
    let (mut text, mut rest) = (String::new(), json);
    while let Some(start) = rest.find('"') {
        let (before, from) = rest.split_at(start);
        let (literal, after) = from.split_at(text_length(from));
        text.push_str(before);
        text.push(' ');
        if let Ok(decoded) = serde_json::from_str::<String>(literal) {
            text.push_str(&decoded);
        } else {
            let inner = literal.strip_prefix('"').unwrap_or(literal);
            text.push_str(inner.strip_suffix('"').unwrap_or(inner));
        }
        if text.len() >= MOST_BODY {
            break;
        }
        rest = after;
        text.push(' ');
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_parts_and_as_one() {
        let it = Document::new("x", "std_left_join createIssue", "", "");
        assert_eq!(it.name, "std left join createIssue create Issue stdleftjoin");
        assert_eq!(sign("?."), "sign3f2e");
    }

    #[test]
    fn values_are_searched_as_they_read() {
        let json = r#"{"na\u006de":["\u00fcber\n1",-1.50,true,"\\\"x\ud800", "name"]}"#;
        let words: Vec<String> =
            Document::new("", "", "", &decoded(json)).body.split(' ').map(str::to_owned).collect();
        assert_eq!(words, ["name", "über", "1", "50", "true", "x", "ud800"]);
        assert!(once(&format!("\"{}\"", "é".repeat(1 << 20))).len() <= MOST_BODY);
    }
}
