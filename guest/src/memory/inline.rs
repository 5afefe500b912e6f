//! Reads short strings and integers of JSON as values, many at a time in lists.

use crate::memory::flat::beyond_first;
use crate::memory::heap::Heap;
use crate::memory::word::{CONS, MAX_RUN, NIL, OBJECT, Word, end_of_run, pointer, run, small};
use pif_core::json::number::POWERS;
use pif_core::limits::to_u32;
use pif_core::text::digits;
use pif_core::text::lanes::{LANES, Lanes, SHORT};

/// Words of a run after its integers.
const END: usize = 2;

/// Items of a list, as far as they are read.
pub(crate) struct Items {
    /// The list that begins with them, and the word for its rest.
    pub(crate) list: Word,
    pub(crate) rest: usize,
    pub(crate) count: usize,
    /// The next item's place in the JSON.
    pub(crate) end: usize,
}

impl Items {
    fn none(from: usize) -> Self {
        Self { list: NIL, rest: 0, count: 0, end: from }
    }

    /// Adds an item. Its comma stands before `end`.
    #[inline(always)]
    fn add(&mut self, cell: usize, end: usize) {
        if self.count == 0 {
            self.list = pointer(cell, CONS);
        }
        (self.rest, self.count, self.end) = (cell + 1, self.count + 1, end);
    }
}

impl Heap {
    /// Makes a text of the JSON string whose opening quote stands at `quote`, and returns its end.
    /// Only for a short string without escapes, with room at hand.
    #[inline(always)]
    fn text_in_json(&mut self, json: &[u8], quote: usize) -> Option<(Word, usize)> {
        let (at, from) = (self.top, quote + 1);
        let slots = self.words.get_mut(at..)?;
        let [head, chars, slots @ ..] = slots else { return None };
        let (mut end, mut others, mut words) = (from, 0, 2);
        for slots in slots.as_chunks_mut().0.iter_mut().take(SHORT / LANES) {
            let lanes = Lanes::at(json, end)?;
            *slots = lanes.words();
            let Some(rest) = lanes.special().next() else {
                others += slots.iter().map(|word| beyond_first(*word)).sum::<u32>();
                (end, words) = (end + LANES, words + slots.len());
                continue;
            };
            end += rest;
            if json.get(end) != Some(&b'"') {
                return None;
            }
            // Zeros pad the text. An empty rest takes no word.
            words += rest.div_ceil(8);
            *slots = beginning(*slots, rest);
            others += slots.iter().map(|word| beyond_first(*word)).sum::<u32>();
            let bytes = end - from;
            *head = Self::text_header(bytes);
            *chars = bytes as u64 - u64::from(others);
            self.top = at + words;
            return Some((pointer(at, OBJECT), end + 1));
        }
        None
    }

    /// Reads the short number or the short string that begins at a byte, and returns its end.
    #[inline(always)]
    pub(crate) fn short_in_json(&mut self, json: &[u8], at: usize) -> Option<(Word, usize)> {
        match json.get(at)? {
            b'0'..=b'9' => self.number_in_json(json, at, 1),
            b'-' => self.number_in_json(json, at + 1, -1),
            b'"' => self.text_in_json(json, at),
            _ => None,
        }
    }

    /// Reads the number whose digits begin at a place, and returns its end: an integer of up to 16
    /// digits, or a float of up to 15, with up to 8 after the point.
    #[inline(always)]
    fn number_in_json(&mut self, json: &[u8], at: usize, sign: i64) -> Option<(Word, usize)> {
        let (count, n) = digits::sixteen(json, at).or_else(|| last_digits(json, at))?;
        let end = at + count as usize;
        if count == 0 || count > 1 && json.get(at) == Some(&b'0') {
            return None;
        }
        match json.get(end) {
            Some(b'.') => {
                let (n, end) = short_float(json, (count, n), end + 1)?;
                self.grow(2).ok()?;
                Some((self.float(if sign < 0 { -n } else { n }), end))
            }
            Some(b'e' | b'E' | b'0'..=b'9') => None,
            _ => Some((small(sign * n), end)),
        }
    }

    /// Reads the short strings that follow one another in a JSON list, each with a comma behind it,
    /// while there is room at hand. Behind each text lies its cell.
    #[inline(never)]
    pub(crate) fn texts_in_json(&mut self, json: &[u8], from: usize) -> Items {
        let (words, mut top, mut items) = (&mut *self.words, self.top, Items::none(from));
        while let from = items.end + usize::from(json.get(items.end) == Some(&b' ')) + 1
            && json.get(from - 1) == Some(&b'"')
            && let Some(lanes) = Lanes::at(json, from)
            && let Some(bytes) = lanes.special().next()
            && let Some(b"\",") = json.get(from + bytes..).and_then(<[u8]>::first_chunk)
            && let Some(slots) = words.get_mut(top..).and_then(<[Word]>::first_chunk_mut)
        {
            let [head, chars, slots @ ..]: &mut [Word; 4 + LANES / 8] = slots;
            let kept = beginning(lanes.words(), bytes);
            let others: u32 = kept.iter().map(|word| beyond_first(*word)).sum();
            for (slot, word) in slots.iter_mut().zip(kept) {
                *slot = word;
            }
            (*head, *chars) = (Self::text_header(bytes), bytes as u64 - u64::from(others));
            let cell = top + Self::text_words(bytes);
            let pair = slots.get_mut(cell - top - 2..).and_then(<[Word]>::first_chunk_mut);
            if let Some(pair) = pair {
                *pair = [pointer(top, OBJECT), pointer(cell + 2, CONS)];
            }
            if items.count > 0
                && let Some(rest) = words.get_mut(items.rest)
            {
                *rest = pointer(cell, CONS);
            }
            items.add(cell, from + bytes + 2);
            top = cell + 2;
        }
        self.top = top;
        items
    }

    /// Reads integers of up to 16 digits, not negative, from a JSON list into a run, while there is
    /// room at hand.
    #[inline(never)]
    pub(crate) fn integers_in_json(&mut self, json: &[u8], from: usize) -> Items {
        let (first, mut top) = (self.top, self.top);
        // Each integer takes at least two bytes.
        let until = json.len().min(from.saturating_add(MAX_RUN));
        let mut rest = json.get(from..until).unwrap_or_default();
        loop {
            while let Some((n, end)) = integer(rest)
                && let Some(slots) = self.words.get_mut(top..).and_then(<[Word]>::first_chunk_mut)
            {
                let [slot, ..]: &mut [Word; 1 + END] = slots;
                *slot = n;
                top += 1;
                rest = rest.get(end..).unwrap_or_default();
            }
            self.top = top;
            // The run continues where there are more words.
            let goes_on = integer(rest).is_some() && !self.has_room(1 + END) && self.step(1 + END);
            if !goes_on {
                break;
            }
        }
        let (count, end) = (top - first, until - rest.len());
        if count == 0 {
            return Items::none(from);
        }
        let list = if count == 1 {
            // At first the tail of a cell is the cell right behind it.
            self.put(top, &[pointer(top + 1, CONS)]);
            self.top = top + 1;
            pointer(first, CONS)
        } else {
            self.put(top, &[NIL, end_of_run(count)]);
            self.top = top + END;
            self.spared += count - END;
            run(first, count)
        };
        Items { list, rest: top, count, end }
    }
}

/// Reads the next integer of a list: up to 16 digits, maybe a space before them, and a comma
/// behind. Returns the place after the comma too.
#[inline(always)]
fn integer(json: &[u8]) -> Option<(Word, usize)> {
    let from = usize::from(json.starts_with(b" "));
    let (count, n) = digits::sixteen(json, from)?;
    let end = from + count as usize;
    let zero = count > 1 && json.get(from) == Some(&b'0');
    (count > 0 && !zero && json.get(end) == Some(&b',')).then_some((small(n), end + 1))
}

/// Reads a float from behind its point, given its integer part. Returns its end.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "15 digits are less than 2^53")]
fn short_float(json: &[u8], whole: (u32, i64), at: usize) -> Option<(f64, usize)> {
    let (count, digits) = digits::eight(json, at)?;
    let end = at + count as usize;
    let goes_on = matches!(json.get(end), Some(b'e' | b'E' | b'0'..=b'9'));
    if count == 0 || count + whole.0 > 15 || goes_on {
        return None;
    }
    let power = POWERS.get(count as usize)?;
    Some(((whole.1 as f64 * power + f64::from(digits)) / power, end))
}

/// Reads digits within the last seven bytes of the text.
#[cold]
fn last_digits(json: &[u8], at: usize) -> Option<(u32, i64)> {
    let rest = json.get(at..)?;
    let mut padded = [0; 8];
    padded.get_mut(..rest.len().min(8))?.copy_from_slice(rest.get(..rest.len().min(8))?);
    let (count, n) = digits::eight(&padded, 0)?;
    Some((count, i64::from(n)))
}

/// Keeps the first bytes of some words and clears the rest.
#[inline(always)]
fn beginning<const N: usize>(mut words: [Word; N], bytes: usize) -> [Word; N] {
    for (word, before) in words.iter_mut().zip((0..).step_by(8)) {
        let kept = bytes.saturating_sub(before).min(8);
        *word &= u64::MAX.checked_shr(to_u32(64 - 8 * kept)).unwrap_or_default();
    }
    words
}
