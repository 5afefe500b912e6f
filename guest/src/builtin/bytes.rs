//! The bytes of texts: where a character begins, and what a text too long to be built is told.

use crate::algorithm::trouble::Trouble;
use crate::memory::heap::Heap;
use crate::memory::word::Word;
use std::borrow::Cow;

/// The trouble of a text that would be too long.
pub(crate) const TOO_LARGE: Trouble = Trouble::Full("the text would not fit into the memory limit");

/// Returns the byte at which a character begins, counted from 0. Before the text it is 0, behind it
/// the length.
pub(super) fn byte_of(text: &str, index: i64) -> usize {
    let index = usize::try_from(index.max(0)).unwrap_or(usize::MAX);
    if index >= text.len() {
        return text.len();
    }
    text.char_indices().nth(index).map_or(text.len(), |(at, _)| at)
}

/// Returns the bytes of a text. A rope is copied.
pub(crate) fn bytes_of(heap: &Heap, text: Word) -> Cow<'_, [u8]> {
    heap.flat_text(text).map_or_else(|| heap.string(text).into_bytes().into(), Cow::Borrowed)
}
