//! `contains index_of last_index_of`: find a part of a text, or an element of a list.

use crate::algorithm::weight::TEXT_UNIT;
use crate::builtin::bytes::bytes_of;
use crate::builtin::call::Call;
use crate::builtin::records::maps;
use crate::memory::tagged::SET;
use crate::memory::word::{UNIT, Word, boolean, fit, is_list};
use crate::run::state::Exit;
use pif_core::text::scan::Places;
use pif_language::form::Form;

pub(crate) fn contains(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.s.heap.tagged(c.operand(0)) == SET && c.len() == 2 {
        return maps::has(c);
    }
    Ok(boolean(find(c)?.is_some()))
}

/// Does `index_of` and `last_index_of`.
pub(crate) fn index_of(c: &mut Call<'_>) -> Result<Word, Exit> {
    Ok(find(c)?.and_then(|at| fit(i64::try_from(at).ok()?)).unwrap_or(UNIT))
}

/// Finds the first place of a part of a text, or of an element of a list, from an index on; for
/// `last_index_of` the last.
fn find(c: &mut Call<'_>) -> Result<Option<usize>, Exit> {
    if c.s.heap.is_text(c.operand(0)) {
        return find_text(c);
    }
    if !is_list(c.operand(0)) {
        return Err(c.refuse(0));
    }
    let (elements, x) = (c.list(0)?, c.operand(1));
    let from = c.place(2, 0)?;
    c.charge(elements.len() as u64)?;
    let n = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let from = if from < 0 { from.saturating_add(n).max(0) } else { from };
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let mut places = elements.into_iter().enumerate();
    let is_last = c.form == Form::LastIndexOf;
    let mut next = || if is_last { places.next_back() } else { places.find(|(at, _)| *at >= from) };
    while let Some((at, element)) = next() {
        if c.equal(element, x)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Finds the character of a text at which another begins. A flat text is not copied.
fn find_text(c: &mut Call<'_>) -> Result<Option<usize>, Exit> {
    let whole = c.operand(0);
    let (bytes, chars) = c.s.heap.text_size(whole).unwrap_or_default();
    c.set_aside(bytes)?;
    let part = c.text(1)?;
    let from = u64::try_from(c.place(2, 0)?).unwrap_or_default().min(chars);
    c.charge(bytes / TEXT_UNIT + part.len() as u64 / TEXT_UNIT)?;
    let is_last = c.form == Form::LastIndexOf;
    let [from, all] = [from, chars].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    if part.is_empty() {
        return Ok(Some(if is_last { all } else { from }));
    }
    let text = bytes_of(&c.s.heap, whole);
    let start = if bytes == chars { from } else { place_of(&text, from) };
    let rest = text.get(start..).unwrap_or_default();
    let at = if is_last { last_place(rest, part.as_bytes()) } else { first(rest, &part) };
    let at = at.map(|at| at + start);
    Ok(if bytes == chars {
        at
    } else {
        at.map(|at| characters(text.get(..at).unwrap_or_default()))
    })
}

fn first(text: &[u8], part: &str) -> Option<usize> {
    Places::new(text, part.as_bytes()).next()
}

/// Finds the last place of a part, which may begin within an earlier one.
fn last_place(text: &[u8], part: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(text).ok()?;
    text.rfind(std::str::from_utf8(part).ok()?)
}

/// Returns the byte at which a character begins.
fn place_of(text: &[u8], character: usize) -> usize {
    let text = std::str::from_utf8(text).unwrap_or_default();
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

/// Counts the characters of the bytes.
fn characters(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or(0, |text| text.chars().count())
}
