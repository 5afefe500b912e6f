//! The short way from JSON text to values, for what is common and simple: lists of small integers,
//! booleans, nulls and texts without escapes. Anything else is left to the tape, which also says
//! what is wrong with it.

use crate::digits;
use crate::heap::{Heap, NO_CELL};
use crate::value::{CONS, FALSE, NIL, TRUE, UNIT, Word, pointer, small};

/// A value built directly, and what it would be as a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    /// The value.
    pub(crate) value: Word,
    /// Term nodes.
    pub(crate) nodes: u64,
    /// Levels of lists.
    pub(crate) depth: u32,
}

/// A list whose end has not been seen: its first cell and its last.
#[derive(Clone, Copy)]
struct Open {
    first: usize,
    last: usize,
}

/// Builds the value of `text` if it is so simple; `texts` says whether strings may stand in it.
/// Room is made by growing; what was built of text that turns out otherwise is garbage.
pub(crate) fn build(heap: &mut Heap, text: &str, texts: bool) -> Option<Plain> {
    let mut reader = Reader { bytes: text.as_bytes(), text, at: 0, nodes: 0, start: heap.top };
    let (mut open, mut current): (Vec<Open>, Option<Open>) = (Vec::new(), None);
    let mut depth = 0;
    loop {
        if let Some(list) = &mut current {
            reader.integers(heap, list)?;
        }
        let mut value = match reader.blank() {
            b'[' => {
                reader.at += 1;
                reader.nodes += 1;
                depth = depth.max(open.len() + 1);
                if reader.blank() != b']' {
                    open.extend(current);
                    current = Some(Open { first: NO_CELL, last: NO_CELL });
                    continue;
                }
                reader.at += 1;
                NIL
            }
            first => reader.scalar(heap, first, texts)?,
        };
        loop {
            let Some(list) = &mut current else {
                let end = reader.blank() == 0 && reader.at >= text.len();
                let depth = u32::try_from(depth).unwrap_or(u32::MAX);
                return end.then_some(Plain { value, nodes: reader.nodes, depth });
            };
            list.push(heap, value, &reader)?;
            match reader.blank() {
                b',' => {
                    reader.at += 1;
                    break;
                }
                b']' => {
                    reader.at += 1;
                    heap.put(list.last + 1, &[NIL]);
                    value = pointer(list.first, CONS);
                    current = open.pop();
                }
                _ => return None,
            }
        }
    }
}

impl Open {
    /// Appends a value. The tail of its cell is the cell right after it, which is corrected if the
    /// next value goes elsewhere, and when the list ends.
    #[inline(always)]
    fn push(&mut self, heap: &mut Heap, value: Word, reader: &Reader) -> Option<()> {
        let cell = heap.top;
        let words = [value, pointer(cell + 2, CONS)];
        if let Some(slots) = heap.words.get_mut(cell..cell + 2) {
            slots.copy_from_slice(&words);
            heap.top = cell + 2;
        } else {
            reader.make_room(heap)?;
            heap.claim(2);
            heap.put(cell, &words);
        }
        if self.last == NO_CELL {
            self.first = cell;
        } else if self.last + 2 != cell {
            heap.put(self.last + 1, &[pointer(cell, CONS)]);
        }
        self.last = cell;
        Some(())
    }
}

struct Reader<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    nodes: u64,
    /// Where on the heap the value begins.
    start: usize,
}

impl Reader<'_> {
    /// Makes room for a cell, and for as many more as the rest of the text is likely to need.
    #[cold]
    #[inline(never)]
    fn make_room(&self, heap: &mut Heap) -> Option<()> {
        let (used, rest) = (heap.top - self.start, self.bytes.len() - self.at);
        let likely = used as u64 * rest as u64 / self.at.max(1) as u64;
        let likely = usize::try_from(likely + likely / 32).unwrap_or(usize::MAX);
        heap.grow(likely.saturating_add(2)).or_else(|_| heap.grow(2)).ok()
    }

    /// The next byte that is no blank, or 0.
    #[inline(always)]
    fn blank(&mut self) -> u8 {
        let mut byte = self.bytes.get(self.at).copied().unwrap_or(0);
        while matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
            byte = self.bytes.get(self.at).copied().unwrap_or(0);
        }
        byte
    }

    /// Reads integers as long as each is at once followed by a comma.
    #[inline(always)]
    fn integers(&mut self, heap: &mut Heap, list: &mut Open) -> Option<()> {
        while let Some((count, n)) = digits::eight(self.bytes, self.at) {
            let end = self.at + count as usize;
            let leading_zero = count > 1 && self.bytes.get(self.at) == Some(&b'0');
            if count == 0 || leading_zero || self.bytes.get(end) != Some(&b',') {
                break;
            }
            list.push(heap, small(i64::from(n)), self)?;
            self.nodes += 1;
            self.at = end + 1;
        }
        Some(())
    }

    #[inline(always)]
    fn scalar(&mut self, heap: &mut Heap, first: u8, texts: bool) -> Option<Word> {
        self.nodes += 1;
        match first {
            b'0'..=b'9' => self.integer(1),
            b'-' => {
                self.at += 1;
                self.integer(-1)
            }
            b'"' if texts => self.string(heap),
            b't' => self.word("true", TRUE),
            b'f' => self.word("false", FALSE),
            b'n' => self.word("null", UNIT),
            _ => None,
        }
    }

    #[inline(always)]
    fn integer(&mut self, sign: i64) -> Option<Word> {
        let (count, n) = digits::eight(self.bytes, self.at).or_else(|| self.last_digits())?;
        let leading_zero = count > 1 && self.bytes.get(self.at) == Some(&b'0');
        self.at += count as usize;
        // Eight digits may go on, and a number may have a fraction: both are not simple.
        let goes_on = matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E' | b'0'..=b'9'));
        if count == 0 || leading_zero || goes_on {
            return None;
        }
        Some(small(sign * i64::from(n)))
    }

    /// Digits within the last seven bytes of the text.
    #[cold]
    fn last_digits(&self) -> Option<(u32, u32)> {
        let rest = self.bytes.get(self.at..)?;
        let mut padded = [0; 8];
        padded.get_mut(..rest.len().min(8))?.copy_from_slice(rest.get(..rest.len().min(8))?);
        digits::eight(&padded, 0)
    }

    fn word(&mut self, word: &str, value: Word) -> Option<Word> {
        let found = self.bytes.get(self.at..)?.starts_with(word.as_bytes());
        self.at += word.len();
        found.then_some(value)
    }

    fn string(&mut self, heap: &mut Heap) -> Option<Word> {
        let from = self.at + 1;
        let rest = self.bytes.get(from..)?;
        let end = from + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=31))?;
        if self.bytes.get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        let text = self.text.get(from..end)?;
        heap.grow(Heap::text_words(text.len())).ok()?;
        heap.text(text).ok()
    }
}
