//! `regex_match`, `regex_match_all`, `regex_parts`, `substitute`; `split` at a regular expression; the
//! parts of a match.

use crate::algorithm::record;
use crate::algorithm::regex::search::Matches;
use crate::algorithm::regex::template::Template;
use crate::builtin::call::Call;
use crate::builtin::strings::found::{Found, Sought};
use crate::builtin::strings::pattern::{
    give_spans, must_have_groups, paid_dollars, regex_split, replace, searched, spans,
};
use crate::builtin::strings::{search, text};
use crate::memory::heap::{Full, Heap};
use crate::memory::tagged::MATCH;
use crate::memory::word::{FALSE, TRUE, UNIT, Word, small};
use crate::run::state::Exit;
use pif_language::form::Form;
use pif_language::kinds;

/// Does `split` and `regex_split`, at a text or at a regular expression.
pub(crate) fn split(c: &mut Call<'_>) -> Result<Word, Exit> {
    match c.form {
        _ if c.len() > 1 && c.is_regex(1) => split_at(c),
        Form::RegexSplit => regex_split(c),
        _ => text::split(c),
    }
}

/// Does `index_of` of a part or of a match.
pub(crate) fn index_of(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.len() == 2 && c.is_regex(1) { search(c) } else { search::index_of(c) }
}

/// Splits a text at a regular expression, with its groups among the parts. A third operand is the
/// most parts.
fn split_at(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    let source = c.source(1, Some(""))?;
    let limit = c.limit(2)?;
    let pattern = searched(c, &text, &source)?;
    if pattern.groups() > 0 {
        must_have_groups(&pattern)?;
    }
    let mut matches = Matches::new(&pattern, &text);
    let (mut parts, mut words, mut end) = (Vec::new(), 0, 0);
    let mut is_empty = false;
    while let Some(slots) = matches.next() {
        let [start, stop, groups @ ..] = slots else { break };
        is_empty = is_empty || text.is_empty();
        if stop == &end || start >= &text.len() {
            continue;
        }
        parts.push(Some((end, *start)));
        words += 2 + Heap::text_words(start - end);
        for group in groups.chunks_exact(2) {
            let span = match *group {
                [start, stop] if start <= stop && stop <= text.len() => Some((start, stop)),
                _ => None,
            };
            words += 2 + span.map_or(0, |(start, stop)| Heap::text_words(stop - start));
            parts.push(span);
        }
        end = *stop;
        if parts.len() >= limit || words > c.s.heap.limit / 2 {
            break;
        }
    }
    if !is_empty {
        parts.push(Some((end, text.len())));
    }
    parts.truncate(limit);
    c.charge(parts.len() as u64)?;
    if words > c.s.heap.limit / 2 {
        return Err(Full.into());
    }
    c.room(words + 2 + Heap::text_words(text.len() - end))?;
    let part = |c: &mut Call<'_>, span: &Option<(usize, usize)>| match span {
        Some((start, end)) => c.s.heap.text(text.get(*start..*end).unwrap_or_default()),
        None => Ok(UNIT),
    };
    let parts: Vec<Word> = parts.iter().map(|span| part(c, span)).collect::<Result<_, _>>()?;
    Ok(c.make_list(&parts))
}

/// Finds the character at which a regular expression matches first.
fn search(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.source(1, None)?);
    let pattern = searched(c, &text, &source)?;
    let found = Found::new(&text, &pattern, false).next().and_then(|slots| slots.first().copied());
    let index = found.map(|start| text.get(..start).unwrap_or_default().chars().count());
    Ok(index.map_or(UNIT, |at| small(i64::try_from(at).unwrap_or_default())))
}

/// What is known of some matches: places of all groups, one match after another.
struct Places {
    slots: Vec<usize>,
    /// The character at which each match begins.
    indices: Vec<usize>,
    /// Words of the texts of all groups.
    words: usize,
    /// Whether they fit into memory.
    fits: bool,
}

/// Finds the places of matches. Each match and each of its groups costs 1.
fn places(c: &mut Call<'_>, text: &str, sought: &Sought, all: bool) -> Result<Places, Exit> {
    sought.pattern().map_or(Ok(()), must_have_groups)?;
    let mut found = sought.find(text, all);
    let mut places = Places { slots: Vec::new(), indices: Vec::new(), words: 0, fits: true };
    let (mut at, mut index) = (0, 0);
    while let Some(slots) = found.next() {
        let start = slots.first().copied().unwrap_or_default();
        index += text.get(at..start).unwrap_or_default().chars().count();
        at = start;
        places.indices.push(index);
        places.slots.extend_from_slice(slots);
        let texts = slots.chunks_exact(2).map(|span| match *span {
            [start, end] if start <= end && end <= text.len() => Heap::text_words(end - start),
            _ => 0,
        });
        places.words += MATCH_WORDS + 9 * slots.len() / 4 + texts.sum::<usize>();
        places.fits = places.words <= c.s.heap.limit / 2;
        if !places.fits {
            break;
        }
    }
    c.charge((places.indices.len() + places.slots.len() / 2) as u64)?;
    Ok(places)
}

/// Words of a match besides its groups: the match, its record, its cell in a list, one for a text
/// before it, index and whole text among its groups.
const MATCH_WORDS: usize = 5 + 2 + 2 + 2 + 6;

/// Makes a match as a value. There must be room.
fn make_match(c: &mut Call<'_>, (list, groups): (&[Word], Word), index: usize) -> Word {
    let list = c.make_list(list);
    let index = small(i64::try_from(index).unwrap_or_default());
    let input = c.operand(0);
    c.s.heap.make_tagged(MATCH, [list, index, input, groups])
}

/// Makes the texts of a match's groups, and the record of those with names, or null.
fn make_groups(
    c: &mut Call<'_>,
    text: &str,
    slots: &[usize],
    names: &[(Word, usize)],
) -> Result<(Vec<Word>, Word), Exit> {
    let texts = slots.chunks_exact(2).map(|span| match *span {
        [start, end] => match text.get(start..end) {
            Some(part) => c.s.heap.text(part),
            None => Ok(UNIT),
        },
        _ => Ok(UNIT),
    });
    let texts = texts.collect::<Result<Vec<Word>, _>>()?;
    if names.is_empty() {
        return Ok((texts, UNIT));
    }
    let mut members = Vec::with_capacity(2 * names.len());
    for (name, group) in names {
        members.extend([*name, texts.get(*group).copied().unwrap_or(UNIT)]);
    }
    Ok((texts, record::make(&mut c.s.heap, &members)?))
}

/// Makes room for matches, and their names.
fn make_names(
    c: &mut Call<'_>,
    sought: &Sought,
    places: &Places,
    more: usize,
) -> Result<Vec<(Word, usize)>, Exit> {
    if !places.fits {
        return Err(Full.into());
    }
    let named = sought.pattern().map(|pattern| pattern.names().collect()).unwrap_or_default();
    let named: Vec<(&str, usize)> = named;
    let words = named.iter().map(|(name, _)| Heap::text_words(name.len())).sum::<usize>();
    c.room(places.words + words + more + 2)?;
    let mut names = Vec::with_capacity(named.len());
    for (name, group) in named {
        names.push((c.s.heap.text(name)?, group));
    }
    Ok(names)
}

pub(crate) fn regex_match(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.source(1, Some(""))?);
    let pattern = searched(c, &text, &source)?;
    if pattern.flags().is_some_and(|flags| flags.global) {
        let spans = spans(c, &text, &pattern)?;
        return if spans.is_empty() { Ok(UNIT) } else { give_spans(c, &text, &spans) };
    }
    let sought = Sought::Pattern(pattern);
    let places = places(c, &text, &sought, false)?;
    let Some(index) = places.indices.first().copied() else { return Ok(UNIT) };
    let names = make_names(c, &sought, &places, 0)?;
    let (list, groups) = make_groups(c, &text, &places.slots, &names)?;
    Ok(make_match(c, (&list, groups), index))
}

pub(crate) fn regex_match_all(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.source(1, Some(""))?);
    let sought = Sought::Pattern(searched(c, &text, &source)?);
    let places = places(c, &text, &sought, true)?;
    let names = make_names(c, &sought, &places, 0)?;
    let mut all = Vec::with_capacity(places.indices.len());
    let width = 2 * (sought.groups() + 1);
    for (slots, index) in places.slots.chunks_exact(width).zip(&places.indices) {
        let (list, groups) = make_groups(c, &text, slots, &names)?;
        all.push(make_match(c, (&list, groups), *index));
    }
    Ok(c.make_list(&all))
}

/// Returns whether an operand, if it is there, is true.
fn flag(c: &Call<'_>, i: usize) -> Result<bool, Exit> {
    if c.len() <= i {
        return Ok(false);
    }
    match c.operand(i) {
        TRUE => Ok(true),
        FALSE => Ok(false),
        _ => Err(c.refuse(i)),
    }
}

/// Returns what the second operand looks for, after charging for the search. Also tells whether it
/// finds all matches.
fn sought(c: &mut Call<'_>, text: &str, all: bool) -> Result<(Sought, bool), Exit> {
    let source = c.source(1, Some(""))?;
    if !c.is_regex(1) {
        c.charge_texts(&[text, &source.text])?;
        return Ok((Sought::Text(source.text), all));
    }
    let pattern = searched(c, text, &source)?;
    let is_global = pattern.flags().is_some_and(|flags| flags.global);
    Ok((Sought::Pattern(pattern), all || is_global))
}

pub(crate) fn regex_parts(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    let all = flag(c, 2)?;
    let (sought, all) = sought(c, &text, all)?;
    let places = places(c, &text, &sought, all)?;
    // The texts between matches take no more than the whole, with the words of each.
    let between = Heap::text_words(text.len()) + 4 * (places.indices.len() + 1);
    let names = make_names(c, &sought, &places, between)?;
    let (mut parts, mut end) = (Vec::new(), 0);
    let width = 2 * (sought.groups() + 1);
    for (slots, index) in places.slots.chunks_exact(width).zip(&places.indices) {
        let [start, stop, ..] = *slots else { break };
        parts.push(c.s.heap.text(text.get(end..start).unwrap_or_default())?);
        let (mut list, groups) = make_groups(c, &text, slots, &names)?;
        list.push(small(i64::try_from(*index).unwrap_or_default()));
        list.push(c.operand(0));
        if !names.is_empty() {
            list.push(groups);
        }
        parts.push(c.make_list(&list));
        end = stop;
    }
    parts.push(c.s.heap.text(text.get(end..).unwrap_or_default())?);
    Ok(c.make_list(&parts))
}

pub(crate) fn substitute(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    if !c.is_regex(1) && !c.s.heap.is_text(c.operand(1)) {
        return Err(c.wrong(1, kinds::STRING | kinds::REGEX));
    }
    let (to, all) = (c.text(2)?, flag(c, 3)?);
    let (sought, all) = sought(c, &text, all)?;
    let dollars = paid_dollars(c, &to)?;
    let template = Template::of_script(&to, sought.pattern());
    if template.has_groups() {
        sought.pattern().map_or(Ok(()), must_have_groups)?;
    }
    replace(c, sought.find(&text, all), &template, dollars)
}
