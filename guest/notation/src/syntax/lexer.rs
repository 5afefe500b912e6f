//! Text to tokens, each bracket with the one that matches it, in one pass.

use crate::lexer::{Wrong, begins_name, goes_on, wrong};
use crate::syntax::wrap::{self, Range};
use pif_core::fault::{Code, Place};
use pif_core::limits::to_u32;
use pif_core::text::quote::shorten;
use pif_core::text::words;
use pif_language::mistakes::marks;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    /// A text in quotes.
    Text,
    /// `/pattern/flags`
    Regex,
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

/// Marks of more than one character, those first that begin with others. Some are of other
/// languages.
const MARKS: [&str; 42] = [
    ">>>=", "...", "===", "!==", "**=", "??=", "&&=", "||=", "<<=", ">>=", ">>>", "<=>", "=>",
    "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "**", "++", "--", "+=", "-=", "*=", "/=", "%=",
    "|>", "<<", ">>", "->", ":=", "::", "<>", "..", "|=", "&=", "^=", "=~", "~/",
];

/// Words behind which an operand stands.
const BEFORE_OPERAND: &str =
    "return typeof case do else in of instanceof new void delete throw await yield default";

pub(super) struct Lexer<'s> {
    pub(super) source: &'s str,
    pub(super) bytes: &'s [u8],
    pub(super) at: usize,
    tokens: Vec<Token>,
    /// Brackets that have not been closed.
    open: Vec<u32>,
    on_new_line: bool,
}

/// The tokens of a part of a text; the last is an `End`.
pub(crate) fn tokens(source: &str, part: Range) -> Result<Vec<Token>, Wrong> {
    let mut lexer = Lexer::new(source, part);
    lexer.read()?;
    let end = lexer.at;
    lexer.push(Kind::End, end);
    Ok(lexer.tokens)
}

/// The tokens of a text up to the first fault, the brackets that are open there, and whether there
/// is a fault. The last token is an `End`.
pub(crate) fn tokens_before_fault(source: &str) -> (Vec<Token>, Vec<u32>, bool) {
    let part = Range { start: 0, end: source.len() };
    let mut lexer = Lexer::new(source, wrap::part(source).unwrap_or(part));
    let is_whole = lexer.read().is_ok();
    let end = lexer.at;
    lexer.push(Kind::End, end);
    (lexer.tokens, lexer.open, is_whole)
}

impl<'s> Lexer<'s> {
    fn new(source: &'s str, part: Range) -> Self {
        Self {
            source,
            bytes: source.as_bytes().get(..part.end).unwrap_or_default(),
            at: part.start,
            tokens: Vec::with_capacity(source.len() / 4 + 8),
            open: Vec::new(),
            on_new_line: false,
        }
    }

    /// Reads all tokens.
    fn read(&mut self) -> Result<(), Wrong> {
        while self.blanks()? {
            self.token()?;
        }
        match self.open.last() {
            Some(open) => Err(self.unclosed(*open)),
            None => Ok(()),
        }
    }

    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.at..self.bytes.len()).unwrap_or_default()
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn wrong<T>(&self, at: usize, message: &str, hint: &str) -> Result<T, Wrong> {
        Err(wrong((self.source, to_u32(at)), Code::Unparsable, message, hint))
    }

    /// A fault of a part that the text does not end.
    fn unended(&self, start: u32, message: &str, hint: &str) -> Wrong {
        let mut fault = wrong((self.source, start), Code::Unparsable, message, hint);
        fault.is_incomplete = true;
        fault
    }

    /// Appends the token from a byte to the current one.
    pub(super) fn push(&mut self, kind: Kind, start: usize) {
        let (start, end) = (to_u32(start), to_u32(self.at));
        let on_new_line = std::mem::take(&mut self.on_new_line);
        self.tokens.push(Token { kind, on_new_line, start, end, mate: 0 });
    }

    /// Passes blanks and comments; false at the end.
    fn blanks(&mut self) -> Result<bool, Wrong> {
        loop {
            match self.byte(0) {
                0 if self.is_at_end() => return Ok(false),
                b'\n' | b'\r' => {
                    self.on_new_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
                b'/' if matches!(self.byte(1), b'/' | b'*') => self.comment()?,
                0..=127 => return Ok(true),
                _ => {
                    let c = self.rest().chars().next().unwrap_or_default();
                    if !c.is_whitespace() && c != '\u{feff}' {
                        return Ok(true);
                    }
                    self.on_new_line |= matches!(c, '\u{2028}' | '\u{2029}');
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn comment(&mut self) -> Result<(), Wrong> {
        if self.byte(1) == b'/' {
            let rest = self.rest();
            let comment = rest.split(['\n', '\r']).next().unwrap_or_default();
            let said = comment.trim_start_matches('/').trim();
            let is_number = !said.is_empty() && said.bytes().all(|b| b.is_ascii_digit());
            if is_number && self.after_operand() {
                let message = "`//` begins a comment; it does not divide";
                return self.wrong(self.at, message, "write Math.floor(a / b)");
            }
            self.at += comment.len();
            return Ok(());
        }
        let Some(end) = self.rest().get(2..).and_then(|rest| rest.find("*/")) else {
            let start = to_u32(self.at);
            return Err(self.unended(start, "a comment without its end", "write /* … */"));
        };
        self.on_new_line |= self.rest().get(..end + 2).is_some_and(|it| it.contains('\n'));
        self.at += end + 4;
        Ok(())
    }

    fn spelling(&self, token: Token) -> &'s str {
        self.source.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// The token so many before the next one.
    fn before(&self, back: usize) -> Option<Token> {
        self.tokens.len().checked_sub(back).and_then(|at| self.tokens.get(at)).copied()
    }

    /// Tells whether the last token ends an operand, so that an operator may follow.
    fn after_operand(&self) -> bool {
        let Some(last) = self.before(1) else { return false };
        let text = self.spelling(last);
        let is_member = |token: Option<Token>| {
            token.is_some_and(|it| it.kind == Kind::Mark && matches!(self.spelling(it), "." | "?."))
        };
        match (last.kind, text) {
            (Kind::Name, _) => is_member(self.before(2)) || !words::has(BEFORE_OPERAND, text),
            (Kind::Close, ")") => {
                let word = last.mate.checked_sub(1).and_then(|at| self.tokens.get(at as usize));
                let word = word.filter(|it| it.kind == Kind::Name).map(|it| self.spelling(*it));
                let is_head = word.is_some_and(|it| matches!(it, "if" | "while" | "for" | "with"));
                let before = last.mate.checked_sub(2).and_then(|at| self.tokens.get(at as usize));
                !is_head || is_member(before.copied())
            }
            (Kind::Close, "}") => !self.on_new_line,
            (Kind::Mark, mark) => matches!(mark, "++" | "--"),
            (kind, _) => {
                matches!(kind, Kind::Number | Kind::Text | Kind::Regex | Kind::Close)
            }
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
            b'/' if !self.after_operand() => self.regex(),
            _ => self.name_or_mark(),
        }
    }

    /// `/pattern/flags`
    fn regex(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        let mut in_class = false;
        self.at += 1;
        loop {
            match self.byte(0) {
                b'\n' | b'\r' => break,
                0 if self.is_at_end() => break,
                b'\\' if !matches!(self.byte(1), b'\n' | b'\r') => self.at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at += 1;
                    self.at += self.rest().find(|c| !goes_on(c)).unwrap_or(self.rest().len());
                    self.push(Kind::Regex, start);
                    return Ok(());
                }
                _ => {}
            }
            self.at += 1;
        }
        let message = "a value is missing before `/`";
        self.wrong(start, message, "write a / b to divide, /[0-9]+/ for a regular expression")
    }

    fn begin(&mut self, start: usize) {
        self.open.push(to_u32(self.tokens.len()));
        self.push(Kind::Open, start);
    }

    fn close(&mut self, byte: u8) -> Result<(), Wrong> {
        let start = self.at;
        let Some(open) = self.open.last().copied() else {
            let message = format!("`{}` closes nothing", char::from(byte));
            let hint = "take it away, or write the bracket that it closes";
            return self.wrong(start, &message, hint);
        };
        let opened = self.tokens.get(open as usize).map_or(0, |token| token.end as usize);
        let wanted = match self.bytes.get(opened.saturating_sub(1)) {
            Some(b'(') => b')',
            Some(b'[') => b']',
            _ => b'}',
        };
        if byte != wanted {
            let wanted = char::from(wanted);
            let found = char::from(byte);
            let place = self.place(open);
            let message =
                format!("`{found}` stands where `{wanted}` closes the bracket of {place}");
            return self.wrong(start, &message, &format!("write `{wanted}` before it"));
        }
        self.at += 1;
        self.finish(start);
        let is_hole = self.bytes.get(opened.saturating_sub(2)..opened) == Some(b"${");
        let is_hole =
            is_hole && self.tokens.get(open as usize).is_some_and(|it| it.end - it.start == 2);
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
        let token = self.tokens.get(open as usize);
        let start = token.map_or(0, |token| token.start);
        let shown = token.map_or("", |token| self.spelling(*token));
        let close = match shown {
            "(" => ")",
            "[" => "]",
            "`" => "`",
            _ => "}",
        };
        let message = format!("`{shown}` of {} is not closed", self.place(open));
        let hint = format!("write `{close}` where it ends");
        self.unended(start, &message, &hint)
    }

    /// Characters of a template, up to its end or to a hole.
    fn template(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        loop {
            match self.byte(0) {
                0 if self.is_at_end() => {
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
                b'\\' if self.byte(1) == b'\r' && self.byte(2) == b'\n' => self.at += 3,
                b'\\' => self.at += 2,
                b'\n' | b'\r' => break,
                0 if self.is_at_end() => break,
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

    fn name_or_mark(&mut self) -> Result<(), Wrong> {
        let (start, rest) = (self.at, self.rest());
        let c = rest.chars().next().unwrap_or_default();
        if begins_name(c) {
            self.at += rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
            self.push(Kind::Name, start);
            return Ok(());
        }
        let is_mark = |mark: &&&str| {
            let behind = self.byte(mark.len());
            rest.starts_with(**mark)
                && match **mark {
                    // `a ?.5 : 1` asks a question, `a =~b` assigns, `~/a/` is of an expression.
                    "?." => !behind.is_ascii_digit(),
                    "=~" | "~/" => behind == b' ' && self.after_operand(),
                    _ => true,
                }
        };
        let found = MARKS.iter().find(is_mark).map_or(0, |mark| mark.len());
        if found == 0 && !"+-*/%<>!=?:;,.@&|^~".contains(c) {
            let mut shown = [0; 4];
            let message = format!("`{}` has no meaning here", shorten(c.encode_utf8(&mut shown)));
            return self.wrong(start, &message, instead_of(c));
        }
        self.at += found.max(1);
        self.push(Kind::Mark, start);
        Ok(())
    }
}

/// The hint for a character that has no meaning.
fn instead_of(c: char) -> &'static str {
    match marks::find(c) {
        Some(mark) => mark.hint,
        None if marks::is_quote(c) => marks::QUOTED,
        None if c == '√' => "write sqrt(a)",
        None => "take it away, or put it in a text",
    }
}
