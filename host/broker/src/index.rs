//! The search among tools of other servers: BM25 over their words, in which a name counts three times.

use std::collections::{BTreeSet, HashMap};

use pif_domain::Offer;

/// How often a word of the name counts.
const NAME: usize = 3;

/// The usual constants of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// What a word counts that begins with the one that is looked for.
const BEGINNING: f64 = 0.5;

/// The shortest beginning of a word that finds it.
const LEAST: usize = 3;

/// The tools that have a word of the query, the best first; of equal ones in the order of names.
#[must_use]
pub fn rank<'a>(offers: &'a [Offer], query: &str) -> Vec<&'a Offer> {
    let asked: BTreeSet<String> = words(query).into_iter().collect();
    let documents: Vec<Counts> = offers.iter().map(Counts::of).collect();
    let count = real(documents.len().max(1));
    let mean = real(documents.iter().map(|it| it.length).sum::<usize>().max(1)) / count;
    let mut scores = vec![0.0; documents.len()];
    for word in &asked {
        let found: Vec<f64> = documents.iter().map(|document| document.frequency(word)).collect();
        let having = real(found.iter().filter(|frequency| **frequency > 0.0).count());
        let rarity = ((count - having + 0.5) / (having + 0.5) + 1.0).ln();
        for ((score, frequency), document) in scores.iter_mut().zip(found).zip(&documents) {
            let length = 1.0 - B + B * real(document.length) / mean;
            *score += rarity * frequency * (K1 + 1.0) / (frequency + K1 * length);
        }
    }
    let mut ranked: Vec<(f64, &Offer)> =
        scores.into_iter().zip(offers).filter(|(score, _)| *score > 0.0).collect();
    ranked.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.name.cmp(&right.name)));
    ranked.into_iter().map(|(_, offer)| offer).collect()
}

#[expect(clippy::cast_precision_loss, reason = "there are at most some ten thousand words")]
fn real(count: usize) -> f64 {
    count as f64
}

/// The words of a tool, counted.
struct Counts {
    words: HashMap<String, usize>,
    length: usize,
}

impl Counts {
    fn of(offer: &Offer) -> Self {
        let mut counts = Self { words: HashMap::new(), length: 0 };
        counts.add(&offer.name, NAME);
        counts.add(&offer.title, 1);
        counts.add(&offer.description, 1);
        counts
    }

    fn add(&mut self, text: &str, times: usize) {
        for word in words(text) {
            *self.words.entry(word).or_default() += times;
            self.length += times;
        }
    }

    /// How often a word is there, counting those that begin with it in part.
    fn frequency(&self, word: &str) -> f64 {
        let exact = self.words.get(word).copied().unwrap_or_default();
        if exact > 0 || word.len() < LEAST {
            return real(exact);
        }
        let longer = self.words.iter().filter(|(it, _)| it.starts_with(word));
        longer.map(|(_, count)| BEGINNING * real(*count)).sum()
    }
}

/// The words of a text, in small letters: what stands between signs, and the parts of `camelCase`.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_small) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use pif_domain::{EffectClass, Grant, Pin};

    use super::*;

    fn offer(name: &str, description: &str) -> Offer {
        Offer {
            name: name.into(),
            title: String::new(),
            description: description.into(),
            input_schema: "{}".into(),
            output_schema: None,
            class: EffectClass::Read,
            grant: Grant::Allow,
            pin: Pin::Approved,
            signature: String::new(),
        }
    }

    #[test]
    fn names_count_more_than_descriptions() {
        let offers = [
            offer("github.list_commits", "Lists commits; see also issues."),
            offer("github.search_issues", "Finds them."),
            offer("github.createIssue", "Opens a ticket."),
            offer("time.now", "The time."),
        ];
        let found = |query| -> Vec<&str> {
            rank(&offers, query).into_iter().map(|it| it.name.as_str()).collect()
        };
        assert_eq!(found("issues"), ["github.search_issues", "github.list_commits"]);
        let beginning = ["github.createIssue", "github.search_issues", "github.list_commits"];
        assert_eq!(found("Issue"), beginning);
        assert_eq!(found("commi"), ["github.list_commits"]);
        assert_eq!(found("time"), ["time.now"]);
        assert!(found("weather").is_empty() && found("").is_empty());
    }
}
