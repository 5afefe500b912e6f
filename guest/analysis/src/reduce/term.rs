//! Smaller terms around a place: the term at the place stays, and what is around it goes.

use std::collections::BTreeSet;
use std::ops::Range;

use super::cuts::{parts, replaced};
use super::spans::{Kind, Span, cut, elements, spans};
use pif_core::json::locate::locate;
use pif_language::parse::{self, Reading};
use pif_language::term::{Origin, Terms};
use pif_language::walk;

/// Bytes of the longest term that is made smaller.
const LONGEST: usize = 1 << 16;

/// What may stand in place of a term whose value does not matter.
const PLAIN: [&str; 5] = ["0", "\"\"", "[]", "null", "true"];

/// A JSON Pointer, and whether the term around that of the pointer is meant, which it is an operand of.
type Place<'a> = (&'a str, bool);

/// The candidate of an index: a shorter term, as JSON, in which the term at the place stands as it is.
/// It may be no term, or one without the fault. None where there is no more.
#[must_use]
pub fn term(json: &str, place: Place<'_>, index: u32) -> Option<String> {
    let whole = Whole::read(json, place)?;
    let mut left = index as usize;
    whole.candidates(|part, now| {
        let is_it = left == 0;
        left = left.saturating_sub(1);
        is_it.then(|| replaced(json, part, now)).flatten()
    })
}

/// The term at a place.
#[must_use]
pub fn part(json: &str, place: Place<'_>) -> Option<String> {
    json.get(Whole::read(json, place)?.at).map(str::to_owned)
}

/// A term with a place in it.
struct Whole<'a> {
    json: &'a str,
    spans: Vec<Span>,
    /// The bytes of all its terms, each before its operands.
    terms: Vec<Range<usize>>,
    /// The bytes of the terms around the place and of the term at it, the outermost first.
    path: Vec<Range<usize>>,
    /// The bytes of the term at the place.
    at: Range<usize>,
}

impl<'a> Whole<'a> {
    fn read(json: &'a str, (at, is_around): Place<'_>) -> Option<Self> {
        if json.len() > LONGEST {
            return None;
        }
        let mut terms = Terms::default();
        let root = parse::parse(&mut terms, json, Origin::Code, Reading::Code).ok()?.root;
        let spans = spans(json)?;
        // Tokens are the values of the text in their order, keys among them.
        let tokens: BTreeSet<usize> =
            walk::nodes(&terms, root).map(|it| terms.node(it).token as usize).collect();
        let terms: Vec<Range<usize>> =
            tokens.iter().filter_map(|it| Some(spans.get(*it)?.bytes.clone())).collect();
        let mut at = locate(json, at)?.value;
        if is_around {
            let around = terms.iter().rev().find(|it| contains(it, &at) && **it != at);
            at = around.cloned().unwrap_or(at);
        }
        let mut path: Vec<Range<usize>> =
            terms.iter().filter(|it| contains(it, &at)).cloned().collect();
        if path.last() != Some(&at) {
            path.push(at.clone());
        }
        Some(Self { json, spans, terms, path, at })
    }

    /// Calls back with each candidate: the bytes that change, and what stands there then.
    fn candidates<T>(&self, mut found: impl FnMut(&Range<usize>, &str) -> Option<T>) -> Option<T> {
        self.inner(&mut found).or_else(|| self.plain(&mut found)).or_else(|| self.fewer(&mut found))
    }

    /// A term around the place becomes one within it that is around the place too.
    fn inner<T>(&self, found: &mut dyn FnMut(&Range<usize>, &str) -> Option<T>) -> Option<T> {
        for (outer, around) in self.path.iter().enumerate() {
            let within = self.path.get(outer + 1..).unwrap_or_default();
            let (first, last) = (within.first(), within.last());
            let some: Vec<&Range<usize>> = match outer {
                0 => within.iter().rev().collect(),
                _ if within.len() > 1 => last.into_iter().chain(first).collect(),
                _ => last.into_iter().collect(),
            };
            for part in some.into_iter().filter(|it| it.len() < around.len()) {
                let answer = found(around, self.json.get(part.clone())?);
                if answer.is_some() {
                    return answer;
                }
            }
        }
        None
    }

    /// A term beside the place becomes a plain one.
    fn plain<T>(&self, found: &mut dyn FnMut(&Range<usize>, &str) -> Option<T>) -> Option<T> {
        for part in self.terms.iter().filter(|it| self.is_beside(it)) {
            let shorter = PLAIN.iter().filter(|plain| plain.len() < part.len());
            for plain in shorter {
                let answer = found(part, plain);
                if answer.is_some() {
                    return answer;
                }
            }
        }
        None
    }

    /// A list beside the place or around it, of elements, operands or bindings, has less of them.
    fn fewer<T>(&self, found: &mut dyn FnMut(&Range<usize>, &str) -> Option<T>) -> Option<T> {
        for (index, span) in self.spans.iter().enumerate() {
            let is_whole = matches!(span.kind, Kind::List | Kind::Record);
            let is_free = self.is_beside(&span.bytes) || contains(&span.bytes, &self.at);
            if !is_whole || !is_free || span.bytes == self.at {
                continue;
            }
            let elements = elements(&self.spans, index);
            let answer = parts(elements.len(), 1, |part| {
                let gone = cut(&elements, &part)?;
                let touches = gone.start < self.at.end && self.at.start < gone.end;
                if touches { None } else { found(&gone, "") }
            });
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    fn is_beside(&self, part: &Range<usize>) -> bool {
        part.end <= self.at.start || self.at.end <= part.start
    }
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
