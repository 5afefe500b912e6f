//! Text to tokens, each bracket with the one that matches it, in one pass.

use pif_core::fault::{Code, Fault, Place};
use pif_core::limits::to_u32;
use pif_core::text::quote::{is_hidden, shorten};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    /// A text in quotes.
    Text,
    Name,
    Mark,
    /// A bracket that opens, also a backquote and the `${` of a template.
    Open,
    /// A bracket that closes.
    Close,
    /// Characters of a template.
    Piece,
    /// Behind the last token.
    End,
}

/// A piece of a program's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Whether a line ends between the token before it and this one.
    pub(crate) on_new_line: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Of a bracket the token that matches it.
    pub(crate) mate: u32,
}

/// A fault of a text, with its place.
pub(crate) type Wrong = Box<Fault>;

/// Marks of more than one character, those first that begin with others.
const MARKS: [&str; 43] = [
    ">>>=", "...", "===", "!==", "**=", "??=", "&&=", "||=", "<<=", ">>=", ">>>", "<=>", "=>",
    "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "**", "++", "--", "+=", "-=", "*=", "/=", "%=",
    "|>", "<<", ">>", "->", ":=", "::", "<>", "=~", "..", "<-", "!!", "~/", "|=", "&=",
];

/// A fault at a byte of a text.
#[inline(never)]
pub(crate) fn wrong((source, at): (&str, u32), code: Code, message: &str, hint: &str) -> Wrong {
    let mut fault = Fault::new(code, message).hint(hint);
    fault.place = Some(Box::new(Place::of(source, at as usize)));
    Box::new(fault)
}

/// Whether a character can begin a name.
fn begins_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$' || (!c.is_ascii() && !is_odd(c))
}

fn goes_on(c: char) -> bool {
    c.is_ascii_digit() || begins_name(c)
}

/// Characters beyond ASCII that are no part of names: blanks, quotes, mathematical signs.
fn is_odd(c: char) -> bool {
    c.is_whitespace()
        || is_hidden(c)
        || matches!(c, '\u{a1}'..='\u{a9}' | '\u{ab}'..='\u{b4}' | '\u{b6}'..='\u{b9}' | '\u{bb}'..='\u{bf}'
            | '×' | '÷' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{3020}' | '\u{ff00}'..='\u{ff0f}')
}

/// Whether a text is a name as the notation writes it.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(begins_name) && text.chars().all(goes_on)
}

struct Lexer<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    tokens: Vec<Token>,
    /// Brackets that have not been closed.
    open: Vec<u32>,
    on_new_line: bool,
}

/// The tokens of a text; the last is an `End`.
pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, Wrong> {
    let mut lexer = Lexer {
        source,
        bytes: source.as_bytes(),
        at: 0,
        tokens: Vec::with_capacity(source.len() / 4 + 8),
        open: Vec::new(),
        on_new_line: false,
    };
    while lexer.blanks()? {
        lexer.token()?;
    }
    if let Some(open) = lexer.open.last() {
        return Err(lexer.unclosed(*open));
    }
    let end = lexer.at;
    lexer.push(Kind::End, end);
    Ok(lexer.tokens)
}

impl<'s> Lexer<'s> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn wrong<T>(&self, at: usize, message: &str, hint: &str) -> Result<T, Wrong> {
        Err(wrong((self.source, to_u32(at)), Code::Unparsable, message, hint))
    }

    /// Appends the token from a byte to the current one.
    fn push(&mut self, kind: Kind, start: usize) {
        let (start, end) = (to_u32(start), to_u32(self.at));
        let on_new_line = std::mem::take(&mut self.on_new_line);
        self.tokens.push(Token { kind, on_new_line, start, end, mate: 0 });
    }

    /// Passes blanks and comments; false at the end.
    fn blanks(&mut self) -> Result<bool, Wrong> {
        loop {
            match self.byte(0) {
                0 if self.at >= self.bytes.len() => return Ok(false),
                b'\n' => {
                    self.on_new_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.byte(1) == b'/' => {
                    let comment = self.rest().lines().next().unwrap_or_default();
                    let said = comment.trim_start_matches('/').trim();
                    if self.after_operand()
                        && !said.is_empty()
                        && said.bytes().all(|b| b.is_ascii_digit())
                    {
                        let message = "`//` begins a comment; it does not divide";
                        return self.wrong(self.at, message, "write Math.floor(a / b)");
                    }
                    self.at += comment.len();
                }
                b'/' if self.byte(1) == b'*' => {
                    let Some(end) = self.rest().get(2..).and_then(|rest| rest.find("*/")) else {
                        return self.wrong(self.at, "a comment without its end", "write /* … */");
                    };
                    self.on_new_line |= self.rest().get(..end).is_some_and(|it| it.contains('\n'));
                    self.at += end + 4;
                }
                0..=127 => return Ok(true),
                _ => {
                    let c = self.rest().chars().next().unwrap_or_default();
                    if !c.is_whitespace() && c != '\u{feff}' {
                        return Ok(true);
                    }
                    self.at += c.len_utf8();
                }
            }
        }
    }

    /// Whether the last token ends an operand, so that an operator may follow.
    fn after_operand(&self) -> bool {
        let Some(last) = self.tokens.last() else { return false };
        let text = self.source.get(last.start as usize..last.end as usize);
        match last.kind {
            Kind::Number | Kind::Text | Kind::Close => true,
            Kind::Name => !matches!(text, Some("return" | "else")),
            _ => false,
        }
    }

    fn token(&mut self) -> Result<(), Wrong> {
        let (start, byte) = (self.at, self.byte(0));
        match byte {
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_ascii_digit() => self.number(),
            b'"' | b'\'' => self.text(byte),
            b'(' | b'[' | b'{' => {
                self.at += 1;
                self.begin(start);
                Ok(())
            }
            b')' | b']' | b'}' => self.close(byte),
            b'`' => {
                self.at += 1;
                self.begin(start);
                self.template()
            }
            b'#' => self.wrong(start, "`#` has no meaning here", "a comment begins with //"),
            b'\\' => self.wrong(start, "`\\` has no meaning here", "write a function x => x + 1"),
            b'/' if !self.after_operand() => {
                let hint = "a regular expression is a text: write matches(s, \"[0-9]+\")";
                self.wrong(start, "slashes do not make a regular expression", hint)
            }
            _ => self.name_or_mark(),
        }
    }

    fn begin(&mut self, start: usize) {
        self.open.push(to_u32(self.tokens.len()));
        self.push(Kind::Open, start);
    }

    fn close(&mut self, byte: u8) -> Result<(), Wrong> {
        let start = self.at;
        let Some(open) = self.open.last().copied() else {
            let message = format!("`{}` closes nothing", char::from(byte));
            return self.wrong(
                start,
                &message,
                "take it away, or write the bracket that it closes",
            );
        };
        let opened = self.tokens.get(open as usize).map_or(0, |token| token.end as usize);
        let wanted = match self.bytes.get(opened.saturating_sub(1)) {
            Some(b'(') => b')',
            Some(b'[') => b']',
            _ => b'}',
        };
        if byte != wanted {
            let (wanted, found) = (char::from(wanted), char::from(byte));
            let place = self.place(open);
            let message =
                format!("`{found}` stands where `{wanted}` closes the bracket of {place}");
            return self.wrong(start, &message, &format!("write `{wanted}` before it"));
        }
        self.at += 1;
        self.finish(start);
        let is_hole = self.bytes.get(opened.saturating_sub(2)) == Some(&b'$') && byte == b'}';
        if is_hole { self.template() } else { Ok(()) }
    }

    /// Appends the bracket that matches the last that was opened.
    fn finish(&mut self, start: usize) {
        let close = to_u32(self.tokens.len());
        self.push(Kind::Close, start);
        if let Some(open) = self.open.pop() {
            if let Some(token) = self.tokens.get_mut(open as usize) {
                token.mate = close;
            }
            if let Some(token) = self.tokens.last_mut() {
                token.mate = open;
            }
        }
    }

    fn place(&self, token: u32) -> String {
        let start = self.tokens.get(token as usize).map_or(0, |token| token.start);
        let Place { line, column, .. } = Place::of(self.source, start as usize);
        format!("line {line}, column {column}")
    }

    fn unclosed(&self, open: u32) -> Wrong {
        let (start, end) =
            self.tokens.get(open as usize).map_or((0, 0), |token| (token.start, token.end));
        let shown = self.source.get(start as usize..end as usize).unwrap_or_default();
        let close = match shown {
            "(" => ")",
            "[" => "]",
            "`" => "`",
            _ => "}",
        };
        let message = format!("`{shown}` of {} is not closed", self.place(open));
        wrong(
            (self.source, start),
            Code::Unparsable,
            &message,
            &format!("write `{close}` where it ends"),
        )
    }

    /// Characters of a template, up to its end or to a hole.
    fn template(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        loop {
            match self.byte(0) {
                0 if self.at >= self.bytes.len() => {
                    return Err(self.unclosed(self.open.last().copied().unwrap_or_default()));
                }
                b'\\' => self.at += 2,
                b'`' => {
                    self.piece(start);
                    let close = self.at;
                    self.at += 1;
                    self.finish(close);
                    return Ok(());
                }
                b'$' if self.byte(1) == b'{' => {
                    self.piece(start);
                    let open = self.at;
                    self.at += 2;
                    self.begin(open);
                    return Ok(());
                }
                _ => self.at += 1,
            }
        }
    }

    fn piece(&mut self, start: usize) {
        self.at = self.at.min(self.bytes.len());
        if self.at > start {
            self.push(Kind::Piece, start);
        }
    }

    fn text(&mut self, quote: u8) -> Result<(), Wrong> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.byte(0) {
                b'\\' => self.at += 2,
                b'\n' => break,
                0 if self.at >= self.bytes.len() => break,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        self.push(Kind::Text, start);
                        return Ok(());
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
        let hint = "write the closing quote; a text of several lines stands in backquotes";
        self.wrong(start, "a text without its closing quote", hint)
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.byte(0).is_ascii_digit()
            || (self.byte(0) == b'_' && self.byte(1).is_ascii_digit())
        {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        self.digits();
        let whole = self.at - start;
        if self.byte(0) == b'.' {
            self.at += 1;
            if !self.digits() {
                let (message, hint) = match self.byte(0) {
                    b'.' => ("a range is no literal", "write range(1, 5)"),
                    b'a'..=b'z' => ("a number has a digit after its point", "write (5).abs()"),
                    _ => ("a number has a digit after its point", "write 5 or 5.0"),
                };
                return self.wrong(start, message, hint);
            }
        }
        if matches!(self.byte(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
            if self.byte(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.digits();
            }
        }
        if self.rest().starts_with(begins_name) {
            let shown: String = self
                .source
                .get(start..)
                .unwrap_or_default()
                .chars()
                .take_while(|c| goes_on(*c))
                .collect();
            let hint = match shown.get(..2) {
                Some("0x" | "0X" | "0b" | "0o") => "write the number in decimal",
                _ if shown.ends_with('n') => "integers are exact of any size: write it without `n`",
                _ => "write an operator between them; a name does not begin with a digit",
            };
            return self.wrong(start, &format!("`{}` is no number", shorten(&shown)), hint);
        }
        if whole > 1 && self.bytes.get(start) == Some(&b'0') {
            return self.wrong(
                start,
                "a number may not begin with 0",
                "leave out the zeros, or write a text",
            );
        }
        self.push(Kind::Number, start);
        Ok(())
    }

    fn name_or_mark(&mut self) -> Result<(), Wrong> {
        let (start, rest) = (self.at, self.rest());
        let c = rest.chars().next().unwrap_or_default();
        if begins_name(c) {
            let bytes = rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
            self.at += bytes;
            self.push(Kind::Name, start);
            return Ok(());
        }
        // `a ?.5 : 1` asks a question.
        let is_mark = |mark: &&&str| {
            rest.starts_with(**mark) && !(**mark == "?." && self.byte(2).is_ascii_digit())
        };
        let found = MARKS.iter().find(is_mark).map_or(0, |mark| mark.len());
        if found == 0 && !"+-*/%<>!=?:;,.@&|^~".contains(c) {
            let hint = match c {
                '“' | '”' | '„' | '‘' | '’' | '«' | '»' => "quotes are \" or '",
                '×' | '·' | '∙' => "write a * b",
                '÷' => "write a / b",
                '−' | '–' | '—' => "write a - b",
                '≤' => "write a <= b",
                '≥' => "write a >= b",
                '≠' => "write a != b",
                '→' | '⇒' => "write x => x + 1",
                '…' => "write ...xs",
                '∧' => "write a && b",
                '∨' => "write a || b",
                '¬' => "write !a",
                '√' => "write sqrt(a)",
                _ => "take it away, or put it in a text",
            };
            let mut shown = [0; 4];
            let message = format!("`{}` has no meaning here", shorten(c.encode_utf8(&mut shown)));
            return self.wrong(start, &message, hint);
        }
        self.at += found.max(1);
        self.push(Kind::Mark, start);
        Ok(())
    }
}
