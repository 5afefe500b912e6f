//! Replacements of matches: text with groups, in the syntax of the `regex` crates.

use crate::algorithm::regex::Pattern;
use crate::algorithm::regex::search::NOWHERE;
use crate::algorithm::trouble::Trouble;
use pif_core::fault::Code;
use pif_core::hint::Hint;

use pif_core::text::quote::shorten;

/// A parsed replacement.
#[derive(Debug)]
pub(crate) struct Template<'t>(Vec<Piece<'t>>);

#[derive(Debug)]
enum Piece<'t> {
    Text(&'t str),
    Group(usize),
    /// The text before and after the match.
    Before,
    After,
}

impl<'t> Template<'t> {
    /// Parses a replacement. The pattern must have all its groups.
    pub(crate) fn new(text: &'t str, pattern: &Pattern) -> Result<Self, Trouble> {
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
            pieces.push(match name {
                None => Piece::Text("$"),
                Some(name) => Piece::Group(group(name, pattern).ok_or_else(|| no(name, pattern))?),
            });
            rest = end;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        Ok(Self(pieces))
    }

    /// Parses a replacement of JavaScript. It has no faults: what is no group is text.
    pub(crate) fn of_script(text: &'t str, pattern: Option<&Pattern>) -> Self {
        let mut pieces = Vec::with_capacity(2 * text.matches('$').count() + 1);
        let (mut rest, mut from) = (text, 0);
        while let Some(at) = rest.get(from..).and_then(|rest| rest.find('$')).map(|at| from + at) {
            let after = rest.get(at + 1..).unwrap_or_default();
            let Some((piece, length)) = script_piece(after, pattern) else {
                from = at + 1;
                continue;
            };
            pieces.push(Piece::Text(rest.get(..at).unwrap_or_default()));
            pieces.extend(piece);
            (rest, from) = (after.get(length..).unwrap_or_default(), 0);
        }
        pieces.push(Piece::Text(rest));
        Self(pieces)
    }

    /// Tells whether it has a group other than the whole match.
    pub(crate) fn has_groups(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Group(1..)))
    }

    /// Appends the replacement of a match, if that takes at most `longest` bytes.
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
                Piece::Before => {
                    let start = slots.first().copied().unwrap_or_default();
                    text.get(..start).unwrap_or_default()
                }
                Piece::After => {
                    let end = slots.get(1).copied().unwrap_or(NOWHERE);
                    text.get(end..).unwrap_or_default()
                }
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

/// Returns the piece that follows a dollar in a replacement of JavaScript, and its bytes. A group
/// that the pattern lacks by name is empty.
fn script_piece<'t>(
    after: &'t str,
    pattern: Option<&Pattern>,
) -> Option<(Option<Piece<'t>>, usize)> {
    let digit = |at: usize| {
        let byte = after.as_bytes().get(at).filter(|byte| byte.is_ascii_digit());
        byte.map(|byte| usize::from(byte - b'0'))
    };
    let is_group = |number: usize| (1..=pattern.map_or(0, Pattern::groups)).contains(&number);
    Some(match after.chars().next()? {
        '$' => (Some(Piece::Text("$")), 1),
        '&' => (Some(Piece::Group(0)), 1),
        '`' => (Some(Piece::Before), 1),
        '\'' => (Some(Piece::After), 1),
        '0'..='9' => {
            let (first, second) = (digit(0)?, digit(1));
            match second.map(|second| 10 * first + second).filter(|both| is_group(*both)) {
                Some(both) => (Some(Piece::Group(both)), 2),
                None if is_group(first) => (Some(Piece::Group(first)), 1),
                None => return None,
            }
        }
        '<' => {
            let pattern = pattern.filter(|pattern| pattern.names().next().is_some())?;
            let end = after.find('>')?;
            let name = after.get(1..end).unwrap_or_default();
            (pattern.group(name).map(Piece::Group), end + 1)
        }
        _ => return None,
    })
}

/// Returns a message and a hint for a replacement that names a group as other languages do.
pub(crate) fn doubt(text: &str) -> Option<(String, Hint)> {
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '$']) {
        let (mark, after) = rest.get(at..)?.split_at_checked(1)?;
        if let Some((length, meant)) = elsewhere(mark, after) {
            let shown = shorten(rest.get(at..=at + length)?);
            let message = format!("`{shown}` in a replacement is not a group: it is copied");
            return Some((message, format!("write `{meant}`").into()));
        }
        // A doubled mark is intended.
        rest = after.strip_prefix(mark).unwrap_or(after);
    }
    None
}

/// Returns the bytes of a group in another language's syntax, after its mark, and the syntax to use
/// here.
fn elsewhere(mark: &str, after: &str) -> Option<(usize, String)> {
    let first = after.chars().next()?;
    let start = match (mark, first) {
        ("\\", '0'..='9') => return Some((1, format!("${{{first}}}"))),
        ("$", '&') => return Some((1, "$0".to_owned())),
        ("\\", _) => "g<",
        _ => "<",
    };
    let rest = after.strip_prefix(start)?;
    let (name, end) = rest.split_at(rest.find(|c| !is_of_name(c))?);
    let is_group = !name.is_empty() && end.starts_with('>');
    is_group.then(|| (start.len() + name.len() + 1, format!("${{{name}}}")))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the name of a group after a `$`, if there is one, and the rest.
fn name(text: &str) -> (Option<&str>, &str) {
    if let Some(braced) = text.strip_prefix('{') {
        return match braced.split_once('}') {
            Some((name, rest)) => (Some(name), rest),
            None => (None, text),
        };
    }
    let end = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (Some(name).filter(|name| !name.is_empty()), rest)
}

/// The fault of a group that the pattern lacks: a plain dollar, or a name that runs into the text
/// behind it.
fn no(name: &str, pattern: &Pattern) -> Trouble {
    let shown = shorten(name);
    let message = format!("the replacement names the group `{shown}`, which the pattern lacks");
    let known = (1..name.len().min(LONGEST)).rev().find_map(|end| {
        let (start, rest) = name.split_at_checked(end)?;
        group(start, pattern).map(|_| (start, rest))
    });
    let hint = match known {
        Some((start, rest)) => {
            let rest = shorten(rest);
            format!(
                "write `$$` for a dollar, and `${{{start}}}{rest}` for the group `{start}` and then `{rest}`"
            )
        }
        None => format!("write `$$` for a dollar: `$${shown}`"),
    };
    Trouble::with_hint(Code::Regex, message, hint)
}

/// Characters of a name that a search for a group looks at.
const LONGEST: usize = 40;

/// Returns the group of a number or a name.
fn group(name: &str, pattern: &Pattern) -> Option<usize> {
    let number = match name.parse::<u32>() {
        Ok(number) => number as usize,
        Err(_) => pattern.group(name)?,
    };
    (number <= pattern.groups()).then_some(number)
}
