//! Matches one after another, of a pattern or of a text.

use crate::algorithm::regex::Pattern;
use crate::algorithm::regex::search::Matches;
use std::rc::Rc;

/// What a form looks for: a pattern, or a text.
pub(super) enum Sought {
    Pattern(Rc<Pattern>),
    Text(String),
}

impl Sought {
    /// Returns the pattern, if it is one.
    pub(super) fn pattern(&self) -> Option<&Pattern> {
        match self {
            Self::Pattern(pattern) => Some(pattern),
            Self::Text(_) => None,
        }
    }

    /// Counts the groups, without the whole match.
    pub(super) fn groups(&self) -> usize {
        self.pattern().map_or(0, Pattern::groups)
    }

    /// Returns the matches in a text: all, or only the first.
    pub(super) fn find<'p>(&'p self, text: &'p str, all: bool) -> Found<'p> {
        match self {
            Self::Pattern(pattern) => Found::new(text, pattern, all),
            Self::Text(part) => {
                let places = Finder::Text { part, at: Some(0), slots: [0; 2] };
                Found { places, text, sticky: None, all, done: false }
            }
        }
    }
}

/// The matches that count: the first one only, unless all are wanted; with the flag y those without
/// text between them.
pub(super) struct Found<'p> {
    places: Finder<'p>,
    pub(super) text: &'p str,
    /// Where the next match must begin.
    sticky: Option<usize>,
    all: bool,
    done: bool,
}

/// Where matches come from.
enum Finder<'p> {
    Pattern(Box<Matches<'p>>),
    /// A text, the place from which to look for it, and where it was found.
    Text {
        part: &'p str,
        at: Option<usize>,
        slots: [usize; 2],
    },
}

impl Finder<'_> {
    fn next(&mut self, text: &str) -> Option<&[usize]> {
        match self {
            Self::Pattern(matches) => matches.next(),
            Self::Text { part, at, slots } => {
                let from = (*at)?;
                let start = from + text.get(from..)?.find(*part)?;
                *slots = [start, start + part.len()];
                *at = if part.is_empty() { after(text, start) } else { Some(start + part.len()) };
                Some(slots)
            }
        }
    }
}

/// Returns the place after the character at a place, or nothing at the end.
fn after(text: &str, at: usize) -> Option<usize> {
    let next = text.get(at..).and_then(|rest| rest.chars().next());
    next.map(|c| at + c.len_utf8())
}

impl<'p> Found<'p> {
    pub(super) fn new(text: &'p str, pattern: &'p Pattern, all: bool) -> Self {
        let is_sticky = pattern.flags().is_some_and(|flags| flags.sticky);
        let places = Finder::Pattern(Box::new(Matches::new(pattern, text)));
        Self { places, text, sticky: is_sticky.then_some(0), all, done: false }
    }

    /// Finds the next match: the beginning and end of each group, the whole first.
    pub(super) fn next(&mut self) -> Option<&[usize]> {
        if self.done {
            return None;
        }
        let slots = self.places.next(self.text)?;
        self.done = !self.all;
        if let (Some(wanted), [start, end, ..]) = (&mut self.sticky, slots) {
            if start != wanted {
                self.done = true;
                return None;
            }
            let next = if start == end { after(self.text, *end) } else { Some(*end) };
            *wanted = next.unwrap_or(usize::MAX);
        }
        Some(slots)
    }
}
