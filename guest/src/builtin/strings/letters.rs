//! `upper`, `lower`, `trim`, `normalize`: texts with other letters, or without some.

use crate::algorithm::weight::TEXT_UNIT;
use crate::builtin::bytes::{TOO_LARGE, bytes_of};
use crate::builtin::call::Call;
use pif_language::prices::units;

use crate::algorithm::case;
use crate::algorithm::normal::normal;
use crate::algorithm::trouble::Trouble;
use crate::memory::heap::Heap;
use crate::run::state::Exit;
use pif_language::form::Form;

use crate::memory::word::Word;

pub(crate) fn trim(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    c.give_text(text.trim())
}

/// Parts of a character, of eight bytes each, for each byte of a text, and the bytes of the result.
const PARTS: u64 = 16;

/// Puts a text into a normal form. Like `upper` it costs more for what is not ASCII.
pub(crate) fn normalize(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    let form = if c.len() > 1 { c.text(1)? } else { "NFC".to_owned() };
    c.charge_texts(&[&text, &form])?;
    let is_composed = match form.as_str() {
        "NFC" => true,
        "NFD" => false,
        _ => {
            let message = "the forms of `normalize` are NFC and NFD".to_owned();
            return Err(Trouble::OutOfRange(message).into());
        }
    };
    if text.is_ascii() {
        return c.give_text(&text);
    }
    c.charge_texts(&[&text, &text, &text])?;
    let size = text.len() as u64;
    if size > c.longest() / 3 {
        return Err(TOO_LARGE.into());
    }
    c.set_aside(PARTS * size)?;
    match normal(&text, is_composed) {
        Ok(text) => c.give_text(&text),
        Err(odd) => {
            let message = format!("`normalize` does not know the script of `{odd}`");
            Err(Trouble::OutOfRange(message).into())
        }
    }
}

/// Does `upper` and `lower`.
pub(crate) fn recase(c: &mut Call<'_>) -> Result<Word, Exit> {
    if let Some(bytes) = c.plain(0) {
        return recased(c, bytes);
    }
    let whole = c.operand(0);
    let Some((size, chars)) = c.s.heap.text_size(whole) else { return Err(c.refuse(0)) };
    // This is room for the result, or for a flat copy of a rope.
    c.set_aside(size)?;
    c.charge(size / TEXT_UNIT)?;
    if chars < size {
        // Each character is looked up, and a final sigma's neighbors too.
        c.charge(units::WIDE_CASE * (size / TEXT_UNIT))?;
    }
    let is_upper = c.form == Form::Upper;
    let text = bytes_of(&c.s.heap, whole);
    if size > c.longest() / 12 {
        let text = std::str::from_utf8(&text).unwrap_or_default();
        let bytes = if is_upper {
            length(text.chars().flat_map(char::to_uppercase))
        } else {
            length(text.chars().flat_map(char::to_lowercase))
        };
        if bytes > c.longest() {
            return Err(TOO_LARGE.into());
        }
        // A text that grows moves while it is written.
        c.set_aside(if bytes > size { 3 * bytes } else { bytes })?;
    }
    let changed = if is_upper { case::upper(&text) } else { case::lower(&text) };
    c.charge(changed.len() as u64 / TEXT_UNIT)?;
    c.make_text_of(&changed)
}

/// Does `upper` and `lower` of a flat ASCII text.
fn recased(c: &mut Call<'_>, bytes: u64) -> Result<Word, Exit> {
    c.charge(bytes / TEXT_UNIT)?;
    if bytes > c.longest() {
        return Err(TOO_LARGE.into());
    }
    c.charge(bytes / TEXT_UNIT)?;
    c.room(Heap::text_words(usize::try_from(bytes).unwrap_or_default()))?;
    let text = c.operand(0);
    Ok(c.s.heap.recased(text, if c.form == Form::Upper { b'a' } else { b'A' }))
}

/// Counts the bytes of these characters.
fn length(chars: impl Iterator<Item = char>) -> u64 {
    chars.map(|c| c.len_utf8() as u64).sum()
}

impl Call<'_> {
    /// Returns the bytes of an operand, if it is a flat ASCII text.
    fn plain(&self, i: usize) -> Option<u64> {
        let v = self.operand(i);
        let (bytes, chars) = self.s.heap.text_size(v)?;
        (bytes == chars && self.s.heap.is_flat(v)).then_some(bytes)
    }
}
