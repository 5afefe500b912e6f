//! Where the rows of a table are in the file, by the format that SQLite documents.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::ops::Range;

/// Pages of a table's tree.
const INTERIOR: u8 = 5;
const LEAF: u8 = 13;

/// The bytes of a file that belong to a row.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The two bytes by which its page points to it.
    pub(super) pointer: Range<usize>,
    /// Its lengths, columns, and what leads to the pages on which it goes on.
    pub(super) cell: Range<usize>,
    /// Where its record starts.
    pub(super) record: usize,
    /// The rest on pages of its own, with the four bytes that lead to the next.
    pub(super) rest: Vec<Range<usize>>,
}

impl Place {
    /// All of them.
    pub(super) fn positions(&self) -> Vec<usize> {
        let parts = [&self.pointer, &self.cell].into_iter().chain(&self.rest);
        parts.flat_map(Clone::clone).collect()
    }
}

/// The rows of the table whose tree starts on this page, by their numbers.
pub(super) fn rows(file: &[u8], root: usize) -> Result<BTreeMap<i64, Place>> {
    let size = number(file, 16, 2)?;
    let mut found = BTreeMap::new();
    let mut pages = vec![root];
    while let Some(page) = pages.pop() {
        let start = (page - 1) * size;
        let kind = *file.get(start).context("a page beyond the end")?;
        let count = number(file, start + 3, 2)?;
        ensure!(page > 1 && matches!(kind, INTERIOR | LEAF), "page {page} is of kind {kind}");
        let pointers = start + if kind == LEAF { 8 } else { 12 };
        for index in 0..count {
            let pointer = pointers + 2 * index;
            let cell = start + number(file, pointer, 2)?;
            if kind == INTERIOR {
                pages.push(number(file, cell, 4)?);
                continue;
            }
            let (id, mut place) = row(file, cell, size)?;
            place.pointer = pointer..pointer + 2;
            found.insert(id, place);
        }
        if kind == INTERIOR {
            pages.push(number(file, start + 8, 4)?);
        }
    }
    Ok(found)
}

fn row(file: &[u8], cell: usize, size: usize) -> Result<(i64, Place)> {
    let (length, after) = varint(file, cell)?;
    let (id, record) = varint(file, after)?;
    let length = usize::try_from(length)?;
    // How much of a record stays in the tree: section 1.6 of the format.
    let (most, least) = (size - 35, (size - 12) * 32 / 255 - 23);
    let here = if length <= most {
        length
    } else {
        let some = least + (length - least) % (size - 4);
        if some <= most { some } else { least }
    };
    let mut place = Place { record, cell: cell..record + here, ..Place::default() };
    let mut left = length - here;
    if left > 0 {
        let mut page = number(file, place.cell.end, 4)?;
        place.cell.end += 4;
        while left > 0 {
            let (start, part) = ((page - 1) * size, left.min(size - 4));
            place.rest.push(start..start + 4 + part);
            page = number(file, start, 4)?;
            left -= part;
        }
        ensure!(page == 0, "the last page leads to {page}");
    }
    Ok((id, place))
}

fn number(file: &[u8], at: usize, bytes: usize) -> Result<usize> {
    let bytes = file.get(at..at + bytes).context("beyond the end")?;
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// A number and where it ends.
fn varint(file: &[u8], at: usize) -> Result<(i64, usize)> {
    let mut number = 0_i64;
    for index in 0..9 {
        let byte = *file.get(at + index).context("beyond the end")?;
        if index == 8 {
            return Ok((number << 8 | i64::from(byte), at + 9));
        }
        number = number << 7 | i64::from(byte & 0x7f);
        if byte < 0x80 {
            return Ok((number, at + index + 1));
        }
    }
    unreachable!("the ninth byte is the last")
}
