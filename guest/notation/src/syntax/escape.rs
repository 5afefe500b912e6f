//! The escapes in texts.

use crate::lexer::Wrong;
use crate::syntax::parser::Parser;
use crate::tree::Words;

impl<'s> Parser<'s> {
    /// The characters between two bytes of the text, escapes decoded.
    pub(super) fn unquote(&self, start: u32, end: u32) -> Result<Words<'s>, Wrong> {
        let text = self.source.get(start as usize..end as usize).unwrap_or_default();
        if !text.contains(['\\', '\r']) {
            return Ok(text.into());
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((plain, escape)) = rest.split_once('\\') {
            push_lines(plain, &mut out);
            if let Some((c, behind)) = decode(escape) {
                out.extend(c);
                rest = behind;
            } else {
                let at = end - u32::try_from(escape.len() + 1).unwrap_or_default();
                let is_letter =
                    escape.starts_with(|c: char| c.is_ascii_alphabetic() && c != 'u' && c != 'x');
                let hint = if is_letter {
                    r#"write \\ for a backslash, such as "\\d+", or /\d+/ for a regular expression"#
                } else {
                    r#"write \n, \t, \", \\ or the code of a character, such as \u00e9 or \u{1f600}"#
                };
                return self.wrong(at, "the escape means nothing", hint);
            }
        }
        push_lines(rest, &mut out);
        Ok(out.into())
    }
}

/// A line of a template ends with `\n`, however it ends in the text.
fn push_lines(text: &str, out: &mut String) {
    if text.contains('\r') {
        out.push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
    } else {
        out.push_str(text);
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
        '0' if !chars.as_str().starts_with(|c: char| c.is_ascii_digit()) => '\0',
        '\n' | '\u{2028}' | '\u{2029}' => return Some((None, chars.as_str())),
        '\r' => {
            let rest = chars.as_str();
            return Some((None, rest.strip_prefix('\n').unwrap_or(rest)));
        }
        'x' => return hex(chars.as_str(), 2).map(|(code, rest)| (char::from_u32(code), rest)),
        'u' => return unicode(chars.as_str()),
        c if c.is_ascii_alphanumeric() => return None,
        c => c,
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
