//! The reader of JSON text (RFC 8259), with a stack of open containers instead of recursion.

use crate::json::tape::{LONGEST, Span, Tape, Token, TokenId};
use crate::limits::to_u32;

use crate::fault::{Code, Fault};
use crate::text::quote;
use crate::text::quote::shorten;
use crate::text::{digits, lanes};

impl Tape {
    /// Parses `text` and appends its tokens to the tape. A fault leaves the tape unchanged.
    pub fn parse(&mut self, text: &str) -> Result<TokenId, Fault> {
        let (root, base) = (self.tokens.len(), self.text.len());
        if base + text.len() > LONGEST {
            return Err(Fault::new(Code::TooLarge, "the texts of this run are longer than 2 GiB"));
        }
        // Room for later texts too, so that a short one does not copy a long one.
        if self.text.capacity() < base + text.len() {
            self.text.reserve(text.len() + text.len() / 16 + 1024);
        }
        self.text.push_str(text);
        match document(self, text, base) {
            Ok(()) => Ok(to_u32(root)),
            Err(wrong) => {
                let fault = wrong.fault(text);
                self.tokens.truncate(root);
                self.text.truncate(base);
                Err(fault)
            }
        }
    }
}

/// Appends the tokens of `text`, which begins at `base` of the tape's text.
fn document(tape: &mut Tape, text: &str, base: usize) -> Result<(), Wrong> {
    Reader { bytes: text.as_bytes(), source: text, at: 0, base, tape }.document()
}

/// A syntax error at a byte, or a duplicate key.
enum Wrong {
    Syntax(usize, &'static str),
    DuplicateKey(DuplicateKey),
}

/// A key that an object has twice.
struct DuplicateKey {
    key: String,
    /// The object's place, as a JSON Pointer, and the byte where it ends.
    object: String,
    end: usize,
}

impl Wrong {
    fn fault(self, text: &str) -> Fault {
        match self {
            Self::DuplicateKey(DuplicateKey { key, object, end }) => {
                let (key, place) = (shorten(&key), place(text, end));
                let message =
                    format!("the key `{key}` occurs twice in the object that ends at {place}");
                Fault::new(Code::DuplicateKey, message).hint("keep one of the two").at(object)
            }
            Self::Syntax(at, what) => {
                let message = format!("not JSON: {what} at {}", place(text, at));
                let fault = Fault::new(Code::Unparsable, message);
                if at >= text.len() { fault.incomplete() } else { fault }
            }
        }
    }
}

/// Describes the place of a byte in a text.
fn place(text: &str, at: usize) -> String {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let line = 1 + before.split(|b| *b == b'\n').count().saturating_sub(1);
    let column = 1 + before.iter().rev().take_while(|b| **b != b'\n').count();
    format!("line {line} column {column}")
}

/// An array or object whose end is still to come.
struct Open {
    id: TokenId,
    count: u32,
    object: bool,
}

struct Reader<'a> {
    bytes: &'a [u8],
    source: &'a str,
    at: usize,
    /// The beginning of `source` in the tape's text.
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
        let mut open: Vec<Open> = Vec::with_capacity(16);
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

    /// Reads separators and ends after a value, up to the next value. Returns true at the end.
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
                    self.finish(id, count, object);
                    if object && let Some(key) = self.tape.duplicate_key(id, count) {
                        let key = self.tape.str(key).to_owned();
                        return Err(self.duplicate(key, id, open));
                    }
                }
                (_, false) => return self.wrong("expected `,` or `]`"),
                (_, true) => return self.wrong("expected `,` or `}`"),
            }
        }
        Ok(true)
    }

    fn finish(&mut self, id: TokenId, count: u32, object: bool) {
        self.tape.finish(id, count, object);
    }

    /// Describes the object at `id`, which has just ended and has a key twice.
    fn duplicate(&mut self, key: String, id: TokenId, open: &[Open]) -> Wrong {
        // A pointer needs containers that have ended.
        for Open { id, count, object } in open {
            self.finish(*id, *count, *object);
        }
        let root = open.first().map_or(id, |outermost| outermost.id);
        let object = quote::pointer(self.tape.pointer(root, id));
        let end = self.at.saturating_sub(1);
        Wrong::DuplicateKey(DuplicateKey { key, object, end })
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

    /// Reads a scalar or an empty container, or the beginning of another container.
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
            self.finish(id, 0, object);
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
            self.at = lanes::plain_end(self.bytes, self.at);
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

    /// Reads a string with an escape at the current place. Its decoded text is appended.
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

const LONE: &str = "half of a surrogate pair";
