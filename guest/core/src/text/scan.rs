//! Searches for a text within a text, at many places at a time.

use crate::text::lanes::{LANES, Lanes};

/// The places of a part in a text. They do not overlap.
#[derive(Debug)]
pub struct Places<'t> {
    text: &'t [u8],
    part: &'t [u8],
    /// The part's first eight bytes, padded with zeros.
    head: u64,
    /// The next place to search.
    at: usize,
    /// Bytes that the search has compared, or may have compared, in vain.
    effort: usize,
    /// Text and part for the library's search, once they turn out to be hard.
    sure: Option<[&'t str; 2]>,
}

impl<'t> Places<'t> {
    /// Starts a search. Both are valid UTF-8; the part is not empty.
    #[must_use]
    pub fn new(text: &'t [u8], part: &'t [u8]) -> Self {
        let head = std::array::from_fn(|i| part.get(i).copied().unwrap_or_default());
        Self { text, part, head: u64::from_le_bytes(head), at: 0, effort: 0, sure: None }
    }

    /// Tells whether the part stands at a place. A short part is compared as a word, since a
    /// comparison of slices is a call.
    #[inline(always)]
    fn is_at(&self, place: usize) -> bool {
        let n = self.part.len();
        match self.text.get(place..).and_then(<[u8]>::first_chunk) {
            Some(here) if n <= 8 => (u64::from_le_bytes(*here) ^ self.head) << (64 - 8 * n) == 0,
            _ => self.text.get(place..place + n) == Some(self.part),
        }
    }

    /// Finds the next place of the part, looking at many places at a time for its first and last
    /// byte.
    fn find(&mut self) -> Option<usize> {
        let [first, .., last] = *self.part else {
            return self.find_byte(*self.part.first()?);
        };
        if let Some([text, part]) = self.sure {
            return text.get(self.at..)?.find(part).map(|at| self.at + at);
        }
        let (text, part) = (self.text, self.part);
        let distance = part.len() - 1;
        let (first, last) = (Lanes::all(first), Lanes::all(last));
        let mut at = self.at;
        while let (Some(here), Some(there)) = (Lanes::at(text, at), Lanes::at(text, at + distance))
        {
            for lane in first.equal(here).and(&last.equal(there)) {
                let place = at + lane;
                if self.is_at(place) {
                    return Some(place);
                }
                self.effort += part.len();
            }
            at += LANES;
            if self.effort > text.len() {
                return self.find_surely(at);
            }
        }
        (at..=text.len().checked_sub(part.len())?).find(|place| self.is_at(*place))
    }

    /// Continues with the library's search, whose time is bounded for all texts.
    #[cold]
    fn find_surely(&mut self, from: usize) -> Option<usize> {
        let (text, part) =
            (std::str::from_utf8(self.text).ok()?, std::str::from_utf8(self.part).ok()?);
        self.sure = Some([text, part]);
        // A text never begins within a character of another.
        self.at = (from..text.len()).find(|at| text.is_char_boundary(*at))?;
        self.find()
    }

    fn find_byte(&self, byte: u8) -> Option<usize> {
        let (all, mut at) = (Lanes::all(byte), self.at);
        while let Some(here) = Lanes::at(self.text, at) {
            if let Some(lane) = all.equal(here).next() {
                return Some(at + lane);
            }
            at += LANES;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        rest.iter().position(|here| *here == byte).map(|place| at + place)
    }
}

impl Iterator for Places<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let found = self.find()?;
        self.at = found + self.part.len();
        Some(found)
    }
}
