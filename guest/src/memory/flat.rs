//! Flat texts: texts in one piece, a word at a time. Zeros fill the last word.

use crate::memory::heap::{Full, Heap};
use crate::memory::word::{
    CONS, KIND_TEXT, MAX_OBJECT, NIL, OBJECT, ROPE, Word, aux, header, index, kind, pointer, size,
    tag,
};
use pif_core::limits::to_u32;
use pif_core::text::digits::{HIGH, ONES};
use pif_core::text::lanes::{LANES, Lanes, SHORT, copy, padded};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Bytes of a text or separator that are copied without looking for their end.
const FEW: usize = 16;

impl Heap {
    /// Makes a text. There must be room for `text_words`.
    pub(crate) fn text(&mut self, text: &str) -> Result<Word, Full> {
        self.text_of(text.as_bytes())
    }

    /// Makes a text from valid UTF-8. There must be room for `text_words`.
    #[inline(never)]
    pub(crate) fn text_of(&mut self, bytes: &[u8]) -> Result<Word, Full> {
        let words = Self::text_words(bytes.len());
        if words > MAX_OBJECT {
            return Err(Full);
        }
        let at = self.claim(words);
        let slots = self.words.get_mut(at + 2..at + words).unwrap_or_default();
        let chars = write_words(bytes, slots);
        self.put(at, &[Self::text_header(bytes.len()), chars]);
        Ok(pointer(at, OBJECT))
    }

    /// Returns the bytes of a text. A rope is written out.
    pub(crate) fn bytes_of(&self, v: Word) -> Cow<'_, [u8]> {
        if tag(v) != ROPE {
            return Cow::Borrowed(self.flat(v));
        }
        let mut bytes = Vec::new();
        self.write_text(v, usize::MAX, &mut bytes);
        Cow::Owned(bytes)
    }

    /// Appends the bytes of a text until `out` has `wanted` bytes. A stack on the heap walks ropes.
    pub(crate) fn write_text(&self, v: Word, wanted: usize, out: &mut Vec<u8>) {
        if tag(v) != ROPE {
            return self.write_piece(v, wanted, out);
        }
        let mut open = vec![v];
        while out.len() < wanted
            && let Some(v) = open.pop()
        {
            if tag(v) == ROPE {
                let [left, right] = self.cell(index(v) + 1);
                open.push(right);
                open.push(left);
                continue;
            }
            self.write_piece(v, wanted, out);
        }
    }

    /// Appends the bytes of a flat text, or as many whole characters as `out` needs to reach
    /// `wanted` bytes.
    fn write_piece(&self, v: Word, wanted: usize, out: &mut Vec<u8>) {
        let (bytes, room) = (self.flat(v), wanted.saturating_sub(out.len()));
        if bytes.len() <= room {
            return self.write_flat(v, out);
        }
        let is_start = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
        let end = (room..bytes.len()).find(is_start).unwrap_or(bytes.len());
        out.extend_from_slice(bytes.get(..end).unwrap_or_default());
    }

    /// Returns the beginning of a text, for people. Returns nothing if it lies too deep in a rope:
    /// nobody pays for that walk.
    pub(crate) fn beginning(&self, v: Word, wanted: usize) -> Option<String> {
        const JOINS: usize = 1024;
        let (mut joins, mut first) = (0, v);
        while tag(first) == ROPE && joins <= JOINS {
            (joins, first) = (joins + 1, self.cell(index(first) + 1)[0]);
        }
        (joins <= JOINS).then(|| self.prefix(v, wanted))
    }

    /// Appends the bytes of a flat text. May take 7 more bytes for a moment.
    pub(crate) fn write_flat(&self, v: Word, out: &mut Vec<u8>) {
        let words = self.flat_words(v);
        if 8 * words.len() > SHORT {
            return out.extend_from_slice(self.flat(v));
        }
        let end = out.len() + aux(self.header(v)) as usize;
        out.reserve(8 * words.len());
        for word in words {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.truncate(end);
    }

    /// Appends a short flat text as a JSON string, if it needs no escapes. Otherwise appends
    /// nothing.
    #[inline(always)]
    pub(crate) fn write_plain(&self, v: Word, out: &mut Vec<u8>) -> bool {
        let (start, bytes) = (out.len(), aux(self.header(v)) as usize);
        if bytes > SHORT {
            return false;
        }
        let text: &[u8] = bytemuck::cast_slice(self.words.get(index(v) + 2..).unwrap_or_default());
        out.reserve(bytes + LANES + 2);
        out.push(b'"');
        for from in (0..bytes).step_by(LANES) {
            let lanes = Lanes::at(text, from);
            let special = lanes.map(|lanes| lanes.special().next().unwrap_or(LANES));
            // Bytes behind the text do not count.
            if special.is_none_or(|lane| lane < LANES.min(bytes - from)) {
                out.truncate(start);
                return false;
            }
            out.extend(
                text.get(from..)
                    .and_then(<[u8]>::first_chunk::<LANES>)
                    .copied()
                    .unwrap_or_default(),
            );
        }
        out.truncate(start + 1 + bytes);
        out.push(b'"');
        true
    }

    /// Returns the header of a text of so many bytes, which must fit an object.
    pub(crate) fn text_header(bytes: usize) -> Word {
        header(KIND_TEXT, Self::text_words(bytes), to_u32(bytes))
    }

    /// Returns the bytes of a value that is a flat text.
    pub(crate) fn flat_text(&self, v: Word) -> Option<&[u8]> {
        self.is_flat(v).then(|| self.flat(v))
    }

    /// Tells whether a value is a flat text.
    pub(crate) fn is_flat(&self, v: Word) -> bool {
        self.object_kind(v) == KIND_TEXT
    }

    /// Returns the bytes of a flat text.
    pub(crate) fn flat(&self, v: Word) -> &[u8] {
        flat_in(&self.words, v)
    }

    pub(crate) fn flat_words(&self, v: Word) -> &[Word] {
        self.words.get(index(v) + 2..index(v) + size(self.header(v))).unwrap_or_default()
    }

    /// Makes a text of a flat text's bytes `from` to `to`. Both are boundaries of characters. There
    /// must be room for `text_words`.
    pub(crate) fn part(&mut self, text: Word, from: usize, to: usize) -> Result<Word, Full> {
        let bytes = to - from;
        let words = Self::text_words(bytes);
        if words > MAX_OBJECT {
            return Err(Full);
        }
        let at = self.claim(words);
        let (old, new) = self.words.split_at_mut(at);
        let start = 8 * (index(text) + 2) + from;
        let source: &[u8] = bytemuck::cast_slice(old);
        let source = source.get(start..start + bytes).unwrap_or_default();
        let [head, chars, slots @ ..] = new else { return Err(Full) };
        *head = Self::text_header(bytes);
        *chars = write_words(source, slots);
        Ok(pointer(at, OBJECT))
    }

    /// Copies a flat ASCII text with other letters: `from` and the 25 after it become those `0x20`
    /// away. There must be room for as many words.
    pub(crate) fn recased(&mut self, text: Word, from: u8) -> Word {
        let (start, words) = (index(text), size(self.header(text)));
        let at = self.claim(words);
        let (old, new) = self.words.split_at_mut(at);
        let source = old.get(start..start + words).unwrap_or_default();
        for (slot, word) in new.iter_mut().zip(source) {
            *slot = recase(*word, from);
        }
        if let ([head, chars, ..], [old_head, old_chars, ..]) = (new, source) {
            (*head, *chars) = (*old_head, *old_chars);
        }
        pointer(at, OBJECT)
    }

    /// Joins flat texts, with a separator between them, to at most `most` bytes. Returns nothing if
    /// a part is not flat or longer than `long`, or if there is no room without moving values. The
    /// text lies above all values; `sealed` turns it into a value.
    pub(crate) fn join_above(
        &mut self,
        list: Word,
        separator: &str,
        most: usize,
        long: usize,
    ) -> Option<Joined> {
        let padded = padded(separator.as_bytes());
        let mut joined = Joined { rest: list, count: 0, bytes: 0, chars: 0 };
        let (mut wanted, most) = (0, most.min(8 * (MAX_OBJECT - Self::text_words(0))));
        loop {
            let needed = joined.bytes + wanted;
            if needed > most || !self.has_room_in_place(Self::text_words(needed)) {
                return None;
            }
            // Reads of whole vectors stay in bounds for the last text too.
            let (old, new) = self.words.split_at_mut(self.top + Self::text_words(0));
            let out = bytemuck::cast_slice_mut(new);
            let out = out.get_mut(..most.min(out.len()))?;
            wanted = joined.go_on(old, out, &padded, separator.len(), long);
            if wanted == 0 {
                break;
            }
        }
        let gaps = joined.count.saturating_sub(1);
        joined.chars += gaps * separator.chars().count() as u64;
        (joined.rest == NIL).then_some(joined)
    }

    /// Makes a text of so many bytes and characters. `write` gets the words before the text, to
    /// read, and the text's bytes, to fill. There must be room for `text_words`.
    pub(crate) fn written(
        &mut self,
        [bytes, chars]: [usize; 2],
        write: impl FnOnce(&[Word], &mut [u8]),
    ) -> Result<Word, Full> {
        let words = Self::text_words(bytes);
        if words > MAX_OBJECT {
            return Err(Full);
        }
        let (old, new) = self.words.split_at_mut(self.top);
        write(old, bytemuck::cast_slice_mut(new.get_mut(2..words).ok_or(Full)?));
        Ok(self.sealed(bytes, chars as u64))
    }

    /// Makes a text of the bytes above all values.
    pub(crate) fn sealed(&mut self, bytes: usize, chars: u64) -> Word {
        let words = Self::text_words(bytes);
        let at = self.claim(words);
        self.put(at, &[Self::text_header(bytes), chars]);
        if let Some(last) = self.words.get_mut(at + words - 1)
            && !bytes.is_multiple_of(8)
        {
            // The rest of the last word becomes zero.
            *last &= u64::MAX >> (64 - 8 * (bytes % 8));
        }
        pointer(at, OBJECT)
    }

    /// Tells whether two flat texts are equal.
    #[inline]
    pub(crate) fn same_flat(&self, a: Word, b: Word) -> bool {
        // Words, not slices: comparing few words takes less time than a call.
        let same = |(x, y): (&Word, &Word)| x == y;
        a == b
            || self.header(a) == self.header(b)
                && self.flat_words(a).iter().zip(self.flat_words(b)).all(same)
    }

    /// Orders two flat texts by their bytes.
    pub(crate) fn compare_flat(&self, a: Word, b: Word) -> Ordering {
        for (x, y) in self.flat_words(a).iter().zip(self.flat_words(b)) {
            if x != y {
                return x.swap_bytes().cmp(&y.swap_bytes());
            }
        }
        // One is the beginning of the other, which may go on with zeros.
        aux(self.header(a)).cmp(&aux(self.header(b)))
    }
}

/// How far `join_above` has come.
pub(crate) struct Joined {
    rest: Word,
    /// Texts joined.
    pub(crate) count: u64,
    /// Bytes, with the separators.
    pub(crate) bytes: usize,
    /// Characters. Those of the separators are added at the end.
    pub(crate) chars: u64,
}

impl Joined {
    /// Writes texts, and a separator before each but the first, as long as they fit. Returns how
    /// many bytes the next one needs, or 0 at the end or before a part that cannot be joined.
    #[inline(never)]
    fn go_on(
        &mut self,
        old: &[Word],
        out: &mut [u8],
        separator: &[u8],
        len: usize,
        long: usize,
    ) -> usize {
        let Self { mut rest, mut count, mut bytes, mut chars } = *self;
        let mut wanted = 0;
        // Short texts need neither a call nor their exact end: the next write covers the excess.
        let mut short = [0; FEW];
        short.iter_mut().zip(separator).for_each(|(to, byte)| *to = *byte);
        let few = if len <= FEW { FEW + 1 } else { 0 };
        let mut gap = if count > 0 { len } else { 0 };
        while tag(rest) == CONS
            && let Some([part, next]) = at::<2>(old, rest)
            && tag(*part) == OBJECT
            && let Some(text) = at::<{ 2 + FEW / 8 }>(old, *part)
            && let [head, more, text @ ..] = text
            && kind(*head) == KIND_TEXT
        {
            let size = aux(*head) as usize;
            if size < few
                && let Some(window) = out.get_mut(bytes..).and_then(<[u8]>::first_chunk_mut)
            {
                let window: &mut [u8; 2 * FEW] = window;
                if let Some(place) = window.first_chunk_mut() {
                    *place = short;
                }
                if let Some(place) = window.get_mut(gap..).and_then(<[u8]>::first_chunk_mut) {
                    let place: &mut [u8; FEW] = place;
                    for (place, word) in place.as_chunks_mut().0.iter_mut().zip(text) {
                        *place = word.to_le_bytes();
                    }
                }
            } else if size > long {
                break;
            } else if bytes + gap + size > out.len() {
                wanted = gap + size;
                break;
            } else {
                copy(separator, 0, gap, out, bytes);
                copy(bytemuck::cast_slice(old), 8 * (index(*part) + 2), size, out, bytes + gap);
            }
            (rest, count) = (*next, count + 1);
            (bytes, chars) = (bytes + gap + size, chars + more);
            gap = len;
        }
        *self = Self { rest, count, bytes, chars };
        wanted
    }
}

/// Returns the words that a value points to.
#[inline(always)]
fn at<const N: usize>(words: &[Word], v: Word) -> Option<&[Word; N]> {
    words.get(index(v)..).and_then(<[Word]>::first_chunk)
}

/// Writes the bytes of a text into words, padded with zeros. Returns the number of characters.
#[inline(always)]
fn write_words(bytes: &[u8], slots: &mut [Word]) -> Word {
    let (whole, rest) = bytes.as_chunks::<8>();
    let (mut slots, mut others) = (slots.iter_mut(), 0);
    for (bytes, slot) in whole.iter().zip(&mut slots) {
        *slot = u64::from_le_bytes(*bytes);
        others += beyond_first(*slot);
    }
    if !rest.is_empty()
        && let Some(last) = slots.next()
    {
        *last = match bytes.last_chunk() {
            Some(eight) => u64::from_le_bytes(*eight) >> (64 - 8 * rest.len()),
            None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        others += beyond_first(*last);
    }
    bytes.len() as u64 - u64::from(others)
}

/// Counts the bytes of a word that continue a character: their highest bits are 10.
#[inline(always)]
pub(crate) fn beyond_first(word: Word) -> u32 {
    if word & HIGH == 0 { 0 } else { (word & !(word << 1) & HIGH).count_ones() }
}

/// Returns the bytes of a flat text among the heap's words.
pub(crate) fn flat_in(words: &[Word], text: Word) -> &[u8] {
    let head = words.get(index(text)).copied().unwrap_or_default();
    let bytes: &[u8] = bytemuck::cast_slice(words.get(index(text) + 2..).unwrap_or_default());
    bytes.get(..aux(head) as usize).unwrap_or_default()
}

/// Turns the 26 letters from `from` on into those `0x20` away. The word is ASCII.
#[inline(always)]
pub(crate) fn recase(word: u64, from: u8) -> u64 {
    let from = u64::from(from);
    let at_least = word.wrapping_add(ONES * (0x80 - from));
    let beyond = word.wrapping_add(ONES * (0x80 - from - 26));
    word ^ (at_least & !beyond & HIGH) >> 2
}
