//! Classes in brackets, and those that have a name.

use super::class::{WORD, folded, negated, of};
use super::node::Refused;
use super::parser::Parser;
use pif_language::prices::units;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// A member of a class in brackets: a character, or several.
pub(super) enum Member {
    One(char),
    Several(ClassUnicode),
}

impl Parser<'_> {
    /// Returns the characters of words.
    pub(super) fn word(&self) -> ClassUnicode {
        let mut class = of(&WORD);
        if self.flags.unicode && self.flags.ignore_case {
            class.union(&of(&[('\u{17f}', '\u{17f}'), ('\u{212a}', '\u{212a}')]));
        }
        class
    }

    /// Reads the name of a property in braces.
    pub(super) fn property(&mut self, negate: bool) -> Result<ClassUnicode, Refused> {
        let unknown = || Refused::from("it names no property of characters");
        if !self.take('{') {
            return Err(unknown());
        }
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '}') {
            name.push(c);
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '=');
        if name.is_empty() || !self.take('}') || !name.chars().all(is_name) {
            return Err(unknown());
        }
        self.classes +=
            if self.flags.ignore_case { units::FOLDED_CLASS } else { units::NAMED_CLASS };
        // JavaScript's names are among those that this parser knows.
        let parsed = regex_syntax::parse(&format!("\\p{{{name}}}")).map_err(|_| unknown())?;
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else {
            return match parsed.kind() {
                // A property of a single character.
                HirKind::Literal(literal) => {
                    let text = std::str::from_utf8(&literal.0).unwrap_or_default();
                    let c = text.chars().next().ok_or_else(unknown)?;
                    Ok(if negate { negated(of(&[(c, c)])) } else { of(&[(c, c)]) })
                }
                _ => Err(unknown()),
            };
        };
        let class = if negate { negated(class.clone()) } else { class.clone() };
        Ok(if self.flags.ignore_case { folded(&class, self.flags) } else { class })
    }

    /// Parses a class after its opening bracket.
    pub(super) fn brackets(&mut self) -> Result<ClassUnicode, Refused> {
        let negate = self.take('^');
        // Characters that are written out, whose case may count, and sets.
        let (mut plain, mut sets) = (ClassUnicode::empty(), ClassUnicode::empty());
        loop {
            if self.take(']') {
                break;
            }
            let first = self.member()?;
            let is_range = self.rest.peek() == Some(&'-') && !self.is_next("-]");
            if !is_range {
                add(&mut plain, &mut sets, first);
                continue;
            }
            self.rest.next();
            let last = self.member()?;
            match (first, last) {
                (Member::One(first), Member::One(last)) => {
                    if first > last {
                        return Err("the ends of a range in a class are out of order".into());
                    }
                    self.classes += if self.flags.ignore_case {
                        u64::from(u32::from(last) - u32::from(first)) / units::FOLDED_CHARACTERS
                    } else {
                        0
                    };
                    plain.push(ClassUnicodeRange::new(first, last));
                }
                _ if self.flags.unicode => {
                    return Err("an end of a range in a class is a set".into());
                }
                (first, last) => {
                    add(&mut plain, &mut sets, first);
                    add(&mut plain, &mut sets, Member::One('-'));
                    add(&mut plain, &mut sets, last);
                }
            }
        }
        if self.flags.ignore_case {
            plain = folded(&plain, self.flags);
        }
        plain.union(&sets);
        Ok(if negate { negated(plain) } else { plain })
    }

    /// Parses a member of a class in brackets.
    fn member(&mut self) -> Result<Member, Refused> {
        match self.rest.next() {
            None => Err("a `[` has no `]`".into()),
            Some('\\') => match self.rest.peek() {
                Some('b') => {
                    self.rest.next();
                    Ok(Member::One('\u{8}'))
                }
                _ => self.escaped(true),
            },
            Some(c) => Ok(Member::One(c)),
        }
    }
}

fn add(plain: &mut ClassUnicode, sets: &mut ClassUnicode, member: Member) {
    match member {
        Member::One(c) => plain.push(ClassUnicodeRange::new(c, c)),
        Member::Several(class) => sets.union(&class),
    }
}
