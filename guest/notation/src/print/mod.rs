//! Terms as the notation writes them: with no more parentheses than it takes, in lines of 100
//! columns. What the notation has no words for is written as `json({…})`. What is written reads back
//! as the term that it was.

mod call;
mod facts;
mod layout;
mod level;
mod operation;
mod path;
mod scope;
mod script;
mod spelling;

use crate::lexer::is_name;
use crate::table::{ARROW, ROOT};
use facts::Facts;
use layout::Piece;
use pif_core::json::escape;
use pif_core::json::number::float_text;
use pif_core::limits::to_u32;
use pif_core::text::quote::visible;
use pif_language::form::Form;
use pif_language::print;
use pif_language::term::{NameId, TermId, Terms};
use scope::can_be_bound;

/// What is asked of a term where it stands. The reader asks a test whether what it names is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// Its value.
    Value,
    /// Its value, or null if a member is absent.
    There,
    /// One of the two.
    Either,
    /// Whether it counts as true.
    Truth,
}

/// The work left to write, the next piece last.
#[derive(Clone, Copy)]
enum Work<'t> {
    /// A term that binds at least so tightly.
    Term(TermId, u8, Ask),
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
    facts: Facts,
}

/// A term in the notation.
#[must_use]
#[inline(never)]
pub fn term(terms: &Terms, root: TermId) -> String {
    written(terms, root, &GIVEN, true)
}

/// A term in the notation, where these names are variables already.
pub(crate) fn term_within(terms: &Terms, root: TermId, free: &[&str]) -> String {
    written(terms, root, free, false)
}

/// Variables of every program.
const GIVEN: [&str; 2] = ["data", "input"];

fn written(terms: &Terms, root: TermId, free: &[&str], is_program: bool) -> String {
    let bound = vec![0; terms.count_names()];
    let (work, pieces, made, facts) = (Vec::new(), Vec::new(), Vec::new(), Facts::default());
    let mut printer = Printer { terms, work, pieces, made, bound, facts };
    for name in free.iter().filter_map(|name| terms.name_id(name)) {
        printer.bind(name);
    }
    printer.learn(root);
    printer.root(root, is_program);
    while let Some(work) = printer.work.pop() {
        match work {
            Work::Term(id, level, ask) => printer.term(id, level, ask),
            Work::Piece(piece) => printer.pieces.push(piece),
            Work::Bind(name) => printer.bind(name),
            Work::Unbind(name) => printer.unbind(name),
        }
    }
    layout::text(&printer.pieces, &printer.made)
}

/// A term that may stand anywhere, as a value.
fn whole(id: TermId) -> Work<'static> {
    Work::Term(id, ROOT, Ask::Value)
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

    /// A whole text: in parentheses where it would be taken for JSON, for statements, or for the
    /// name of a tool.
    fn root(&mut self, id: TermId, is_program: bool) {
        match self.terms.form(id) {
            Form::Let | Form::Letrec if !self.facts.is_json(id) => {
                let mut out = Vec::new();
                self.statements(id, "", Ask::Value, &mut out);
                self.schedule(&out);
            }
            Form::Record | Form::Var if is_program && !self.facts.is_json(id) => {
                self.schedule(&[text("("), whole(id), text(")")]);
            }
            _ => self.statement(id),
        }
    }

    /// A value as a statement.
    fn statement(&mut self, id: TermId) {
        if self.begins_with_brace(id, Ask::Value) {
            return self.schedule(&[text("("), whole(id), text(")")]);
        }
        self.term(id, ROOT, Ask::Value);
    }

    fn term(&mut self, id: TermId, level: u8, ask: Ask) {
        let Some(spelling) = self.spelled(id, ask) else {
            let json = self.made(visible(&print::term(self.terms, id)));
            return self.schedule(&[text("json("), json, text(")")]);
        };
        if self.level(id, ask) < level {
            return self.schedule(&[text("("), Work::Term(id, ROOT, ask), text(")")]);
        }
        let terms = self.terms;
        match terms.form(id) {
            Form::Unit => self.say("null"),
            Form::Boolean => self.say(if terms.boolean(id) { "true" } else { "false" }),
            Form::Integer => self.say_made(terms.integer(id).to_string()),
            Form::BigInteger => self.say_made(print::term(terms, id)),
            Form::FloatNumber => self.say_made(number(terms.float(id))),
            Form::Text => self.say_made(quoted(terms.text(id))),
            Form::List => self.list(id),
            Form::Var => self.say(terms.name(terms.only_name(id))),
            Form::Lam => {
                self.function(id, level, if ask == Ask::Truth { ask } else { Ask::Value });
            }
            Form::Let | Form::Letrec => self.block(id),
            Form::Record => self.record(id),
            _ => self.form(id, ask, spelling),
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
            out.push(whole(*item));
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
                && can_be_bound(key)
                && !self.facts.is_json(*value);
            if is_short {
                out.push(text(key));
            } else {
                out.extend_from_slice(&[self.key(key), text(": "), whole(*value)]);
            }
        }
        end(terms.names(id).len(), "}", &mut out);
        self.schedule(&out);
    }

    /// `x => …`; the body of one after a `|>` ends at the next.
    fn function(&mut self, id: TermId, level: u8, ask: Ask) {
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
            Form::Let | Form::Letrec if !self.facts.is_json(body) => {
                out.push(text("{"));
                out.extend_from_slice(&[OPEN, LINE]);
                self.statements(body, "return ", ask, &mut out);
                out.extend_from_slice(&[
                    text(";"),
                    Work::Piece(Piece::Last(true)),
                    CLOSE,
                    text("}"),
                ]);
            }
            _ if self.begins_with_brace(body, ask) => {
                out.extend_from_slice(&[text("("), Work::Term(body, ROOT, ask), text(")")]);
            }
            _ => out.push(Work::Term(body, level.min(ARROW), ask)),
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
        self.statements(id, "", Ask::Value, &mut out);
        out.extend_from_slice(&[Work::Piece(Piece::Last(true)), CLOSE, text("}")]);
        self.schedule(&out);
    }

    /// A binding and those in its body as statements, and the value after them.
    fn statements(&mut self, id: TermId, word: &'static str, ask: Ask, out: &mut Vec<Work<'t>>) {
        let terms = self.terms;
        // The names of a block are its own from the beginning on.
        let bound = block_names(terms, id);
        out.extend(bound.iter().map(|name| Work::Bind(*name)));
        let mut at = id;
        // A binding within that has no words here is a value.
        while matches!(terms.form(at), Form::Let | Form::Letrec) && !self.facts.is_json(at) {
            let Some((body, values)) = terms.operands(at).split_last() else { break };
            let names = terms.names(at);
            out.push(text("const "));
            if names.len() > 1 {
                out.push(OPEN);
            }
            for (index, (name, value)) in names.iter().zip(values).enumerate() {
                if index > 0 {
                    out.extend_from_slice(&[text(","), LINE]);
                }
                let asked = if self.facts.is_tested(*name) { Ask::Either } else { Ask::Value };
                out.extend_from_slice(&[
                    text(terms.name(*name)),
                    text(" = "),
                    Work::Term(*value, ROOT, asked),
                ]);
            }
            if names.len() > 1 {
                out.push(CLOSE);
            }
            out.extend_from_slice(&[text(";"), LINE]);
            at = *body;
        }
        for name in &bound {
            self.bind(*name);
        }
        let is_value = word.is_empty() && self.begins_with_brace(at, ask);
        for name in &bound {
            self.unbind(*name);
        }
        if is_value {
            out.extend_from_slice(&[text("("), Work::Term(at, ROOT, ask), text(")")]);
        } else {
            out.extend_from_slice(&[text(word), Work::Term(at, ROOT, ask)]);
        }
        out.extend(bound.into_iter().map(Work::Unbind));
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

/// The names that a binding and those in its body bind.
fn block_names(terms: &Terms, id: TermId) -> Vec<NameId> {
    let (mut at, mut names) = (id, Vec::new());
    while matches!(terms.form(at), Form::Let | Form::Letrec) {
        names.extend_from_slice(terms.names(at));
        let Some(body) = terms.operands(at).last() else { break };
        at = *body;
    }
    names
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

/// A float as a number, or as the name of what is none.
fn number(n: f64) -> String {
    match n {
        _ if n.is_nan() => "NaN".to_owned(),
        _ if n.is_finite() => float_text(n),
        _ if n > 0.0 => "Infinity".to_owned(),
        _ => "-Infinity".to_owned(),
    }
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    escape::string(text, &mut out);
    visible(&out)
}

#[cfg(test)]
mod tests;
