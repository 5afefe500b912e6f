//! Searches by meaning: tools and entries of the memory are compared with a query as a model for embeddings
//! has them, and joined with what words find by their places in both lists.

use std::collections::HashMap;

use pif_domain::Fault;
use pif_store::find::{Collection, Kind, SearchHit, Unmeant};

use super::super::opening::Workshop;
use super::super::refusal::{refused, stored};
use super::sought::{Meant, own};

/// The kinds that are sent to a model.
const SENT: [Kind; 2] = [Kind::Tool, Kind::Memory];

/// The best of a list by meaning.
const MOST: usize = 50;

/// What a place in a list is worth: 1 / (60 + place), as reciprocal ranks are usually joined.
const RANK: f64 = 60.0;

/// A document with the text that a model is told.
#[derive(Debug, Clone)]
pub struct EmbeddedText {
    /// Its kind.
    pub kind: Kind,
    /// The document.
    pub document: Unmeant,
    /// The text.
    pub text: String,
}

impl Workshop {
    fn sent_shelf(&self, kind: Kind) -> Collection<'_> {
        match kind {
            Kind::Memory => Collection { kind, owner: self.principal().owner() },
            _ => own(kind),
        }
    }

    /// Tools and own entries of the memory of which a model has not told yet what they mean.
    pub fn unmeant(
        &self,
        kinds: &[Kind],
        meant: &Meant,
        most: usize,
    ) -> Result<Vec<EmbeddedText>, Fault> {
        let mut told = Vec::new();
        for kind in SENT.into_iter().filter(|kind| kinds.contains(kind)) {
            let model = (meant.model.as_str(), meant.numbers.len());
            let shelf = self.sent_shelf(kind);
            let most = most - told.len();
            for document in self.store.unmeant(shelf, model, most).map_err(stored)? {
                let place = document.place.as_str();
                let text = match kind {
                    Kind::Memory => {
                        self.store.memo(self.principal().owner(), place).map_err(stored)?.map(
                            |it| {
                                let value = it.value.unwrap_or_default();
                                format!("{}: {} {} {value}", it.key, it.context, it.tags.join(" "))
                            },
                        )
                    }
                    _ => {
                        let tools = self.registry.snapshot().map_err(stored)?;
                        let tool = tools.find(place).map_err(refused)?;
                        tool.map(|it| format!("{}: {}", it.name, it.description))
                    }
                };
                told.extend(text.map(|text| EmbeddedText { kind, document, text }));
            }
        }
        Ok(told)
    }

    /// Keeps what documents mean to a model.
    pub fn keep_meanings(
        &self,
        model: &str,
        told: &[EmbeddedText],
        vectors: &[Vec<f32>],
    ) -> Result<(), Fault> {
        for (EmbeddedText { kind, document, .. }, numbers) in told.iter().zip(vectors) {
            let shelf = self.sent_shelf(*kind);
            self.store.keep_meaning(shelf, document, model, numbers).map_err(stored)?;
        }
        Ok(())
    }

    /// Joins what words have found with what means nearly what the query means.
    pub(super) fn join(
        &self,
        by_words: Vec<SearchHit>,
        kinds: &[Kind],
        meant: &Meant,
    ) -> Result<Vec<SearchHit>, Fault> {
        let mut near = Vec::new();
        for kind in SENT.into_iter().filter(|kind| kinds.contains(kind)) {
            let shelf = self.sent_shelf(kind);
            for it in self.store.meanings(shelf, &meant.model).map_err(stored)? {
                let Some(score) = cosine(&meant.numbers, &it.numbers) else { continue };
                let found = SearchHit { kind, place: it.place, score };
                match kind {
                    Kind::Memory => {
                        let weighed = self.memory.weigh(found).map_err(stored)?;
                        near.extend(weighed.map(|(it, _)| it));
                    }
                    _ => near.push(found),
                }
            }
        }
        near.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.place.cmp(&b.place)));
        near.truncate(MOST);
        let mut joined: HashMap<(Kind, String), f64> = HashMap::new();
        for list in [by_words, near] {
            let mut worth = RANK;
            for it in list {
                worth += 1.0;
                *joined.entry((it.kind, it.place)).or_default() += 1.0 / worth;
            }
        }
        let found =
            joined.into_iter().map(|((kind, place), score)| SearchHit { kind, place, score });
        let mut found: Vec<SearchHit> = found.collect();
        found.sort_by(|a, b| {
            let names = || (&a.place, a.kind).cmp(&(&b.place, b.kind));
            b.score.total_cmp(&a.score).then_with(names)
        });
        Ok(found)
    }
}

/// How near two directions are: 1 where they are equal. None: they are no directions of one space, or look
/// away from each other.
fn cosine(a: &[f32], b: &[f32]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let cosine = product(a, b) / (product(a, a).sqrt() * product(b, b).sqrt());
    Some(cosine).filter(|it| *it > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_compared() {
        let near = cosine(&[1.0, 0.0], &[2.0, 0.0]).expect("a direction");
        assert!((near - 1.0).abs() < 1e-9);
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 1.0]), None);
        assert_eq!(cosine(&[1.0, 0.0], &[-1.0, 0.5]), None);
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[0.0], &[0.0]), None);
    }
}
