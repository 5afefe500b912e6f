//! From JSON to terms. An explicit stack holds open terms: nesting costs heap, not native stack.

pub mod attempt;
mod binding;
pub mod bracket;
pub mod shape;

use crate::form::Form;
use crate::hint;
use crate::kinds;
use pif_core::fault::{Code, Fault, Note};
use pif_core::hint::Hint;
use pif_core::json::tape::{Span, Tape, Token, TokenId};
use pif_core::limits::to_u32;
use pif_core::text::quote::shorten;

use pif_core::json::number;
use pif_core::json::number::Literal;

use crate::quasiquote;
use crate::term::{NameId, Origin, TermId, Terms};

/// The reading of objects without a form key, and of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Code: such an object is a fault.
    Code,
    /// `input`: a record; strings that hold JSON are decoded, as PIF does.
    Input,
}

/// A parsed term with its notes.
#[derive(Debug)]
pub struct Parsed {
    /// The term.
    pub root: TermId,
    /// Parts that are read in another way than they look.
    pub notes: Vec<Note>,
}

/// Parses `text` into `terms`.
pub fn parse(
    terms: &mut Terms,
    text: &str,
    origin: Origin,
    notation: Notation,
) -> Result<Parsed, Fault> {
    let root = match terms.tape.parse(text) {
        Ok(root) => root,
        Err(fault) => return Err(locate_text_fault(explain(fault, text), &origin)),
    };
    terms.add_origin(root, origin);
    read(terms, root, notation)
}

/// Adds a hint to the fault of code that is not JSON.
#[must_use]
pub fn explain(fault: Fault, text: &str) -> Fault {
    if fault.code == Code::Unparsable { fault.hint(hint::for_text(text)) } else { fault }
}

fn locate_text_fault(fault: Fault, origin: &Origin) -> Fault {
    match origin {
        Origin::Argument(member) => fault.within(&format!("/{member}")),
        Origin::Binding(name) => fault.within(&format!("/bindings/{name}")),
        Origin::Tool(name) => Fault { tool: Some(name.clone()), ..fault },
        Origin::Code | Origin::Decoded(_) => fault,
    }
}

/// Makes a term of the JSON at `root`, whose origin is noted.
pub fn read(terms: &mut Terms, root: TokenId, notation: Notation) -> Result<Parsed, Fault> {
    let defect = || Fault::defect("a term was refused without a reason");
    let first = |faults: Vec<Fault>| faults.into_iter().next().unwrap_or_else(defect);
    read_all(terms, root, notation, 1).map_err(first)
}

/// Makes a term of the JSON at `root`, and goes on behind what is wrong: up to so many faults.
pub fn read_all(
    terms: &mut Terms,
    root: TokenId,
    notation: Notation,
    most: usize,
) -> Result<Parsed, Vec<Fault>> {
    let work = vec![Work::Term(root)];
    let (done, names, notes, faults) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let has_holes = false;
    let mut parser = Parser { terms, notation, work, done, names, notes, has_holes, most, faults };
    if let Err(Wrong { token, fault }) = parser.run().and_then(|root| parser.note_holes(root)) {
        let within = fault.at.clone();
        let fault = parser.terms.locate(token, fault);
        // A place within a text has no excerpt of its own.
        let excerpt = fault.excerpt.filter(|_| within.is_empty());
        parser.faults.push(Fault { at: fault.at + &within, excerpt, ..fault });
    }
    let Parser { mut done, notes, faults, .. } = parser;
    if faults.is_empty() {
        Ok(Parsed { root: done.pop().unwrap_or_default(), notes })
    } else {
        Err(faults)
    }
}

/// Most open terms and lists of terms: more than code of 4 MiB can have.
const MOST_OPEN: usize = 3_000_000;

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
    /// Build a form from the last `operands` finished terms and the last `names` names.
    Build { form: Form, token: TokenId, operands: u32, names: u32 },
}

struct Parser<'t> {
    terms: &'t mut Terms,
    notation: Notation,
    work: Vec<Work>,
    done: Vec<TermId>,
    /// Names of the forms still to be built, innermost last.
    names: Vec<NameId>,
    notes: Vec<Note>,
    /// Whether there is an `unquote`.
    has_holes: bool,
    /// The most faults to look for.
    most: usize,
    /// All faults found but the last.
    faults: Vec<Fault>,
}

impl Parser<'_> {
    /// Notes the terms that quotes evaluate. An `unquote` must stand in a quote.
    fn note_holes(&mut self, root: TermId) -> Result<(), Wrong> {
        if !self.has_holes {
            return Ok(());
        }
        quasiquote::note_holes(self.terms, root).map_err(|outside| {
            let fault = Fault::new(Code::Malformed, "`unquote` is outside a quote");
            let example = r#"{"quote": {"add": [{"unquote": t}, 1]}}"#;
            Wrong {
                token: self.terms.node(outside).token,
                fault: fault.hint(["write it inside a quote: ", example]),
            }
        })
    }

    fn run(&mut self) -> Result<TermId, Wrong> {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Term(token) => {
                    self.ensure_shallow(token)?;
                    self.term(token)?;
                }
                Work::Items { next, count } => self.items(next, count)?,
                Work::Build { form, token, operands, names } => {
                    let from = self.done.len() - operands as usize;
                    let first = self.names.len() - names as usize;
                    let operands = self.done.get(from..).unwrap_or_default();
                    let names = self.names.get(first..).unwrap_or_default();
                    let id = self.terms.add(form, token, operands, names);
                    self.done.truncate(from);
                    self.names.truncate(first);
                    self.done.push(id);
                    if form == Form::Eq {
                        self.warn_type(id);
                    }
                    self.warn_bracket(id);
                }
            }
        }
        Ok(self.done.last().copied().unwrap_or_default())
    }

    fn tape(&self) -> &Tape {
        &self.terms.tape
    }

    /// Begins to read a term. While fewer than `most` faults are found, it notes a fault, and
    /// `null` takes the term's place.
    fn term(&mut self, token: TokenId) -> Result<(), Wrong> {
        match self.begin(token) {
            Err(Wrong { token, fault }) if self.faults.len() + 1 < self.most => {
                let fault = self.terms.locate(token, fault);
                self.faults.push(fault);
                let id = self.terms.add_unit(token);
                self.done.push(id);
                Ok(())
            }
            begun => begun,
        }
    }

    /// Begins to read a term. A wrong term schedules nothing.
    fn begin(&mut self, token: TokenId) -> Result<(), Wrong> {
        let id = match self.tape().token(token) {
            Token::Null => self.terms.add_unit(token),
            Token::Boolean(b) => self.terms.add_boolean(token, b),
            Token::Integer(n) => {
                self.terms.add_integer(token, number::Integer::Small(i64::from(n)))
            }
            Token::Number(span) => self.number(token, span)?,
            Token::Text(span) if self.notation == Notation::Input => {
                return self.decode(token, span);
            }
            Token::Text(span) => self.terms.add_text(token, span),
            Token::Array { count, .. } => {
                self.build(Form::List, token, count, &[]);
                self.work.push(Work::Items { next: token + 1, count });
                return Ok(());
            }
            Token::Object { .. } => return self.object(token),
        };
        self.done.push(id);
        Ok(())
    }

    fn items(&mut self, next: TokenId, count: u32) -> Result<(), Wrong> {
        let (mut next, mut count) = (next, count);
        while count > 0 {
            let item = next;
            let token = self.tape().token(item);
            next = self.tape().after(item);
            count -= 1;
            if matches!(token, Token::Array { .. } | Token::Object { .. } | Token::Text(_)) {
                if count > 0 {
                    self.work.push(Work::Items { next, count });
                }
                self.work.push(Work::Term(item));
                return Ok(());
            }
            self.term(item)?;
        }
        Ok(())
    }

    fn number(&mut self, token: TokenId, span: Span) -> Result<TermId, Wrong> {
        let literal = number::literal(self.tape().str(span));
        Ok(match literal.map_err(|fault| Wrong { token, fault })? {
            Literal::Integer(n) => self.terms.add_integer(token, n),
            Literal::Float(n) => self.terms.add_float(token, n),
        })
    }

    /// Tells whether another warning would be kept. Ask before you make one, since finding a place
    /// takes time.
    fn may_warn(&self) -> bool {
        const MOST: usize = 100;
        const BYTES: usize = 20_000;
        let written: usize = self.notes.iter().map(|note| note.at.len() + note.message.len()).sum();
        self.notes.len() < MOST && written < BYTES
    }

    fn note(&mut self, code: &'static str, token: TokenId, message: String, hint: Hint) {
        self.notes.push(self.terms.note(code, token, message, Some(hint)));
    }

    /// Decodes a string as PIF does: a string that holds JSON, or a word such as `True`, stands for
    /// it.
    fn decode(&mut self, token: TokenId, span: Span) -> Result<(), Wrong> {
        let text = self.tape().str(span).to_owned();
        match self.terms.tape.parse(&text) {
            Ok(root) => {
                self.terms.add_origin(root, Origin::Decoded(token));
                self.work.push(Work::Term(root));
                return Ok(());
            }
            Err(fault) if fault.code == Code::DuplicateKey => return Err(Wrong { token, fault }),
            Err(_) => {}
        }
        let id = match text.to_ascii_lowercase().as_str() {
            "true" => self.terms.add_boolean(token, true),
            "false" => self.terms.add_boolean(token, false),
            "null" => self.terms.add_unit(token),
            _ => self.terms.add_text(token, span),
        };
        self.done.push(id);
        Ok(())
    }

    fn build(&mut self, form: Form, token: TokenId, operands: u32, names: &[NameId]) {
        self.names.extend_from_slice(names);
        self.work.push(Work::Build { form, token, operands, names: to_u32(names.len()) });
    }

    /// Refuses terms that are nested too deep for any run.
    fn ensure_shallow(&self, token: TokenId) -> Result<(), Wrong> {
        if self.work.len() <= MOST_OPEN {
            return Ok(());
        }
        let message = format!("the term is nested too deep: {MOST_OPEN} terms are unfinished");
        Err(Wrong { token, fault: Fault::new(Code::TooLarge, message) })
    }

    /// Schedules the operands in reverse, so that the first is read first.
    fn operands(&mut self, tokens: &[TokenId]) {
        self.work.extend(tokens.iter().rev().map(|token| Work::Term(*token)));
    }

    fn object(&mut self, token: TokenId) -> Result<(), Wrong> {
        match self.form_of(token) {
            Some((form, value)) => self.form(token, form, value),
            None if self.notation == Notation::Input => {
                self.fields(Form::Record, token, token);
                Ok(())
            }
            None => Err(self.no_form(token)),
        }
    }

    /// Returns the form of an object, and the value at its key.
    fn form_of(&self, object: TokenId) -> Option<(Form, TokenId)> {
        let input = self.notation == Notation::Input;
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
        let hint = hint::for_keys(&members, &self.terms.excerpt(token));
        Wrong { token, fault: fault.hint(hint) }
    }

    /// Warns, in an input, of a value in `self` or `nil` that may matter, such as a link.
    fn warn_held(&mut self, token: TokenId, form: Form, held: TokenId) {
        let is_flag = matches!(self.tape().token(held), Token::Null | Token::Boolean(_));
        if self.notation != Notation::Input || is_flag || !self.may_warn() {
            return;
        }
        let message = format!("the value of `{}` is ignored; pass data as `data`", form.name());
        self.note("likely-mistake", token, message, hint::syntax("write ", form));
    }

    /// Warns of a type name that no value has, in a comparison with `type_of`.
    fn warn_type(&mut self, id: TermId) {
        let terms = &self.terms;
        let has_type = terms.operands(id).iter().any(|it| terms.form(*it) == Form::TypeOf);
        let text = terms.operands(id).iter().find(|it| terms.form(**it) == Form::Text).copied();
        let Some(text) = text.filter(|_| has_type) else { return };
        let (name, token) = (terms.text(text), terms.node(text).token);
        if kinds::names().contains(&name) || !self.may_warn() {
            return;
        }
        let message = format!("there is no type `{}`", shorten(name));
        let hint = match name {
            "unit" | "nil" | "none" | "undefined" => r#"the type of null is "null""#.into(),
            _ => format!("the types are {}", kinds::names().join(", ")).into(),
        };
        self.note("likely-mistake", token, message, hint);
    }

    fn warn_ignored(&mut self, token: TokenId, form: Form, extra: &[&str]) {
        let Token::Object { count, .. } = self.tape().token(token) else { return };
        if count as usize == 1 + extra.len() || !self.may_warn() {
            return;
        }
        let known = |key: &str| key == form.name() || extra.contains(&key);
        let keys = self.tape().members(token).map(|m| self.tape().str(m.0));
        let ignored = { keys }.find(|key| !known(key)).map(shorten);
        if let Some(key) = ignored {
            let mut message = format!("`{key}` is not part of `{}`", form.name());
            if self.notation == Notation::Input {
                message.push_str("; if the object is data, pass it as `data`");
            }
            self.note("ignored-key", token, message, hint::syntax("write ", form));
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
