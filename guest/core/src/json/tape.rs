//! JSON text as a flat tape of tokens.

use crate::limits::to_u32;
use crate::text::order;

/// Index of a token on the tape.
pub type TokenId = u32;

/// One JSON value, or the beginning of an array or object whose members follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// An integer without point or exponent that fits in 32 bits.
    Integer(i32),
    /// Any other number: a span of the text.
    Number(Span),
    /// A string without its quotes, escapes decoded: a span of the text.
    Text(Span),
    /// An array.
    Array {
        /// The token after its last value.
        end: u32,
        /// Values.
        count: u32,
    },
    /// An object; each member is a `Text` and a value.
    Object {
        /// The token after its last member.
        end: u32,
        /// Members.
        count: u32,
    },
}

/// A piece of the tape's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Bytes.
    pub len: u32,
}

/// Bytes of the longest tape's text.
pub(super) const LONGEST: usize = (u32::MAX / 2) as usize;

/// Every text parsed so far, and its tokens.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    /// All source texts, each followed by its decoded strings.
    pub text: String,
    pub(super) tokens: Vec<Token>,
}

impl Tape {
    /// Returns a tape with room for `tokens` tokens and for a text of `bytes` bytes with its
    /// decoded strings.
    #[must_use]
    pub fn with_room(tokens: usize, bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), tokens: Vec::with_capacity(tokens) }
    }

    /// Returns the token at `id`.
    #[must_use]
    pub fn token(&self, id: TokenId) -> Token {
        self.tokens.get(id as usize).copied().unwrap_or(Token::Null)
    }

    /// Counts the tokens: the id of the next root.
    #[must_use]
    pub fn len(&self) -> u32 {
        to_u32(self.tokens.len())
    }

    /// Tells whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns the id after the value at `id`.
    #[must_use]
    pub fn after(&self, id: TokenId) -> TokenId {
        match self.token(id) {
            Token::Array { end, .. } | Token::Object { end, .. } => end,
            _ => id + 1,
        }
    }

    /// Returns the characters of a span.
    #[must_use]
    pub fn str(&self, span: Span) -> &str {
        let start = span.start as usize;
        self.text.get(start..start + span.len as usize).unwrap_or_default()
    }

    /// Finds the member `key` of the object at `id`.
    #[must_use]
    pub fn member(&self, id: TokenId, key: &str) -> Option<TokenId> {
        self.members(id).find(|(name, _)| self.str(*name) == key).map(|(_, value)| value)
    }

    /// Iterates over keys and values of the object at `id`. Another value has none.
    pub fn members(&self, id: TokenId) -> impl Iterator<Item = (Span, TokenId)> + '_ {
        let end = if let Token::Object { end, .. } = self.token(id) { end } else { 0 };
        let mut next = id + 1;
        std::iter::from_fn(move || {
            let Token::Text(key) = (next < end).then(|| self.token(next))? else { return None };
            let value = next + 1;
            next = self.after(value);
            Some((key, value))
        })
    }

    /// Iterates over the values of the array at `id`. Another value has none.
    pub fn items(&self, id: TokenId) -> impl Iterator<Item = TokenId> + '_ {
        let end = if let Token::Array { end, .. } = self.token(id) { end } else { 0 };
        let mut next = id + 1;
        std::iter::from_fn(move || {
            let item = (next < end).then_some(next)?;
            next = self.after(item);
            Some(item)
        })
    }

    /// Returns the JSON Pointer (RFC 6901) from the value at `root` down to the token at `target`.
    #[must_use]
    pub fn pointer(&self, root: TokenId, target: TokenId) -> String {
        let mut pointer = String::new();
        let mut at = root;
        while at < target {
            let step = match self.token(at) {
                Token::Array { .. } => {
                    let found = self.items(at).enumerate().find(|(_, v)| target < self.after(*v));
                    found.map(|(index, value)| (index.to_string(), value))
                }
                Token::Object { .. } => {
                    let found = self.members(at).find(|(_, v)| target < self.after(*v));
                    found.map(|(key, value)| (escape_pointer(self.str(key)), value))
                }
                _ => None,
            };
            let Some((segment, value)) = step else { break };
            pointer.push('/');
            pointer.push_str(&segment);
            // A token between one member's value and the next is a key.
            at = value.max(at + 1);
            if value > target {
                break;
            }
        }
        pointer
    }

    /// Takes off all tokens from `id` on, and all text from a byte on.
    pub fn cut(&mut self, id: TokenId, bytes: usize) {
        self.tokens.truncate(id as usize);
        self.text.truncate(bytes);
    }

    /// Appends a text that need not be JSON. Returns `None` if it does not fit.
    pub fn add_text(&mut self, text: &str) -> Option<Span> {
        let start = self.text.len();
        if start + text.len() > LONGEST {
            return None;
        }
        self.text.push_str(text);
        Some(Span { start: to_u32(start), len: to_u32(text.len()) })
    }

    /// Counts the bytes of texts and tokens.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len() + self.tokens.len() * size_of::<Token>()
    }

    /// Finds the first key that the object at `id` has twice.
    pub(super) fn duplicate_key(&self, id: TokenId, count: u32) -> Option<Span> {
        if count > 8 {
            let keys: Vec<Span> = self.members(id).map(|(key, _)| key).collect();
            let key = |at: usize| keys.get(at).map_or("", |key| self.str(*key));
            return order::repeated(keys.len(), &key).and_then(|at| keys.get(at).copied());
        }
        let mut keys = [""; 8];
        for (index, (key, _)) in self.members(id).enumerate() {
            let name = self.str(key);
            if keys.iter().take(index).any(|earlier| *earlier == name) {
                return Some(key);
            }
            if let Some(slot) = keys.get_mut(index) {
                *slot = name;
            }
        }
        None
    }
}

/// Escapes a key for a pointer (RFC 6901).
#[must_use]
pub fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
