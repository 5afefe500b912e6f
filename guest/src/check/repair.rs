//! Sure repairs of a program. What is proposed at the place of a fault is tried: it counts if the
//! program can be read then, and nothing else that is proposed leads to another program.

use crate::check::advice::advise;
use crate::check::hunks::Hunks;
use crate::check::names::{self, Problem};
use crate::check::terms;
use pif_core::fault::{Code, Fault, Fix, Near, Note, Place};
use pif_core::json::locate::locate;
use pif_language::print;
use pif_language::term::{Origin, Terms};
use pif_notation::check_code;
use pif_notation::repair::{
    Edit, byte_of, has_sequence, key_from, member_from, misread, proposals,
};
use std::collections::BTreeSet;

/// Bytes of the longest program that is repaired.
pub(crate) const LONGEST: usize = 1 << 14;

/// Most programs that are read in the search for a repair.
const MOST_READ: usize = 400;

/// Most bytes of all these programs.
const MOST_BYTES: usize = 1 << 18;

/// Most repairs of one program.
const MOST_REPAIRS: usize = 40;

/// Most faults of one reading. The first one is repaired.
const MOST_FAULTS: usize = 1;

/// A program on the way to its repair.
#[derive(Clone)]
struct Try {
    text: String,
    hunks: Hunks,
}

impl Try {
    /// Returns the program with one more edit, for a fault at a byte.
    fn with(&self, edit: &Edit, fault: usize) -> Option<Self> {
        let text = edit.apply(&self.text)?;
        let mut hunks = self.hunks.clone();
        hunks.add(&self.text, edit, fault);
        Some(Self { text, hunks })
    }
}

/// The repairs of a program.
#[derive(Debug)]
pub(crate) struct Repaired {
    original: String,
    fixed: String,
    hunks: Hunks,
    is_json: bool,
}

/// Tells whether a fault of a run may come from the spelling of the program.
pub(crate) fn may_repair(fault: &Fault) -> bool {
    let is_spelling = matches!(
        fault.code,
        Code::Malformed
            | Code::UnknownForm
            | Code::Unbound
            | Code::Unparsable
            | Code::MissingKey
            | Code::NotAFunction
            | Code::OutOfRange
            | Code::TypeMismatch
    );
    is_spelling && fault.tool.is_none() && !fault.is_of_argument()
}

/// Repairs a program in which these names are variables. `None`: nothing in it is surely repaired.
pub(crate) fn repair(code: &str, free: &[&str], missing: Option<&Fault>) -> Option<Repaired> {
    if code.len() > LONGEST {
        return None;
    }
    let mut found = readable(code, free)?;
    if let Some((fault, near)) = missing.and_then(|fault| Some((fault, fault.near.as_ref()?))) {
        found = rename(&found, fault, near, free).unwrap_or(found);
    }
    let is_rewritten = !found.hunks.is_empty();
    let found = named(joined(found, free), free);
    // A rewritten program that names what there is not may not be the one that is meant.
    if is_rewritten && !problems(&found.text, free).is_empty() {
        return None;
    }
    let is_json = code.trim_start().starts_with(['{', '[']) && is_json(code, free);
    let Try { text: fixed, hunks } = found;
    (!hunks.is_empty()).then(|| Repaired { original: code.to_owned(), fixed, hunks, is_json })
}

/// Tells whether a program is read as JSON: its faults have no place in a text.
fn is_json(code: &str, free: &[&str]) -> bool {
    let mut terms = Terms::default();
    match check_code(&mut terms, code, Origin::Code, free, MOST_FAULTS) {
        Ok(parsed) => terms.byte(terms.node(parsed.root).token).is_none(),
        Err(faults) => faults.first().is_none_or(|fault| fault.place.is_none()),
    }
}

/// Finds the only program without faults that the proposals lead to. A program that has no fault is
/// its own.
fn readable(code: &str, free: &[&str]) -> Option<Try> {
    let mut open = vec![Try { text: code.to_owned(), hunks: Hunks::default() }];
    let mut seen = BTreeSet::new();
    let mut bytes = 0;
    let mut ends: Vec<(String, usize, Try)> = Vec::new();
    while let Some(next) = open.pop() {
        if !seen.insert(next.text.clone()) || next.hunks.edits() > MOST_REPAIRS {
            continue;
        }
        bytes += next.text.len();
        if seen.len() > MOST_READ || bytes > MOST_BYTES {
            return None;
        }
        let mut terms = Terms::default();
        match check_code(&mut terms, &next.text, Origin::Code, free, MOST_FAULTS) {
            Ok(_) if !next.hunks.is_empty() && has_sequence(&next.text) => {}
            Ok(parsed) => {
                let canonical = print::term(&terms, parsed.root);
                // A method of another type makes a note.
                let notes = advise(&terms, parsed.root, false).notes.len();
                let problems = names::problems(&terms, parsed.root, free).len() + notes;
                ends.push((canonical, problems, next));
            }
            Err(faults) => {
                let fault = faults.first()?;
                let (byte, edits) = edits(&next.text, fault)?;
                let fault = next.hunks.original(byte);
                open.extend(edits.iter().rev().filter_map(|edit| next.with(edit, fault)));
            }
        }
    }
    // A program that names what there is not is not the one that is meant.
    let least = ends.iter().map(|(_, problems, _)| *problems).min()?;
    ends.retain(|(_, problems, _)| *problems == least);
    let first = ends.first()?.0.clone();
    let is_only = ends.iter().all(|(canonical, ..)| *canonical == first);
    is_only.then(|| ends.swap_remove(0).2)
}

/// The byte of a fault, and the edits that may repair it.
fn edits(text: &str, fault: &Fault) -> Option<(usize, Vec<Edit>)> {
    let byte = byte(text, fault.place.as_deref(), &fault.at)?;
    let edits = match fault.place {
        Some(_) => proposals(text, byte),
        None => terms::proposals(text, fault),
    };
    Some((byte, edits))
}

/// The byte of a place, or that to which a pointer into a JSON term leads.
fn byte(text: &str, place: Option<&Place>, at: &str) -> Option<usize> {
    match place {
        Some(place) => byte_of(text, place),
        None => locate(text, at).map(|found| found.value.start),
    }
}

/// Repairs what can be read in another way than it is meant.
fn joined(mut program: Try, free: &[&str]) -> Try {
    while program.hunks.edits() < MOST_REPAIRS
        && let Some(edit) = misread(&program.text)
    {
        let fault = program.hunks.original(edit.start);
        let next = program.with(&edit, fault);
        let is_read = |next: &Try| readable(&next.text, free).is_some_and(|it| it.hunks.is_empty());
        match next.filter(is_read) {
            Some(next) => program = next,
            None => break,
        }
    }
    program
}

/// Repairs the names of a program that can be read, as far as they are sure.
fn named(mut program: Try, free: &[&str]) -> Try {
    let mut skipped = BTreeSet::new();
    while program.hunks.edits() < MOST_REPAIRS {
        let problems = problems(&program.text, free);
        let mut todo = problems.iter().filter(|it| !skipped.contains(&key(&program, it)));
        let Some(problem) = todo.next() else { break };
        let next = repaired(&program, problem, problems.len(), free);
        match next {
            Some(next) => program = next,
            None => {
                skipped.insert(key(&program, problem));
            }
        }
    }
    program
}

/// What tells a problem from others: its name, and its place in the original.
fn key(program: &Try, problem: &Problem) -> (String, usize) {
    (problem.name.clone(), program.hunks.original(problem.byte))
}

fn problems(text: &str, free: &[&str]) -> Vec<Problem> {
    let mut terms = Terms::default();
    match check_code(&mut terms, text, Origin::Code, free, MOST_FAULTS) {
        Ok(parsed) => names::located(&terms, parsed.root, free, text),
        Err(_) => Vec::new(),
    }
}

/// The program with one problem less.
fn repaired(program: &Try, problem: &Problem, count: usize, free: &[&str]) -> Option<Try> {
    let edits = names::edits(&program.text, problem);
    let [edit] = edits.as_slice() else { return None };
    let next = program.with(edit, program.hunks.original(problem.byte))?;
    let next = readable(&next.text, free).and_then(|end| {
        // What a rewriting leaves to be repaired is repaired, too.
        let mut next = next;
        for edit in end.hunks.steps() {
            next = next.with(edit, problem.byte)?;
        }
        Some(next)
    })?;
    let left = problems(&next.text, free);
    let is_less = left.len() < count;
    is_less.then_some(next)
}

/// The program with the key that the record has.
fn rename(program: &Try, fault: &Fault, near: &Near, free: &[&str]) -> Option<Try> {
    if !program.hunks.is_empty() {
        return None;
    }
    let byte = byte(&program.text, fault.place.as_deref(), &fault.at)?;
    let edit = match fault.place {
        Some(_) => {
            let (start, end) = member_from(&program.text, byte, &near.was)
                .or_else(|| key_from(&program.text, byte, &near.was))?;
            let is_name = near.now.chars().all(|c| c.is_alphanumeric() || c == '_');
            is_name.then(|| Edit { start, end, now: near.now.clone() })?
        }
        None => terms::text_within(&program.text, &fault.at, &near.was, &near.now)?,
    };
    let next = program.with(&edit, byte)?;
    readable(&next.text, free).filter(|end| end.hunks.is_empty())?;
    Some(next)
}

impl Repaired {
    /// The repair of what is wrong at a place.
    fn at(&self, place: Option<&Place>, at: &str) -> Option<Box<Fix>> {
        let byte = byte(&self.original, place, at)?;
        let (start, end, now) = self.hunks.of(byte)?;
        let was = self.original.get(start..end)?.to_owned();
        let at = if self.is_json {
            at.to_owned()
        } else {
            let Place { line, column, .. } = Place::of(&self.original, start);
            format!("{line}:{column}")
        };
        Some(Box::new(Fix { at, was, now: now.to_owned(), fixed: self.fixed.clone() }))
    }

    /// Adds the repair to a fault of the program.
    pub(crate) fn fault(&self, fault: Fault) -> Fault {
        let fix = self.at(fault.place.as_deref(), &fault.at).filter(|_| fault.tool.is_none());
        Fault { fix, ..fault }
    }

    /// Adds the repair to a note on the program.
    pub(crate) fn note(&self, note: Note) -> Note {
        let fix = self.at(note.place.as_deref(), &note.at);
        Note { fix, ..note }
    }
}
