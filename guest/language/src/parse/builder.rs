//! Builds terms from the operands up, for readers of JSON and of the notation. It collects their
//! faults and warnings, and finds the places of these at the end.

use crate::form::Form;
use crate::quasiquote;
use crate::term::{NameId, TermId, Terms};
use pif_core::fault::{Code, Fault, Note};
use pif_core::hint::Hint;
use pif_core::json::number::Literal;
use pif_core::json::tape::{Span, TokenId};
use pif_core::limits::to_u32;

/// A parsed term with its notes.
#[derive(Debug)]
pub struct Parsed {
    /// The term.
    pub root: TermId,
    /// Parts that are read in another way than they look.
    pub notes: Vec<Note>,
}

/// A form whose operands are still to come.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    form: Form,
    token: TokenId,
    operands: u32,
    names: u32,
}

/// How far a builder is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    done: usize,
    names: usize,
}

/// A note whose place is still to be found.
#[derive(Debug)]
struct Draft {
    code: &'static str,
    token: TokenId,
    message: String,
    hint: Hint,
}

/// Builds a term.
#[derive(Debug)]
pub struct Builder<'t> {
    /// The arena.
    pub terms: &'t mut Terms,
    /// Finished terms that no form has taken yet.
    done: Vec<TermId>,
    /// Names of the open forms, innermost last.
    names: Vec<NameId>,
    notes: Vec<Draft>,
    /// Faults, each with its token.
    faults: Vec<(TokenId, Fault)>,
    /// The most faults to look for.
    most: usize,
    /// Whether there is an `unquote`.
    has_holes: bool,
}

/// Most warnings, and the bytes of their places and messages after which no more are kept.
const MOST_NOTES: usize = 100;
const BYTES_OF_NOTES: usize = 20_000;

impl<'t> Builder<'t> {
    /// Returns a builder that looks for up to `most` faults.
    #[must_use]
    pub fn new(terms: &'t mut Terms, most: usize) -> Self {
        Self {
            terms,
            done: Vec::new(),
            names: Vec::new(),
            notes: Vec::new(),
            faults: Vec::new(),
            most,
            has_holes: false,
        }
    }

    /// Adds `null`.
    pub fn null(&mut self, token: TokenId) {
        let term = self.terms.add_unit(token);
        self.done.push(term);
    }

    /// Adds a boolean.
    pub fn boolean(&mut self, token: TokenId, b: bool) {
        let term = self.terms.add_boolean(token, b);
        self.done.push(term);
    }

    /// Adds a number.
    pub fn number(&mut self, token: TokenId, n: Literal) {
        let term = match n {
            Literal::Integer(n) => self.terms.add_integer(token, n),
            Literal::Float(n) => self.terms.add_float(token, n),
        };
        self.done.push(term);
    }

    /// Adds a text of the tape.
    pub fn text(&mut self, token: TokenId, span: Span) {
        let term = self.terms.add_text(token, span);
        self.done.push(term);
    }

    /// Begins a form of so many operands, which follow.
    pub fn open(&mut self, form: Form, token: TokenId, operands: u32, names: &[NameId]) -> Open {
        self.has_holes |= form == Form::Unquote;
        self.names.extend_from_slice(names);
        Open { form, token, operands, names: to_u32(names.len()) }
    }

    /// Ends a form, whose operands have been added.
    pub fn close(&mut self, open: Open) {
        let Open { form, token, operands, names } = open;
        let from = self.done.len() - operands as usize;
        let first = self.names.len() - names as usize;
        let operands = self.done.split_at(from).1;
        let names = self.names.split_at(first).1;
        let term = self.terms.add(form, token, operands, names);
        self.done.truncate(from);
        self.names.truncate(first);
        self.done.push(term);
        if form == Form::Eq {
            self.warn_type(term);
        }
        self.warn_bracket(term);
    }

    /// Notes a fault, unless there are enough.
    pub fn report(&mut self, token: TokenId, fault: Fault) {
        if !self.is_full() {
            self.faults.push((token, fault));
        }
    }

    /// Notes a fault, and adds `null` in the place of the term.
    pub fn refuse(&mut self, token: TokenId, fault: Fault) {
        self.report(token, fault);
        self.null(token);
    }

    /// Tells whether enough faults are found.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.faults.len() >= self.most
    }

    /// Warns of something, unless enough has been warned of.
    pub(super) fn note(&mut self, code: &'static str, token: TokenId, message: String, hint: Hint) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(Draft { code, token, message, hint });
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { done: self.done.len(), names: self.names.len() }
    }

    /// Adds `null` in the place of the term at a token, which was begun at a mark.
    pub(super) fn abandon(&mut self, mark: Mark, token: TokenId) {
        self.done.truncate(mark.done);
        self.names.truncate(mark.names);
        self.null(token);
    }

    /// Ends the program in the notation that was begun last, whose term is complete.
    pub fn end_program(&mut self) {
        if let [root] = *self.done {
            self.terms.end_program(root);
        }
    }

    /// Returns the term with its notes, or the faults.
    pub fn end(mut self) -> Result<Parsed, Vec<Fault>> {
        let [root] = *self.done else {
            return Err(vec![Fault::defect("a term was not built to its end")]);
        };
        if self.has_holes && !self.is_full() {
            self.note_holes(root);
        }
        let terms = &*self.terms;
        if self.faults.is_empty() {
            return Ok(Parsed { root, notes: located(terms, self.notes) });
        }
        let locate = |(token, fault): (TokenId, Fault)| {
            let within = fault.at.clone();
            let excerpt = fault.excerpt.clone();
            let fault = terms.locate(token, fault);
            // A place within a text has no excerpt of its own.
            let excerpt = excerpt.or(fault.excerpt).filter(|_| within.is_empty());
            Fault { at: fault.at + &within, excerpt, ..fault }
        };
        Err(self.faults.into_iter().map(locate).collect())
    }

    /// Notes the terms that quotes evaluate. An `unquote` must stand in a quote.
    fn note_holes(&mut self, root: TermId) {
        if let Err(outside) = quasiquote::note_holes(self.terms, root) {
            let fault = Fault::new(Code::Malformed, "`unquote` is outside a quote");
            let example = r#"{"quote": {"add": [{"unquote": t}, 1]}}"#;
            let token = self.terms.node(outside).token;
            self.report(token, fault.hint(["write it inside a quote: ", example]));
        }
    }
}

/// Finds the places of notes, as far as they are kept.
fn located(terms: &Terms, drafts: Vec<Draft>) -> Vec<Note> {
    let (mut notes, mut bytes) = (Vec::new(), 0);
    for Draft { code, token, message, hint } in drafts {
        if bytes < BYTES_OF_NOTES {
            let note = terms.note(code, token, message, Some(hint));
            bytes += note.at.len() + note.message.len();
            notes.push(note);
        }
    }
    notes
}

/// Most open terms and lists of terms: more than code of 4 MiB can have.
const MOST_OPEN: usize = 3_000_000;

/// Refuses terms that are nested too deep for any run: so many are open.
pub fn ensure_shallow(open: usize) -> Result<(), Fault> {
    if open <= MOST_OPEN {
        return Ok(());
    }
    let message = format!("the term is nested too deep: {MOST_OPEN} terms are unfinished");
    Err(Fault::new(Code::TooLarge, message))
}
