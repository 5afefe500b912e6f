//! Templates, and the escapes in texts.

use crate::lexer::{Kind, Wrong};
use crate::parse::{Frame, Next, Parser};
use crate::tree::Words;
use pif_language::form::Form;

impl<'s> Parser<'s> {
    /// Reads characters of a template up to the next hole, or its end.
    pub(super) fn pieces(&mut self) -> Result<Next, Wrong> {
        let Some(Frame::Template { open, mut parts }) = self.frames.pop() else {
            return self.unexpected();
        };
        let piece = self.token(0);
        if piece.kind == Kind::Piece {
            self.at += 1;
            let text = self.unquote(piece.start, piece.end)?;
            parts.push(self.tree.text(text, (piece.start, piece.end)));
        }
        if !self.is_end_of(open) {
            self.at += 1;
            self.frames.push(Frame::Template { open, parts });
            return Ok(Next::Operand);
        }
        self.at += 1;
        self.leave();
        let span = self.since(self.token_at(open as usize).start);
        Ok(Next::Operator(match parts.as_slice() {
            [] => self.tree.text("", span),
            [one] => *one,
            _ => self.tree.form(Form::Concat, &parts, span),
        }))
    }

    /// The characters between two bytes of the text, escapes decoded.
    pub(super) fn unquote(&self, start: u32, end: u32) -> Result<Words<'s>, Wrong> {
        let text = self.source.get(start as usize..end as usize).unwrap_or_default();
        if !text.contains('\\') {
            return Ok(text.into());
        }
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((plain, escape)) = rest.split_once('\\') {
            out.push_str(plain);
            if let Some((c, behind)) = decode(escape) {
                out.extend(c);
                rest = behind;
            } else {
                let at = end - u32::try_from(escape.len() + 1).unwrap_or_default();
                let hint = r#"write \n, \t, \", \\ or the code of a character, such as \u00e9"#;
                return self.unparsable(at, "the escape means nothing", hint);
            }
        }
        out.push_str(rest);
        Ok(out.into())
    }
}

/// The character that stands for what is after a `\`, and the rest.
fn decode(escape: &str) -> Option<(Option<char>, &str)> {
    let mut chars = escape.chars();
    let c = match chars.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '0' => '\0',
        '\n' => return Some((None, chars.as_str())),
        'x' => return hex(chars.as_str(), 2).map(|(code, rest)| (char::from_u32(code), rest)),
        'u' => return unicode(chars.as_str()),
        c @ ('"' | '\'' | '`' | '\\' | '/' | '$' | '{') => c,
        _ => return None,
    };
    Some((Some(c), chars.as_str()))
}

fn hex(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (code, rest) = text.split_at_checked(digits)?;
    let is_hex = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some((u32::from_str_radix(code, 16).ok().filter(|_| is_hex)?, rest))
}

fn unicode(text: &str) -> Option<(Option<char>, &str)> {
    if let Some(rest) = text.strip_prefix('{') {
        let digits = rest.find('}')?;
        let (code, rest) = hex(rest, digits)?;
        return Some((Some(char::from_u32(code)?), rest.get(1..)?));
    }
    let (first, rest) = hex(text, 4)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((Some(char::from_u32(first)?), rest));
    }
    let (second, rest) = hex(rest.strip_prefix("\\u")?, 4)?;
    if !(0xdc00..0xe000).contains(&second) {
        return None;
    }
    let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    Some((Some(char::from_u32(scalar)?), rest))
}
