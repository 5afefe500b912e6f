//! Texts, and the forms that take lists as well as texts.

use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight::TEXT_UNIT;
use crate::builtin::bytes::{TOO_LARGE, byte_of, bytes_of};
use crate::builtin::call::Call;
use crate::builtin::strings::spoken;
use crate::memory::flat::flat_in;
use crate::memory::rope::longest_text;

use crate::memory::heap::Heap;
use pif_core::text::lanes::{SHORT, copy, padded};
use pif_language::form::Form;

use crate::algorithm::comparison::{Compared, equal};
use crate::run::state::Exit;
use num_traits::ToPrimitive;
use pif_core::text::scan::Places;

use crate::memory::word::{CONS, NIL, ROPE, TRUE, UNIT, Word, boolean, is_list, tag};
use std::borrow::Cow;
use std::rc::Rc;

impl Call<'_> {
    /// Charges for reading texts.
    pub(crate) fn charge_texts(&mut self, texts: &[&str]) -> Result<(), Exit> {
        self.charge(texts.iter().map(|text| text.len() as u64 / TEXT_UNIT).sum())
    }

    /// Makes a text, after charging for it.
    pub(crate) fn give_text(&mut self, text: &str) -> Result<Word, Exit> {
        self.charge_texts(&[text])?;
        self.make_text(text)
    }

    /// Makes a list of new texts, 1 unit of fuel each. There may be more texts than memory.
    pub(crate) fn give_texts<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str> + Clone,
    ) -> Result<Word, Exit> {
        self.charge(texts.clone().count() as u64)?;
        self.room(texts.clone().map(|text| 2 + Heap::text_words(text.len())).sum())?;
        let texts = texts.map(|text| self.s.heap.text(text));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        Ok(self.make_list(&texts))
    }

    /// Makes a list of the texts between separators in the first operand, a flat text, like
    /// `give_texts`.
    fn give_pieces(&mut self, separator: &str) -> Result<Word, Exit> {
        let whole = self.operand(0);
        let Some(text) = self.s.heap.flat_text(whole) else { return Ok(NIL) };
        let (length, width, most) = (text.len(), separator.len(), self.s.heap.limit);
        let (mut words, mut start, mut count, mut ends) = (0, 0, 1, Vec::new());
        for end in Places::new(text, separator.as_bytes()) {
            words += 2 + Heap::text_words(end - start);
            (start, count) = (end + width, count + 1);
            // If the texts exceed memory, only their number matters.
            if words <= most {
                ends.push(u32::try_from(end).unwrap_or(u32::MAX));
            }
        }
        words += 2 + Heap::text_words(length - start);
        self.charge(count)?;
        self.room(words)?;
        let (whole, heap) = (self.operand(0), &mut self.s.heap);
        let (mut list, mut end) = (NIL, length);
        for at in ends.into_iter().rev() {
            let piece = heap.part(whole, at as usize + width, end)?;
            list = heap.two(piece, list, CONS);
            end = at as usize;
        }
        let piece = heap.part(whole, 0, end)?;
        Ok(heap.two(piece, list, CONS))
    }

    /// Returns the bytes of the longest text that a form can build.
    pub(crate) fn longest(&self) -> u64 {
        longest_text(&self.s.heap) / 2
    }

    /// Returns the bytes of the longest text that can be built without knowing its length. It moves
    /// while it is written.
    pub(crate) fn longest_written(&self) -> usize {
        usize::try_from(self.longest() / 2).unwrap_or(usize::MAX)
    }

    /// Returns an operand that must be an integer. A big integer becomes the largest or the
    /// smallest `i64`.
    pub(crate) fn position(&self, i: usize) -> Result<i64, Exit> {
        let beyond = |negative| if negative { i64::MIN } else { i64::MAX };
        Ok(self.integer(i)?.unwrap_or_else(beyond))
    }

    /// Returns an operand that is a place in a list or text: a number, whose fraction does not
    /// count. What is absent or null is another place.
    pub(crate) fn place(&self, i: usize, absent: i64) -> Result<i64, Exit> {
        if i >= self.len() || self.operand(i) == UNIT {
            return Ok(absent);
        }
        match self.s.heap.as_float(self.operand(i)) {
            Some(n) => Ok(whole(n)),
            None => self.position(i),
        }
    }

    /// Returns an operand that is the most elements wanted. Without it, or if it is null or negative,
    /// there is no limit.
    pub(crate) fn limit(&self, i: usize) -> Result<usize, Exit> {
        if self.len() <= i || self.operand(i) == UNIT {
            return Ok(usize::MAX);
        }
        Ok(usize::try_from(self.position(i)?).unwrap_or(usize::MAX))
    }

    /// Does `eq`.
    pub(crate) fn equal(&mut self, x: Word, y: Word) -> Result<bool, Exit> {
        let budget = self.budget();
        let terms = Rc::clone(&self.s.terms);
        let Compared { work, result } = equal(&self.s.heap, &terms, x, y, budget);
        self.charge(work)?;
        Ok(result? == TRUE)
    }
}

/// Returns a float without its fraction. One beyond all places becomes the largest or the smallest.
pub(crate) fn whole(n: f64) -> i64 {
    const BEYOND: f64 = 4e18;
    match n.trunc().to_i64() {
        Some(whole) if n.abs() < BEYOND => whole,
        _ if n < 0.0 => i64::MIN,
        _ => i64::MAX,
    }
}

/// Returns the second operand, which is `n`, as a count.
fn count(c: &Call<'_>, n: i64) -> Result<u64, Trouble> {
    u64::try_from(n).map_err(|_| {
        let what = if c.form == Form::Repeat { "count" } else { "length" };
        let (form, n) = (c.form.name(), c.shown(1));
        Trouble::OutOfRange(format!("the {what} of `{form}` must not be negative, it is {n}"))
    })
}

pub(crate) fn chars(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    let char = |(at, c): (usize, char)| text.get(at..at + c.len_utf8());
    c.give_texts(text.char_indices().map(|c| char(c).unwrap_or_default()))
}

pub(crate) fn lines(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    c.give_texts(text.lines())
}

pub(crate) fn split(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.len() == 1 {
        return uncut(c);
    }
    if c.len() > 2 {
        return split_some(c);
    }
    let is_flat = c.s.heap.is_flat(c.operand(0));
    let text = if is_flat { None } else { Some(c.text(0)?) };
    let bytes = match &text {
        None => c.s.heap.text_size(c.operand(0)).unwrap_or_default().0,
        Some(text) => text.len() as u64,
    };
    if is_flat {
        c.set_aside(bytes)?;
    }
    let separator = c.text(1)?;
    c.charge(bytes / TEXT_UNIT + separator.len() as u64 / TEXT_UNIT)?;
    if separator.is_empty() {
        return chars(c);
    }
    let Some(text) = text else { return c.give_pieces(&separator) };
    let mut chars = separator.chars();
    match (chars.next(), chars.next()) {
        // Searching for a character is much faster than for a text of one.
        (Some(one), None) => c.give_texts(text.split(one)),
        _ => c.give_texts(text.split(&separator)),
    }
}

/// Does `split` of one operand, which is in one piece.
fn uncut(c: &mut Call<'_>) -> Result<Word, Exit> {
    if !c.s.heap.is_text(c.operand(0)) {
        return Err(c.refuse(0));
    }
    c.charge(1)?;
    c.room(2)?;
    let text = c.operand(0);
    Ok(c.make_list(&[text]))
}

/// Does `split` with a limit: only so many parts are made.
fn split_some(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, separator, limit) = (c.text(0)?, c.text(1)?, c.limit(2)?);
    c.charge_texts(&[&text, &separator])?;
    if separator.is_empty() {
        let char = |(at, c): (usize, char)| text.get(at..at + c.len_utf8());
        let chars = text.char_indices().map(|c| char(c).unwrap_or_default());
        return c.give_texts(chars.take(limit));
    }
    c.give_texts(text.split(&separator).take(limit))
}

pub(crate) fn starts_with(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, part) = (c.text(0)?, c.text(1)?);
    let from = c.place(2, 0)?;
    c.charge_texts(&[&text, &part])?;
    let rest = text.get(byte_of(&text, from)..).unwrap_or_default();
    Ok(boolean(rest.starts_with(&part)))
}

pub(crate) fn ends_with(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, part) = (c.text(0)?, c.text(1)?);
    let to = c.place(2, i64::MAX)?;
    c.charge_texts(&[&text, &part])?;
    let start = text.get(..byte_of(&text, to)).unwrap_or_default();
    Ok(boolean(start.ends_with(&part)))
}

fn empty(what: &str, instead: &str) -> Trouble {
    Trouble::OutOfRange(format!("the {what} is empty; see {instead}"))
}

pub(crate) fn join(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.must_be_list(0)?;
    let separator = if c.len() > 1 { c.text(1)? } else { ",".to_owned() };
    if let Some(joined) = joined_in_place(c, &separator)? {
        return Ok(joined);
    }
    let heap = &c.s.heap;
    // `flat` tells whether all parts are flat, `wrong` that one is no text.
    let (mut bytes, mut flat, mut wrong) = (0, true, None);
    let (mut rest, mut count) = (c.operand(0), 0);
    while tag(rest) == CONS && wrong.is_none() {
        let [part, next] = heap.next(rest);
        (rest, count) = (next, count + 1);
        flat &= tag(part) != ROPE;
        match heap.text_size(part) {
            Some((more, _)) => bytes += more,
            None => wrong = Some(part),
        }
    }
    if wrong.is_some() {
        return spoken::join(c, &separator);
    }
    c.charge(count)?;
    bytes += count.saturating_sub(1) * separator.len() as u64;
    if bytes > c.longest() {
        return Err(TOO_LARGE.into());
    }
    c.charge_texts(&[&separator])?;
    c.charge(bytes / TEXT_UNIT)?;
    let size = usize::try_from(bytes).unwrap_or_default();
    if flat {
        c.room(Heap::text_words(size))?;
        let list = c.operand(0);
        if let Some(joined) = c.s.heap.join_above(list, &separator, size, size) {
            return Ok(c.s.heap.sealed(joined.bytes, joined.chars));
        }
    }
    c.set_aside(bytes)?;
    let mut joined = Vec::with_capacity(size + 8);
    for (at, part) in c.list(0)?.into_iter().enumerate() {
        if at > 0 {
            joined.extend_from_slice(separator.as_bytes());
        }
        c.s.heap.write_text(part, usize::MAX, &mut joined);
    }
    let joined = String::from_utf8(joined).map_err(|_| Exit::defect("joined texts are no text"))?;
    c.make_text(&joined)
}

/// Joins in a single walk, if all parts are short and flat, there is room without collecting, and
/// the fuel lasts. The walk is paid per element, even if it ends at a part that cannot be joined.
fn joined_in_place(c: &mut Call<'_>, separator: &str) -> Result<Option<Word>, Exit> {
    if separator.len() > SHORT {
        return Ok(None);
    }
    let most = c.longest().min(c.budget().saturating_mul(TEXT_UNIT));
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let list = c.operand(0);
    let Some(joined) = c.s.heap.join_above(list, separator, most, SHORT) else {
        return Ok(None);
    };
    c.charge(joined.count)?;
    c.charge_texts(&[separator])?;
    c.charge(joined.bytes as u64 / TEXT_UNIT)?;
    Ok(Some(c.s.heap.sealed(joined.bytes, joined.chars)))
}

/// Returns the range of a slice from `from` to `to` of so many elements.
fn bounds(from: i64, to: i64, length: usize) -> (usize, usize) {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let clamp = |at: i64| {
        let at = if at < 0 { at.saturating_add(length) } else { at };
        usize::try_from(at.clamp(0, length)).unwrap_or_default()
    };
    (clamp(from), clamp(to))
}

pub(crate) fn slice(c: &mut Call<'_>) -> Result<Word, Exit> {
    let whole = c.operand(0);
    let is_text = c.s.heap.is_text(whole);
    if !is_text && !is_list(whole) {
        return Err(c.refuse(0));
    }
    let (from, to) = (c.place(1, 0)?, c.place(2, i64::MAX)?);
    if !is_text {
        return slice_list(c, from, to);
    }
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    let chars = c.s.heap.text_size(whole).map_or(0, |(_, chars)| chars);
    let (from, to) = bounds(from, to, usize::try_from(chars).unwrap_or_default());
    let mut starts = text.char_indices().map(|(at, _)| at).skip(from);
    let start = starts.next().unwrap_or(text.len());
    let end = match to.checked_sub(from) {
        None | Some(0) => start,
        Some(length) => starts.nth(length - 1).unwrap_or(text.len()),
    };
    c.give_text(text.get(start..end).unwrap_or_default())
}

fn slice_list(c: &mut Call<'_>, from: i64, to: i64) -> Result<Word, Exit> {
    let length = c.list(0)?.len();
    c.charge(length as u64)?;
    let (from, to) = bounds(from, to, length);
    c.room(2 * to.saturating_sub(from))?;
    let elements = c.list(0)?;
    Ok(c.make_list(elements.get(from..to).unwrap_or_default()))
}

pub(crate) fn replace(c: &mut Call<'_>) -> Result<Word, Exit> {
    let whole = c.operand(0);
    let Some((size, chars)) = c.s.heap.text_size(whole) else { return Err(c.refuse(0)) };
    if !c.s.heap.is_flat(whole) {
        c.set_aside(size)?;
    }
    let (from, to) = (c.text(1)?, c.text(2)?);
    if from.is_empty() {
        return Err(empty("text to be replaced", "`regex_replace`").into());
    }
    c.charge_texts(&[&from, &to])?;
    c.charge(size / TEXT_UNIT)?;
    let text = bytes_of(&c.s.heap, whole);
    let (mut count, mut first) = (0, Vec::new());
    for at in Places::new(&text, from.as_bytes()) {
        count += 1;
        if count <= PLACES {
            first.push(at);
        }
    }
    let source = if let Cow::Owned(text) = text { Some(text) } else { None };
    // The new size, in bytes or in characters: the part kept plus the replacements.
    let changed = |size: u64, gone: usize, come: usize| {
        let kept = size.saturating_sub((count * gone) as u64);
        (count as u64).saturating_mul(come as u64).saturating_add(kept)
    };
    let bytes = changed(size, from.len(), to.len());
    if bytes > c.longest() {
        return Err(TOO_LARGE.into());
    }
    c.charge(bytes / TEXT_UNIT)?;
    let chars = changed(chars, from.chars().count(), to.chars().count());
    let [bytes, chars] = [bytes, chars].map(|n| usize::try_from(n).unwrap_or_default());
    c.room(Heap::text_words(bytes))?;
    let whole = c.operand(0);
    let with = padded(to.as_bytes());
    let replaced = c.s.heap.written([bytes, chars], |old, out| {
        let text = source.as_deref().unwrap_or_else(|| flat_in(old, whole));
        let (mut done, mut end) = (0, 0);
        let mut put = |at: usize| {
            copy(text, done, at - done, out, end);
            end += at - done;
            copy(&with, 0, to.len(), out, end);
            (done, end) = (at + from.len(), end + to.len());
        };
        if count <= PLACES {
            first.into_iter().for_each(&mut put);
        } else {
            Places::new(text, from.as_bytes()).for_each(&mut put);
        }
        copy(text, done, text.len() - done, out, end);
    });
    Ok(replaced?)
}

/// Most places to remember instead of searching twice.
const PLACES: usize = 1 << 16;

pub(crate) fn repeat(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, n) = (c.text(0)?, c.position(1)?);
    let n = count(c, n)?;
    if n.saturating_mul(text.len() as u64) > c.longest() {
        return Err(TOO_LARGE.into());
    }
    c.charge_texts(&[&text])?;
    let n = if text.is_empty() { 0 } else { usize::try_from(n).unwrap_or_default() };
    c.charge(n as u64 * text.len() as u64 / TEXT_UNIT)?;
    c.set_aside(n as u64 * text.len() as u64)?;
    c.make_text(&text.repeat(n))
}

/// Does `pad_left` and `pad_right`.
pub(crate) fn pad(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, n) = (c.text(0)?, c.position(1)?);
    let fill = if c.len() > 2 { c.text(2)? } else { " ".to_owned() };
    let n = count(c, n)?;
    if fill.is_empty() {
        return Err(Trouble::OutOfRange(format!(
            "the text that `{}` fills with is empty",
            c.form.name()
        ))
        .into());
    }
    let chars = c.s.heap.text_size(c.operand(0)).map_or(0, |(_, chars)| chars);
    let missing = n.saturating_sub(chars);
    let length = fill.chars().count();
    let (whole, rest) = (missing / length as u64, missing % length as u64);
    let rest = usize::try_from(rest).unwrap_or_default();
    let rest = fill.char_indices().nth(rest).map_or("", |(end, _)| fill.get(..end).unwrap_or(""));
    let bytes = whole.saturating_mul(fill.len() as u64).saturating_add(rest.len() as u64);
    let bytes = bytes.saturating_add(text.len() as u64);
    if bytes > c.longest() {
        return Err(TOO_LARGE.into());
    }
    c.charge_texts(&[&text, &fill])?;
    c.charge(bytes / TEXT_UNIT)?;
    c.set_aside(bytes)?;
    let mut padded = String::with_capacity(usize::try_from(bytes).unwrap_or_default());
    padded.push_str(if c.form == Form::PadRight { &text } else { "" });
    (0..whole).for_each(|_| padded.push_str(&fill));
    padded.push_str(rest);
    padded.push_str(if c.form == Form::PadLeft { &text } else { "" });
    c.make_text(&padded)
}
