//! A tape that is made without a text to read: token by token, as if there had been one.

use crate::json::tape::{LONGEST, Span, Tape, Token, TokenId};
use crate::limits::to_u32;

impl Tape {
    /// Appends a token that holds no others.
    pub fn put(&mut self, token: Token) {
        self.tokens.push(token);
    }

    /// Appends a string; nothing but its beginning if the texts become too long.
    pub fn put_text(&mut self, text: &str) {
        let span = self.own(text);
        self.put(Token::Text(span));
    }

    /// Appends a number as JSON writes it.
    pub fn put_number(&mut self, text: &str) {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if is_plain && let Ok(small) = text.parse::<i32>() {
            return self.put(Token::Integer(small));
        }
        let span = self.own(text);
        self.put(Token::Number(span));
    }

    fn own(&mut self, text: &str) -> Span {
        // A program's own text was too long before any of its parts could be.
        let end = text.floor_char_boundary(LONGEST.saturating_sub(self.text.len()));
        self.add_text(text.get(..end).unwrap_or_default()).unwrap_or(Span { start: 0, len: 0 })
    }

    /// Begins an array or object, whose members follow.
    pub fn begin(&mut self) -> TokenId {
        let id = self.len();
        self.put(Token::Null);
        id
    }

    /// Ends the array or object at `id`, which has so many values.
    pub fn finish(&mut self, id: TokenId, count: u32, is_object: bool) {
        let end = to_u32(self.tokens.len());
        let token =
            if is_object { Token::Object { end, count } } else { Token::Array { end, count } };
        if let Some(slot) = self.tokens.get_mut(id as usize) {
            *slot = token;
        }
    }

    /// Takes off all tokens from `id` on, and all text from a byte on.
    pub fn cut(&mut self, id: TokenId, bytes: usize) {
        self.tokens.truncate(id as usize);
        self.text.truncate(bytes);
    }
}
