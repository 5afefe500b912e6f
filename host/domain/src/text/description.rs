//! The rules for descriptions. A model writes them and other models read them, so a description
//! must not hide text by invisible characters or by layout.

use super::{is_hidden, is_layout};

/// The most characters of a description.
pub const LONGEST: usize = 1_000;

/// The most white space in a row. More would push text out of sight.
const WIDEST: usize = 40;

/// The most line breaks in a row, with or without blanks between them.
const HIGHEST: usize = 3;

/// The most combining marks on one letter. More would cover the lines around it.
const MOST_MARKS: usize = 4;

/// The reason why a text is refused that people and models read.
#[derive(Debug)]
pub enum Oddity {
    /// It has an invisible character.
    Hidden {
        /// The character's code point.
        code: u32,
        /// The number of characters before it.
        index: usize,
    },
    /// It has a gap that pushes text out of sight.
    Gap {
        /// The number of characters before the gap's first excess character.
        index: usize,
    },
    /// It stacks combining marks.
    Stacked {
        /// The number of characters before the first excess mark.
        index: usize,
    },
    /// It is too long.
    Long {
        /// The number of its characters.
        length: usize,
        /// The most characters that it may have.
        most: usize,
    },
}

impl Oddity {
    /// The message about a text that `subject` names.
    #[must_use]
    pub fn told_of(&self, subject: &str) -> String {
        match self {
            Self::Hidden { code, index } => format!(
                "{subject} holds the invisible character U+{code:04X} at position {index}: remove it"
            ),
            Self::Gap { index } => {
                format!("{subject} has a gap before position {index}: bring its parts together")
            }
            Self::Stacked { index } => {
                format!("{subject} stacks marks at position {index}: use fewer on one letter")
            }
            Self::Long { length, most } => {
                format!("{subject} has {length} characters: shorten it to at most {most}")
            }
        }
    }
}

/// Refuses a description that is too long or that hides text.
pub fn ensure_plain(description: &str) -> Result<(), Oddity> {
    let mut before = Before::default();
    for (index, c) in description.chars().enumerate() {
        if (is_hidden(c) && !is_layout(c)) || before.is_abused_by(c) {
            return Err(Oddity::Hidden { code: u32::from(c), index });
        }
        before.push(c);
        if before.blanks > WIDEST || before.breaks > HIGHEST {
            return Err(Oddity::Gap { index });
        }
        if before.marks > MOST_MARKS {
            return Err(Oddity::Stacked { index });
        }
    }
    let length = description.chars().count();
    if length > LONGEST { Err(Oddity::Long { length, most: LONGEST }) } else { Ok(()) }
}

/// The state before a character.
#[derive(Default)]
struct Before {
    last: Option<char>,
    blanks: usize,
    breaks: usize,
    marks: usize,
}

impl Before {
    /// Selectors of text or emoji style are allowed once after a character that has both styles.
    /// Elsewhere they could carry hidden data.
    fn is_abused_by(&self, c: char) -> bool {
        is_style(c) && !self.last.is_some_and(has_styles)
    }

    fn push(&mut self, c: char) {
        self.last = Some(c);
        self.blanks = if c.is_whitespace() { self.blanks + 1 } else { 0 };
        self.breaks = match c {
            '\n' => self.breaks + 1,
            c if c.is_whitespace() => self.breaks,
            _ => 0,
        };
        self.marks = if is_mark(c) { self.marks + 1 } else { 0 };
    }
}

fn is_style(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Blocks in which Unicode defines characters with both a text style and an emoji style.
fn has_styles(c: char) -> bool {
    matches!(
        c,
        '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}'
    )
}

/// Combining marks that are common to several scripts. Those of single scripts do not stack.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_be_seen() {
        for hidden in [
            '\0',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{e0041}',
            '\u{fe0f}',
            '\u{e0100}',
            '\u{e000}',
            '\u{ffff}',
        ] {
            let text = format!("adds{hidden} numbers");
            assert!(
                matches!(ensure_plain(&text), Err(Oddity::Hidden { index: 4, .. })),
                "{text:?}"
            );
        }
        for twice in ["❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\u{fe0e}"] {
            assert!(
                matches!(ensure_plain(twice), Err(Oddity::Hidden { index: 2, .. })),
                "{twice:?}"
            );
        }
    }

    #[test]
    fn refuses_what_is_out_of_sight() {
        let far = format!("adds{}evil", " ".repeat(41));
        let below = "adds\n \n \n \nevil";
        assert!(matches!(ensure_plain(&far), Err(Oddity::Gap { .. })));
        assert!(matches!(ensure_plain(below), Err(Oddity::Gap { .. })));
        let stacked = format!("a{}", "\u{301}".repeat(5));
        assert!(matches!(ensure_plain(&stacked), Err(Oddity::Stacked { .. })));
    }

    #[test]
    fn admits_what_people_write() {
        for text in [
            "",
            "Adds numbers.\n\tTwo of them.",
            "zählt ❤️ 数 ελληνικά 1️⃣",
            "Table:\n\n    a    b\n\n    1    2",
            "Việt Nam, עברית, عربي, हिन्दी",
        ] {
            assert!(ensure_plain(text).is_ok(), "{text}");
        }
        assert!(ensure_plain(&"é".repeat(LONGEST)).is_ok());
        assert!(ensure_plain(&"é".repeat(LONGEST + 1)).is_err());
    }
}
