//! Comma-separated values after RFC 4180. Lines may end with a line feed alone. An empty line is
//! not a row. A byte order mark at the beginning belongs to no cell.

use crate::algorithm::trouble::{BYTE_ORDER_MARK, Trouble};
use pif_core::hint::Hint;

use crate::memory::heap::Full;
use pif_core::fault::Code;
use pif_core::text::order;
use pif_core::text::quote::{push, shorten};
use std::borrow::Cow;

/// The format of a CSV text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// The separator of cells; by default, a comma.
    pub(crate) delimiter: Option<char>,
    /// Whether the first row has the column names.
    pub(crate) has_header: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { delimiter: None, has_header: true }
    }
}

/// A CSV text with its header.
#[derive(Debug)]
pub(crate) struct Table<'t> {
    /// The column names, if the text has them.
    pub(crate) header: Option<Vec<Cow<'t, str>>>,
    /// The text after the header.
    body: Reader<'t>,
    columns: usize,
    /// The separator that the text seems to use in place of the comma.
    pub(crate) other: Option<char>,
}

/// Advises to read with another delimiter.
pub(crate) fn by_delimiter(delimiter: char) -> Hint {
    let mut shown = String::new();
    push(delimiter, &mut shown);
    let example = format!(r#"{{"csv_parse": [s, {{"record": {{"delimiter": "{shown}"}}}}]}}"#);
    Hint::from("for another separator, write ").example(example)
}

/// Other common delimiters.
const OTHERS: [char; 3] = [';', '\t', '|'];

impl<'t> Table<'t> {
    /// Reads the first row, of at most `most` cells.
    pub(crate) fn new(text: &'t str, style: Style, most: usize) -> Result<Self, Trouble> {
        let rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let delimiter = style.delimiter.unwrap_or(',');
        let mut body = Reader { rest, line: 1, delimiter };
        body.pass_blank_lines();
        let (start, mut first) = (body, Vec::new());
        if !body.rest.is_empty() {
            body.row(&mut first, most + 1)?;
        }
        let columns = first.len();
        if columns > most {
            return Err(Full.into());
        }
        let other = match first.as_slice() {
            [cell] if style.delimiter.is_none() => cell.chars().find(|c| OTHERS.contains(c)),
            _ => None,
        };
        if !style.has_header {
            return Ok(Self { header: None, body: start, columns, other });
        }
        let name = |at: usize| first.get(at).map_or("", AsRef::as_ref);
        if let Some(twice) = order::repeated(first.len(), &name) {
            let message =
                message(&format!("the header has `{}` twice", shorten(name(twice))), start.line);
            let example = r#"{"csv_parse": [s, {"record": {"header": false}}]}"#;
            let hint = ["rename one of them, or read lists: ", example];
            return Err(Trouble::with_hint(Code::Unparsable, message, hint));
        }
        Ok(Self { header: Some(first), body, columns, other })
    }

    /// Returns a reader of the rows.
    pub(crate) fn rows(&self) -> Rows<'t> {
        let model = if self.header.is_some() { "header" } else { "first row" };
        let (reader, columns, other) = (self.body, self.columns, self.other);
        Rows { reader, columns, model, other, cells: Vec::new(), count: 0 }
    }
}

/// Reads the rows of a table, one by one.
#[derive(Debug)]
pub(crate) struct Rows<'t> {
    reader: Reader<'t>,
    columns: usize,
    /// The row that sets the number of cells.
    model: &'static str,
    other: Option<char>,
    cells: Vec<Cow<'t, str>>,
    count: usize,
}

impl<'t> Rows<'t> {
    /// Returns the cells of the next row, as many as the header has. A fault names the line.
    pub(crate) fn next(&mut self) -> Result<Option<&[Cow<'t, str>]>, Trouble> {
        if self.reader.rest.is_empty() {
            return Ok(None);
        }
        let line = self.reader.line;
        self.cells.clear();
        self.reader.row(&mut self.cells, self.columns + 1)?;
        let (found, wanted) = (self.cells.len(), self.columns);
        if found != wanted {
            let more = if found > wanted { " or more" } else { "" };
            let cells = if found == 1 { "cell" } else { "cells" };
            let what = format!("{found}{more} {cells} where the {} has {wanted}", self.model);
            return Err(hinted(&what, line, self.other));
        }
        self.count += 1;
        Ok(Some(&self.cells))
    }

    /// Counts the rows read.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

fn message(what: &str, line: usize) -> String {
    format!("not CSV: {what} at line {line}")
}

/// The fault of a text that seems to use another delimiter.
fn hinted(what: &str, line: usize, other: Option<char>) -> Trouble {
    let message = message(what, line);
    match other {
        Some(other) => Trouble::with_hint(Code::Unparsable, message, by_delimiter(other)),
        None => Trouble::Unparsable(message),
    }
}

#[derive(Clone, Copy, Debug)]
struct Reader<'t> {
    rest: &'t str,
    line: usize,
    delimiter: char,
}

impl<'t> Reader<'t> {
    fn wrong<T>(&self, what: &str) -> Result<T, Trouble> {
        let next = self.rest.chars().next();
        let other = next.filter(|c| self.delimiter == ',' && OTHERS.contains(c));
        Err(hinted(what, self.line, other))
    }

    /// Reads the cells of a row, the end of its line and the blank lines behind it. Stops after
    /// `most` cells.
    fn row(&mut self, cells: &mut Vec<Cow<'t, str>>, most: usize) -> Result<(), Trouble> {
        loop {
            cells.push(self.cell()?);
            if let Some(rest) = self.rest.strip_prefix(self.delimiter) {
                self.rest = rest;
                if cells.len() >= most {
                    return Ok(());
                }
                continue;
            }
            if !self.rest.is_empty() && !self.end_of_line() {
                return self.wrong("text after a closing quote, or a lone carriage return");
            }
            self.pass_blank_lines();
            return Ok(());
        }
    }

    fn end_of_line(&mut self) -> bool {
        let rest = self.rest.strip_prefix('\r').unwrap_or(self.rest).strip_prefix('\n');
        self.rest = rest.unwrap_or(self.rest);
        self.line += usize::from(rest.is_some());
        rest.is_some()
    }

    fn pass_blank_lines(&mut self) {
        while self.end_of_line() {}
    }

    fn cell(&mut self) -> Result<Cow<'t, str>, Trouble> {
        if let Some(quoted) = self.rest.strip_prefix('"') {
            return self.quoted(quoted);
        }
        let (cell, rest) = self.rest.split_at(self.bare_length());
        if rest.starts_with('"') {
            return self.wrong("a quote in a cell that does not begin with one");
        }
        self.rest = rest;
        Ok(Cow::Borrowed(cell))
    }

    /// Counts the bytes before the next delimiter, quote or end of line.
    fn bare_length(&self) -> usize {
        let mut lead = [0; 4];
        let lead = self.delimiter.encode_utf8(&mut lead).bytes().next().unwrap_or_default();
        let is_mark = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'"') || *byte == lead;
        let mut at = 0;
        while let Some(rest) = self.rest.as_bytes().get(at..) {
            let Some(step) = rest.iter().position(is_mark) else { break };
            at += step;
            // Other characters may share the first byte of a long delimiter.
            let is_other = lead >= 0x80
                && rest.get(step) == Some(&lead)
                && !self.rest.get(at..).is_some_and(|rest| rest.starts_with(self.delimiter));
            if !is_other {
                return at;
            }
            at += 1;
        }
        self.rest.len()
    }

    /// Reads a cell after its opening quote.
    fn quoted(&mut self, text: &'t str) -> Result<Cow<'t, str>, Trouble> {
        let (mut cell, mut rest) = (Cow::Borrowed(""), text);
        loop {
            let Some((piece, after)) = rest.split_once('"') else {
                return self.wrong("a quote that is not closed");
            };
            if cell.is_empty() {
                cell = Cow::Borrowed(piece);
            } else {
                cell.to_mut().push_str(piece);
            }
            let Some(more) = after.strip_prefix('"') else {
                self.line += cell.matches('\n').count();
                self.rest = after;
                return Ok(cell);
            };
            cell.to_mut().push('"');
            rest = more;
        }
    }
}
