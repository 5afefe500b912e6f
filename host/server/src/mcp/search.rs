//! The search of `help`: forms and what is written in JavaScript, by names, operators and words of a
//! question.

use super::reference::{Form, Spelling};

/// Entries that one reply shows.
const MOST: usize = 12;

/// The shortest beginning of a word that finds it.
const LEAST: usize = 3;

/// What the name of an entry counts, a word of its description, and the beginning of one.
const NAME: u32 = 12;
const WORD: u32 = 4;
const PART: u32 = 1;

/// Words of questions that say nothing of what is looked for.
const STOPS: [&str; 34] = [
    "a",
    "an",
    "and",
    "are",
    "as",
    "be",
    "by",
    "can",
    "do",
    "does",
    "for",
    "from",
    "get",
    "have",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "js",
    "javascript",
    "me",
    "my",
    "of",
    "on",
    "or",
    "should",
    "the",
    "there",
    "to",
    "what",
    "with",
];

/// What a search finds, the best first.
#[derive(Debug)]
pub(super) enum Found<'a> {
    Form(&'a Form),
    Spelling(&'a Spelling),
}

/// Looks for a query among forms and spellings.
pub(super) fn search<'a>(
    forms: &'a [Form],
    spellings: &'a [Spelling],
    query: &str,
) -> Vec<Found<'a>> {
    let asked = asked(query);
    let of_spellings = spellings.iter().map(|it| (it.score(&asked), Found::Spelling(it)));
    let of_forms = forms.iter().map(|it| (it.score(&asked), Found::Form(it)));
    let mut found: Vec<(u32, Found<'a>)> =
        of_spellings.chain(of_forms).filter(|(score, _)| *score > 0).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let best = found.first().map_or(0, |(score, _)| *score);
    found.retain(|(score, _)| score * 3 >= best);
    found.into_iter().map(|(_, it)| it).take(MOST).collect()
}

/// The spellings that have this name.
pub(super) fn named<'a>(spellings: &'a [Spelling], name: &str) -> Vec<&'a Spelling> {
    let wanted = bare(name);
    spellings.iter().filter(|it| names(&it.names).any(|own| own == wanted)).collect()
}

/// The words of a query; all of them, if they are all of those that say nothing.
fn asked(query: &str) -> Vec<String> {
    let words: Vec<String> =
        query.split_whitespace().map(bare).filter(|it| !it.is_empty()).collect();
    if words.len() == 1 {
        return words;
    }
    let telling: Vec<String> =
        words.iter().filter(|it| !STOPS.contains(&it.as_str())).cloned().collect();
    if telling.is_empty() { words } else { telling }
}

/// A word or an operator without what stands around it: `xs.push(x)` is `push`, `Math.floor()` is
/// `math.floor`, `sort?` is `sort`.
fn bare(word: &str) -> String {
    let word = word.to_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if !word.contains(is_word) {
        return word.trim_matches(['`', '"']).to_owned();
    }
    let word = word.split('(').next().filter(|it| it.contains(is_word)).unwrap_or(&word);
    let word = word.trim_matches(|c: char| !is_word(c));
    match word.rsplit_once('.') {
        Some((subject, name)) if !is_global(subject) => name.to_owned(),
        _ => word.to_owned(),
    }
}

/// Whether a name before a point is one of JavaScript's own.
fn is_global(name: &str) -> bool {
    let own = [
        "math", "object", "array", "number", "string", "json", "promise", "date", "console", "map",
    ];
    own.contains(&name)
}

/// The names of an entry, and each behind its point; of `a?.b` the operator.
fn names(text: &str) -> impl Iterator<Item = String> {
    let operator = |word: &str| {
        let between = word.trim_matches(char::is_alphanumeric);
        let is_one = between.len() > 1 && !between.contains(char::is_alphanumeric);
        if is_one { between.to_owned() } else { String::new() }
    };
    let words = text.split_whitespace().flat_map(move |word| [bare(word), operator(word)]);
    words.filter(|it| {
        !matches!(
            it.as_str(),
            "" | "a" | "b" | "c" | "s" | "t" | "x" | "xs" | "r" | "k" | "v" | "f" | "n" | "m"
        )
    })
}

impl Spelling {
    fn score(&self, asked: &[String]) -> u32 {
        let text = format!("{} {}", self.words, self.doc);
        // The words that it is found by stand before those of its description.
        let is_its = |word: &String| self.words.split(' ').any(|own| own == word);
        asked.iter().map(|word| score(word, &self.names, &text) + u32::from(is_its(word))).sum()
    }
}

impl Form {
    fn score(&self, asked: &[String]) -> u32 {
        let text = format!("{} {}", self.group, self.doc);
        asked.iter().map(|word| score(word, &self.name, &text)).sum()
    }
}

fn score(asked: &str, own: &str, text: &str) -> u32 {
    // An operator such as `?.` is its name as it stands.
    let last = asked.rsplit('.').next().filter(|it| !it.is_empty()).unwrap_or(asked);
    let is_name = names(own).any(|name| name == asked || name.rsplit('.').next() == Some(last));
    if is_name {
        return NAME;
    }
    let text = text.to_lowercase();
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let alike = |word: &str| {
        word == last || word.strip_suffix('s') == Some(last) || last.strip_suffix('s') == Some(word)
    };
    if words().any(alike) {
        return WORD;
    }
    let begins = last.len() >= LEAST && words().chain([own]).any(|word| word.starts_with(last));
    if begins { PART } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{forms, spellings};
    use super::{Found, search};

    fn first(query: &str) -> String {
        match search(forms(), spellings(), query).first() {
            Some(Found::Form(form)) => form.name.clone(),
            Some(Found::Spelling(it)) => it.names.clone(),
            None => String::new(),
        }
    }

    #[test]
    fn operators_names_and_questions_are_found() {
        for (query, name) in [
            ("||", "a || b"),
            ("/", "a / b"),
            ("?.", "a?.b"),
            ("=>", "=>"),
            ("??", "a ?? b"),
            ("%", "a % b"),
            ("Math.floor", "Math.floor Math.ceil Math.trunc"),
            ("push", "xs.push(x) pop shift unshift splice"),
            ("xs.push(4)", "xs.push(x) pop shift unshift splice"),
            ("for", "for"),
            ("while", "while do"),
            ("Promise.all", "async await Promise.all Promise.allSettled"),
            ("new Map", "new Map get set has delete"),
            ("how do I sort by two keys", "xs.sort((a, b) => …) toSorted"),
            ("regular expression", "/re/ match matchAll test search exec RegExp"),
            ("fold", "fold"),
            ("date_diff", "date_diff"),
        ] {
            assert_eq!(first(query), name, "{query}");
        }
    }
}
