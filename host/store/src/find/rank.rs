//! The order of what a query finds: BM25 over the words, each with what means the same.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::document::Kind;
use super::index::{Collection, Index};
use super::query::Query;
use super::synonyms::synonyms;
use crate::error::Error;

/// What another word counts, where the one that was asked for counts 1.
const SYNONYM: f64 = 0.5;
const BEGINNING: f64 = 0.5;
const TYPO: f64 = 0.6;

/// The fewest characters of a word whose beginning is enough, and of one that may have a typo.
const LEAST_BEGINNING: usize = 3;
const LEAST_TYPO: usize = 5;

/// The most words that a beginning or a typo stands for.
const MOST_BEGINNINGS: usize = 8;
const MOST_TYPOS: usize = 8;

/// How many times better than a result the best one may be.
const TELLING: f64 = 3.0;

/// What is added where the query is the whole name, or the beginning of one that has several parts.
const WHOLE_NAME: f64 = 1_000.0;
const BEGINS_NAME: f64 = 500.0;

/// A shelf of an index to look on.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The index.
    pub index: &'a dyn Index,
    /// The shelf.
    pub shelf: Collection<'a>,
    /// Names that do not count, because another source shows what they stand for.
    pub hidden: &'a [String],
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// Its kind.
    pub kind: Kind,
    /// Its name among those of its kind.
    pub place: String,
    /// How well it fits: the greater the better.
    pub score: f64,
}

/// A document, by the number of its source.
type Place = (usize, String);

/// What a query finds, the best first, of equal ones in the order of names.
pub fn rank(query: &Query, sources: &[Source<'_>]) -> Result<Vec<SearchHit>, Error> {
    let mut count = 0;
    for source in sources {
        count += source.index.size(source.shelf)?;
    }
    let mut scores: HashMap<Place, f64> = HashMap::new();
    for word in &query.words {
        for (place, score) in weigh(word, count, sources)? {
            *scores.entry(place).or_default() += score;
        }
    }
    let mut found: Vec<(Reverse<u64>, String, Kind, f64)> = scores
        .into_iter()
        .filter_map(|((source, place), score)| {
            let kind = sources.get(source)?.shelf.kind;
            let score = rounded(score + extra(query, &place, score));
            // The bits of positive numbers have their order.
            Some((Reverse(score.to_bits()), place, kind, score))
        })
        .collect();
    found.sort_by(|a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
    Ok(found.into_iter().map(|(_, place, kind, score)| SearchHit { kind, place, score }).collect())
}

/// Leaves out what fits much worse than the best. Where names begin with the query, only those are meant.
#[must_use]
pub fn telling(mut found: Vec<SearchHit>) -> Vec<SearchHit> {
    let begins = |it: &SearchHit| (BEGINS_NAME..WHOLE_NAME).contains(&it.score);
    if found.iter().any(begins) {
        found.retain(|it| it.score >= BEGINS_NAME);
        return found;
    }
    let others = found.iter().map(|it| it.score).filter(|score| *score < BEGINS_NAME);
    let least = others.fold(0.0, f64::max) / TELLING;
    found.retain(|it| it.score >= least);
    found
}

/// How rare a word is among all documents, as BM25 has it.
#[expect(clippy::cast_precision_loss, reason = "there are less than 2^52 documents")]
fn rarity(count: u64, having: usize) -> f64 {
    let (count, having) = (count as f64, having as f64);
    ((count - having + 0.5).max(0.0) / (having + 0.5)).ln_1p()
}

/// Scores that differ by less are equal: sums of several parts are not exact.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

/// What a name adds that the query spells. Names that begin with the query are equal.
fn extra(query: &Query, place: &str, score: f64) -> f64 {
    let (place, whole) = (place.to_lowercase(), query.whole.as_str());
    let is_part = whole.contains(['_', '-', '.', '/']) && whole.contains(char::is_alphanumeric);
    if place == whole {
        WHOLE_NAME
    } else if is_part && place.starts_with(whole) {
        BEGINS_NAME - score
    } else {
        0.0
    }
}

/// The documents that have a word, one that means the same, or one that it may have been meant to be, each
/// with its score. Another word counts as rare at most as the one that was asked for.
fn weigh(word: &str, count: u64, sources: &[Source<'_>]) -> Result<HashMap<Place, f64>, Error> {
    let mut scores: HashMap<Place, f64> = HashMap::new();
    let mut add = |found: HashMap<Place, f64>, weight: f64, cap: f64| {
        let rarity = rarity(count, found.len()).min(cap);
        for (place, frequency) in found {
            let best = scores.entry(place).or_default();
            *best = best.max(weight * rarity * frequency);
        }
    };
    let exact = look([word], sources)?;
    let cap = if exact.is_empty() { f64::INFINITY } else { rarity(count, exact.len()) };
    let mut is_found = !exact.is_empty();
    add(exact, 1.0, cap);
    for other in synonyms(word)? {
        let found = look([other], sources)?;
        is_found |= !found.is_empty();
        add(found, SYNONYM, cap);
    }
    let length = word.chars().count();
    if length >= LEAST_BEGINNING {
        let mut longer = BTreeSet::new();
        for source in sources {
            longer.extend(source.index.beginning_with(word, MOST_BEGINNINGS)?);
        }
        longer.remove(word);
        let found = look(longer.iter().map(String::as_str), sources)?;
        is_found |= !found.is_empty();
        add(found, BEGINNING, cap);
    }
    if !is_found && length >= LEAST_TYPO {
        let mut near = BTreeSet::new();
        for source in sources {
            near.extend(source.index.typos_of(word, MOST_TYPOS)?);
        }
        add(look(near.iter().map(String::as_str), sources)?, TYPO, cap);
    }
    Ok(scores)
}

/// The documents that have one of some words. Of several the most frequent counts.
fn look<'a>(
    words: impl IntoIterator<Item = &'a str>,
    sources: &[Source<'_>],
) -> Result<HashMap<Place, f64>, Error> {
    let mut found: HashMap<Place, f64> = HashMap::new();
    for word in words {
        for (number, source) in sources.iter().enumerate() {
            for hit in source.index.hits(source.shelf, word)? {
                if !source.hidden.contains(&hit.place) {
                    let best = found.entry((number, hit.place)).or_default();
                    *best = best.max(hit.frequency);
                }
            }
        }
    }
    Ok(found)
}
