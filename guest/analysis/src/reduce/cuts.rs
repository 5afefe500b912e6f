//! Parts of lists and texts that are left out.

use std::ops::Range;

/// Calls back with the parts of so many elements to be left out: all of them, each half, each quarter, and
/// so on, down to parts of `least` elements. Ends with the first answer.
pub(super) fn parts<T>(
    count: usize,
    least: usize,
    mut found: impl FnMut(Range<usize>) -> Option<T>,
) -> Option<T> {
    let mut length = count;
    while length >= least.max(1) {
        let mut start = 0;
        while start < count {
            let end = count.min(start + length);
            if let Some(answer) = found(start..end) {
                return Some(answer);
            }
            start = end;
        }
        length /= 2;
    }
    None
}

/// How many parts [`parts`] tells.
pub(super) fn count_parts(count: usize, least: usize) -> usize {
    let (mut length, mut all) = (count, 0);
    while length >= least.max(1) {
        all += count.div_ceil(length);
        length /= 2;
    }
    all
}

/// A text with other text in place of a part of it.
pub(super) fn replaced(text: &str, part: &Range<usize>, now: &str) -> Option<String> {
    let (before, after) = (text.get(..part.start)?, text.get(part.end..)?);
    Some([before, now, after].concat())
}
