//! Texts, and the forms that take lists as well as texts.
//!
//! Fuel: 1 per 8 bytes of each operand that is a text and of a result that is one; 1 per element
//! of a list, be it an operand or the result. `upper` and `lower` of a text that is not ASCII four
//! times that of the operand. `contains` and `index_of` of a list cost besides
//! what `eq` costs for each element that they look at.

use super::Call;
use crate::form::Form;
use crate::heap::{Heap, flat_in};
use crate::lanes::{SHORT, copy, padded};
use crate::machine::operate::longest_text;
use crate::machine::state::Exit;
use crate::primitive::comparison::{Compared, TEXT_UNIT, equal};
use crate::primitive::scan::Places;
use crate::primitive::{Trouble, type_name};
use crate::value::{
    CONS, NIL, ROPE, TRUE, UNIT, Word, as_small, boolean, fit, is_integer, is_list, tag,
};
use std::borrow::Cow;
use std::rc::Rc;

pub(super) const TOO_LARGE: Trouble = Trouble::Full("the text would not fit into the memory limit");

impl Call<'_> {
    /// Spends the fuel of going through texts.
    pub(super) fn charge_texts(&mut self, texts: &[&str]) -> Result<(), Exit> {
        self.charge(texts.iter().map(|text| text.len() as u64 / TEXT_UNIT).sum())
    }

    /// A new text, paid for.
    pub(super) fn give_text(&mut self, text: &str) -> Result<Word, Exit> {
        self.charge_texts(&[text])?;
        self.make_text(text)
    }

    /// A list of new texts, 1 unit of fuel each. There may be more of them than fit anywhere.
    pub(super) fn give_texts<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str> + Clone,
    ) -> Result<Word, Exit> {
        self.charge(texts.clone().count() as u64)?;
        self.room(texts.clone().map(|text| 2 + Heap::text_words(text.len())).sum())?;
        let texts = texts.map(|text| self.s.heap.text(text));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        Ok(self.make_list(&texts))
    }

    /// The texts between separators in the first operand, which is a text in one piece, as
    /// `give_texts` does.
    fn give_pieces(&mut self, separator: &str) -> Result<Word, Exit> {
        let whole = self.operand(0);
        let Some(text) = self.s.heap.flat_text(whole) else { return Ok(NIL) };
        let (length, width, most) = (text.len(), separator.len(), self.s.heap.limit);
        let (mut words, mut start, mut count, mut ends) = (0, 0, 1, Vec::new());
        for end in Places::new(text, separator.as_bytes()) {
            words += 2 + Heap::text_words(end - start);
            (start, count) = (end + width, count + 1);
            // Of more than fit anywhere it is enough to know how many they are.
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

    /// Bytes of the longest text that a form can build.
    pub(super) fn longest(&self) -> u64 {
        longest_text(&self.s.heap) / 2
    }

    /// Bytes of the longest text that can be built without knowing its length before: it is moved
    /// while it is written.
    pub(super) fn longest_written(&self) -> usize {
        usize::try_from(self.longest() / 2).unwrap_or(usize::MAX)
    }

    /// An operand that must be an integer; one that is beyond all sizes is the largest or the
    /// smallest.
    fn position(&self, i: usize) -> Result<i64, Exit> {
        let v = self.operand(i);
        if is_integer(v) {
            return Ok(as_small(v));
        }
        match self.s.heap.limbs(v) {
            Some((_, negative)) => Ok(if negative { i64::MIN } else { i64::MAX }),
            None => Err(self.wrong(i, "an integer")),
        }
    }

    /// `eq`.
    fn equal(&mut self, x: Word, y: Word) -> Result<bool, Exit> {
        let budget = self.budget();
        let terms = Rc::clone(&self.s.terms);
        let Compared { work, result } = equal(&self.s.heap, &terms, x, y, budget);
        self.charge(work)?;
        Ok(result? == TRUE)
    }
}

/// How many there are to be: the second operand, which is `n`.
fn count(c: &Call<'_>, n: i64) -> Result<u64, Trouble> {
    u64::try_from(n).map_err(|_| {
        let what = if c.form == Form::Repeat { "count" } else { "length" };
        let (form, n) = (c.form.name(), c.shown(1));
        Trouble::OutOfRange(format!("the {what} of `{form}` must not be negative, it is {n}"))
    })
}

pub(super) fn chars(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    let char = |(at, c): (usize, char)| text.get(at..at + c.len_utf8());
    c.give_texts(text.char_indices().map(|c| char(c).unwrap_or_default()))
}

pub(super) fn lines(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    c.give_texts(text.lines())
}

pub(super) fn split(c: &mut Call<'_>) -> Result<Word, Exit> {
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
        return Err(empty("separator", "`chars`").into());
    }
    let Some(text) = text else { return c.give_pieces(&separator) };
    let mut chars = separator.chars();
    match (chars.next(), chars.next()) {
        // One character is found much faster than a text of one.
        (Some(one), None) => c.give_texts(text.split(one)),
        _ => c.give_texts(text.split(&separator)),
    }
}

pub(super) fn starts_with(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, part) = (c.text(0)?, c.text(1)?);
    c.charge_texts(&[&text, &part])?;
    Ok(boolean(text.starts_with(&part)))
}

pub(super) fn ends_with(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, part) = (c.text(0)?, c.text(1)?);
    c.charge_texts(&[&text, &part])?;
    Ok(boolean(text.ends_with(&part)))
}

fn empty(what: &str, instead: &str) -> Trouble {
    Trouble::OutOfRange(format!("the {what} is empty; see {instead}"))
}

pub(super) fn join(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.must_be_list(0)?;
    let separator = c.text(1)?;
    if let Some(joined) = joined_in_place(c, &separator)? {
        return Ok(joined);
    }
    let heap = &c.s.heap;
    // Whether all parts are in one piece.
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
    count += heap.length(rest) as u64;
    c.charge(count)?;
    if let Some(part) = wrong {
        let (wanted, found) = ("a list of strings", type_name(&c.s.heap, part));
        return Err(Trouble::Element { operand: 0, wanted, found }.into());
    }
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
    c.make_text(&String::from_utf8(joined).unwrap_or_default())
}

/// The same if all parts are short and in one piece, there is room for what they become that is found
/// without collecting, and the fuel lasts: then one walk is enough. What it does is paid for by the
/// element, even if it ends at a part that cannot be joined.
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

/// From where to where a slice of so many goes.
fn bounds(from: i64, to: i64, length: usize) -> (usize, usize) {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let clamp = |at: i64| {
        let at = if at < 0 { at.saturating_add(length) } else { at };
        usize::try_from(at.clamp(0, length)).unwrap_or_default()
    };
    (clamp(from), clamp(to))
}

pub(super) fn slice(c: &mut Call<'_>) -> Result<Word, Exit> {
    let whole = c.operand(0);
    let is_text = c.s.heap.is_text(whole);
    if !is_text && !is_list(whole) {
        return Err(c.wrong(0, "a string or a list"));
    }
    let from = c.position(1)?;
    let to = if c.len() > 2 { c.position(2)? } else { i64::MAX };
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

pub(super) fn contains(c: &mut Call<'_>) -> Result<Word, Exit> {
    Ok(boolean(find(c)?.is_some()))
}

pub(super) fn index_of(c: &mut Call<'_>) -> Result<Word, Exit> {
    Ok(find(c)?.and_then(|at| fit(i64::try_from(at).ok()?)).unwrap_or(UNIT))
}

/// Where a part of a text, or an element of a list, first is.
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

/// The character of a text at which another begins. A text in one piece is not copied.
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

/// The bytes of a text, copied if it is in several pieces.
pub(super) fn bytes_of(heap: &Heap, text: Word) -> Cow<'_, [u8]> {
    heap.flat_text(text).map_or_else(|| heap.string(text).into_bytes().into(), Cow::Borrowed)
}

/// How many characters the bytes are.
fn characters(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or(0, |text| text.chars().count())
}

pub(super) fn replace(c: &mut Call<'_>) -> Result<Word, Exit> {
    let whole = c.operand(0);
    let Some((size, chars)) = c.s.heap.text_size(whole) else { return Err(c.wrong(0, "a string")) };
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
    // Of bytes and of characters: what is kept, and what comes to that.
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

/// Places that are kept rather than looked for twice.
const PLACES: usize = 1 << 16;

pub(super) fn repeat(c: &mut Call<'_>) -> Result<Word, Exit> {
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

/// `pad_left`, `pad_right`.
pub(super) fn pad(c: &mut Call<'_>) -> Result<Word, Exit> {
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
