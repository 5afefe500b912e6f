//! Regular expressions of JavaScript, as its standard defines them: each part tries one way after
//! another, and asks what follows whether it leads to a match.

use super::compiled::Spans;
use pif::javascript::regex::{Flags, Look, Node, Parsed};

/// What follows a part: the place and the groups that it leads to, if it matches.
type Next<'k> = &'k mut dyn FnMut(usize, &Groups) -> Option<(usize, Groups)>;
/// The places of the groups, the whole first.
type Groups = Vec<Option<(usize, usize)>>;

/// How often a part may still be repeated.
#[derive(Clone, Copy)]
struct Times {
    min: u32,
    max: Option<u32>,
    greedy: bool,
}

struct Matcher<'t> {
    text: &'t [char],
    flags: Flags,
}

/// The matches in a text: all, or the first. Places are bytes.
pub(super) fn matches(parsed: &Parsed, text: &str, all: bool) -> Vec<Spans> {
    let chars: Vec<char> = text.chars().collect();
    let bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let matcher = Matcher { text: &chars, flags: parsed.flags };
    let none: Groups = vec![None; parsed.groups as usize + 1];
    let (mut found, mut from) = (Vec::new(), 0);
    while from <= chars.len() {
        let last = if parsed.flags.sticky { from } else { chars.len() };
        let first = (from..=last).find_map(|start| {
            let end = matcher
                .part(&parsed.node, start, &none, &mut |at, groups| Some((at, groups.clone())));
            end.map(|(end, groups)| (start, end, groups))
        });
        let Some((start, end, mut groups)) = first else { break };
        groups[0] = Some((start, end));
        let places = groups.into_iter().map(|span| span.map(|(a, b)| (bytes[a], bytes[b])));
        found.push(places.collect());
        if !all {
            break;
        }
        from = if start == end { end + 1 } else { end };
    }
    found
}

impl Matcher<'_> {
    fn part(
        &self,
        node: &Node,
        at: usize,
        groups: &Groups,
        next: Next<'_>,
    ) -> Option<(usize, Groups)> {
        match node {
            Node::Empty => next(at, groups),
            Node::Class(class) => {
                let c = *self.text.get(at)?;
                let is_in =
                    class.ranges().iter().any(|range| range.start() <= c && c <= range.end());
                if is_in { next(at + 1, groups) } else { None }
            }
            Node::Look(look) => {
                if self.holds(*look, at) {
                    next(at, groups)
                } else {
                    None
                }
            }
            Node::Ahead { node, negate } => {
                let inner =
                    self.part(node, at, groups, &mut |at, groups| Some((at, groups.clone())));
                match inner {
                    Some((_, groups)) if !negate => next(at, &groups),
                    None if *negate => next(at, groups),
                    _ => None,
                }
            }
            Node::Group(node, number) => self.part(node, at, groups, &mut |end, groups| {
                let mut groups = groups.clone();
                groups[*number as usize] = Some((at, end));
                next(end, &groups)
            }),
            Node::Concat(parts) => self.all(parts, at, groups, next),
            Node::Alternation(parts) => {
                parts.iter().find_map(|part| self.part(part, at, groups, next))
            }
            Node::Repeat { node, min, max, greedy } => {
                let times = Times { min: *min, max: *max, greedy: *greedy };
                self.repeat(node, times, at, groups, next)
            }
        }
    }

    fn all(
        &self,
        parts: &[Node],
        at: usize,
        groups: &Groups,
        next: Next<'_>,
    ) -> Option<(usize, Groups)> {
        match parts {
            [] => next(at, groups),
            [first, rest @ ..] => {
                self.part(first, at, groups, &mut |at, groups| self.all(rest, at, groups, next))
            }
        }
    }

    fn repeat(
        &self,
        node: &Node,
        times: Times,
        at: usize,
        groups: &Groups,
        next: Next<'_>,
    ) -> Option<(usize, Groups)> {
        let Times { min, max, greedy } = times;
        if max == Some(0) {
            return next(at, groups);
        }
        if min == 0
            && !greedy
            && let Some(found) = next(at, groups)
        {
            return Some(found);
        }
        let mut fresh = groups.clone();
        forget(node, &mut fresh);
        let less = Times { min: min.saturating_sub(1), max: max.map(|max| max - 1), greedy };
        let again = self.part(node, at, &fresh, &mut |to, groups| {
            // A repetition that takes nothing counts only where it must be.
            if min == 0 && to == at { None } else { self.repeat(node, less, to, groups, next) }
        });
        if again.is_some() || min > 0 || !greedy {
            return again;
        }
        next(at, groups)
    }

    fn holds(&self, look: Look, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.text.get(at)).copied();
        let after = self.text.get(at).copied();
        let is_word = |c: Option<char>| {
            let folds = self.flags.unicode && self.flags.ignore_case;
            c.is_some_and(|c| {
                c.is_ascii_alphanumeric() || c == '_' || folds && matches!(c, 'ſ' | '\u{212a}')
            })
        };
        let ends = |c: Option<char>| c.is_none_or(|c| "\n\r\u{2028}\u{2029}".contains(c));
        match look {
            Look::Start => before.is_none(),
            Look::End => after.is_none(),
            Look::LineStart => ends(before),
            Look::LineEnd => ends(after),
            Look::Word => is_word(before) != is_word(after),
            Look::NotWord => is_word(before) == is_word(after),
        }
    }
}

/// Forgets the groups in a part.
fn forget(node: &Node, groups: &mut Groups) {
    match node {
        Node::Empty | Node::Class(_) | Node::Look(_) => {}
        Node::Ahead { node, .. } | Node::Repeat { node, .. } => forget(node, groups),
        Node::Group(node, number) => {
            groups[*number as usize] = None;
            forget(node, groups);
        }
        Node::Concat(parts) | Node::Alternation(parts) => {
            parts.iter().for_each(|part| forget(part, groups));
        }
    }
}
