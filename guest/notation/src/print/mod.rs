//! Terms as the notation writes them: with no more parentheses than it takes, in lines of 100
//! columns. What the notation has no words for is written as `json({…})`. What is written reads back
//! as the term that it was.

mod call;
mod functions;
mod layout;
mod level;
mod operation;
mod path;
mod scope;

use crate::lexer::is_name;
use crate::table::{ARROW, RESERVED, ROOT};
use functions::Functions;
use layout::Piece;
use pif_core::json::escape;
use pif_core::json::number::float_text;
use pif_core::limits::to_u32;
use pif_core::text::quote::visible;
use pif_language::form::Form;
use pif_language::print;
use pif_language::term::{NameId, TermId, Terms};

/// The work left to write, the next piece last.
#[derive(Clone, Copy)]
enum Work<'t> {
    /// A term that binds at least so tightly.
    Term(TermId, u8),
    /// A term whose path gives null where it leads nowhere, before a `??`.
    Path(TermId),
    Piece(Piece<'t>),
    Bind(NameId),
    Unbind(NameId),
}

struct Printer<'t> {
    terms: &'t Terms,
    work: Vec<Work<'t>>,
    pieces: Vec<Piece<'t>>,
    /// Texts that stand in no term.
    made: Vec<String>,
    /// How often each name is bound here.
    bound: Vec<u32>,
    functions: Functions,
}

/// A term in the notation.
#[must_use]
#[inline(never)]
pub fn term(terms: &Terms, root: TermId) -> String {
    term_within(terms, root, &[])
}

/// A term in the notation, where these names are variables already.
pub(crate) fn term_within(terms: &Terms, root: TermId, free: &[&str]) -> String {
    let functions = Functions::of(terms, root);
    let bound = vec![0; terms.count_names()];
    let mut printer =
        Printer { terms, work: Vec::new(), pieces: Vec::new(), made: Vec::new(), bound, functions };
    for name in free.iter().filter_map(|name| terms.name_id(name)) {
        printer.bind(name);
    }
    printer.root(root);
    while let Some(work) = printer.work.pop() {
        match work {
            Work::Term(id, level) => printer.term(id, level),
            Work::Path(id) => printer.safe_path(id, false),
            Work::Piece(piece) => printer.pieces.push(piece),
            Work::Bind(name) => printer.bind(name),
            Work::Unbind(name) => printer.unbind(name),
        }
    }
    layout::text(&printer.pieces, &printer.made)
}

fn text(text: &str) -> Work<'_> {
    Work::Piece(Piece::Text(text))
}

const OPEN: Work<'static> = Work::Piece(Piece::Open);
const CLOSE: Work<'static> = Work::Piece(Piece::Close);
const LINE: Work<'static> = Work::Piece(Piece::Line(true));
const BREAK: Work<'static> = Work::Piece(Piece::Line(false));
const LAST: Work<'static> = Work::Piece(Piece::Last(false));

impl<'t> Printer<'t> {
    /// Schedules pieces so that the first is written first.
    fn schedule(&mut self, pieces: &[Work<'t>]) {
        for piece in pieces.iter().rev() {
            self.work.push(*piece);
        }
    }

    /// A text that is made for the printing.
    fn made(&mut self, text: String) -> Work<'t> {
        self.made.push(text);
        Work::Piece(Piece::Made(to_u32(self.made.len() - 1)))
    }

    /// A name, or the text in quotes that it is otherwise.
    fn key(&mut self, key: &'t str) -> Work<'t> {
        if is_name(key) { text(key) } else { self.made(quoted(key)) }
    }

    /// A whole text: in parentheses where it would be taken for JSON, or for the name of a tool.
    fn root(&mut self, id: TermId) {
        match self.terms.form(id) {
            Form::Let | Form::Letrec if self.has_words(id) => {
                let mut out = Vec::new();
                self.statements(id, "", &mut out);
                self.schedule(&out);
            }
            Form::Record | Form::Var if self.bound.iter().all(|count| *count == 0) => {
                self.schedule(&[text("("), Work::Term(id, ROOT), text(")")]);
            }
            _ => self.term(id, ROOT),
        }
    }

    fn term(&mut self, id: TermId, level: u8) {
        if !self.has_words(id) {
            let json = self.made(visible(&print::term(self.terms, id)));
            return self.schedule(&[text("json("), json, text(")")]);
        }
        if self.level(id) < level {
            return self.schedule(&[text("("), Work::Term(id, ROOT), text(")")]);
        }
        let terms = self.terms;
        match terms.form(id) {
            Form::Unit => self.say("null"),
            Form::Boolean => self.say(if terms.boolean(id) { "true" } else { "false" }),
            Form::Integer => self.say_made(terms.integer(id).to_string()),
            Form::BigInteger => self.say_made(print::term(terms, id)),
            Form::FloatNumber => self.say_made(float_text(terms.float(id))),
            Form::Text => self.say_made(quoted(terms.text(id))),
            Form::List => self.list(id),
            Form::Var => self.say(terms.name(terms.only_name(id))),
            Form::Lam => self.function(id, level),
            Form::Let | Form::Letrec => self.block(id),
            Form::Record => self.record(id),
            _ => self.form(id),
        }
    }

    fn say(&mut self, said: &'t str) {
        self.pieces.push(Piece::Text(said));
    }

    fn say_made(&mut self, said: String) {
        let made = self.made(said);
        self.work.push(made);
    }

    fn list(&mut self, id: TermId) {
        let items = self.terms.operands(id);
        let mut out = vec![text("[")];
        for (index, item) in items.iter().enumerate() {
            begin(index, &mut out);
            out.push(Work::Term(*item, ROOT));
        }
        end(items.len(), "]", &mut out);
        self.schedule(&out);
    }

    fn record(&mut self, id: TermId) {
        let terms = self.terms;
        let mut out = vec![text("{")];
        for (index, (name, value)) in terms.names(id).iter().zip(terms.operands(id)).enumerate() {
            begin(index, &mut out);
            let key = terms.name(*name);
            let is_short = terms.form(*value) == Form::Var
                && terms.only_name(*value) == *name
                && is_name(key)
                && !RESERVED.contains(&key);
            if is_short {
                out.push(text(key));
            } else {
                out.extend_from_slice(&[self.key(key), text(": "), Work::Term(*value, ROOT)]);
            }
        }
        end(terms.names(id).len(), "}", &mut out);
        self.schedule(&out);
    }

    /// `x => …`; the body of one after a `|>` ends at the next.
    fn function(&mut self, id: TermId, level: u8) {
        let terms = self.terms;
        let names = terms.names(id);
        let body = terms.operand(id, 0);
        let mut out = Vec::new();
        if let [one] = names {
            out.push(text(terms.name(*one)));
        } else {
            out.push(text("("));
            for (index, name) in names.iter().enumerate() {
                out.push(text(if index > 0 { ", " } else { "" }));
                out.push(text(terms.name(*name)));
            }
            out.push(text(")"));
        }
        out.push(text(" => "));
        out.extend(names.iter().map(|name| Work::Bind(*name)));
        // The names are bound where the body is looked at.
        for name in names {
            self.bind(*name);
        }
        match terms.form(body) {
            Form::Let | Form::Letrec if self.has_words(body) => {
                out.push(text("{"));
                out.extend_from_slice(&[OPEN, LINE]);
                self.statements(body, "return ", &mut out);
                out.extend_from_slice(&[
                    text(";"),
                    Work::Piece(Piece::Last(true)),
                    CLOSE,
                    text("}"),
                ]);
            }
            _ if self.begins_with_brace(body) => {
                out.extend_from_slice(&[text("("), Work::Term(body, ROOT), text(")")]);
            }
            _ => out.push(Work::Term(body, level.min(ARROW))),
        }
        for name in names {
            self.unbind(*name);
        }
        out.extend(names.iter().map(|name| Work::Unbind(*name)));
        self.schedule(&out);
    }

    /// Names that are bound where a term is needed, in braces.
    fn block(&mut self, id: TermId) {
        let mut out = vec![text("{"), OPEN, LINE];
        self.statements(id, "", &mut out);
        out.extend_from_slice(&[Work::Piece(Piece::Last(true)), CLOSE, text("}")]);
        self.schedule(&out);
    }

    /// A binding and those in its body as statements, and the value after them.
    fn statements(&self, id: TermId, word: &'static str, out: &mut Vec<Work<'t>>) {
        let terms = self.terms;
        let (mut at, mut bound) = (id, Vec::new());
        // A binding within that has no words here is a value.
        while matches!(terms.form(at), Form::Let | Form::Letrec)
            && (at == id || self.binding_has_words(at))
        {
            let operands = terms.operands(at);
            let Some((body, values)) = operands.split_last() else { break };
            let names = terms.names(at);
            let is_recursive = terms.form(at) == Form::Letrec;
            if is_recursive {
                out.extend(names.iter().map(|name| Work::Bind(*name)));
            }
            let is_closed = !is_recursive && self.functions.are_used(terms, at);
            out.push(text("const "));
            if names.len() > 1 {
                out.push(OPEN);
            }
            for (index, (name, value)) in names.iter().zip(values).enumerate() {
                if index > 0 {
                    out.extend_from_slice(&[text(","), LINE]);
                }
                out.extend_from_slice(&[text(terms.name(*name)), text(" = ")]);
                let is_function = is_closed && terms.form(*value) == Form::Lam;
                if is_function {
                    out.push(text("("));
                }
                out.push(Work::Term(*value, ROOT));
                if is_function {
                    out.push(text(")"));
                }
                if !is_recursive {
                    out.push(Work::Bind(*name));
                }
                bound.push(*name);
            }
            if names.len() > 1 {
                out.push(CLOSE);
            }
            out.extend_from_slice(&[text(";"), LINE]);
            at = *body;
        }
        out.extend_from_slice(&[text(word), Work::Term(at, ROOT)]);
        out.extend(bound.into_iter().map(Work::Unbind));
    }

    /// Whether the notation has words for a binding.
    fn binding_has_words(&self, id: TermId) -> bool {
        let terms = self.terms;
        !terms.names(id).is_empty()
            && self.names_are_words(id)
            && (terms.form(id) == Form::Let || self.functions.are_recursive(terms, id))
    }

    /// Whether a name is bound here.
    fn is_bound(&self, name: &str) -> bool {
        let id = self.terms.name_id(name);
        id.and_then(|id| self.bound.get(id as usize)).is_some_and(|count| *count > 0)
    }

    fn bind(&mut self, name: NameId) {
        if let Some(count) = self.bound.get_mut(name as usize) {
            *count += 1;
        }
    }

    fn unbind(&mut self, name: NameId) {
        if let Some(count) = self.bound.get_mut(name as usize) {
            *count -= 1;
        }
    }
}

/// An item between brackets begins, behind a comma or as the first.
fn begin(index: usize, out: &mut Vec<Work<'_>>) {
    out.extend_from_slice(&if index == 0 { [OPEN, BREAK] } else { [text(","), LINE] });
}

/// So many items between brackets end.
fn end(count: usize, close: &'static str, out: &mut Vec<Work<'_>>) {
    if count > 0 {
        out.extend_from_slice(&[LAST, CLOSE]);
    }
    out.push(text(close));
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    escape::string(text, &mut out);
    visible(&out)
}
