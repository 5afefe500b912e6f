//! Names that a program uses and that there are not: variables, members of literal records, and
//! methods. Each with the names that may be meant.

use pif_core::json::locate::locate;
use pif_language::form::Form;
use pif_language::hint::only_near;
use pif_language::infer;
use pif_language::kinds::{LIST, STRING, UNKNOWN};
use pif_language::term::{NameId, TermId, Terms};
use pif_language::walk::{Step, schedule};
use pif_notation::repair::{Edit, member_from, of_name};
use pif_notation::{constants, functions, members};

/// Most problems of one program.
const MOST: usize = 50;

/// A name that there is not.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The name.
    pub(crate) name: String,
    /// Where it begins in the text: the variable, or the value before the point.
    pub(crate) byte: usize,
    /// The place within the text, where this is JSON.
    at: Option<String>,
    kind: Kind,
    /// The only name that is near.
    near: Option<String>,
}

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Variable,
    Member,
}

/// A name that there is not, in a term.
pub(crate) struct Found {
    name: String,
    term: TermId,
    kind: Kind,
    near: Option<String>,
}

/// Finds the names that there are not.
pub(crate) fn problems(terms: &Terms, root: TermId, free: &[&str]) -> Vec<Found> {
    let names = terms.count_names();
    let mut walk =
        Walk { terms, free, bound: vec![Vec::new(); names], called: vec![], out: vec![] };
    let mut open = vec![Step::Enter(root, 0)];
    while let Some(step) = open.pop() {
        match step {
            Step::Bind(name, binder) => {
                if let Some(bound) = walk.bound.get_mut(name as usize) {
                    bound.push(binder);
                }
            }
            Step::Unbind(name) => {
                if let Some(bound) = walk.bound.get_mut(name as usize) {
                    bound.pop();
                }
            }
            Step::Enter(term, level) => {
                if level == 0 && walk.out.len() < MOST {
                    walk.term(term);
                }
                schedule(terms, (term, level), &mut open);
            }
        }
    }
    walk.out
}

/// The names that there are not, each with its place in the text.
pub(crate) fn located(terms: &Terms, root: TermId, free: &[&str], text: &str) -> Vec<Problem> {
    let found = problems(terms, root, free);
    let place = |Found { name, term, kind, near }| {
        let token = terms.node(term).token;
        if let Some(byte) = terms.byte(token) {
            return Some(Problem { name, byte: byte as usize, at: None, kind, near });
        }
        let at = terms.place(token).1;
        let byte = locate(text, &at)?.value.start;
        Some(Problem { name, byte, at: Some(at), kind, near })
    };
    found.into_iter().filter_map(place).collect()
}

struct Walk<'t> {
    terms: &'t Terms,
    free: &'t [&'t str],
    /// The binders of each name around the place of the walk.
    bound: Vec<Vec<TermId>>,
    /// Callees that have been seen with their calls.
    called: Vec<TermId>,
    out: Vec<Found>,
}

impl Walk<'_> {
    fn term(&mut self, term: TermId) {
        let terms = self.terms;
        match (terms.form(term), terms.operands(term)) {
            (Form::App, [callee, ..]) => self.called.push(*callee),
            (Form::Var, _) => self.variable(term),
            (Form::Get, [object, key, rest @ ..]) if terms.form(*key) == Form::Text => {
                self.member(term, *object, *key, rest.is_empty());
            }
            _ => {}
        }
    }

    fn is_bound(&self, name: NameId) -> bool {
        self.bound.get(name as usize).is_some_and(|binders| !binders.is_empty())
    }

    fn variable(&mut self, term: TermId) {
        let (terms, id) = (self.terms, self.terms.only_name(term));
        let name = terms.name(id);
        if self.is_bound(id) || self.free.contains(&name) {
            return;
        }
        let locals = (0..terms.count_names()).filter_map(|id| NameId::try_from(id).ok());
        let locals = locals.filter(|id| self.is_bound(*id)).map(|id| terms.name(id));
        let locals = locals.filter(|name| !name.starts_with('_')).chain(self.free.iter().copied());
        let mut known: Vec<&str> = locals.collect();
        if self.called.contains(&term) {
            functions().for_each(|name| known.push(name));
        } else {
            constants().for_each(|name| known.push(name));
        }
        let near = only_near(name, &mut known.into_iter());
        let near = near.map(str::to_owned);
        self.out.push(Found { name: name.to_owned(), term, kind: Kind::Variable, near });
    }

    /// The term of the value that a variable surely has.
    fn value(&self, term: TermId) -> TermId {
        let (terms, mut term) = (self.terms, term);
        for _ in 0..8 {
            if terms.form(term) != Form::Var {
                break;
            }
            let id = terms.only_name(term);
            let binder = self.bound.get(id as usize).and_then(|it| it.last()).copied();
            let Some(binder) = binder.filter(|it| terms.form(*it) == Form::Let) else { break };
            let mut pairs = terms.names(binder).iter().zip(terms.operands(binder));
            let mut own = pairs.by_ref().filter(|(name, _)| **name == id);
            match (own.next(), own.next()) {
                (Some((_, value)), None) if *value != term => term = *value,
                _ => break,
            }
        }
        term
    }

    fn member(&mut self, term: TermId, object: TermId, key: TermId, is_needed: bool) {
        let (terms, name) = (self.terms, self.terms.text(key));
        let object = self.value(object);
        let is_called = self.called.contains(&term);
        let near = if terms.form(object) == Form::Record {
            let keys: Vec<&str> = terms.names(object).iter().map(|it| terms.name(*it)).collect();
            if keys.contains(&name) || !is_needed {
                return;
            }
            only_near(name, &mut keys.into_iter())
        } else if is_called && !self.is_key(name) {
            only_near(name, &mut members())
        } else {
            let kinds = infer::given(terms, object);
            let is_simple = kinds != UNKNOWN && kinds & !(LIST | STRING) == 0;
            let is_place = name.starts_with(|c: char| c.is_ascii_digit());
            if !is_simple || name == "length" || is_place {
                return;
            }
            only_near(name, &mut ["length"].into_iter())
        };
        let near = near.map(str::to_owned);
        self.out.push(Found { name: name.to_owned(), term, kind: Kind::Member, near });
    }

    /// Tells whether a record of the program has a member of this name.
    fn is_key(&self, name: &str) -> bool {
        let terms = self.terms;
        (0..terms.len()).any(|term| {
            terms.form(term) == Form::Record
                && terms.names(term).iter().any(|key| terms.name(*key) == name)
        })
    }
}

/// The edits after which a name is one that there is.
pub(crate) fn edits(text: &str, problem: &Problem) -> Vec<Edit> {
    let Problem { name, byte, at, kind, near } = problem;
    if let Some(at) = at {
        let now = near.as_ref();
        return now
            .and_then(|now| super::terms::text_within(text, at, name, now))
            .into_iter()
            .collect();
    }
    if *kind == Kind::Variable {
        let edits = of_name(text, *byte);
        if !edits.is_empty() {
            return edits;
        }
    }
    let Some(near) = near else { return Vec::new() };
    let span = match kind {
        Kind::Variable => {
            let is_here = text.get(*byte..).is_some_and(|rest| rest.starts_with(name.as_str()));
            is_here.then_some((*byte, byte + name.len()))
        }
        Kind::Member => member_from(text, *byte, name),
    };
    span.map(|(start, end)| Edit { start, end, now: near.clone() }).into_iter().collect()
}
