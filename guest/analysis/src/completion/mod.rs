//! What may be written at a cursor: members of what stands before the point, names, tools.
//!
//! The program need not be finished: `pif_notation::draft` makes one of it that has a hole at the cursor, and
//! the walk tells what it finds there.

mod data;
mod methods;
#[cfg(test)]
mod tests;

pub use data::shape_of_data;

use crate::forms::shape_of;
use crate::shape::{Member, Shape};
use crate::tell::Teller;
use crate::tools::names_of;
use crate::values::Entry;
use crate::walk::whole::{Around, Found};
use crate::{Request, walked};
use pif_language::forms::FORMS;
use pif_language::term::{Origin, TermId, Terms};
use pif_notation::draft::{Draft, Wanted, draft, is_object};
use std::collections::BTreeSet;

/// A program that is being written, and what it may name.
#[derive(Clone, Debug, Default)]
pub struct Question<'r> {
    /// The text.
    pub text: &'r str,
    /// The byte where the cursor stands.
    pub cursor: usize,
    /// Variables that the host binds.
    pub variables: Vec<(String, Shape)>,
    /// The argument of the program, if it is a function; else its `data`.
    pub input: Option<Shape>,
    /// The types of tools, and of tools of other servers as `server.tool`.
    pub tools: Vec<(String, Shape)>,
}

/// The kind of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A member of a record.
    Member,
    /// A function that is called as a member.
    Method,
    /// A variable, a server, or an object of JavaScript.
    Name,
    /// A function that is called by its name.
    Function,
    /// A tool.
    Tool,
}

/// A text that may be written at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The text in place of the word at the cursor.
    pub label: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type in one line, or how it is written; empty if nothing is known.
    pub detail: String,
}

/// The proposals for a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The byte where the word at the cursor begins.
    pub start: usize,
    /// In their order.
    pub proposals: Vec<Proposal>,
    /// The tools that the program names, whose types tell more.
    pub tools: Vec<String>,
    /// The tools that are looked for: those of a server, or the host's own (an empty name).
    pub of_server: Option<String>,
}

/// The most characters of a detail.
const MOST_DETAIL: usize = 160;
/// Bytes of the longest program that is walked through. In a longer one all functions are proposed.
const LONGEST: usize = 256 << 10;
/// The most names of tools that are told.
const MOST_TOOLS: usize = 100;

/// Proposes what may be written at the cursor. Nothing in a text, a comment, a number, or JSON.
#[must_use]
pub fn complete(question: &Question<'_>) -> Completion {
    let Some(draft) = draft(question.text, question.cursor) else {
        return Completion { start: question.cursor, ..Completion::default() };
    };
    let mut completion = Completion { start: draft.start, ..Completion::default() };
    let mut list = List { word: draft.word, seen: BTreeSet::new(), proposals: Vec::new() };
    if draft.wanted == Wanted::Tool {
        completion.of_server = Some(String::new());
        list.tools(&question.tools, None);
    } else {
        let seen = look(question, &draft, &mut completion);
        propose(question, &draft, seen, &mut list, &mut completion);
    }
    completion.proposals = list.proposals;
    completion
}

/// Findings of the walk at the hole.
#[derive(Debug, Default)]
struct Seen {
    /// The type of what stands before the point.
    subject: Option<Shape>,
    /// The variables around, from the innermost on.
    names: Vec<(String, Shape)>,
}

/// Walks through the program with the hole.
fn look(question: &Question<'_>, draft: &Draft<'_>, completion: &mut Completion) -> Seen {
    if question.text.len() > LONGEST {
        return Seen::default();
    }
    let variables = variables(question, &draft.hole);
    let request = Request { tools: question.tools.clone(), variables, ..Request::default() };
    let Some((terms, root)) = read_first(&request, &draft.texts) else { return Seen::default() };
    completion.tools = names_of(&terms, root).0;
    completion.tools.truncate(MOST_TOOLS);
    let around = Around {
        // The hole is no variable that anything binds.
        variables: request.variables.get(1..).unwrap_or_default(),
        input: question.input.as_ref(),
        hole: Some(&draft.hole),
    };
    walked(&terms, root, &request, around).map_or_else(Seen::default, |it| tell(&terms, &it))
}

/// The hole, then the variables that a host binds.
fn variables(question: &Question<'_>, hole: &str) -> Vec<(String, Shape)> {
    let mut all = vec![(hole.to_owned(), Shape::Any)];
    all.extend(question.variables.iter().cloned());
    for name in ["data", "input"] {
        all.extend(question.input.iter().map(|it| (name.to_owned(), it.clone())));
    }
    all
}

/// The first of some texts that can be read.
fn read_first(request: &Request<'_>, texts: &[String]) -> Option<(Terms, TermId)> {
    let free = request.free_names();
    texts.iter().find_map(|text| {
        let mut terms = Terms::default();
        let parsed = pif_notation::read_code(&mut terms, text, Origin::Code, &free).ok()?;
        Some((terms, parsed.root))
    })
}

fn tell(terms: &Terms, found: &Found) -> Seen {
    let Some(hole) = &found.core.hole else { return Seen::default() };
    let mut teller = Teller::new(found);
    let subject = hole.subject.map(|it| teller.looked(it));
    let mut names: Vec<(String, Shape)> = Vec::new();
    let mut known = BTreeSet::new();
    for (name, entry) in hole.env.map(|it| found.core.values.variables(it)).unwrap_or_default() {
        if known.insert(name) {
            let shape = match entry {
                Entry::Value(id) => teller.value(id),
                Entry::Recursive { .. } => crate::tell::any_function(),
            };
            names.push((terms.name(name).to_owned(), shape));
        }
    }
    Seen { subject, names }
}

fn propose(
    question: &Question<'_>,
    draft: &Draft<'_>,
    seen: Seen,
    list: &mut List<'_>,
    completion: &mut Completion,
) {
    match &draft.wanted {
        Wanted::MemberOf(name) if seen.subject.is_none() && is_object(name) => list.of_object(name),
        Wanted::MemberOf(name) if seen.subject.is_none() => {
            let is_server = |it: &(String, Shape)| {
                it.0.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            if question.tools.iter().any(is_server) {
                completion.of_server = Some(name.clone());
                list.tools(&question.tools, Some(name));
            } else {
                list.members(&Shape::Any);
            }
        }
        Wanted::Member | Wanted::MemberOf(_) => list.members(&seen.subject.unwrap_or(Shape::Any)),
        Wanted::Name | Wanted::Tool => {
            // A name that nobody wrote is one that the reading of the notation made.
            let given = question.variables.iter().map(|it| it.0.as_str());
            let written: BTreeSet<&str> =
                draft.names.iter().copied().chain(given).chain(["data", "input"]).collect();
            let names = seen.names.into_iter().filter(|it| written.contains(it.0.as_str()));
            list.names(names.collect(), question);
        }
    }
}

/// Proposals that begin with a word, each label once.
#[derive(Debug)]
struct List<'w> {
    word: &'w str,
    seen: BTreeSet<String>,
    proposals: Vec<Proposal>,
}

impl List<'_> {
    fn add(&mut self, label: &str, kind: Kind, detail: &str) {
        if label.starts_with(self.word) && self.seen.insert(label.to_owned()) {
            let detail = match detail.char_indices().nth(MOST_DETAIL) {
                Some((end, _)) => format!("{}…", detail.get(..end).unwrap_or_default()),
                None => detail.to_owned(),
            };
            self.proposals.push(Proposal { label: label.to_owned(), kind, detail });
        }
    }

    /// Members of a record, then the functions that take such a value.
    fn members(&mut self, subject: &Shape) {
        for Member { name, shape, is_optional } in methods::members_of(subject) {
            if pif_notation::draft::is_name(&name) {
                let mark = if is_optional { " | null" } else { "" };
                self.add(&name, Kind::Member, &format!("{shape}{mark}"));
            }
        }
        let word = self.word;
        for (name, detail) in methods::methods_of(subject, |name| name.starts_with(word)) {
            self.add(&name, Kind::Method, &detail);
        }
    }

    /// The functions and constants of an object of JavaScript.
    fn of_object(&mut self, object: &str) {
        let inner = |path: &'static str| path.strip_prefix(object)?.strip_prefix('.');
        for (path, usage) in pif_notation::calls() {
            if let Some(name) = inner(path).filter(|it| !it.contains('.')) {
                self.add(name, Kind::Function, usage);
            }
        }
        for path in pif_notation::constants() {
            if let Some(name) = inner(path) {
                self.add(name, Kind::Member, "number");
            }
        }
    }

    /// Tools of a server, or those without one.
    fn tools(&mut self, tools: &[(String, Shape)], server: Option<&str>) {
        for (name, shape) in tools {
            let own = match server {
                Some(server) => name.strip_prefix(server).and_then(|it| it.strip_prefix('.')),
                None => Some(name.as_str()).filter(|it| !it.contains('.')),
            };
            if let Some(own) = own {
                self.add(own, Kind::Tool, &shape.to_string());
            }
        }
    }

    /// Variables from the innermost on, servers, functions.
    fn names(&mut self, names: Vec<(String, Shape)>, question: &Question<'_>) {
        for (name, shape) in names {
            self.add(&name, Kind::Name, &shape.to_string());
        }
        for (name, shape) in &question.variables {
            self.add(name, Kind::Name, &shape.to_string());
        }
        for (name, _) in &question.tools {
            if let Some((server, _)) = name.split_once('.') {
                self.add(server, Kind::Name, "server");
            }
        }
        for row in FORMS {
            if pif_notation::draft::is_called(row.form)
                && let Ok(shape) = shape_of(row)
            {
                self.add(row.name, Kind::Function, &shape.to_string());
            }
        }
        for (path, usage) in pif_notation::calls() {
            match path.split_once('.') {
                Some((object, _)) => self.add(object, Kind::Name, "object"),
                None => self.add(path, Kind::Function, usage),
            }
        }
    }
}
