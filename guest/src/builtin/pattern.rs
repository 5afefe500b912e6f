//! `matches`, `find_all`, `regex_replace`, `regex_split`, `captures`.
//!
//! Fuel, which bounds the time. For the pattern: 16 per byte, 256 per class beyond ASCII (8192 if a
//! flag ignores case, because the parser then looks at all its characters) and 1 per step. The last
//! 8 patterns of the run are free. For the text: bytes · (8 + steps) / 16. `find_all` and
//! `regex_split`: 1 per element of the result. `captures`: 1 per match and per group of it.
//! `regex_replace`: the number of dollars in the replacement, once and per match; 1 per match; 1
//! per 8 bytes of replacement and result.

use crate::builtin::call::Call;
use pif_core::text::order;

use crate::algorithm::regex;
use crate::algorithm::regex::search::Matches;
use crate::algorithm::regex::template;
use crate::algorithm::regex::template::Template;
use crate::algorithm::regex::{BYTE, Pattern};
use crate::memory::heap::{Full, Heap};
use crate::memory::word::{UNIT, Word, boolean};
use crate::run::state::Exit;
use std::rc::Rc;

/// Recent patterns to keep. They need not be paid for again.
const KEPT: usize = 8;

pub(crate) fn matches(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.text(1)?);
    let pattern = searched(c, &text, &source)?;
    Ok(boolean(Matches::new(&pattern, &text).any()))
}

pub(crate) fn find_all(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.text(1)?);
    let pattern = searched(c, &text, &source)?;
    let spans = spans(c, &text, &pattern)?;
    give_spans(c, &text, &spans)
}

pub(crate) fn regex_replace(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source, to) = (c.text(0)?, c.text(1)?, c.text(2)?);
    let pattern = searched(c, &text, &source)?;
    if let Some(doubt) = template::doubt(&to) {
        c.warn("likely-mistake", || doubt);
    }
    replace(c, &text, &pattern, &to)
}

pub(crate) fn regex_split(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.text(1)?);
    let pattern = searched(c, &text, &source)?;
    let mut spans = spans(c, &text, &pattern)?;
    // A part goes from the end of one match to the beginning of the next.
    let mut start = 0;
    for span in &mut spans {
        (start, *span) = (span.1, (start, span.0));
    }
    spans.push((start, text.len()));
    give_spans(c, &text, &spans)
}

pub(crate) fn captures(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.text(1)?);
    let pattern = searched(c, &text, &source)?;
    let keys = keys(&pattern);
    let mut matches = Matches::new(&pattern, &text);
    let (mut found, mut words): (Vec<usize>, _) = (Vec::new(), 0);
    while let Some(slots) = matches.next() {
        found.extend_from_slice(slots);
        let texts = slots.chunks_exact(2).map(|span| match *span {
            [start, end] if start <= end => Heap::text_words(end - start),
            _ => 0,
        });
        words += 3 + 2 * keys.len() + texts.sum::<usize>();
        if words > c.s.heap.limit / 2 {
            break;
        }
    }
    let count = found.len() / (2 * keys.len());
    c.charge((count + found.len() / 2) as u64)?;
    if words > c.s.heap.limit / 2 {
        return Err(Full.into());
    }
    let names = keys.iter().map(|(name, _)| Heap::text_words(name.len())).sum::<usize>();
    c.room(words + names)?;
    let heap = &mut c.s.heap;
    let names = keys.iter().map(|(name, _)| heap.text(name)).collect::<Result<Vec<_>, _>>()?;
    let mut records = Vec::with_capacity(count);
    for slots in found.chunks_exact(2 * keys.len()) {
        let mut members = Vec::with_capacity(2 * keys.len());
        for (name, (_, group)) in names.iter().zip(&keys) {
            let span = slots.get(2 * group).zip(slots.get(2 * group + 1));
            let part = span.and_then(|(start, end)| text.get(*start..*end));
            members.extend([*name, part.map_or(Ok(UNIT), |part| heap.text(part))?]);
        }
        records.push(heap.record(&members)?);
    }
    Ok(c.make_list(&records))
}

/// Returns the key of each group, sorted: its name, or its number.
fn keys(pattern: &Pattern) -> Vec<(String, usize)> {
    let name = |group: &usize| {
        let known = pattern.names().find(|(_, number)| number == group);
        known.map_or_else(|| group.to_string(), |(name, _)| name.to_owned())
    };
    let names: Vec<String> = (0..=pattern.groups()).map(|group| name(&group)).collect();
    let text = |group: usize| names.get(group).map_or("", |name| name);
    let order = order::order_of(names.len(), &text);
    order.map(|group| (text(group).to_owned(), group)).collect()
}

/// Returns a pattern, after charging for the search of a text.
fn searched(c: &mut Call<'_>, text: &str, source: &str) -> Result<Rc<Pattern>, Exit> {
    let pattern = compiled(c, source)?;
    c.charge(search_cost(text, &pattern))?;
    Ok(pattern)
}

fn search_cost(text: &str, pattern: &Pattern) -> u64 {
    (text.len() as u64).saturating_mul(8 + pattern.size) / 16
}

/// Returns a pattern, compiled now or before.
fn compiled(c: &mut Call<'_>, source: &str) -> Result<Rc<Pattern>, Exit> {
    if let Some(at) = c.s.patterns.iter().position(|(known, _)| known == source)
        && let Some((known, pattern)) = c.s.patterns.remove(at)
    {
        c.s.patterns.push_front((known, Rc::clone(&pattern)));
        return Ok(pattern);
    }
    regex::check_length(source)?;
    c.charge(BYTE * source.len() as u64)?;
    let (tree, classes) = regex::parse(source)?;
    c.charge(classes)?;
    let (hir, size) = regex::translate(source, &tree)?;
    c.charge(size)?;
    let pattern = Rc::new(regex::compile(source, &hir, size)?);
    c.s.patterns.truncate(KEPT - 1);
    c.s.patterns.push_front((source.to_owned(), Rc::clone(&pattern)));
    Ok(pattern)
}

/// Finds the beginnings and ends of the matches.
fn spans(c: &mut Call<'_>, text: &str, pattern: &Pattern) -> Result<Vec<(usize, usize)>, Exit> {
    let mut matches = Matches::new(pattern, text);
    let (mut found, mut words) = (Vec::new(), 0);
    while let Some(slots) = matches.next() {
        if let [start, end, ..] = *slots {
            found.push((start, end));
            words += 2 + Heap::text_words(end - start);
        }
        if words > c.s.heap.limit / 2 {
            c.charge(found.len() as u64)?;
            return Err(Full.into());
        }
    }
    Ok(found)
}

/// Makes a list of parts of a text.
fn give_spans(c: &mut Call<'_>, text: &str, spans: &[(usize, usize)]) -> Result<Word, Exit> {
    c.give_texts(spans.iter().map(|(start, end)| text.get(*start..*end).unwrap_or_default()))
}

fn replace(c: &mut Call<'_>, text: &str, pattern: &Pattern, to: &str) -> Result<Word, Exit> {
    c.charge_texts(&[to])?;
    let dollars = to.matches('$').count() as u64;
    c.charge(dollars)?;
    c.set_aside(dollars.saturating_mul(PIECES))?;
    let template = Template::new(to, pattern)?;
    let mut matches = Matches::new(pattern, text);
    let (left, mut work) = (c.budget(), 0);
    let longest = c.longest_written();
    let (mut out, mut copied, mut fits) = (String::new(), 0, true);
    while fits && let Some(slots) = matches.next() {
        // The fuel of all matches is charged at once, but the loop does no more than the fuel left
        // pays for.
        work += 1 + dollars;
        if work > left {
            break;
        }
        let [start, end, ..] = *slots else { break };
        fits = push(&mut out, text.get(copied..start).unwrap_or_default(), longest)
            && template.write(text, slots, longest, &mut out);
        copied = end;
    }
    c.charge(work)?;
    if !fits || !push(&mut out, text.get(copied..).unwrap_or_default(), longest) {
        return Err(crate::builtin::text::TOO_LARGE.into());
    }
    c.charge_texts(&[&out])?;
    c.make_text(&out)
}

/// Most bytes of pieces that a dollar in a replacement makes.
const PIECES: u64 = 48;

/// Appends a text if the result has at most `longest` bytes. Returns whether it did.
fn push(out: &mut String, text: &str, longest: usize) -> bool {
    let fits = out.len() + text.len() <= longest;
    if fits {
        out.push_str(text);
    }
    fits
}
