//! What matches are replaced by: text with groups in it, written as the `regex` crates write them.

use super::Pattern;
use super::search::NOWHERE;

/// A replacement, taken apart.
#[derive(Debug)]
pub(crate) struct Template<'t>(Vec<Piece<'t>>);

#[derive(Debug)]
enum Piece<'t> {
    Text(&'t str),
    Group(usize),
}

impl<'t> Template<'t> {
    /// Takes a replacement apart. Groups that the pattern has not are empty.
    pub(crate) fn new(text: &'t str, pattern: &Pattern) -> Self {
        let mut pieces = Vec::with_capacity(2 * text.matches('$').count() + 1);
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            if !before.is_empty() {
                pieces.push(Piece::Text(before));
            }
            let (name, end) = match after.strip_prefix('$') {
                Some(end) => (None, end),
                None => name(after),
            };
            match name {
                None => pieces.push(Piece::Text("$")),
                Some(name) => pieces.extend(group(name, pattern).map(Piece::Group)),
            }
            rest = end;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        Self(pieces)
    }

    /// Appends what a match is replaced by, if that makes no more than so many bytes.
    pub(crate) fn write(
        &self,
        text: &str,
        slots: &[usize],
        longest: usize,
        out: &mut String,
    ) -> bool {
        for piece in &self.0 {
            let piece = match piece {
                Piece::Text(piece) => piece,
                Piece::Group(group) => {
                    let slot = |at| slots.get(at).copied().unwrap_or(NOWHERE);
                    text.get(slot(2 * group)..slot(2 * group + 1)).unwrap_or_default()
                }
            };
            if out.len() + piece.len() > longest {
                return false;
            }
            out.push_str(piece);
        }
        true
    }
}

/// The name of a group after a `$`, if there is one, and what follows.
fn name(text: &str) -> (Option<&str>, &str) {
    if let Some(braced) = text.strip_prefix('{') {
        return match braced.split_once('}') {
            Some((name, rest)) => (Some(name), rest),
            None => (None, text),
        };
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (Some(name).filter(|name| !name.is_empty()), rest)
}

/// The group that a number or a name means.
fn group(name: &str, pattern: &Pattern) -> Option<usize> {
    let number = match name.parse::<u32>() {
        Ok(number) => number,
        Err(_) => *pattern.names.get(name)?,
    };
    (number <= pattern.groups).then_some(number as usize)
}
