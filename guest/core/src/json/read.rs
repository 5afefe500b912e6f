//! The reader of JSON text (RFC 8259), with a stack of open containers instead of recursion. A sink
//! takes what it reads: the tape makes tokens, a heap makes values.

use crate::fault::{Code, Fault};
use crate::text::digits;

/// The characters of a string.
#[derive(Debug)]
pub enum Characters<'t> {
    /// A piece of the text, and where it begins.
    Piece(&'t str, usize),
    /// The string has escapes; these are decoded.
    Decoded(String),
}

impl AsRef<str> for Characters<'_> {
    fn as_ref(&self) -> &str {
        match self {
            Self::Piece(text, _) => text,
            Self::Decoded(text) => text,
        }
    }
}

/// A value without members.
#[derive(Debug)]
pub enum Scalar<'t> {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// An integer of up to 18 digits without point and exponent, and where it is written.
    Integer(i64, &'t str, usize),
    /// Any other number, and where it begins.
    Number(&'t str, usize),
    /// A string.
    Text(Characters<'t>),
}

/// Takes what a text holds.
///
/// The reader asks the last three functions first. They may read what is common faster than the
/// reader does, and need not read anything.
pub trait Sink {
    /// A value.
    type Value;
    /// A list or an object whose end is still to come.
    type Open;
    /// The reason to stop.
    type Stop: From<Syntax>;

    /// Takes a value without members.
    fn scalar(&mut self, scalar: Scalar<'_>) -> Result<Self::Value, Self::Stop>;

    /// Begins a list or an object, which is so many levels deep; the outermost is one level deep.
    fn open(
        &mut self,
        is_object: bool,
        around: Option<&Self::Open>,
        depth: usize,
    ) -> Result<Self::Open, Self::Stop>;

    /// Takes a key of an object. The bytes from `from` to `end` are the key with the separators
    /// around it.
    fn key(
        &mut self,
        open: &mut Self::Open,
        key: Characters<'_>,
        range: (usize, usize),
    ) -> Result<(), Self::Stop>;

    /// Takes an element of a list, or the value of the last key, which ends at a byte.
    fn add(
        &mut self,
        open: &mut Self::Open,
        value: Self::Value,
        at: usize,
    ) -> Result<(), Self::Stop>;

    /// Ends a list or an object, whose bracket ends at a byte.
    fn close(&mut self, open: Self::Open, at: usize) -> Result<Self::Value, Self::Stop>;

    /// Tells whether a container is an object.
    fn is_object(open: &Self::Open) -> bool;

    /// Reads elements of a list, each with the comma behind it. Returns where the next one begins.
    #[inline(always)]
    fn elements(&mut self, _: &mut Self::Open, _: &[u8], at: usize) -> Result<usize, Self::Stop> {
        Ok(at)
    }

    /// Reads a key if it is the one that is likely to come next, with the separators around it.
    /// Returns where its value begins.
    #[inline(always)]
    fn likely_key(&mut self, _: &mut Self::Open, _: &[u8], _: usize, _: bool) -> Option<usize> {
        None
    }

    /// Reads a short value that begins at a byte. Returns its end.
    #[inline(always)]
    fn short(&mut self, _: &[u8], _: usize) -> Option<(Self::Value, usize)> {
        None
    }
}

/// Reads a text.
pub fn read<S: Sink>(text: &str, sink: &mut S) -> Result<S::Value, S::Stop> {
    let mut reader = Reader { bytes: text.as_bytes(), text, at: 0 };
    let (mut outer, mut current): (Vec<S::Open>, Option<S::Open>) = (Vec::new(), None);
    loop {
        if let Some(open) = &mut current {
            reader.at = sink.elements(open, reader.bytes, reader.at)?;
        }
        let mut value = match reader.blank() {
            first @ (b'[' | b'{') => {
                let is_object = first == b'{';
                reader.at += 1;
                let depth = outer.len() + 1 + usize::from(current.is_some());
                let mut open = sink.open(is_object, current.as_ref(), depth)?;
                let goes_on = if is_object {
                    reader.member(sink, &mut open, true)?
                } else {
                    !reader.skip(b']')
                };
                if goes_on {
                    outer.extend(current.replace(open));
                    continue;
                }
                sink.close(open, reader.at)?
            }
            first => reader.scalar(sink, first)?,
        };
        loop {
            let Some(open) = &mut current else { return reader.end(value) };
            sink.add(open, value, reader.at)?;
            let goes_on = if S::is_object(open) {
                reader.member(sink, open, false)?
            } else {
                reader.goes_on()?
            };
            if goes_on {
                break;
            }
            let Some(open) = std::mem::replace(&mut current, outer.pop()) else {
                return Err(reader.wrong("no list or object is open").into());
            };
            value = sink.close(open, reader.at)?;
        }
    }
}

/// A mistake at a byte of a text.
#[derive(Debug)]
pub struct Syntax {
    at: usize,
    what: &'static str,
}

impl Syntax {
    /// Returns the fault of the text.
    #[must_use]
    pub fn fault(self, text: &str) -> Fault {
        let message = format!("not JSON: {} at {}", self.what, place(text, self.at));
        let fault = Fault::new(Code::Unparsable, message);
        if self.at >= text.len() { fault.incomplete() } else { fault }
    }
}

/// Describes the place of a byte in a text.
pub(super) fn place(text: &str, at: usize) -> String {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let line = 1 + before.split(|b| *b == b'\n').count().saturating_sub(1);
    let column = 1 + before.iter().rev().take_while(|b| **b != b'\n').count();
    format!("line {line} column {column}")
}

/// A place in a text.
pub(super) struct Reader<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Skips blanks. Returns the next byte, or 0.
    #[inline(always)]
    fn blank(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
        self.byte()
    }

    /// Skips blanks, and a byte if it is this one. Returns whether it is.
    #[inline(always)]
    fn skip(&mut self, byte: u8) -> bool {
        if self.blank() != byte {
            return false;
        }
        self.at += 1;
        true
    }

    /// Returns a piece of the text. It begins and ends between characters.
    pub(super) fn piece(&self, from: usize, to: usize) -> Result<&'t str, Syntax> {
        self.text.get(from..to).ok_or_else(|| self.wrong("a character is cut"))
    }

    pub(super) fn wrong(&self, what: &'static str) -> Syntax {
        Syntax { at: self.at, what }
    }

    fn end<V, E: From<Syntax>>(&mut self, value: V) -> Result<V, E> {
        if self.blank() == 0 && self.at >= self.bytes.len() {
            return Ok(value);
        }
        Err(self.wrong("unexpected text after the value").into())
    }

    /// Reads what follows an element of a list. Returns whether another one follows.
    #[inline(always)]
    fn goes_on(&mut self) -> Result<bool, Syntax> {
        let byte = self.blank();
        if !matches!(byte, b',' | b']') {
            return Err(self.wrong("expected `,` or `]`"));
        }
        self.at += 1;
        Ok(byte == b',')
    }

    /// Reads what stands before the next value of an object: a comma if it is not the first, the
    /// key, the colon. Returns whether there is a next one.
    #[inline(always)]
    fn member<S: Sink>(
        &mut self,
        sink: &mut S,
        open: &mut S::Open,
        is_first: bool,
    ) -> Result<bool, S::Stop> {
        if let Some(at) = sink.likely_key(open, self.bytes, self.at, is_first) {
            self.at = at;
            return Ok(true);
        }
        if self.byte() == b'}' {
            self.at += 1;
            return Ok(false);
        }
        self.unlikely_member(sink, open, is_first)
    }

    #[inline(never)]
    fn unlikely_member<S: Sink>(
        &mut self,
        sink: &mut S,
        open: &mut S::Open,
        is_first: bool,
    ) -> Result<bool, S::Stop> {
        let from = self.at;
        if self.skip(b'}') {
            return Ok(false);
        }
        if !is_first && !self.skip(b',') {
            return Err(self.wrong("expected `,` or `}`").into());
        }
        if !self.skip(b'"') {
            return Err(self.wrong("expected a key in double quotes").into());
        }
        let key = self.string()?;
        if !self.skip(b':') {
            return Err(self.wrong("expected `:`").into());
        }
        self.blank();
        sink.key(open, key, (from, self.at))?;
        Ok(true)
    }

    /// Reads a value without members.
    #[inline(always)]
    fn scalar<S: Sink>(&mut self, sink: &mut S, first: u8) -> Result<S::Value, S::Stop> {
        if let Some((value, end)) = sink.short(self.bytes, self.at) {
            self.at = end;
            return Ok(value);
        }
        let scalar = self.any_scalar(first)?;
        sink.scalar(scalar)
    }

    #[inline(never)]
    fn any_scalar(&mut self, first: u8) -> Result<Scalar<'t>, Syntax> {
        match first {
            b'-' | b'0'..=b'9' => self.number(),
            b'"' => {
                self.at += 1;
                self.string().map(Scalar::Text)
            }
            b't' => self.word("true", Scalar::Boolean(true)),
            b'f' => self.word("false", Scalar::Boolean(false)),
            b'n' => self.word("null", Scalar::Null),
            0 if self.at >= self.bytes.len() => Err(self.wrong("the text ends too early")),
            _ => Err(self.wrong("expected a value")),
        }
    }

    fn word(&mut self, word: &str, scalar: Scalar<'t>) -> Result<Scalar<'t>, Syntax> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            return Err(self.wrong("expected a value"));
        }
        self.at += word.len();
        Ok(scalar)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<Scalar<'t>, Syntax> {
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
            return Err(self.wrong("expected a digit"));
        }
        if digits > 1 && self.bytes.get(first) == Some(&b'0') {
            self.at = first;
            return Err(self.wrong("a number may not begin with 0"));
        }
        let is_short = !matches!(self.byte(), b'.' | b'e' | b'E') && digits <= 18;
        if !is_short {
            self.fraction()?;
        }
        let text = self.piece(start, self.at)?;
        Ok(if is_short {
            Scalar::Integer(if negative { -n } else { n }, text, start)
        } else {
            Scalar::Number(text, start)
        })
    }

    fn fraction(&mut self) -> Result<(), Syntax> {
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.wrong("expected a digit after the point"));
            }
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.wrong("expected a digit in the exponent"));
            }
        }
        Ok(())
    }
}
