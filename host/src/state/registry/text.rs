//! Text that a model wrote and other models will read: it must not be able to hide anything, by
//! what cannot be seen or by where it stands.

use super::error::Error;
use crate::text::{is_hidden, is_layout};

/// The longest description, in characters.
pub const LONGEST: usize = 1_000;

/// White space in a row: more moves what follows it out of sight.
const WIDEST: usize = 40;

/// Line breaks in a row, blanks between them or not.
const HIGHEST: usize = 3;

/// Marks above and below one letter: more run over the lines around it.
const MOST_MARKS: usize = 4;

/// Refuses a description that is too long, or with something in it that readers would not see.
pub(crate) fn ensure_plain(description: &str) -> Result<(), Error> {
    let mut before = Before::default();
    for (index, c) in description.chars().enumerate() {
        if (is_hidden(c) && !is_layout(c)) || before.is_abused_by(c) {
            return Err(Error::Hidden { code: u32::from(c), index });
        }
        before.push(c);
        if before.blanks > WIDEST || before.breaks > HIGHEST {
            return Err(Error::Gap { index });
        }
        if before.marks > MOST_MARKS {
            return Err(Error::Stacked { index });
        }
    }
    let length = description.chars().count();
    if length > LONGEST { Err(Error::Long { length, most: LONGEST }) } else { Ok(()) }
}

/// What stands before a character.
#[derive(Default)]
struct Before {
    last: Option<char>,
    blanks: usize,
    breaks: usize,
    marks: usize,
}

impl Before {
    /// The selectors of text and emoji style may stand once after a character that has both
    /// styles. Anywhere else they say something that nobody sees.
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

/// The blocks in which Unicode defines characters with a text and an emoji style.
fn has_styles(c: char) -> bool {
    matches!(
        c,
        '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}'
    )
}

/// Combining marks that scripts share. Those of single scripts do not stack.
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
            assert!(matches!(ensure_plain(&text), Err(Error::Hidden { index: 4, .. })), "{text:?}");
        }
        for twice in ["❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\u{fe0e}"] {
            assert!(
                matches!(ensure_plain(twice), Err(Error::Hidden { index: 2, .. })),
                "{twice:?}"
            );
        }
    }

    #[test]
    fn refuses_what_is_out_of_sight() {
        let far = format!("adds{}evil", " ".repeat(41));
        let below = "adds\n \n \n \nevil";
        assert!(matches!(ensure_plain(&far), Err(Error::Gap { .. })));
        assert!(matches!(ensure_plain(below), Err(Error::Gap { .. })));
        let stacked = format!("a{}", "\u{301}".repeat(5));
        assert!(matches!(ensure_plain(&stacked), Err(Error::Stacked { .. })));
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
