//! Texts in one piece, a word at a time: what lies behind a text in its last word is zero.

use super::{Full, Heap, to_u32};
use crate::value::{
    KIND_TEXT, MAX_OBJECT, OBJECT, ROPE, Word, aux, header, index, pointer, size, tag,
};
use std::cmp::Ordering;

/// Words of a text that is copied word by word: a copy of unknown length is a call that leaves
/// the code of the component, which takes as long as copying some words.
const SHORT: usize = 16;

/// The bits that bytes of characters beyond ASCII have.
const HIGH: u64 = 0x8080_8080_8080_8080;

impl Heap {
    /// A new text; there must be room for `text_words`.
    pub(crate) fn text(&mut self, text: &str) -> Result<Word, Full> {
        let bytes = text.as_bytes();
        let words = Self::text_words(bytes.len());
        if words > MAX_OBJECT {
            return Err(Full);
        }
        let at = self.claim(words);
        let (whole, rest) = bytes.as_chunks::<8>();
        let slots = self.words.get_mut(at + 2..at + words).unwrap_or_default();
        let mut all = 0;
        for (slot, bytes) in slots.iter_mut().zip(whole) {
            *slot = u64::from_le_bytes(*bytes);
            all |= *slot;
        }
        if !rest.is_empty()
            && let Some(last) = slots.last_mut()
        {
            *last = match bytes.last_chunk() {
                Some(eight) => u64::from_le_bytes(*eight) >> (64 - 8 * rest.len()),
                None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            };
            all |= *last;
        }
        let chars = if all & HIGH == 0 { bytes.len() } else { text.chars().count() };
        self.put(at, &[header(KIND_TEXT, words, to_u32(bytes.len())), chars as u64]);
        Ok(pointer(at, OBJECT))
    }

    /// Appends the bytes of a text to `out` until that has as many as wanted. Ropes are walked with
    /// a stack on the heap.
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

    /// Appends the bytes of a text that is no rope, or as many of its characters as make `out` have
    /// the bytes that are wanted.
    fn write_piece(&self, v: Word, wanted: usize, out: &mut Vec<u8>) {
        let (bytes, room) = (self.flat(v), wanted.saturating_sub(out.len()));
        if bytes.len() <= room {
            return self.write_flat(v, out);
        }
        let is_start = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
        let end = (room..bytes.len()).find(is_start).unwrap_or(bytes.len());
        out.extend_from_slice(bytes.get(..end).unwrap_or_default());
    }

    /// The beginning of a text, for people: nothing if it lies deeper among the pieces that the text
    /// was joined from than it is worth walking, since nobody pays for that.
    pub(crate) fn beginning(&self, v: Word, wanted: usize) -> Option<String> {
        const JOINS: usize = 1024;
        let (mut joins, mut first) = (0, v);
        while tag(first) == ROPE && joins <= JOINS {
            (joins, first) = (joins + 1, self.cell(index(first) + 1)[0]);
        }
        (joins <= JOINS).then(|| self.prefix(v, wanted))
    }

    /// Appends the bytes of a text that is no rope. May take 7 bytes more than those for a moment.
    pub(crate) fn write_flat(&self, v: Word, out: &mut Vec<u8>) {
        let words = self.flat_words(v);
        if words.len() > SHORT {
            return out.extend_from_slice(self.flat(v));
        }
        let end = out.len() + aux(self.header(v)) as usize;
        out.reserve(8 * words.len());
        for word in words {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.truncate(end);
    }

    /// The bytes of a value that is a text in one piece.
    pub(crate) fn flat_text(&self, v: Word) -> Option<&[u8]> {
        self.is_flat(v).then(|| self.flat(v))
    }

    /// Whether a value is a text in one piece.
    pub(crate) fn is_flat(&self, v: Word) -> bool {
        self.object_kind(v) == KIND_TEXT
    }

    /// The bytes of a text that is no rope.
    pub(crate) fn flat(&self, v: Word) -> &[u8] {
        let bytes: &[u8] = bytemuck::cast_slice(self.flat_words(v));
        bytes.get(..aux(self.header(v)) as usize).unwrap_or_default()
    }

    fn flat_words(&self, v: Word) -> &[Word] {
        self.words.get(index(v) + 2..index(v) + size(self.header(v))).unwrap_or_default()
    }

    /// Orders two texts that are no ropes by their bytes.
    pub(crate) fn compare_flat(&self, a: Word, b: Word) -> Ordering {
        for (x, y) in self.flat_words(a).iter().zip(self.flat_words(b)) {
            if x != y {
                return x.swap_bytes().cmp(&y.swap_bytes());
            }
        }
        // One is the beginning of the other, and zeros may follow it there.
        aux(self.header(a)).cmp(&aux(self.header(b)))
    }
}
