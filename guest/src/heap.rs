//! The heap: bump allocation, and a copying collector after Cheney (CACM 13(11), 1970), which
//! needs no stack of its own however deep a structure is.

mod flat;

use crate::value::{
    CLOSURE, CONS, FORWARD, IMMEDIATE, KIND_BIG, KIND_FLOAT, KIND_RAW, KIND_RECORD, KIND_TEXT,
    MAX_OBJECT, NIL, OBJECT, PAIR, PARTIAL, ROPE, Word, aux, fit, header, index, kind, pointer,
    size, tag,
};
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

/// One pending call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Where to go on.
    pub(crate) pc: u32,
    /// Where the caller's slots begin.
    pub(crate) base: u32,
    /// Heap index of the caller's closure, or `NO_CLOSURE`.
    pub(crate) closure: u32,
    /// Pending evaluations of the caller.
    pub(crate) depth: u32,
}

/// The frame's code captures nothing.
pub(crate) const NO_CLOSURE: u32 = u32::MAX;

/// No heap index.
pub(crate) const NO_CELL: usize = usize::MAX;

/// There is no room within the memory limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Words before the first collection, if the limit has room for many times as much.
const NURSERY: usize = 1 << 15;
/// Words at first.
const FIRST: usize = 1 << 11;

/// Objects of one machine.
#[derive(Debug)]
pub(crate) struct Heap {
    /// The half in use, up to `top`.
    pub(crate) words: Vec<Word>,
    spare: Vec<Word>,
    /// Up to this size the heap grows instead of collecting.
    nursery: usize,
    /// The next free word.
    pub(crate) top: usize,
    /// Words that the heap, the stack and the frames may take together.
    pub(crate) limit: usize,
    /// Words of them that the stack and the frames take.
    pub(crate) outside: usize,
    /// The most words in use so far.
    pub(crate) peak: usize,
}

impl Heap {
    /// An empty heap of at most `bytes`.
    pub(crate) fn new(bytes: u64) -> Self {
        let limit = usize::try_from(bytes / 8).unwrap_or(usize::MAX);
        let nursery = NURSERY.min(limit / 64);
        let words = vec![0; FIRST.min(nursery)];
        let peak = words.len();
        Self { words, spare: Vec::new(), nursery, top: 0, limit, outside: 0, peak }
    }

    /// Whether `n` more words fit without collecting.
    #[inline(always)]
    pub(crate) fn has_room(&self, n: usize) -> bool {
        self.top + n <= self.words.len()
    }

    /// Whether `n` more words fit even if nothing that is there can be collected.
    pub(crate) fn could_have(&self, n: usize) -> bool {
        self.top + n <= self.limit.saturating_sub(self.outside) / 2
    }

    /// Claims `n` words that have been seen to fit.
    #[inline(always)]
    pub(crate) fn claim(&mut self, n: usize) -> usize {
        let at = self.top;
        self.top += n;
        at
    }

    /// Notes the space taken outside the heap; fails if all of it together is too much.
    pub(crate) fn account(&mut self, outside: usize) -> Result<(), Full> {
        self.outside = outside;
        self.note()
    }

    fn note(&mut self) -> Result<(), Full> {
        let used = self.words.len() + self.spare.len() + self.outside;
        self.peak = self.peak.max(used);
        if used > self.limit { Err(Full) } else { Ok(()) }
    }

    /// Makes room for `n` words by growing, without collecting.
    pub(crate) fn grow(&mut self, n: usize) -> Result<(), Full> {
        if self.has_room(n) {
            return Ok(());
        }
        let available = self.limit.saturating_sub(self.outside + self.spare.len());
        let want = self.top.saturating_add(n);
        if want > available || want > u32::MAX as usize {
            return Err(Full);
        }
        let len = (self.words.len() * 2).max(want).min(available);
        self.words.resize(len, 0);
        self.note()
    }

    /// Makes room for `n` words, keeping what is reachable from `stack`, `frames` and `roots`.
    #[cold]
    #[inline(never)]
    pub(crate) fn collect(
        &mut self,
        n: usize,
        stack: &mut [Word],
        frames: &mut [Frame],
        roots: &mut [&mut [Word]],
    ) -> Result<(), Full> {
        if self.words.len() + n <= self.nursery && self.grow(n.max(self.words.len())).is_ok() {
            return Ok(());
        }
        let available = self.limit.saturating_sub(self.outside);
        // So much room means growing in any case: then everything goes to where it stays at once.
        let grows = n > self.words.len() / 2;
        let wanted = if grows {
            self.words.len().max((2 * (self.top + n)).min(available / 2))
        } else {
            self.words.len()
        };
        if self.spare.len() < wanted {
            let len = wanted.min(available.saturating_sub(self.words.len()));
            if len < self.top {
                return Err(Full);
            }
            // New memory is zero already; what is not used of it is never touched.
            self.spare = Vec::new();
            self.spare = vec![0; len];
        }
        self.copy_reachable(stack, frames, roots);
        let half = available / 2;
        let need = self.top + n;
        if need > half {
            return Err(Full);
        }
        let want = (need * 2).max(self.nursery).min(half);
        if want > self.words.len() {
            self.spare = Vec::new();
            let mut words = vec![0; want.max(need)];
            let live = self.words.get(..self.top).unwrap_or_default();
            if let Some(place) = words.get_mut(..self.top) {
                place.copy_from_slice(live);
            }
            self.words = words;
        } else if grows {
            self.spare = Vec::new();
            self.words.truncate(want.max(need));
        }
        self.note()
    }

    fn copy_reachable(
        &mut self,
        stack: &mut [Word],
        frames: &mut [Frame],
        roots: &mut [&mut [Word]],
    ) {
        let mut space = Space { from: &mut self.words, to: &mut self.spare, top: 0 };
        for word in stack.iter_mut().chain(roots.iter_mut().flat_map(|r| r.iter_mut())) {
            *word = space.copy(*word);
        }
        for frame in frames {
            if frame.closure != NO_CLOSURE {
                let moved = space.copy(pointer(frame.closure as usize, CLOSURE));
                frame.closure = to_u32(index(moved));
            }
        }
        space.scan();
        self.top = space.top;
        std::mem::swap(&mut self.words, &mut self.spare);
    }

    /// The two words at an index.
    #[inline(always)]
    pub(crate) fn cell(&self, at: usize) -> [Word; 2] {
        self.words.get(at..at + 2).and_then(|cell| cell.try_into().ok()).unwrap_or([NIL; 2])
    }

    /// The word at an index.
    #[inline(always)]
    pub(crate) fn word(&self, at: usize) -> Word {
        self.words.get(at).copied().unwrap_or_default()
    }

    /// Writes into words that have been claimed.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: usize, words: &[Word]) {
        if let Some(slots) = self.words.get_mut(at..at + words.len()) {
            slots.copy_from_slice(words);
        }
    }

    /// A new object of two words, for which there is room.
    #[inline(always)]
    pub(crate) fn two(&mut self, a: Word, b: Word, tag: u64) -> Word {
        let at = self.claim(2);
        self.put(at, &[a, b]);
        pointer(at, tag)
    }

    /// The header of an object.
    pub(crate) fn header(&self, v: Word) -> Word {
        self.word(index(v))
    }

    /// The kind of an `OBJECT`, or 0 for any other value.
    pub(crate) fn object_kind(&self, v: Word) -> u64 {
        if tag(v) == OBJECT { kind(self.header(v)) } else { 0 }
    }

    /// Words that a text of so many bytes takes.
    pub(crate) fn text_words(bytes: usize) -> usize {
        2 + bytes.div_ceil(8)
    }

    /// Whether a value is a text.
    #[inline]
    pub(crate) fn is_text(&self, v: Word) -> bool {
        tag(v) == ROPE || self.object_kind(v) == KIND_TEXT
    }

    /// Bytes and characters of a text.
    #[inline]
    pub(crate) fn text_size(&self, v: Word) -> Option<(u64, u64)> {
        let size = self.text_word(v)?;
        Some((size >> 32, (size & 0xffff_ffff) >> 1))
    }

    /// The same as a rope has it in its first word: bytes in the upper half, twice the characters
    /// in the lower. The sum for two texts is that of the text joined from them.
    #[inline(always)]
    pub(crate) fn text_word(&self, v: Word) -> Option<Word> {
        if tag(v) == ROPE {
            return Some(self.cell(index(v))[0]);
        }
        let [head, chars] = if tag(v) == OBJECT { self.cell(index(v)) } else { return None };
        (kind(head) == KIND_TEXT).then_some(head >> 32 << 32 | chars << 1)
    }

    /// The characters of a text.
    pub(crate) fn string(&self, v: Word) -> String {
        self.prefix(v, usize::MAX)
    }

    /// The beginning of a text, of so many bytes or to the end of the piece that they stand in.
    pub(crate) fn prefix(&self, v: Word, wanted: usize) -> String {
        let bytes = self.text_size(v).map_or(0, |(bytes, _)| bytes);
        let bytes = usize::try_from(bytes).unwrap_or_default();
        let mut bytes = Vec::with_capacity(bytes.min(wanted) + 8);
        self.write_text(v, wanted, &mut bytes);
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// A new float; there must be room for 2 words.
    pub(crate) fn float(&mut self, n: f64) -> Word {
        let at = self.claim(2);
        self.put(at, &[header(KIND_FLOAT, 2, 0), n.to_bits()]);
        pointer(at, OBJECT)
    }

    /// The float in an `OBJECT` of that kind.
    pub(crate) fn as_float(&self, v: Word) -> Option<f64> {
        (self.object_kind(v) == KIND_FLOAT).then(|| f64::from_bits(self.word(index(v) + 1)))
    }

    /// Words that an integer takes.
    pub(crate) fn integer_words(n: &BigInt) -> usize {
        1 + n.iter_u64_digits().len()
    }

    /// A new integer, in the word itself if it fits; there must be room for `integer_words`.
    pub(crate) fn integer(&mut self, n: &BigInt) -> Word {
        if let Some(word) = n.to_i64().and_then(fit) {
            return word;
        }
        let words = Self::integer_words(n);
        let at = self.claim(words);
        let negative = u32::from(n.sign() == Sign::Minus);
        self.put(at, &[header(KIND_BIG, words, negative)]);
        for (slot, limb) in self.words.iter_mut().skip(at + 1).zip(n.iter_u64_digits()) {
            *slot = limb;
        }
        pointer(at, OBJECT)
    }

    /// The limbs of a big integer and whether it is negative.
    pub(crate) fn limbs(&self, v: Word) -> Option<(&[u64], bool)> {
        let head = self.header(v);
        if tag(v) != OBJECT || kind(head) != KIND_BIG {
            return None;
        }
        let limbs = self.words.get(index(v) + 1..index(v) + size(head))?;
        Some((limbs, aux(head) & 1 == 1))
    }

    /// A record of these keys and values; there must be room.
    // INVARIANT: keys are texts that are no ropes, each once, in the order of their bytes, which is
    // that of code points. So they can be compared in place.
    pub(crate) fn record(&mut self, members: &[Word]) -> Result<Word, Full> {
        if members.len() >= MAX_OBJECT {
            return Err(Full);
        }
        let at = self.claim(members.len() + 1);
        self.put(at, &[header(KIND_RECORD, members.len() + 1, 0)]);
        self.put(at + 1, members);
        Ok(pointer(at, OBJECT))
    }

    /// Reverses a list in place; nothing else may refer to it.
    pub(crate) fn reverse(&mut self, list: Word) -> Word {
        let (mut rest, mut reversed) = (list, NIL);
        while tag(rest) == CONS {
            let [_, next] = self.cell(index(rest));
            self.put(index(rest) + 1, &[reversed]);
            (reversed, rest) = (rest, next);
        }
        reversed
    }

    /// How many elements a list has.
    pub(crate) fn length(&self, list: Word) -> usize {
        let (mut n, mut rest) = (0, list);
        while tag(rest) == CONS {
            n += 1;
            rest = self.cell(index(rest))[1];
        }
        n
    }

    /// The elements of a list.
    pub(crate) fn elements(&self, list: Word) -> Vec<Word> {
        let (mut rest, mut elements) = (list, Vec::with_capacity(self.length(list)));
        while tag(rest) == CONS {
            let [first, next] = self.cell(index(rest));
            elements.push(first);
            rest = next;
        }
        elements
    }

    /// A list of these elements, which lie on the heap as they are now: there must be room for two
    /// words each.
    pub(crate) fn list(&mut self, elements: &[Word]) -> Word {
        elements.iter().rev().fold(NIL, |rest, first| self.two(*first, rest, CONS))
    }

    /// The words after the header of an object.
    pub(crate) fn members(&self, v: Word) -> &[Word] {
        let at = index(v);
        self.words.get(at + 1..at + size(self.header(v))).unwrap_or_default()
    }
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

struct Space<'h> {
    from: &'h mut [Word],
    to: &'h mut [Word],
    top: usize,
}

impl Space<'_> {
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "pointers are in range by construction")]
    fn copy(&mut self, v: Word) -> Word {
        let tag = tag(v);
        if v & 1 == 0 || tag == IMMEDIATE {
            return v;
        }
        let at = index(v);
        let first = self.from[at];
        if first & 15 == FORWARD {
            return pointer(index(first), tag);
        }
        let words = match tag {
            CONS | PAIR => 2,
            ROPE => 3,
            CLOSURE | PARTIAL | OBJECT => size(first),
            _ => return v,
        };
        let to = self.top;
        match words {
            // A copy of unknown length is a call; these two lengths are nearly all.
            2 => self.copy_words::<2>(at, to),
            3 => self.copy_words::<3>(at, to),
            _ => self.to[to..to + words].copy_from_slice(&self.from[at..at + words]),
        }
        self.top += words;
        self.from[at] = pointer(to, FORWARD);
        pointer(to, tag)
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "as in `copy`")]
    fn copy_words<const N: usize>(&mut self, from: usize, to: usize) {
        let mut words = [0; N];
        words.copy_from_slice(&self.from[from..from + N]);
        self.to[to..to + N].copy_from_slice(&words);
    }

    #[expect(clippy::indexing_slicing, reason = "scanned words have been copied")]
    fn scan(&mut self) {
        let mut at = 0;
        while at < self.top {
            let word = self.to[at];
            if word & 15 == IMMEDIATE && kind(word) >= KIND_RAW {
                at += size(word);
                continue;
            }
            self.to[at] = self.copy(word);
            at += 1;
        }
    }
}
