//! Comma-separated values after RFC 4180, with a header line. Lines may end in a line feed alone.

use super::Trouble;
use crate::heap::Full;
use crate::quote::shorten;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A text with a header line.
#[derive(Debug)]
pub(crate) struct Table<'t> {
    pub(crate) header: Vec<Cow<'t, str>>,
    /// What follows the header.
    body: Reader<'t>,
}

impl<'t> Table<'t> {
    /// Reads the header, which may have so many cells.
    pub(crate) fn new(text: &'t str, most: usize) -> Result<Self, Trouble> {
        let mut body = Reader { rest: text, line: 1 };
        let mut header = Vec::new();
        if !text.is_empty() {
            body.row(&mut header, most + 1)?;
        }
        if header.len() > most {
            return Err(Full.into());
        }
        let mut seen = BTreeSet::new();
        for name in &header {
            if !seen.insert(name.as_ref()) {
                return Err(wrong(&format!("the header has `{}` twice", shorten(name)), 1));
            }
        }
        Ok(Self { header, body })
    }

    /// The rows, to be read one after another.
    pub(crate) fn rows(&self) -> Rows<'t> {
        Rows { reader: self.body, columns: self.header.len(), cells: Vec::new(), count: 0 }
    }
}

/// Reads the rows of a table.
#[derive(Debug)]
pub(crate) struct Rows<'t> {
    reader: Reader<'t>,
    columns: usize,
    cells: Vec<Cow<'t, str>>,
    count: usize,
}

impl<'t> Rows<'t> {
    /// The cells of the next row, as many as the header has. Says what is wrong and in which line.
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
            return Err(wrong(&format!("{found}{more} cells where the header has {wanted}"), line));
        }
        self.count += 1;
        Ok(Some(&self.cells))
    }

    /// How many have been read.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

fn wrong(what: &str, line: usize) -> Trouble {
    Trouble::Unparsable(format!("not CSV: {what} at line {line}"))
}

#[derive(Clone, Copy, Debug)]
struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Reader<'t> {
    fn wrong<T>(&self, what: &str) -> Result<T, Trouble> {
        Err(wrong(what, self.line))
    }

    /// Reads the cells of a row and the end of its line; of a row that has more than so many, only
    /// these.
    fn row(&mut self, cells: &mut Vec<Cow<'t, str>>, most: usize) -> Result<(), Trouble> {
        loop {
            cells.push(self.cell()?);
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                if cells.len() >= most {
                    return Ok(());
                }
                continue;
            }
            let line_feed = self.rest.strip_prefix('\r').unwrap_or(self.rest);
            if let Some(rest) = line_feed.strip_prefix('\n') {
                self.rest = rest;
                self.line += 1;
            } else if !self.rest.is_empty() {
                return self.wrong("text after a closing quote, or a lone carriage return");
            }
            return Ok(());
        }
    }

    fn cell(&mut self) -> Result<Cow<'t, str>, Trouble> {
        if let Some(quoted) = self.rest.strip_prefix('"') {
            return self.quoted(quoted);
        }
        let end = self.rest.find([',', '\n', '\r', '"']).unwrap_or(self.rest.len());
        let (cell, rest) = self.rest.split_at(end);
        if rest.starts_with('"') {
            return self.wrong("a quote in a cell that does not begin with one");
        }
        self.rest = rest;
        Ok(Cow::Borrowed(cell))
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
