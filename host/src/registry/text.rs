//! Text that a model wrote and other models will read: it must not be able to hide anything.

use super::Error;

/// The longest description, in characters.
pub const LONGEST: usize = 1_000;

/// Refuses a description that is too long or holds characters nobody can see.
pub(super) fn ensure_plain(description: &str) -> Result<(), Error> {
    if let Some((index, character)) = description.chars().enumerate().find(|(_, c)| is_hidden(*c)) {
        return Err(Error::Hidden { code: u32::from(character), index });
    }
    let length = description.chars().count();
    if length > LONGEST { Err(Error::Long { length }) } else { Ok(()) }
}

/// Control, bidirectional, zero-width, tag and other characters that print as nothing.
fn is_hidden(character: char) -> bool {
    if character.is_control() {
        return !matches!(character, '\n' | '\t');
    }
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0d}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_be_seen() {
        for hidden in
            ['\0', '\u{1b}', '\u{7f}', '\u{85}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{e0041}']
        {
            let text = format!("adds{hidden} numbers");
            assert!(matches!(ensure_plain(&text), Err(Error::Hidden { index: 4, .. })), "{text:?}");
        }
    }

    #[test]
    fn admits_what_people_write() {
        for text in ["", "Adds numbers.\n\tTwo of them.", "zählt ❤️ 数 ελληνικά"] {
            assert!(ensure_plain(text).is_ok(), "{text}");
        }
        assert!(ensure_plain(&"é".repeat(LONGEST)).is_ok());
        assert!(ensure_plain(&"é".repeat(LONGEST + 1)).is_err());
    }
}
