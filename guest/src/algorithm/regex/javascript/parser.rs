//! The parser: parts, their quantifiers, and groups. Its recursion is as deep as `LEVELS` allows.

use super::class::{LINE_ENDS, folded, negated, of};
use super::node::{Flags, Look, Node, Parsed, Refused};
use regex_syntax::hir::ClassUnicode;
use std::iter::Peekable;
use std::str::Chars;

/// Levels of brackets in a pattern.
const LEVELS: u32 = 250;
/// Parses a pattern.
pub fn parse(pattern: &str, flags: Flags) -> Result<Parsed, Refused> {
    let (groups, has_names) = count_groups(pattern);
    let mut parser = Parser {
        rest: pattern.chars().peekable(),
        flags,
        all: groups,
        has_names,
        groups: 0,
        names: Vec::new(),
        classes: 0,
        level: 0,
        ahead: 0,
        denied: 0,
        hides_groups: false,
    };
    let node = parser.alternation()?;
    match parser.rest.next() {
        None => {}
        Some(')') => return Err("a `)` has no `(`".into()),
        Some(_) => return Err("it ends early".into()),
    }
    let Parser { groups, names, classes, hides_groups, .. } = parser;
    Ok(Parsed { node, groups, names, flags, classes, hides_groups })
}

/// Counts the groups of a pattern. Also tells whether one has a name.
fn count_groups(pattern: &str) -> (u32, bool) {
    let (mut count, mut has_names, mut in_class) = (0, false, false);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = after;
        match c {
            '\\' => {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                rest = after.get(escaped..).unwrap_or_default();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let is_named = after.starts_with("?<")
                    && !after.starts_with("?<=")
                    && !after.starts_with("?<!");
                has_names |= is_named;
                if is_named || !after.starts_with('?') {
                    count += 1;
                }
            }
            _ => {}
        }
    }
    (count, has_names)
}

pub(super) struct Parser<'p> {
    pub(super) rest: Peekable<Chars<'p>>,
    pub(super) flags: Flags,
    /// The number of groups of the whole.
    pub(super) all: u32,
    pub(super) has_names: bool,
    /// Groups so far.
    pub(super) groups: u32,
    pub(super) names: Vec<(String, u32)>,
    pub(super) classes: u64,
    pub(super) level: u32,
    /// Lookaheads around the current part, and negated ones.
    pub(super) ahead: u32,
    pub(super) denied: u32,
    pub(super) hides_groups: bool,
}

impl Parser<'_> {
    pub(super) fn take(&mut self, c: char) -> bool {
        self.rest.next_if_eq(&c).is_some()
    }

    /// Tells whether a text comes next.
    pub(super) fn is_next(&self, text: &str) -> bool {
        let mut rest = self.rest.clone();
        text.chars().all(|c| rest.next() == Some(c))
    }

    /// Takes a text if it comes next.
    fn take_text(&mut self, text: &str) -> bool {
        let is_next = self.is_next(text);
        if is_next {
            text.chars().for_each(|_| _ = self.rest.next());
        }
        is_next
    }

    fn alternation(&mut self) -> Result<Node, Refused> {
        let mut parts = vec![self.concat()?];
        while self.take('|') {
            parts.push(self.concat()?);
        }
        Ok(match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => {
                parts.extend(last);
                Node::Alternation(parts)
            }
        })
    }

    fn concat(&mut self) -> Result<Node, Refused> {
        let mut parts = Vec::new();
        while !matches!(self.rest.peek(), None | Some('|' | ')')) {
            match self.term()? {
                Node::Empty => {}
                part => parts.push(part),
            }
        }
        Ok(match parts.pop() {
            None => Node::Empty,
            Some(only) if parts.is_empty() => only,
            Some(last) => {
                parts.push(last);
                Node::Concat(parts)
            }
        })
    }

    /// Parses a part with its quantifier.
    fn term(&mut self) -> Result<Node, Refused> {
        let (node, may_repeat) = self.atom()?;
        let Some((min, max)) = self.quantifier()? else { return Ok(node) };
        if !may_repeat {
            return Err("a quantifier has nothing to repeat".into());
        }
        let greedy = !self.take('?');
        if matches!(node, Node::Empty) || max == Some(0) {
            return Ok(Node::Empty);
        }
        Ok(Node::Repeat { node: Box::new(node), min, max, greedy })
    }

    /// Parses a part. Also returns whether it may be repeated.
    fn atom(&mut self) -> Result<(Node, bool), Refused> {
        let Some(c) = self.rest.next() else { return Ok((Node::Empty, false)) };
        let multiline = self.flags.multiline;
        Ok((
            match c {
                '^' => {
                    let look = if multiline { Look::LineStart } else { Look::Start };
                    return Ok((Node::Look(look), false));
                }
                '$' => {
                    let look = if multiline { Look::LineEnd } else { Look::End };
                    return Ok((Node::Look(look), false));
                }
                '(' => return self.group(),
                '.' => Node::Class(if self.flags.dot_all {
                    negated(ClassUnicode::empty())
                } else {
                    negated(of(&LINE_ENDS))
                }),
                '[' => Node::Class(self.brackets()?),
                '\\' => return self.escape(),
                '*' | '+' | '?' => return Err("a quantifier has nothing to repeat".into()),
                '{' if self.flags.unicode || self.is_quantifier() => {
                    return Err("a quantifier has nothing to repeat".into());
                }
                ']' | '}' if self.flags.unicode => {
                    return Err(Refused { reason: format!("a `{c}` stands alone"), hint: None });
                }
                c => self.literal(c),
            },
            true,
        ))
    }

    pub(super) fn literal(&mut self, c: char) -> Node {
        let class = of(&[(c, c)]);
        Node::Class(if self.flags.ignore_case { folded(&class, self.flags) } else { class })
    }

    /// Parses what follows an opening bracket.
    fn group(&mut self) -> Result<(Node, bool), Refused> {
        self.level += 1;
        if self.level > LEVELS {
            let reason = format!("its brackets are nested more than {LEVELS} deep");
            return Err(Refused { reason, hint: None });
        }
        let made = if self.take_text("?:") {
            (self.alternation()?, true)
        } else if self.is_next("?=") || self.is_next("?!") {
            let negate = self.is_next("?!");
            self.take_text(if negate { "?!" } else { "?=" });
            let (ahead, denied) = (self.ahead, self.denied);
            self.ahead += 1;
            self.denied += u32::from(negate);
            let node = Box::new(self.alternation()?);
            (self.ahead, self.denied) = (ahead, denied);
            (Node::Ahead { node, negate }, !self.flags.unicode)
        } else if self.is_next("?<=") || self.is_next("?<!") {
            let hint = "take the text before as a group, `(before)what`, and use the second group; \
                        or look at the text before each match, `regex_parts`";
            return Err(Refused {
                reason: "it has a lookbehind, `(?<=…)` or `(?<!…)`, which no pattern has here"
                    .to_owned(),
                hint: Some(hint),
            });
        } else {
            let mut name = None;
            if self.take_text("?<") {
                name = Some(self.name()?);
            } else if self.rest.peek() == Some(&'?') {
                return Err("there is no group that begins with `(?` and this".into());
            }
            self.groups += 1;
            let number = self.groups;
            if self.ahead > 0 && self.denied == 0 {
                self.hides_groups = true;
            }
            if let Some(name) = name {
                if self.names.iter().any(|(known, _)| *known == name) {
                    return Err(Refused {
                        reason: format!("it has two groups of the name `{name}`"),
                        hint: None,
                    });
                }
                self.names.push((name, number));
            }
            (Node::Group(Box::new(self.alternation()?), number), true)
        };
        if !self.take(')') {
            return Err("a `(` has no `)`".into());
        }
        self.level -= 1;
        Ok(made)
    }

    /// Reads the name of a group and the `>` after it.
    fn name(&mut self) -> Result<String, Refused> {
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '>') {
            let fits = c.is_alphabetic() || matches!(c, '_' | '$');
            if !fits && (name.is_empty() || !c.is_alphanumeric()) {
                return Err(
                    "a group has a name with other characters than letters, digits, `_` and `$`"
                        .into(),
                );
            }
            name.push(c);
        }
        if name.is_empty() || !self.take('>') {
            return Err("the name of a group has no end".into());
        }
        Ok(name)
    }

    /// Tells whether a quantifier in braces follows the `{` just taken.
    fn is_quantifier(&self) -> bool {
        let mut rest = self.rest.clone();
        braces(&mut rest).is_some()
    }

    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, Refused> {
        let found = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let mut rest = self.rest.clone();
                rest.next();
                let Some((min, max)) = braces(&mut rest) else {
                    if self.flags.unicode {
                        return Err("a `{` begins no quantifier".into());
                    }
                    return Ok(None);
                };
                if max.is_some_and(|max| max < min) {
                    return Err("the numbers of a quantifier are out of order".into());
                }
                self.rest = rest;
                return Ok(Some((min, max)));
            }
            _ => return Ok(None),
        };
        self.rest.next();
        Ok(Some(found))
    }
}

/// Reads the numbers of a quantifier after its `{`, and the `}`.
fn braces(rest: &mut Peekable<Chars<'_>>) -> Option<(u32, Option<u32>)> {
    let min = digits(rest)?;
    let max = if rest.next_if_eq(&',').is_none() {
        Some(min)
    } else if rest.peek() == Some(&'}') {
        None
    } else {
        Some(digits(rest)?)
    };
    rest.next_if_eq(&'}').map(|_| (min, max))
}

/// Reads digits as a number, at most the largest.
pub(super) fn digits(rest: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let mut value: Option<u32> = None;
    while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
        value = Some(value.unwrap_or_default().saturating_mul(10).saturating_add(digit));
        rest.next();
    }
    value
}
