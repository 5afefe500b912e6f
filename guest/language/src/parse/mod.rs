//! From JSON to terms. An explicit stack holds open terms: nesting costs heap, not native stack.

pub mod attempt;
pub mod binding;
pub mod builder;
pub mod shape;
mod warnings;

use crate::form::Form;
use crate::hint;
use pif_core::fault::{Code, Fault};
use pif_core::json::tape::{Span, Tape, Token, TokenId};
use pif_core::text::quote::shorten;

use pif_core::json::number;
use pif_core::json::number::Literal;

use crate::term::{NameId, Origin, Terms};
pub use builder::Parsed;
use builder::{Builder, Open, ensure_shallow};

/// The reading of objects without a form key, and of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Code: such an object is a fault.
    Code,
    /// `input`: a record; strings that hold JSON are decoded, as PIF does.
    Input,
}

/// Parses `text` into `terms`.
pub fn parse(
    terms: &mut Terms,
    text: &str,
    origin: Origin,
    reading: Reading,
) -> Result<Parsed, Fault> {
    let root = match terms.tape.parse(text) {
        Ok(root) => root,
        Err(fault) => return Err(within(explain(fault, text), &origin)),
    };
    terms.add_origin(root, origin);
    read(terms, root, reading)
}

/// Adds a hint to the fault of code that is not JSON.
#[must_use]
pub fn explain(fault: Fault, text: &str) -> Fault {
    if fault.code == Code::Unparsable { fault.hint(hint::for_text(text)) } else { fault }
}

/// Adds the origin of a text to its fault.
#[must_use]
pub fn within(fault: Fault, origin: &Origin) -> Fault {
    match origin {
        Origin::Argument(member) => fault.within(&format!("/{member}")),
        Origin::Binding(name) => fault.within(&format!("/bindings/{name}")),
        Origin::Tool(name) => Fault { tool: Some(name.clone()), ..fault },
        Origin::Code | Origin::Decoded(_) => fault,
    }
}

/// Makes a term of the JSON at `root`, whose origin is noted.
pub fn read(terms: &mut Terms, root: TokenId, reading: Reading) -> Result<Parsed, Fault> {
    first(read_all(terms, root, reading, 1))
}

/// Returns the first of the faults.
pub fn first(read: Result<Parsed, Vec<Fault>>) -> Result<Parsed, Fault> {
    let defect = || Fault::defect("a term was refused without a reason");
    read.map_err(|faults| faults.into_iter().next().unwrap_or_else(defect))
}

/// Makes a term of the JSON at `root`, and goes on behind what is wrong: up to so many faults.
pub fn read_all(
    terms: &mut Terms,
    root: TokenId,
    reading: Reading,
    most: usize,
) -> Result<Parsed, Vec<Fault>> {
    let mut builder = Builder::new(terms, most);
    read_into(&mut builder, root, reading);
    builder.end()
}

/// Adds the term of the JSON at `root`.
pub fn read_into(builder: &mut Builder<'_>, root: TokenId, reading: Reading) {
    Parser { reading, work: vec![Work::Term(root)], builder }.run(root);
}

/// A fault and its token.
struct Wrong {
    token: TokenId,
    fault: Fault,
}

/// Work left to do; the next piece is last.
enum Work {
    /// Read the term at this token.
    Term(TokenId),
    /// Read `count` items of an array, the next at this token.
    Items { next: TokenId, count: u32 },
    /// Build a form of its finished operands.
    Build(Open),
}

struct Parser<'b, 't> {
    builder: &'b mut Builder<'t>,
    reading: Reading,
    work: Vec<Work>,
}

impl Parser<'_, '_> {
    /// Reads the term at `root`.
    fn run(&mut self, root: TokenId) {
        let before = self.builder.mark();
        while let Some(work) = self.work.pop() {
            match work {
                Work::Term(token) => self.term(token),
                Work::Items { next, count } => self.items(next, count),
                Work::Build(open) => self.builder.close(open),
            }
            if self.builder.is_full() {
                return self.builder.abandon(before, root);
            }
        }
    }

    fn tape(&self) -> &Tape {
        &self.builder.terms.tape
    }

    fn term(&mut self, token: TokenId) {
        if let Err(Wrong { token, fault }) = self.begin(token) {
            self.builder.refuse(token, fault);
        }
    }

    /// Begins to read a term. A wrong term schedules nothing.
    fn begin(&mut self, token: TokenId) -> Result<(), Wrong> {
        let wrong = |fault| Wrong { token, fault };
        ensure_shallow(self.work.len()).map_err(wrong)?;
        match self.tape().token(token) {
            Token::Null => self.builder.null(token),
            Token::Boolean(b) => self.builder.boolean(token, b),
            Token::Integer(n) => {
                let n = number::Integer::Small(i64::from(n));
                self.builder.number(token, Literal::Integer(n));
            }
            Token::Number(span) => {
                let n = number::literal(self.tape().str(span)).map_err(wrong)?;
                self.builder.number(token, n);
            }
            Token::Text(span) if self.reading == Reading::Input => self.decode(token, span)?,
            Token::Text(span) => self.builder.text(token, span),
            Token::Array { count, .. } => {
                self.build(Form::List, token, count, &[]);
                self.work.push(Work::Items { next: token + 1, count });
            }
            Token::Object { .. } => self.object(token)?,
        }
        Ok(())
    }

    fn items(&mut self, mut next: TokenId, mut count: u32) {
        while count > 0 && !self.builder.is_full() {
            let item = next;
            let token = self.tape().token(item);
            next = self.tape().after(item);
            count -= 1;
            if matches!(token, Token::Array { .. } | Token::Object { .. } | Token::Text(_)) {
                if count > 0 {
                    self.work.push(Work::Items { next, count });
                }
                self.work.push(Work::Term(item));
                return;
            }
            self.term(item);
        }
    }

    /// Decodes a string as PIF does: a string that holds JSON, or a word such as `True`, stands for
    /// it.
    fn decode(&mut self, token: TokenId, span: Span) -> Result<(), Wrong> {
        let text = self.tape().str(span).to_owned();
        match self.builder.terms.tape.parse(&text) {
            Ok(root) => {
                self.builder.terms.add_origin(root, Origin::Decoded(token));
                self.work.push(Work::Term(root));
                return Ok(());
            }
            Err(fault) if fault.code == Code::DuplicateKey => return Err(Wrong { token, fault }),
            Err(_) => {}
        }
        match text.to_ascii_lowercase().as_str() {
            "true" => self.builder.boolean(token, true),
            "false" => self.builder.boolean(token, false),
            "null" => self.builder.null(token),
            _ => self.builder.text(token, span),
        }
        Ok(())
    }

    fn build(&mut self, form: Form, token: TokenId, operands: u32, names: &[NameId]) {
        let open = self.builder.open(form, token, operands, names);
        self.work.push(Work::Build(open));
    }

    /// Schedules the operands in reverse, so that the first is read first.
    fn operands(&mut self, tokens: &[TokenId]) {
        self.work.extend(tokens.iter().rev().map(|token| Work::Term(*token)));
    }

    fn object(&mut self, token: TokenId) -> Result<(), Wrong> {
        match self.form_of(token) {
            Some((form, value)) => self.form(token, form, value),
            None if self.reading == Reading::Input => {
                self.fields(Form::Record, token, token);
                Ok(())
            }
            None => Err(self.no_form(token)),
        }
    }

    /// Returns the form of an object, and the value at its key.
    fn form_of(&self, object: TokenId) -> Option<(Form, TokenId)> {
        let input = self.reading == Reading::Input;
        let Token::Object { .. } = self.tape().token(object) else { return None };
        let forms = self.tape().members(object).filter_map(|(key, value)| {
            let form = Form::of_key(self.tape().str(key))?;
            (!input || form.is_original()).then_some((form, value))
        });
        forms.min_by_key(|(form, _)| form.precedence())
    }

    fn no_form(&self, token: TokenId) -> Wrong {
        let tape = self.tape();
        let members = tape.members(token).map(|(key, value)| {
            let is_scalar =
                !matches!(tape.token(value), Token::Array { .. } | Token::Object { .. });
            (tape.str(key), is_scalar)
        });
        let members: Vec<(&str, bool)> = members.take(hint::MOST_KEYS).collect();
        let message = match members.as_slice() {
            [] => "an empty object is not a term".to_owned(),
            [(key, _)] => format!("`{}` is no form", shorten(key)),
            [(key, _), ..] => {
                format!("none of the keys of this object is a form, such as `{}`", shorten(key))
            }
        };
        let fault = Fault::new(Code::UnknownForm, message);
        let hint = hint::for_keys(&members, &self.builder.terms.excerpt(token));
        Wrong { token, fault: fault.hint(hint) }
    }

    /// Warns, in an input, of a value in `self` or `nil` that may matter, such as a link.
    fn warn_held(&mut self, token: TokenId, form: Form, held: TokenId) {
        let is_flag = matches!(self.tape().token(held), Token::Null | Token::Boolean(_));
        if self.reading != Reading::Input || is_flag {
            return;
        }
        let message = format!("the value of `{}` is ignored; pass data as `data`", form.name());
        self.builder.note("likely-mistake", token, message, hint::syntax("write ", form));
    }

    fn warn_ignored(&mut self, token: TokenId, form: Form, extra: &[&str]) {
        let Token::Object { count, .. } = self.tape().token(token) else { return };
        if count as usize == 1 + extra.len() {
            return;
        }
        let known = |key: &str| key == form.name() || extra.contains(&key);
        let keys = self.tape().members(token).map(|m| self.tape().str(m.0));
        let ignored = { keys }.find(|key| !known(key)).map(shorten);
        if let Some(key) = ignored {
            let mut message = format!("`{key}` is not part of `{}`", form.name());
            if self.reading == Reading::Input {
                message.push_str("; if the object is data, pass it as `data`");
            }
            self.builder.note("ignored-key", token, message, hint::syntax("write ", form));
        }
    }
}

/// Describes the JSON at a token, for messages.
fn describe(tape: &Tape, token: TokenId) -> String {
    match tape.token(token) {
        Token::Null => "null".to_owned(),
        Token::Boolean(b) => b.to_string(),
        Token::Integer(_) | Token::Number(_) => "a number".to_owned(),
        Token::Text(span) => format!("the text `{}`", shorten(tape.str(span))),
        Token::Array { count, .. } => format!("an array of {count}"),
        Token::Object { .. } => "an object".to_owned(),
    }
}
