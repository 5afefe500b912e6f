//! The words of values and queries for the full-text index. Characters of a query are parts of
//! words or separators, never syntax of the index.

use pif_domain::json::text_length;

/// The most words of a query that are searched.
const MOST_WORDS: usize = 64;

/// The most characters of a word.
const LONGEST_WORD: usize = 100;

/// The most bytes of a value that are indexed.
const MOST_SEARCHED: usize = 256 << 10;

/// The fewest bytes of a word that also matches longer words. Shorter prefixes match too many.
const SHORTEST_BEGINNING: usize = 3;

/// The query in the syntax of the index: each word, as a whole word and as a prefix. None if there
/// is no word in it.
pub(crate) fn expression(query: &str) -> Option<String> {
    let is_gap = |c: char| c.is_whitespace() || c.is_control() || c.is_ascii_punctuation();
    let mut words: Vec<String> = Vec::new();
    for word in query.split(is_gap).filter(|word| word.contains(char::is_alphanumeric)) {
        let word: String = word.chars().take(LONGEST_WORD).collect();
        if words.len() == MOST_WORDS {
            break;
        }
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let ask = |word: &String| {
        if word.len() < SHORTEST_BEGINNING {
            return format!("\"{word}\"");
        }
        format!("\"{word}\" OR \"{word}\" *")
    };
    let asked: Vec<String> = words.iter().map(ask).collect();
    (!asked.is_empty()).then(|| asked.join(" OR "))
}

/// The text of a value for the index: strings and keys decoded, everything else unchanged.
pub(crate) fn searchable(json: &str) -> String {
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
        if text.len() >= MOST_SEARCHED {
            break;
        }
        rest = after;
        text.push(' ');
    }
    text.push_str(rest);
    let text: String = text.chars().map(|c| if c == '\0' { ' ' } else { c }).collect();
    text.get(..text.floor_char_boundary(MOST_SEARCHED)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_words() {
        assert_eq!(
            expression("a NEAR(b\" OR\0*").as_deref(),
            Some("\"a\" OR \"NEAR\" OR \"NEAR\" * OR \"b\" OR \"OR\"")
        );
        for nothing in ["", " \t", "\"*^:+-(){}", "\0\u{1b}", "🙂"] {
            assert_eq!(expression(nothing), None, "{nothing:?}");
        }
        let many = (0..10_000).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(expression(&many).map(|it| it.matches('*').count()), Some(MOST_WORDS));
    }

    #[test]
    fn values_are_searched_as_they_read() {
        let text = searchable(r#"{"na\u006de":["\u00fcber\n1",-1.50,true,"\\\"x\ud800"]}"#);
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words, ["{", "name", ":[", "über", "1", ",-1.50,true,", r#"\\\"x\ud800"#, "]}"]);
        assert!(searchable(&format!("\"{}\"", "é".repeat(1 << 20))).len() <= MOST_SEARCHED);
    }
}
