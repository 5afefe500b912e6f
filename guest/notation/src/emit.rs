//! A term of the arena as JSON on the tape, as if its canonical text had been read.

use crate::lexer::Wrong;
use crate::tree::{Id, Tree, What};
use pif_core::json::tape::{Tape, Token, TokenId};
use pif_core::limits::to_u32;
use pif_language::form::{Form, Shape};

/// The work left to put on the tape, the next piece last.
#[derive(Clone, Copy)]
enum Work {
    Term(Id),
    Key(&'static str),
    /// The name of a term at an index.
    Name(Id, usize),
    Begin(Id),
    /// The end of a list or an object of so many values.
    End(bool, usize),
}

struct Writer<'t, 's> {
    tape: &'t mut Tape,
    tree: &'t Tree<'s>,
    source: &'s str,
    work: Vec<Work>,
    open: Vec<TokenId>,
    /// Of each token the byte of the text at which it begins.
    starts: Vec<u32>,
    root: TokenId,
}

/// Puts a term on the tape. The result is where each of its tokens is in the text.
pub(crate) fn emit(
    tape: &mut Tape,
    tree: &Tree<'_>,
    source: &str,
    root: Id,
) -> Result<Vec<u32>, Wrong> {
    let first = tape.len();
    let (work, open, starts) = (vec![Work::Term(root)], Vec::new(), Vec::new());
    let mut writer = Writer { tape, tree, source, work, open, starts, root: first };
    let mut at = 0;
    while let Some(work) = writer.work.pop() {
        match work {
            Work::Term(id) => {
                at = tree.node(id).start;
                writer.term(id)?;
            }
            Work::Key(key) => writer.tape.put_text(key),
            Work::Name(id, index) => {
                at = tree.node(id).start;
                writer.tape.put_text(tree.names(id).get(index).map_or("", AsRef::as_ref));
            }
            Work::Begin(id) => {
                at = tree.node(id).start;
                writer.begin();
            }
            Work::End(is_object, count) => {
                let id = writer.open.pop().unwrap_or_default();
                writer.tape.finish(id, to_u32(count), is_object);
            }
        }
        writer.note(at);
    }
    Ok(writer.starts)
}

impl Writer<'_, '_> {
    /// Notes where the tokens are that have been put last.
    fn note(&mut self, at: u32) {
        let count = (self.tape.len() - self.root) as usize;
        self.starts.resize(count, at);
    }

    fn begin(&mut self) {
        let id = self.tape.begin();
        self.open.push(id);
    }

    fn term(&mut self, id: Id) -> Result<(), Wrong> {
        match &self.tree.node(id).what {
            What::Null => self.tape.put(Token::Null),
            What::Boolean(b) => self.tape.put(Token::Boolean(*b)),
            What::Number(text) => self.tape.put_number(text),
            What::Text(text) => self.tape.put_text(text),
            What::Json(start, end) => {
                let text = self.source.get(*start as usize..*end as usize).unwrap_or_default();
                self.tape.parse(text)?;
            }
            What::Form { form: Form::List, operands, .. } => {
                self.begin();
                self.items(operands);
            }
            What::Form { form, operands, .. } => {
                self.begin();
                self.form(id, *form, operands);
            }
        }
        Ok(())
    }

    /// Schedules the rest of a list that has been begun.
    fn items(&mut self, items: &[Id]) {
        self.work.push(Work::End(false, items.len()));
        self.schedule(&terms(items));
    }

    /// Schedules pieces so that the first is written first.
    fn schedule(&mut self, pieces: &[Work]) {
        for piece in pieces.iter().rev() {
            self.work.push(*piece);
        }
    }

    /// Schedules the members of an object that has been begun.
    fn form(&mut self, id: Id, form: Form, operands: &[Id]) {
        let tree = self.tree;
        let name = form.name();
        let mut out = vec![Work::Key(name)];
        let mut members = 1;
        let term = |at: usize| Work::Term(operands.get(at).copied().unwrap_or_default());
        let names = names(tree, id);
        let is_list = tree.form_of(operands.first().copied().unwrap_or_default()) == Form::List;
        match form.row().map_or(Shape::Ignored, |row| row.shape) {
            Shape::Name => out.push(Work::Name(id, 0)),
            Shape::Literal if !operands.is_empty() => out.push(term(0)),
            Shape::Ignored | Shape::Literal => {
                self.tape.put_text(name);
                self.tape.put(Token::Null);
                out.clear();
            }
            Shape::List { bare, .. } if bare.is_written(operands.len(), is_list) => {
                out.push(term(0));
            }
            Shape::Branches => {
                out.push(Work::Begin(id));
                for pair in operands.chunks(2) {
                    list(id, &terms(pair), &mut out);
                }
                out.push(Work::End(false, operands.len() / 2));
            }
            Shape::Try => members = attempt(id, [term(0), term(1)], &names, &mut out),
            Shape::Members(keys) | Shape::MembersOr(keys) | Shape::Named(keys) => {
                out.push(Work::Begin(id));
                for (at, key) in keys.iter().enumerate().take(operands.len()) {
                    out.extend_from_slice(&[Work::Key(key), term(at)]);
                }
                out.push(Work::End(true, operands.len()));
            }
            Shape::Fields => {
                out.push(Work::Begin(id));
                for (at, name) in names.iter().enumerate() {
                    out.extend_from_slice(&[*name, term(at)]);
                }
                out.push(Work::End(true, operands.len()));
            }
            Shape::Lambda | Shape::Application | Shape::Bindings | Shape::Functions => {
                members = function(id, form, (operands, &names), &mut out);
            }
            Shape::List { .. } => {
                list(id, &terms(operands), &mut out);
            }
        }
        out.push(Work::End(true, members));
        self.schedule(&out);
    }
}

fn terms(ids: &[Id]) -> Vec<Work> {
    ids.iter().map(|id| Work::Term(*id)).collect()
}

fn names(tree: &Tree<'_>, id: Id) -> Vec<Work> {
    (0..tree.names(id).len()).map(|at| Work::Name(id, at)).collect()
}

/// The members of a `try`; how many there are.
fn attempt(id: Id, [tried, handler]: [Work; 2], codes: &[Work], out: &mut Vec<Work>) -> usize {
    out.extend_from_slice(&[tried, Work::Key("catch"), handler]);
    if codes.is_empty() {
        return 2;
    }
    out.push(Work::Key("codes"));
    list(id, codes, out);
    3
}

/// The members of a function, an application or a binding; how many there are.
fn function(id: Id, form: Form, (operands, names): (&[Id], &[Work]), out: &mut Vec<Work>) -> usize {
    let terms = terms(operands);
    match (form, terms.as_slice()) {
        (Form::Lam, [body, ..]) => {
            match names {
                [one] => out.push(*one),
                _ => list(id, names, out),
            }
            out.extend_from_slice(&[Work::Key("body"), *body]);
            2
        }
        (Form::App, [function, arguments @ ..]) => {
            out.extend_from_slice(&[Work::Begin(id), Work::Key("func"), *function]);
            if let [only] = arguments {
                out.extend_from_slice(&[Work::Key("arg"), *only]);
            } else {
                out.push(Work::Key("args"));
                list(id, arguments, out);
            }
            out.push(Work::End(true, 2));
            1
        }
        (_, [values @ .., body]) => {
            out.push(Work::Begin(id));
            for (name, value) in names.iter().zip(values) {
                list(id, &[*name, *value], out);
            }
            out.extend_from_slice(&[Work::End(false, values.len()), Work::Key("in"), *body]);
            2
        }
        _ => 0,
    }
}

/// Schedules a list.
fn list(id: Id, pieces: &[Work], out: &mut Vec<Work>) {
    out.push(Work::Begin(id));
    out.extend_from_slice(pieces);
    out.push(Work::End(false, pieces.len()));
}
