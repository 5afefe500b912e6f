//! The fast reader of JSON values. It reads everything but texts with escapes, and integers of more
//! than 18 digits or with an exponent. It leaves those to the tape, which also finds the faults of
//! a text.

use crate::data::keys::Keys;
use crate::memory::heap::Heap;
use crate::memory::inline::Items;
use crate::memory::word::{CONS, FALSE, NIL, OBJECT, PAIR, TRUE, UNIT, Word, pointer, tag};
use pif_core::text::lanes;

/// A value that was read directly, with its size as a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    /// The value.
    pub(crate) value: Word,
    /// The number of values in it, including itself.
    pub(crate) nodes: u64,
    /// The levels of lists and records.
    pub(crate) depth: u32,
}

/// A list or record whose end is still to come.
#[derive(Clone, Copy)]
enum Container {
    List(Open),
    /// The index of its first member among those of all open records.
    Record(usize),
    /// The first half of a pair, once it is there.
    Pair(Option<Word>),
}

/// The meaning of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Data,
    /// Only lists of values that mean data and a term alike.
    Either,
    /// The canonical term of data.
    Term,
}

/// A list whose end is still to come: its beginning, the word for its rest, and its length so far.
#[derive(Clone, Copy)]
struct Open {
    list: Word,
    rest: usize,
    count: usize,
}

impl Open {
    const EMPTY: Self = Self { list: NIL, rest: 0, count: 0 };
}

/// Builds the value of `text`, if it is simple enough. Makes room by growing. If the text turns out
/// not to be simple, the value is garbage.
pub(crate) fn build(heap: &mut Heap, text: &str, meaning: Meaning) -> Option<Plain> {
    let (any, is_term) = (meaning != Meaning::Either, meaning == Meaning::Term);
    let mut reader = Reader { bytes: text.as_bytes(), text, at: 0, nodes: 0, start: heap.top };
    let (mut open, mut current): (Vec<Container>, Option<Container>) = (Vec::new(), None);
    let (mut depth, mut keys) = (0, Keys::default());
    loop {
        if let Some(Container::List(list)) = &mut current {
            reader.items(heap, list, any)?;
        }
        let mut value = match reader.blank() {
            first @ (b'[' | b'{') if any || first == b'[' => {
                depth = depth.max(open.len() + 1);
                match reader.open(heap, &mut keys, (first, is_term))? {
                    Ok(value) => value,
                    Err(container) => {
                        open.extend(current);
                        current = Some(container);
                        continue;
                    }
                }
            }
            first => reader.scalar(heap, first, any)?,
        };
        loop {
            match &mut current {
                None => {
                    let end = reader.blank() == 0 && reader.at >= text.len();
                    let depth = u32::try_from(depth).unwrap_or(u32::MAX);
                    return end.then_some(Plain { value, nodes: reader.nodes, depth });
                }
                Some(Container::List(list)) => {
                    list.push(heap, value, reader)?;
                    if reader.goes_on(b']')? {
                        break;
                    }
                    heap.put(list.rest, &[NIL]);
                    value = list.list;
                    heap.counted = (value, list.count);
                }
                Some(Container::Record(start)) => {
                    keys.give(value);
                    if reader.member(heap, &mut keys, false)? {
                        break;
                    }
                    reader.close(is_term)?;
                    value = keys.record(heap, *start)?;
                }
                Some(Container::Pair(first)) => match reader.half(heap, *first, value)? {
                    Ok(pair) => value = pair,
                    Err(half) => {
                        *first = Some(half);
                        break;
                    }
                },
            }
            current = open.pop();
        }
    }
}

impl Open {
    /// Appends a value. The tail of its cell points to the next cell. It is corrected if the next
    /// value goes elsewhere, and at the end of the list.
    #[inline(always)]
    fn push(&mut self, heap: &mut Heap, value: Word, reader: Reader) -> Option<()> {
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
        if self.list == NIL {
            self.list = pointer(cell, CONS);
        } else if self.rest + 1 != cell {
            heap.put(self.rest, &[pointer(cell, CONS)]);
        }
        self.rest = cell + 1;
        self.count += 1;
        Some(())
    }

    /// Appends items.
    #[inline(always)]
    fn extend(&mut self, heap: &mut Heap, items: &Items) {
        if self.list == NIL {
            self.list = items.list;
        } else {
            heap.put(self.rest, &[items.list]);
        }
        self.rest = items.rest;
        self.count += items.count;
    }
}

/// The reader's place in the text. Rare functions get a copy, so that the rest of the code can keep
/// it in registers.
#[derive(Clone, Copy)]
pub(super) struct Reader<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) text: &'t str,
    pub(super) at: usize,
    nodes: u64,
    /// The beginning of the value on the heap.
    start: usize,
}

impl<'t> Reader<'t> {
    /// Makes room for a cell, and for the likely needs of the rest of the text.
    #[cold]
    #[inline(never)]
    fn make_room(self, heap: &mut Heap) -> Option<()> {
        if heap.has_room_within(2) {
            return Some(());
        }
        let (used, rest) = (heap.top - self.start, self.bytes.len() - self.at);
        let likely = used as u64 * rest as u64 / self.at.max(1) as u64;
        let likely = usize::try_from(likely + likely / 32).unwrap_or(usize::MAX);
        // If that is too much, two words may still fit.
        let _ = heap.expect(likely.saturating_add(2));
        heap.grow(2).ok()
    }

    /// Skips blanks. Returns the next byte, or 0.
    #[inline(always)]
    fn blank(&mut self) -> u8 {
        let mut byte = self.bytes.get(self.at).copied().unwrap_or(0);
        while matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
            byte = self.bytes.get(self.at).copied().unwrap_or(0);
        }
        byte
    }

    /// Reads the beginning of a list, a record or, in a term, a form. Returns its value if that is
    /// its end, too.
    #[inline(always)]
    fn open(
        &mut self,
        heap: &mut Heap,
        keys: &mut Keys,
        (first, is_term): (u8, bool),
    ) -> Option<Result<Word, Container>> {
        if first == b'[' {
            self.begin();
            if self.blank() != b']' {
                return Some(Err(Container::List(Open::EMPTY)));
            }
            self.at += 1;
            return Some(Ok(NIL));
        }
        if is_term && self.skip("{\"record\":").is_none() {
            return match self.skip("{\"pair\":[") {
                Some(()) => Some(Err(Container::Pair(None))),
                None => self.skip("{\"float\":").and_then(|()| self.float(heap)).map(Ok),
            };
        }
        self.begin();
        let start = keys.members.len();
        if self.member(heap, keys, true)? {
            return Some(Err(Container::Record(start)));
        }
        self.close(is_term)?;
        keys.record(heap, start).map(Ok)
    }

    /// Reads what follows a half of a pair. Returns the pair after the second half.
    fn half(
        &mut self,
        heap: &mut Heap,
        first: Option<Word>,
        value: Word,
    ) -> Option<Result<Word, Word>> {
        match (first, self.goes_on(b']')?) {
            (None, true) => Some(Err(value)),
            (Some(first), false) => {
                self.close(true)?;
                heap.grow(2).ok()?;
                Some(Ok(heap.two(first, value, PAIR)))
            }
            _ => None,
        }
    }

    /// Reads this text, if it follows.
    fn skip(&mut self, text: &str) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(text.as_bytes()).then(|| self.at += text.len())
    }

    /// Reads the end of a form.
    fn close(&mut self, is_term: bool) -> Option<()> {
        if is_term { self.skip("}") } else { Some(()) }
    }

    /// Reads the number and the end of a `float`.
    fn float(&mut self, heap: &mut Heap) -> Option<Word> {
        let first = self.bytes.get(self.at).copied()?;
        let number = self.scalar(heap, first, false).filter(|word| tag(*word) == OBJECT)?;
        self.skip("}").map(|()| number)
    }

    /// Reads the bracket that begins a container.
    fn begin(&mut self) {
        self.at += 1;
        self.nodes += 1;
    }

    /// Reads the separator after a value. Returns whether another value follows.
    #[inline(always)]
    fn goes_on(&mut self, close: u8) -> Option<bool> {
        let byte = self.blank();
        self.at += 1;
        (byte == b',' || byte == close).then_some(byte == b',')
    }

    /// Reads the key of a record's next member, up to the value. Returns false at the end of the
    /// record.
    #[inline(always)]
    fn member(&mut self, heap: &mut Heap, keys: &mut Keys, is_first: bool) -> Option<bool> {
        if let Some(end) = keys.expected(self.bytes, self.at, is_first) {
            self.at = end;
            return Some(true);
        }
        if self.bytes.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Some(false);
        }
        let (is_there, at) = self.unexpected_member(heap, keys, is_first)?;
        self.at = at;
        Some(is_there)
    }

    /// Does `member` for a key that was not expected. Also returns the new place.
    #[inline(never)]
    fn unexpected_member(
        mut self,
        heap: &mut Heap,
        keys: &mut Keys,
        is_first: bool,
    ) -> Option<(bool, usize)> {
        let start = self.at;
        let byte = self.blank();
        if byte == b'}' {
            return Some((false, self.at + 1));
        }
        if !is_first {
            self.at += 1;
            self.blank();
        }
        if byte != if is_first { b'"' } else { b',' } || self.bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        let text = self.quoted()?;
        if self.blank() != b':' {
            return None;
        }
        self.at += 1;
        self.blank();
        keys.begin(heap, text, is_first, start..self.at)?;
        Some((true, self.at))
    }

    /// Reads short numbers and texts while a comma follows each at once.
    #[inline(always)]
    fn items(&mut self, heap: &mut Heap, list: &mut Open, any: bool) -> Option<()> {
        loop {
            self.at += usize::from(self.bytes.get(self.at) == Some(&b' '));
            let items = match self.bytes.get(self.at) {
                Some(b'0'..=b'9') => heap.integers_in_json(self.bytes, self.at),
                Some(b'"') if any => heap.texts_in_json(self.bytes, self.at),
                _ => return Some(()),
            };
            if items.count > 0 {
                list.extend(heap, &items);
                self.nodes += items.count as u64;
                self.at = items.end;
                continue;
            }
            let top = heap.top;
            let item = match self.bytes.get(self.at) {
                Some(b'"') => heap.text_in_json(self.bytes, self.at),
                _ => self.short_number(heap, self.at, 1),
            };
            let Some((value, end)) = item.filter(|(_, end)| self.bytes.get(*end) == Some(&b','))
            else {
                // The item is read again on its own.
                heap.top = top;
                return Some(());
            };
            list.push(heap, value, *self)?;
            self.nodes += 1;
            self.at = end + 1;
        }
    }

    #[inline(always)]
    fn scalar(&mut self, heap: &mut Heap, first: u8, any: bool) -> Option<Word> {
        self.nodes += 1;
        let short = match first {
            b'0'..=b'9' => self.short_number(heap, self.at, 1),
            b'-' => self.short_number(heap, self.at + 1, -1),
            b'"' if any => heap.text_in_json(self.bytes, self.at),
            _ => None,
        };
        if let Some((value, end)) = short {
            self.at = end;
            return Some(value);
        }
        match first {
            b'-' | b'0'..=b'9' => {
                let (number, end) = self.number(heap)?;
                self.at = end;
                Some(number)
            }
            b'"' if any => {
                let text = self.quoted()?;
                heap.grow(Heap::text_words(text.len())).ok()?;
                heap.text_of(text).ok()
            }
            b't' => self.word("true", TRUE),
            b'f' => self.word("false", FALSE),
            b'n' => self.word("null", UNIT),
            _ => None,
        }
    }

    #[inline(always)]
    fn word(&mut self, word: &str, value: Word) -> Option<Word> {
        let found = self.bytes.get(self.at..)?.starts_with(word.as_bytes());
        self.at += word.len();
        found.then_some(value)
    }

    /// Reads a string without escapes, from its opening quote.
    #[inline(always)]
    fn quoted(&mut self) -> Option<&'t [u8]> {
        let from = self.at + 1;
        let end = lanes::plain_end(self.bytes, from);
        if self.bytes.get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        self.bytes.get(from..end)
    }
}
