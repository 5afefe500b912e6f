//! What a run warns of: code and place of each warning, once.

use crate::run::head;
use pif::fault::Note;
use pif::term::{TermId, Terms};
use std::collections::BTreeMap;

/// Warnings of a run that are told one by one.
const MOST: usize = 20;

/// Warnings that are counted.
const MOST_COUNTED: usize = 1000;

/// `try`s that are watched.
const MOST_TRIED: usize = 100;

#[derive(Default)]
pub(super) struct Warnings {
    /// What parsing found.
    parsed: Vec<String>,
    /// What arose since: code and term.
    arisen: Vec<(&'static str, TermId)>,
    /// Of each `try` how often it ended in a fault, and whether it never ended otherwise.
    tried: BTreeMap<TermId, (u32, bool)>,
}

impl Warnings {
    pub(super) fn parsed(&mut self, notes: &[Note]) {
        self.parsed.extend(notes.iter().map(|note| head(&note.to_string()).to_owned()));
    }

    pub(super) fn arise(&mut self, code: &'static str, term: TermId) {
        if self.arisen.len() < MOST_COUNTED && !self.arisen.contains(&(code, term)) {
            self.arisen.push((code, term));
        }
    }

    pub(super) fn tried(&mut self, term: TermId, is_fault: bool) {
        if self.tried.len() < MOST_TRIED || self.tried.contains_key(&term) {
            let (faults, always) = self.tried.entry(term).or_insert((0, true));
            *faults += u32::from(is_fault);
            *always &= is_fault;
        }
    }

    /// All of them, at the end of the run.
    pub(super) fn told(&mut self, terms: &Terms) -> Vec<String> {
        for (term, (faults, always)) in std::mem::take(&mut self.tried) {
            if always && faults > 1 {
                self.arise("likely-mistake", term);
            }
        }
        let told = self.arisen.iter().take(MOST).map(|(code, term)| {
            let token = terms.node(*term).token;
            let (tool, at) = terms.place(token);
            let tool = tool.map(|tool| format!(" in `{tool}`")).unwrap_or_default();
            let note = terms.note(code, token, String::new(), None);
            head(&Note { at: format!("{at}{tool}"), ..note }.to_string()).to_owned()
        });
        let more = self.arisen.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("… and {more} more"));
        self.parsed.iter().cloned().chain(told).chain(more).collect()
    }
}
