//! Terms as the notation writes them: with no more parentheses than it takes, in lines of 100
//! columns. What the notation has no words for is written as `json({…})`. What is written reads back
//! as the term that it was.

mod call;
mod facts;
mod layout;
mod learn;
mod operation;
mod path;
mod precedence;
mod printer;
mod scope;
mod script;
mod spelling;

use crate::table::{ARROW, ROOT};
use facts::Facts;
use layout::Piece;
use pif_core::json::number::float_text;
use pif_core::text::quote::visible;
use pif_language::form::Form;
use pif_language::print;
use pif_language::term::{TermId, Terms};
use printer::{
    Ask, CLOSE, LINE, OPEN, Printer, Work, begin, block_names, end, quoted, text, whole,
};
use scope::can_be_bound;

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
    let mut printer = Printer {
        terms,
        work: Vec::new(),
        pieces: Vec::new(),
        made: Vec::new(),
        bound: vec![0; terms.count_names()],
        facts: Facts::default(),
    };
    for name in free.iter().filter_map(|name| terms.name_id(name)) {
        printer.bind(name);
    }
    printer.learn(root);
    printer.root(root, is_program);
    while let Some(work) = printer.work.pop() {
        match work {
            Work::Term(id, precedence, ask) => printer.term(id, precedence, ask),
            Work::Piece(piece) => printer.pieces.push(piece),
            Work::Bind(name) => printer.bind(name),
            Work::Unbind(name) => printer.unbind(name),
        }
    }
    layout::text(&printer.pieces, &printer.made)
}

impl<'t> Printer<'t> {
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

    fn term(&mut self, id: TermId, precedence: u8, ask: Ask) {
        let Some(spelling) = self.spelled(id, ask) else {
            let json = self.made(visible(&print::term(self.terms, id)));
            return self.schedule(&[text("json("), json, text(")")]);
        };
        if self.precedence(id, ask) < precedence {
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
                self.function(id, precedence, if ask == Ask::Truth { ask } else { Ask::Value });
            }
            Form::Let | Form::Letrec => self.block(id),
            Form::Record => self.record(id),
            _ => self.form(id, ask, spelling),
        }
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
    fn function(&mut self, id: TermId, precedence: u8, ask: Ask) {
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
            _ => out.push(Work::Term(body, precedence.min(ARROW), ask)),
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

#[cfg(test)]
mod tests;
