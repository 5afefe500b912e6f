//! How the reader of JSON reads strings.

use crate::json::read::{Characters, Reader, Syntax};
use crate::text::lanes;

const LONE: &str = "half of a surrogate pair";

impl<'t> Reader<'t> {
    /// Reads a string whose opening quote has been read.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Result<Characters<'t>, Syntax> {
        let from = self.at;
        self.at = lanes::plain_end(self.bytes, from);
        if self.byte() != b'"' {
            return self.escaped(from).map(Characters::Decoded);
        }
        self.at += 1;
        Ok(Characters::Piece(self.piece(from, self.at - 1)?, from))
    }

    /// Reads the rest of a string with an escape at the current place.
    fn escaped(&mut self, from: usize) -> Result<String, Syntax> {
        let (mut decoded, mut piece) = (String::new(), from);
        loop {
            decoded.push_str(self.piece(piece, self.at)?);
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => decoded.push(self.escape()?),
                Some(_) => return Err(self.wrong("a control character in a string")),
                None => return Err(self.wrong("a string without its closing quote")),
            }
            piece = self.at;
            self.at = lanes::plain_end(self.bytes, piece);
        }
        self.at += 1;
        Ok(decoded)
    }

    fn escape(&mut self) -> Result<char, Syntax> {
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
                return Err(self.wrong("unknown escape"));
            }
        })
    }

    fn hex(&mut self) -> Result<u32, Syntax> {
        let mut value = 0;
        for at in self.at..self.at + 4 {
            let byte = self.bytes.get(at).copied().unwrap_or(0);
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(self.wrong("expected four hexadecimal digits"));
            };
            value = value << 4 | digit;
        }
        self.at += 4;
        Ok(value)
    }

    fn unicode(&mut self) -> Result<char, Syntax> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).map_or_else(|| Err(self.wrong(LONE)), Ok);
        }
        if self.bytes.get(self.at..self.at + 2) != Some(b"\\u".as_slice()) {
            return Err(self.wrong(LONE));
        }
        self.at += 2;
        let second = self.hex()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(self.wrong(LONE));
        }
        let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        char::from_u32(scalar).map_or_else(|| Err(self.wrong(LONE)), Ok)
    }
}
