//! The steps of a debug run: the terms that were evaluated, with the values that they came to.

use crate::request::Stepped;
use pif_language::form::Form;
use pif_language::term::{TermId, Terms};
use pif_language::walk::nodes;
use pif_notation::spelling;

/// Steps that a run tells.
const MOST: usize = 10_000;

/// Nodes of data that is not told.
const SHORT: usize = 40;

/// A term that is being evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Visit {
    term: TermId,
    depth: u32,
}

/// The steps of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// Terms without a value so far, the outermost first.
    open: Vec<Visit>,
    /// Steps that nobody has taken yet.
    came: Vec<Stepped>,
    told: usize,
}

/// Tells whether a short term is data as it stands.
fn is_data(terms: &Terms, term: TermId) -> bool {
    let is_plain = |form: Form| form.is_literal() || matches!(form, Form::List | Form::Record);
    let mut nodes = nodes(terms, term);
    nodes.by_ref().take(SHORT).all(|node| is_plain(terms.form(node))) && nodes.next().is_none()
}

impl Steps {
    /// Notes that the evaluation of a term begins. What is deeper has ended.
    pub(crate) fn visit(&mut self, term: TermId, depth: u32) {
        if self.told >= MOST {
            return;
        }
        while self.open.last().is_some_and(|open| open.depth > depth) {
            self.open.pop();
        }
        self.open.push(Visit { term, depth });
    }

    /// Notes that a term has come to a value. So have the terms in it that are as deep as it is: a
    /// tail position has the value of the term around it.
    pub(crate) fn tell(&mut self, terms: &Terms, term: TermId, depth: u32, value: &str) {
        let told = Visit { term, depth };
        while self.open.last().is_some_and(|open| open.depth >= depth)
            && let Some(open) = self.open.pop()
        {
            // A form that applies a function is visited again for each element.
            let is_last = open == told && self.open.last() != Some(&told);
            if open.depth == depth && (open != told || is_last) {
                self.add(terms, open, value);
            }
            if is_last {
                return;
            }
        }
    }

    /// Notes the value of the run, which is that of all terms that led to it.
    pub(crate) fn end(&mut self, terms: &Terms, value: &str) {
        let depth = self.open.first().map(|open| open.depth);
        let open = std::mem::take(&mut self.open);
        for visit in open.into_iter().rev().filter(|visit| Some(visit.depth) == depth) {
            self.add(terms, visit, value);
        }
    }

    /// Adds a step. What a term says by itself is none: data, and a function where it is made.
    fn add(&mut self, terms: &Terms, Visit { term, depth }: Visit, value: &str) {
        let form = terms.form(term);
        if form == Form::Lam || is_data(terms, term) || self.told >= MOST {
            return;
        }
        let written = spelling(terms, term);
        self.told += 1;
        let (tool, at) = terms.place(terms.node(term).token);
        let (tool, text) = (tool.map(str::to_owned), written.unwrap_or_default());
        let (form, value) = (form.name(), value.to_owned());
        self.came.push(Stepped { text, form, at, tool, depth, value });
    }

    /// Takes the steps that came since the last call.
    pub(crate) fn take(&mut self) -> Vec<Stepped> {
        std::mem::take(&mut self.came)
    }
}
