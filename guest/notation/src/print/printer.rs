//! The printer: its work list, the pieces that are written, and the names that are bound.

use crate::lexer::is_name;
use crate::print::facts::Facts;
use crate::print::layout::Piece;
use crate::table::ROOT;
use pif_core::json::escape;
use pif_core::limits::to_u32;
use pif_core::text::quote::visible;
use pif_language::form::Form;
use pif_language::term::{NameId, TermId, Terms};

/// The use of a term where it stands. The reader asks a test whether what it names is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
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
pub(super) enum Work<'t> {
    /// A term that binds at least so tightly.
    Term(TermId, u8, Ask),
    Piece(Piece<'t>),
    Bind(NameId),
    Unbind(NameId),
}

pub(super) struct Printer<'t> {
    pub(super) terms: &'t Terms,
    pub(super) work: Vec<Work<'t>>,
    pub(super) pieces: Vec<Piece<'t>>,
    /// Texts that stand in no term.
    pub(super) made: Vec<String>,
    /// How often each name is bound here.
    pub(super) bound: Vec<u32>,
    pub(super) facts: Facts,
}

/// A term that may stand anywhere, as a value.
pub(super) fn whole(id: TermId) -> Work<'static> {
    Work::Term(id, ROOT, Ask::Value)
}

pub(super) fn text(text: &str) -> Work<'_> {
    Work::Piece(Piece::Text(text))
}

pub(super) const OPEN: Work<'static> = Work::Piece(Piece::Open);
pub(super) const CLOSE: Work<'static> = Work::Piece(Piece::Close);
pub(super) const LINE: Work<'static> = Work::Piece(Piece::Line(true));
pub(super) const BREAK: Work<'static> = Work::Piece(Piece::Line(false));
pub(super) const LAST: Work<'static> = Work::Piece(Piece::Last(false));

impl<'t> Printer<'t> {
    /// Schedules pieces so that the first is written first.
    pub(super) fn schedule(&mut self, pieces: &[Work<'t>]) {
        for piece in pieces.iter().rev() {
            self.work.push(*piece);
        }
    }

    /// A text that is made for the printing.
    pub(super) fn made(&mut self, text: String) -> Work<'t> {
        self.made.push(text);
        Work::Piece(Piece::Made(to_u32(self.made.len() - 1)))
    }

    pub(super) fn say(&mut self, said: &'t str) {
        self.pieces.push(Piece::Text(said));
    }

    pub(super) fn say_made(&mut self, said: String) {
        let made = self.made(said);
        self.work.push(made);
    }

    /// A name, or the text in quotes that it is otherwise.
    pub(super) fn key(&mut self, key: &'t str) -> Work<'t> {
        if is_name(key) { text(key) } else { self.made(quoted(key)) }
    }

    /// Tells whether a name is bound here.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        let id = self.terms.name_id(name);
        id.and_then(|id| self.bound.get(id as usize)).is_some_and(|count| *count > 0)
    }

    pub(super) fn bind(&mut self, name: NameId) {
        if let Some(count) = self.bound.get_mut(name as usize) {
            *count += 1;
        }
    }

    pub(super) fn unbind(&mut self, name: NameId) {
        if let Some(count) = self.bound.get_mut(name as usize) {
            *count -= 1;
        }
    }
}

/// The names that a binding and those in its body bind.
pub(super) fn block_names(terms: &Terms, id: TermId) -> Vec<NameId> {
    let mut at = id;
    let mut names = Vec::new();
    while matches!(terms.form(at), Form::Let | Form::Letrec) {
        names.extend_from_slice(terms.names(at));
        let Some(body) = terms.operands(at).last() else { break };
        at = *body;
    }
    names
}

/// An item between brackets begins, behind a comma or as the first.
pub(super) fn begin(index: usize, out: &mut Vec<Work<'_>>) {
    out.extend_from_slice(&if index == 0 { [OPEN, BREAK] } else { [text(","), LINE] });
}

/// So many items between brackets end.
pub(super) fn end(count: usize, close: &'static str, out: &mut Vec<Work<'_>>) {
    if count > 0 {
        out.extend_from_slice(&[LAST, CLOSE]);
    }
    out.push(text(close));
}

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    escape::string(text, &mut out);
    visible(&out)
}
