//! `contains index_of`: find a part of a text, or an element of a list. The head of `text` lists
//! their fuel.

use crate::algorithm::weight::TEXT_UNIT;
use crate::builtin::call::Call;
use crate::memory::heap::Heap;
use crate::memory::word::{UNIT, Word, boolean, fit, is_list};
use crate::run::state::Exit;
use pif_core::text::scan::Places;
use std::borrow::Cow;

pub(crate) fn contains(c: &mut Call<'_>) -> Result<Word, Exit> {
    Ok(boolean(find(c)?.is_some()))
}

pub(crate) fn index_of(c: &mut Call<'_>) -> Result<Word, Exit> {
    Ok(find(c)?.and_then(|at| fit(i64::try_from(at).ok()?)).unwrap_or(UNIT))
}

/// Finds the first place of a part of a text, or of an element of a list.
fn find(c: &mut Call<'_>) -> Result<Option<usize>, Exit> {
    if c.s.heap.is_text(c.operand(0)) {
        find_text(c)
    } else if is_list(c.operand(0)) {
        let (elements, x) = (c.list(0)?, c.operand(1));
        c.charge(elements.len() as u64)?;
        let mut found = None;
        for (at, element) in elements.into_iter().enumerate() {
            if c.equal(element, x)? {
                found = Some(at);
                break;
            }
        }
        Ok(found)
    } else {
        Err(c.wrong(0, "a string or a list"))
    }
}

/// Finds the character of a text at which another begins. A flat text is not copied.
fn find_text(c: &mut Call<'_>) -> Result<Option<usize>, Exit> {
    let whole = c.operand(0);
    let (bytes, chars) = c.s.heap.text_size(whole).unwrap_or_default();
    c.set_aside(bytes)?;
    let part = c.text(1)?;
    c.charge(bytes / TEXT_UNIT + part.len() as u64 / TEXT_UNIT)?;
    if part.is_empty() {
        return Ok(Some(0));
    }
    let text = bytes_of(&c.s.heap, whole);
    let at = Places::new(&text, part.as_bytes()).next();
    Ok(if bytes == chars {
        at
    } else {
        at.map(|at| characters(text.get(..at).unwrap_or_default()))
    })
}

/// Returns the bytes of a text. A rope is copied.
pub(crate) fn bytes_of(heap: &Heap, text: Word) -> Cow<'_, [u8]> {
    heap.flat_text(text).map_or_else(|| heap.string(text).into_bytes().into(), Cow::Borrowed)
}

/// Counts the characters of the bytes.
fn characters(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or(0, |text| text.chars().count())
}
