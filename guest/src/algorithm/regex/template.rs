//! Replacements of matches: text with groups, in the syntax of the `regex` crates.

use crate::algorithm::regex::Pattern;
use crate::algorithm::regex::search::NOWHERE;
use crate::algorithm::trouble::Trouble;
use pif_core::fault::Code;

use pif_core::text::quote::shorten;

/// A parsed replacement.
#[derive(Debug)]
pub(crate) struct Template<'t>(Vec<Piece<'t>>);

#[derive(Debug)]
enum Piece<'t> {
    Text(&'t str),
    Group(usize),
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

/// Returns a message and a hint for a replacement that names a group as other languages do.
pub(crate) fn doubt(text: &str) -> Option<(String, String)> {
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '$']) {
        let (mark, after) = rest.get(at..)?.split_at_checked(1)?;
        if let Some((length, meant)) = elsewhere(mark, after) {
            let shown = shorten(rest.get(at..=at + length)?);
            let message = format!("`{shown}` in a replacement is not a group: it is copied");
            return Some((message, format!("write `{meant}`")));
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
