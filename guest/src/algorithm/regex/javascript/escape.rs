//! What follows a `\\`.

use super::brackets::Member;
use super::class::{DIGITS, SPACES, negated, of};
use super::node::{Look, Node, Refused};
use super::parser::{Parser, digits};

impl Parser<'_> {
    /// Parses an escape outside of brackets.
    pub(super) fn escape(&mut self) -> Result<(Node, bool), Refused> {
        let look = match self.rest.peek() {
            None => return Err("it ends with a `\\`".into()),
            Some('b') => Some(Look::Word),
            Some('B') => Some(Look::NotWord),
            _ => None,
        };
        if let Some(look) = look {
            self.rest.next();
            return Ok((Node::Look(look), false));
        }
        if self.rest.peek() == Some(&'k') && (self.flags.unicode || self.has_names) {
            return Err(backreference("\\k<name>"));
        }
        if let Some(digit @ '1'..='9') = self.rest.peek().copied() {
            let mut rest = self.rest.clone();
            let number = digits(&mut rest).unwrap_or(u32::MAX);
            if self.flags.unicode || number <= self.all {
                return Err(backreference(&format!("\\{number}")));
            }
            let c = if digit < '8' { self.octal() } else { self.rest.next().unwrap_or(digit) };
            return Ok((self.literal(c), true));
        }
        Ok((
            match self.escaped(false)? {
                Member::One(c) => self.literal(c),
                Member::Several(class) => Node::Class(class),
            },
            true,
        ))
    }

    /// Parses what follows a `\`.
    pub(super) fn escaped(&mut self, in_class: bool) -> Result<Member, Refused> {
        let unicode = self.flags.unicode;
        if self.rest.peek() == Some(&'c')
            && let Some(c) = self.control(in_class)
        {
            return Ok(Member::One(c));
        }
        let Some(c) = self.rest.next() else { return Err("it ends with a `\\`".into()) };
        Ok(Member::One(match c {
            'd' => return Ok(Member::Several(of(&DIGITS))),
            'D' => return Ok(Member::Several(negated(of(&DIGITS)))),
            'w' => return Ok(Member::Several(self.word())),
            'W' => return Ok(Member::Several(negated(self.word()))),
            's' => return Ok(Member::Several(of(&SPACES))),
            'S' => return Ok(Member::Several(negated(of(&SPACES)))),
            'p' | 'P' if unicode => return Ok(Member::Several(self.property(c == 'P')?)),
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'c' => return Err("a `\\c` has no letter".into()),
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => '\0',
            '0'..='9' if unicode => return Err("it has a number behind a `\\`".into()),
            '0'..='7' => self.octal_from(c),
            'x' => match self.hex(2) {
                Some(n) => char::from_u32(n).unwrap_or_default(),
                None if unicode => return Err("a `\\x` has no two digits".into()),
                None => 'x',
            },
            'u' => return self.unicode_escape().map(Member::One),
            c if unicode => {
                let is_syntax = "^$\\.*+?()[]{}|/".contains(c) || in_class && c == '-';
                if !is_syntax {
                    let reason = format!("the flag u allows no `\\{c}`");
                    return Err(Refused { reason, hint: Some("write the letter without `\\`") });
                }
                c
            }
            c => c,
        }))
    }

    /// Reads a control character, `cA` and so on. Where it is none, the `\` stands for itself and the
    /// `c` remains.
    fn control(&mut self, in_class: bool) -> Option<char> {
        let mut rest = self.rest.clone();
        let letter = rest.nth(1);
        let is_other = |c: char| in_class && (c.is_ascii_digit() || c == '_');
        match letter {
            Some(c) if c.is_ascii_alphabetic() || !self.flags.unicode && is_other(c) => {
                self.rest = rest;
                char::from_u32(u32::from(c) % 32)
            }
            _ if self.flags.unicode => None,
            _ => Some('\\'),
        }
    }

    fn octal(&mut self) -> char {
        let first = self.rest.next().unwrap_or('0');
        self.octal_from(first)
    }

    /// Reads the octal digits after the first, up to 255.
    fn octal_from(&mut self, first: char) -> char {
        let mut value = first.to_digit(8).unwrap_or_default();
        while let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(8)) {
            if value * 8 + digit > 0o377 {
                break;
            }
            value = value * 8 + digit;
            self.rest.next();
        }
        char::from_u32(value).unwrap_or_default()
    }

    /// Reads so many hexadecimal digits.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let mut rest = self.rest.clone();
        let mut value = 0;
        for _ in 0..count {
            value = value * 16 + rest.next()?.to_digit(16)?;
        }
        self.rest = rest;
        Some(value)
    }

    /// Reads what follows `\u`. Two halves of a character are one.
    fn unicode_escape(&mut self) -> Result<char, Refused> {
        if self.flags.unicode && self.take('{') {
            let mut value = 0_u32;
            let mut any = false;
            while let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(16)) {
                value = value.saturating_mul(16).saturating_add(digit);
                any = true;
                self.rest.next();
            }
            if !any || !self.take('}') || value > 0x0010_ffff {
                return Err("a `\\u{…}` names no character".into());
            }
            return char::from_u32(value).ok_or_else(half);
        }
        match self.hex(4) {
            None if self.flags.unicode => Err("a `\\u` has no four digits".into()),
            None => Ok('u'),
            Some(high @ 0xd800..=0xdbff) => {
                let mut ahead = self.rest.clone();
                let is_pair = ahead.next() == Some('\\') && ahead.next() == Some('u');
                if !is_pair {
                    return Err(half());
                }
                let before = std::mem::replace(&mut self.rest, ahead);
                match self.hex(4) {
                    Some(low @ 0xdc00..=0xdfff) => {
                        let c = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                        char::from_u32(c).ok_or_else(half)
                    }
                    _ => {
                        self.rest = before;
                        Err(half())
                    }
                }
            }
            Some(n) => char::from_u32(n).ok_or_else(half),
        }
    }
}

fn backreference(what: &str) -> Refused {
    Refused {
        reason: format!("it has a backreference, `{what}`, which no pattern has here"),
        hint: Some(
            "match each case by itself, as in `\"[^\"]*\"|'[^']*'`, or compare two groups \
                    after the match",
        ),
    }
}

/// The fault of half a character.
fn half() -> Refused {
    Refused {
        reason: "it names half of a character, and texts are whole characters here".to_owned(),
        hint: Some("write the character itself, or `\\u{1F600}` with the flag u"),
    }
}
