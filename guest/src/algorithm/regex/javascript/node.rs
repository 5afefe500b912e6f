//! The parts of a pattern, and its flags.

use regex_syntax::hir::ClassUnicode;

/// The flags of a pattern, in the order of the letters `gimsuy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "flags are a letter each")]
pub struct Flags {
    /// `g`: all matches.
    pub global: bool,
    /// `i`: case is ignored.
    pub ignore_case: bool,
    /// `m`: `^` and `$` hold at line breaks.
    pub multiline: bool,
    /// `s`: the dot takes line breaks.
    pub dot_all: bool,
    /// `u`: `\u{…}` and `\p{…}`, and no escapes of other letters.
    pub unicode: bool,
    /// `y`: a match begins where the last one ended.
    pub sticky: bool,
}

/// A part of a pattern.
#[derive(Debug)]
pub enum Node {
    /// Takes nothing.
    Empty,
    /// Takes a character of a set.
    Class(ClassUnicode),
    /// Holds at some places.
    Look(Look),
    /// Holds where a part matches, or where it does not.
    Ahead {
        /// The part.
        node: Box<Node>,
        /// Whether the part must not match.
        negate: bool,
    },
    /// A group with its number, from 1.
    Group(Box<Node>, u32),
    /// Parts one after another.
    Concat(Vec<Node>),
    /// One of the parts, the first that leads to a match.
    Alternation(Vec<Node>),
    /// A part several times.
    Repeat {
        /// The part.
        node: Box<Node>,
        /// Least times.
        min: u32,
        /// Most times.
        max: Option<u32>,
        /// Whether more is better.
        greedy: bool,
    },
}

/// A test of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The beginning of the text.
    Start,
    /// The end of the text.
    End,
    /// The beginning of a line.
    LineStart,
    /// The end of a line.
    LineEnd,
    /// A word begins or ends.
    Word,
    /// No word begins or ends.
    NotWord,
}

/// A parsed pattern.
#[derive(Debug)]
pub struct Parsed {
    /// The whole.
    pub node: Node,
    /// The number of groups.
    pub groups: u32,
    /// The named groups, in order.
    pub names: Vec<(String, u32)>,
    /// Its flags.
    pub flags: Flags,
    /// Fuel of its classes.
    pub classes: u64,
    /// Whether a group stands in a lookahead, where its text is not known.
    pub hides_groups: bool,
}

/// Why a pattern is refused.
#[derive(Debug)]
pub struct Refused {
    /// The reason.
    pub reason: String,
    /// What to write instead.
    pub hint: Option<&'static str>,
}

impl From<&str> for Refused {
    fn from(reason: &str) -> Self {
        Self { reason: reason.to_owned(), hint: None }
    }
}

/// Reads flags.
pub fn flags(text: &str) -> Result<Flags, Refused> {
    let mut flags = Flags::default();
    for letter in text.chars() {
        let flag = match letter {
            'g' => &mut flags.global,
            'i' => &mut flags.ignore_case,
            'm' => &mut flags.multiline,
            's' => &mut flags.dot_all,
            'u' => &mut flags.unicode,
            'y' => &mut flags.sticky,
            _ => {
                let reason = format!("there is no flag `{letter}`");
                return Err(Refused { reason, hint: Some("the flags are g, i, m, s, u and y") });
            }
        };
        if std::mem::replace(flag, true) {
            return Err(Refused {
                reason: format!("it has the flag `{letter}` twice"),
                hint: None,
            });
        }
    }
    Ok(flags)
}
