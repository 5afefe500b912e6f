//! The tape as a sink of the reader.

use crate::fault::{Code, Fault};
use crate::json::read::{self, Characters, Scalar, Sink, Syntax, place};
use crate::json::tape::{LONGEST, Span, Tape, Token, TokenId};
use crate::limits::to_u32;
use crate::text::quote::{self, shorten};

impl Tape {
    /// Parses `text` and appends its tokens to the tape. A fault leaves the tape unchanged.
    pub fn parse(&mut self, text: &str) -> Result<TokenId, Fault> {
        let (root, base) = (self.len(), self.text.len());
        if base + text.len() > LONGEST {
            return Err(Fault::new(Code::TooLarge, "the texts of this run are longer than 2 GiB"));
        }
        // Room for later texts too, so that a short one does not copy a long one.
        if self.text.capacity() < base + text.len() {
            self.text.reserve(text.len() + text.len() / 16 + 1024);
        }
        self.text.push_str(text);
        let Err(stop) = read::read(text, &mut Taped { tape: self, base }) else { return Ok(root) };
        let fault = match stop {
            Stop::Syntax(syntax) => syntax.fault(text),
            Stop::Twice { key, object, end } => self.twice(text, (root, object), (key, end)),
        };
        self.cut(root, base);
        Err(fault)
    }

    /// Returns the fault of an object below `root`, which has a key twice and ends at a byte.
    fn twice(
        &self,
        text: &str,
        (root, object): (TokenId, TokenId),
        (key, end): (Span, usize),
    ) -> Fault {
        let (key, place) = (shorten(self.str(key)), place(text, end));
        let message = format!("the key `{key}` occurs twice in the object that ends at {place}");
        let fault = Fault::new(Code::DuplicateKey, message).hint("keep one of the two");
        fault.at(quote::pointer(self.pointer(root, object)))
    }
}

enum Stop {
    Syntax(Syntax),
    /// An object has a key twice, and its bracket stands at a byte.
    Twice {
        key: Span,
        object: TokenId,
        end: usize,
    },
}

impl From<Syntax> for Stop {
    fn from(syntax: Syntax) -> Self {
        Self::Syntax(syntax)
    }
}

/// A container on the tape.
struct Open {
    id: TokenId,
    count: u32,
    is_object: bool,
}

struct Taped<'t> {
    tape: &'t mut Tape,
    /// The beginning of the source in the tape's text.
    base: usize,
}

impl Taped<'_> {
    fn span(&self, text: &str, at: usize) -> Span {
        Span { start: to_u32(self.base + at), len: to_u32(text.len()) }
    }

    fn text(&mut self, text: Characters<'_>) {
        let span = match text {
            Characters::Piece(text, at) => self.span(text, at),
            Characters::Decoded(text) => {
                let start = to_u32(self.tape.text.len());
                self.tape.text.push_str(&text);
                Span { start, len: to_u32(text.len()) }
            }
        };
        self.tape.tokens.push(Token::Text(span));
    }
}

impl Sink for Taped<'_> {
    type Value = ();
    type Open = Open;
    type Stop = Stop;

    fn scalar(&mut self, scalar: Scalar<'_>) -> Result<(), Stop> {
        let token = match scalar {
            Scalar::Null => Token::Null,
            Scalar::Boolean(b) => Token::Boolean(b),
            Scalar::Integer(n, text, at) => match i32::try_from(n) {
                Ok(n) => Token::Integer(n),
                Err(_) => Token::Number(self.span(text, at)),
            },
            Scalar::Number(text, at) => Token::Number(self.span(text, at)),
            Scalar::Text(text) => {
                self.text(text);
                return Ok(());
            }
        };
        self.tape.tokens.push(token);
        Ok(())
    }

    fn open(&mut self, is_object: bool, _: Option<&Open>, _: usize) -> Result<Open, Stop> {
        let id = self.tape.len();
        // Its end is unknown: a pointer finds what it holds so far.
        let (end, count) = (u32::MAX, 0);
        let token =
            if is_object { Token::Object { end, count } } else { Token::Array { end, count } };
        self.tape.tokens.push(token);
        Ok(Open { id, count: 0, is_object })
    }

    fn key(&mut self, _: &mut Open, key: Characters<'_>, _: (usize, usize)) -> Result<(), Stop> {
        self.text(key);
        Ok(())
    }

    fn add(&mut self, open: &mut Open, (): (), _: usize) -> Result<(), Stop> {
        open.count += 1;
        Ok(())
    }

    fn close(&mut self, open: Open, at: usize) -> Result<(), Stop> {
        let Open { id, count, is_object } = open;
        let end = self.tape.len();
        let token =
            if is_object { Token::Object { end, count } } else { Token::Array { end, count } };
        if let Some(slot) = self.tape.tokens.get_mut(id as usize) {
            *slot = token;
        }
        match self.tape.duplicate_key(id, count).filter(|_| is_object) {
            Some(key) => Err(Stop::Twice { key, object: id, end: at - 1 }),
            None => Ok(()),
        }
    }

    fn is_object(open: &Open) -> bool {
        open.is_object
    }
}
