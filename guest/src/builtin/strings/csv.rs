//! `csv_parse`.

use crate::algorithm::csv;
use crate::algorithm::csv::Style;
use crate::algorithm::record;
use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use crate::builtin::options;
use crate::memory::heap::Heap;
use crate::memory::record::Shape;
use crate::memory::word::{FALSE, TRUE, UNIT, Word};
use crate::run::state::Exit;
use pif_core::fault::Code;
use pif_core::text::quote::shorten;
use pif_language::kinds::{self, Wanted};
use std::borrow::Cow;

/// Words of the memory limit for each column of a table.
const COLUMN_WORDS: usize = 64;

/// The names of the options.
const DELIMITER: &str = "delimiter";
const HEADER: &str = "header";

pub(crate) fn csv_parse(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    let style = if c.len() > 1 { style(c)? } else { Style::default() };
    let most = c.s.heap.limit / COLUMN_WORDS;
    let table = csv::Table::new(&text, style, most)?;
    let (mut cells, mut words) = (0, 0);
    let mut rows = table.rows();
    while let Some(row) = rows.next()? {
        cells += row.len() as u64;
        words += 2 + Heap::record_words(row.len());
        words += row.iter().map(|cell| Heap::text_words(cell.len())).sum::<usize>();
    }
    let count = rows.count();
    c.charge(count as u64 + cells)?;
    let header = table.header.as_deref().unwrap_or_default();
    let keys = header.iter().map(|key| Heap::text_words(key.len()));
    c.room(words + keys.sum::<usize>())?;
    let heap = &mut c.s.heap;
    let keys = header.iter().map(|key| heap.text(key)).collect::<Result<Vec<_>, _>>()?;
    // All records share these keys.
    let members: Vec<Word> = keys.iter().flat_map(|key| [*key, UNIT]).collect();
    let shape = table.header.is_some().then(|| record::shape_of(heap, &members)).flatten();
    let (mut made, mut rows) = (Vec::with_capacity(count), table.rows());
    while let Some(row) = rows.next()? {
        made.push(if let Some(shape) = &shape {
            row_record(heap, &keys, shape, row)?
        } else {
            let cells = row.iter().map(|cell| heap.text(cell)).collect::<Result<Vec<_>, _>>()?;
            heap.list(cells.iter().copied())
        });
    }
    if let Some(mark) = table.other {
        c.warn("likely-mistake", || {
            (format!("the first line holds `{mark}` and no comma"), csv::by_delimiter(mark))
        });
    }
    Ok(c.make_list(&made))
}

/// Makes a record of a row.
fn row_record(
    heap: &mut Heap,
    keys: &[Word],
    shape: &Shape,
    row: &[Cow<'_, str>],
) -> Result<Word, Exit> {
    let mut members = Vec::with_capacity(2 * row.len());
    for (key, cell) in keys.iter().zip(row) {
        members.extend([*key, heap.text(cell)?]);
    }
    Ok(shape.record(heap, &members)?)
}

/// Returns the format of the text by the options.
fn style(c: &mut Call<'_>) -> Result<Style, Exit> {
    let mut style = Style::default();
    options::read(c, &[DELIMITER, HEADER], |c, name, value| {
        match name {
            DELIMITER if c.s.heap.is_text(value) => {
                style.delimiter = Some(delimiter(&c.s.heap.prefix(value, 8))?);
            }
            DELIMITER => {
                return Err(options::wrong(c, value, Wanted::Member(DELIMITER, kinds::STRING)));
            }
            HEADER if matches!(value, TRUE | FALSE) => style.has_header = value == TRUE,
            HEADER => return Err(options::wrong(c, value, Wanted::Member(HEADER, kinds::BOOLEAN))),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(style)
}

/// Returns the separator of cells.
fn delimiter(text: &str) -> Result<char, Trouble> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if !matches!(c, '"' | '\n' | '\r') => Ok(c),
        _ => {
            let message = format!(
                "the delimiter `{}` is not one character, or it is a quote or the end of a line",
                shorten(text)
            );
            Err(Trouble::with_hint(Code::OutOfRange, message, r#"write ";", or "\t" for a tab"#))
        }
    }
}
