//! JSON text as a flat tape of tokens: exact, duplicate-free, and without recursion however deep
//! the text is nested. Knows nothing of terms or values.

use crate::digits;
use crate::fault::{Code, Fault};
use std::collections::BTreeSet;

/// Index of a token on the tape.
pub type TokenId = u32;

/// One JSON value, or the beginning of an array or object whose members follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// An integer without point or exponent that fits.
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

/// Every text parsed so far, and its tokens.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    /// All source texts, each followed by its decoded strings.
    pub text: String,
    tokens: Vec<Token>,
}

impl Tape {
    /// The token at `id`.
    #[must_use]
    pub fn token(&self, id: TokenId) -> Token {
        self.tokens.get(id as usize).copied().unwrap_or(Token::Null)
    }

    /// Number of tokens so far: the id of the next root.
    #[must_use]
    pub fn len(&self) -> u32 {
        to_u32(self.tokens.len())
    }

    /// Whether nothing has been parsed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The token after the value at `id`.
    #[must_use]
    pub fn after(&self, id: TokenId) -> TokenId {
        match self.token(id) {
            Token::Array { end, .. } | Token::Object { end, .. } => end,
            _ => id + 1,
        }
    }

    /// The characters of a span.
    #[must_use]
    pub fn str(&self, span: Span) -> &str {
        let start = span.start as usize;
        self.text.get(start..start + span.len as usize).unwrap_or_default()
    }

    /// The member `key` of the object at `id`.
    #[must_use]
    pub fn member(&self, id: TokenId, key: &str) -> Option<TokenId> {
        self.members(id).find(|(name, _)| self.str(*name) == key).map(|(_, value)| value)
    }

    /// Keys and values of the object at `id`; nothing for any other value.
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

    /// Values of the array at `id`; nothing for any other value.
    pub fn items(&self, id: TokenId) -> impl Iterator<Item = TokenId> + '_ {
        let end = if let Token::Array { end, .. } = self.token(id) { end } else { 0 };
        let mut next = id + 1;
        std::iter::from_fn(move || {
            let item = (next < end).then_some(next)?;
            next = self.after(item);
            Some(item)
        })
    }

    /// JSON Pointer (RFC 6901) from the value at `root` down to the one at `target`.
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
            // A token between a member's value and the member before it is the member's key.
            at = value.max(at + 1);
            if value > target {
                break;
            }
        }
        pointer
    }

    /// Parses `text` and puts its tokens on the tape. On a fault the tape is as before.
    pub fn parse(&mut self, text: &str) -> Result<TokenId, Fault> {
        let (root, base) = (self.tokens.len(), self.text.len());
        if base + text.len() > (u32::MAX / 2) as usize {
            return Err(Fault::new(Code::TooLarge, "the texts of this run are longer than 2 GiB"));
        }
        // Room for what follows, so that a long text is not copied for a short one after it.
        self.text.reserve(text.len() + text.len() / 16 + 1024);
        self.text.push_str(text);
        let mut reader = Reader { bytes: text.as_bytes(), source: text, at: 0, base, tape: self };
        match reader.document() {
            Ok(()) => Ok(to_u32(root)),
            Err(wrong) => {
                let fault = wrong.fault(text);
                self.tokens.truncate(root);
                self.text.truncate(base);
                Err(fault)
            }
        }
    }

    /// The first key that the object at `id` names twice.
    fn duplicate_key(&self, id: TokenId, count: u32) -> Option<Span> {
        if count > 8 {
            let mut seen = BTreeSet::new();
            return self.members(id).map(|m| m.0).find(|key| !seen.insert(self.str(*key)));
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

/// Appends a key to a pointer as RFC 6901 wants it.
fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Positions on the tape are 32 bits; `Tape::parse` refuses text that could need more.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Why text is not what it should be, at a byte.
enum Wrong {
    Syntax(usize, &'static str),
    DuplicateKey(String),
}

impl Wrong {
    fn fault(self, text: &str) -> Fault {
        match self {
            Self::DuplicateKey(key) => {
                let message = format!("the key `{key}` stands twice in one object");
                Fault::new(Code::DuplicateKey, message).hint("keep one of the two")
            }
            Self::Syntax(at, what) => {
                let before = text.as_bytes().get(..at).unwrap_or_default();
                let line = 1 + before.split(|b| *b == b'\n').count().saturating_sub(1);
                let column = 1 + before.iter().rev().take_while(|b| **b != b'\n').count();
                let message = format!("not JSON: {what} at line {line} column {column}");
                Fault::new(Code::Unparsable, message)
            }
        }
    }
}

/// An array or object whose end has not been seen.
struct Open {
    id: TokenId,
    count: u32,
    object: bool,
}

struct Reader<'a> {
    bytes: &'a [u8],
    source: &'a str,
    at: usize,
    /// Where `source` begins in the tape's text.
    base: usize,
    tape: &'a mut Tape,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return *byte;
            }
            self.at += 1;
        }
        0
    }

    fn wrong<T>(&self, what: &'static str) -> Result<T, Wrong> {
        Err(Wrong::Syntax(self.at, what))
    }

    fn push(&mut self, token: Token) {
        self.tape.tokens.push(token);
    }

    fn document(&mut self) -> Result<(), Wrong> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            if let Some(container) = self.value()? {
                open.push(container);
                continue;
            }
            if self.close(&mut open)? {
                return if self.peek() == 0 && self.at >= self.bytes.len() {
                    Ok(())
                } else {
                    self.wrong("unexpected text after the value")
                };
            }
        }
    }

    /// Reads separators and ends after a value, up to the start of the next; true at the end.
    fn close(&mut self, open: &mut Vec<Open>) -> Result<bool, Wrong> {
        while let Some(top) = open.last_mut() {
            top.count += 1;
            match (self.peek(), top.object) {
                (b',', false) => {
                    self.at += 1;
                    return Ok(false);
                }
                (b',', true) => {
                    self.at += 1;
                    self.key()?;
                    return Ok(false);
                }
                (b']', false) | (b'}', true) => {
                    self.at += 1;
                    let (id, count, object) = (top.id, top.count, top.object);
                    open.pop();
                    self.finish(id, count, object)?;
                }
                (_, false) => return self.wrong("expected `,` or `]`"),
                (_, true) => return self.wrong("expected `,` or `}`"),
            }
        }
        Ok(true)
    }

    fn finish(&mut self, id: TokenId, count: u32, object: bool) -> Result<(), Wrong> {
        let end = self.tape.len();
        let token = if object { Token::Object { end, count } } else { Token::Array { end, count } };
        if let Some(slot) = self.tape.tokens.get_mut(id as usize) {
            *slot = token;
        }
        if object && let Some(key) = self.tape.duplicate_key(id, count) {
            return Err(Wrong::DuplicateKey(self.tape.str(key).to_owned()));
        }
        Ok(())
    }

    fn key(&mut self) -> Result<(), Wrong> {
        if self.peek() != b'"' {
            return self.wrong("expected a key in double quotes");
        }
        self.at += 1;
        self.string()?;
        if self.peek() != b':' {
            return self.wrong("expected `:`");
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a scalar or an empty container, or the beginning of a container that has members.
    fn value(&mut self) -> Result<Option<Open>, Wrong> {
        match self.peek() {
            b'-' | b'0'..=b'9' => self.number()?,
            b'"' => {
                self.at += 1;
                self.string()?;
            }
            b'[' => return self.open(b']', false),
            b'{' => return self.open(b'}', true),
            b't' => self.word("true", Token::Boolean(true))?,
            b'f' => self.word("false", Token::Boolean(false))?,
            b'n' => self.word("null", Token::Null)?,
            0 if self.at >= self.bytes.len() => return self.wrong("the text ends too early"),
            _ => return self.wrong("expected a value"),
        }
        Ok(None)
    }

    fn open(&mut self, close: u8, object: bool) -> Result<Option<Open>, Wrong> {
        let id = self.tape.len();
        self.at += 1;
        self.push(Token::Null);
        if self.peek() == close {
            self.at += 1;
            self.finish(id, 0, object)?;
            return Ok(None);
        }
        if object {
            self.key()?;
        }
        Ok(Some(Open { id, count: 0, object }))
    }

    fn word(&mut self, word: &str, token: Token) -> Result<(), Wrong> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            return self.wrong("expected a value");
        }
        self.at += word.len();
        self.push(token);
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        let negative = self.bytes.get(self.at) == Some(&b'-');
        self.at += usize::from(negative);
        let (mut n, first) = (0_i64, self.at);
        if let Some((count, value)) = digits::eight(self.bytes, self.at) {
            n = i64::from(value);
            self.at += count as usize;
        }
        while let Some(digit) = self.bytes.get(self.at).map(|b| b.wrapping_sub(b'0'))
            && digit < 10
        {
            n = n.wrapping_mul(10).wrapping_add(i64::from(digit));
            self.at += 1;
        }
        let digits = self.at - first;
        if digits == 0 {
            return self.wrong("expected a digit");
        }
        if digits > 1 && self.bytes.get(first) == Some(&b'0') {
            self.at = first;
            return self.wrong("a number may not begin with 0");
        }
        if !matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E'))
            && digits < 18
            && let Ok(small) = i32::try_from(if negative { -n } else { n })
        {
            self.push(Token::Integer(small));
            return Ok(());
        }
        self.fraction()?;
        let span = self.span(start, self.at);
        self.push(Token::Number(span));
        Ok(())
    }

    fn fraction(&mut self) -> Result<(), Wrong> {
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return self.wrong("expected a digit after the point");
            }
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.wrong("expected a digit in the exponent");
            }
        }
        Ok(())
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { start: to_u32(self.base + start), len: to_u32(end - start) }
    }

    /// Reads a string whose opening quote has been read.
    fn string(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    let span = self.span(start, self.at);
                    self.push(Token::Text(span));
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => return self.escaped(start),
                Some(0..=31) => return self.wrong("a control character in a string"),
                Some(_) => self.at += 1,
                None => return self.wrong("a string without its closing quote"),
            }
        }
    }

    /// Reads a string that has an escape at the current place; its decoded text is appended.
    fn escaped(&mut self, start: usize) -> Result<(), Wrong> {
        let from = self.tape.text.len();
        let mut piece = start;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.copy(piece);
                    let c = self.escape()?;
                    self.tape.text.push(c);
                    piece = self.at;
                }
                Some(0..=31) => return self.wrong("a control character in a string"),
                Some(_) => self.at += 1,
                None => return self.wrong("a string without its closing quote"),
            }
        }
        self.copy(piece);
        self.at += 1;
        let len = to_u32(self.tape.text.len() - from);
        self.push(Token::Text(Span { start: to_u32(from), len }));
        Ok(())
    }

    fn copy(&mut self, from: usize) {
        self.tape.text.push_str(self.source.get(from..self.at).unwrap_or_default());
    }

    fn escape(&mut self) -> Result<char, Wrong> {
        let letter = self.bytes.get(self.at + 1).copied().unwrap_or(0);
        self.at += 2;
        Ok(match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => {
                self.at -= 1;
                return self.wrong("unknown escape");
            }
        })
    }

    fn hex(&mut self) -> Result<u32, Wrong> {
        let digits = self.bytes.get(self.at..self.at + 4).unwrap_or_default();
        let text = std::str::from_utf8(digits).unwrap_or_default();
        if text.len() < 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return self.wrong("expected four hexadecimal digits");
        }
        self.at += 4;
        Ok(u32::from_str_radix(text, 16).unwrap_or_default())
    }

    fn unicode(&mut self) -> Result<char, Wrong> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).map_or_else(|| self.wrong(LONE), Ok);
        }
        if self.bytes.get(self.at..self.at + 2) != Some(b"\\u".as_slice()) {
            return self.wrong(LONE);
        }
        self.at += 2;
        let second = self.hex()?;
        if !(0xdc00..0xe000).contains(&second) {
            return self.wrong(LONE);
        }
        let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        char::from_u32(scalar).map_or_else(|| self.wrong(LONE), Ok)
    }
}

const LONE: &str = "half of a surrogate pair, which is no character";
