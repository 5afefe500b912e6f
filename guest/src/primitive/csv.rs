//! Comma-separated values after RFC 4180, with a header line. Lines may end in a line feed alone.

use super::Trouble;
use crate::heap::Full;
use crate::quote::shorten;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What a text holds.
#[derive(Debug, Default)]
pub(crate) struct Table<'t> {
    pub(crate) header: Vec<Cow<'t, str>>,
    /// The cells of all rows, each as many as the header has.
    pub(crate) cells: Vec<Cow<'t, str>>,
    pub(crate) rows: usize,
}

/// Reads a text of no more than so many cells; says what is wrong and in which line.
pub(crate) fn parse(text: &str, most: usize) -> Result<Table<'_>, Trouble> {
    let mut reader = Reader { rest: text, line: 1, most };
    let mut table = Table::default();
    if text.is_empty() {
        return Ok(table);
    }
    reader.row(&mut table.header)?;
    let mut seen = BTreeSet::new();
    for name in &table.header {
        if !seen.insert(name.as_ref()) {
            return Err(wrong(&format!("the header has `{}` twice", shorten(name)), 1));
        }
    }
    while !reader.rest.is_empty() {
        let line = reader.line;
        let found = reader.row(&mut table.cells)?;
        let wanted = table.header.len();
        if found != wanted {
            let what = format!("{found} cells where the header has {wanted}");
            return Err(wrong(&what, line));
        }
        table.rows += 1;
    }
    Ok(table)
}

fn wrong(what: &str, line: usize) -> Trouble {
    Trouble::Unparsable(format!("not CSV: {what} at line {line}"))
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
    most: usize,
}

impl<'t> Reader<'t> {
    fn wrong<T>(&self, what: &str) -> Result<T, Trouble> {
        Err(wrong(what, self.line))
    }

    /// Reads the cells of a row and the end of its line; says how many they are.
    fn row(&mut self, cells: &mut Vec<Cow<'t, str>>) -> Result<usize, Trouble> {
        let mut count = 0;
        loop {
            cells.push(self.cell()?);
            if cells.len() > self.most {
                return Err(Full.into());
            }
            count += 1;
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                continue;
            }
            let line_feed = self.rest.strip_prefix('\r').unwrap_or(self.rest);
            if let Some(rest) = line_feed.strip_prefix('\n') {
                self.rest = rest;
                self.line += 1;
            } else if !self.rest.is_empty() {
                return self.wrong("text after a closing quote, or a lone carriage return");
            }
            return Ok(count);
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
