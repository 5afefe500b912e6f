//! Terms as trees, with what a proof does to them: places, substitution without capture, equality up to
//! the names of what is bound.
//!
//! A tree is read only up to a depth and a size, so the recursion in this crate is bounded.

use pif_core::json::number::{self, Literal as Number};
use pif_language::form::Form;
use pif_language::parse::{self, Reading};
use pif_language::print;
use pif_language::scope::Scope;
use pif_language::term::{NameId, Origin, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Deepest nesting of a term.
pub const DEEPEST: usize = 100;
/// Most nodes of a term.
pub const LARGEST: usize = 4000;

/// A name of a variable, or a key of a record.
pub type Name = Arc<str>;
/// A term.
pub type Term = Arc<Node>;
/// Substitution: terms for free variables.
pub type Bindings = BTreeMap<Name, Term>;

/// A node of a term. A `let` of several names is one `let` in another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// Its form.
    pub form: Form,
    /// Its operands, in the order of evaluation.
    pub operands: Vec<Term>,
    /// Its names, as the form has them.
    pub names: Vec<Name>,
    /// The canonical JSON of a literal.
    pub literal: Option<Name>,
}

/// A node of a form.
#[must_use]
pub fn node(form: Form, operands: Vec<Term>, names: Vec<Name>) -> Term {
    Arc::new(Node { form, operands, names, literal: None })
}

/// A variable.
#[must_use]
pub fn variable(name: &Name) -> Term {
    node(Form::Var, Vec::new(), vec![Arc::clone(name)])
}

/// An integer.
#[must_use]
pub fn integer(n: i64) -> Term {
    literal(Form::Integer, &n.to_string())
}

/// A boolean.
#[must_use]
pub fn boolean(b: bool) -> Term {
    literal(Form::Boolean, if b { "true" } else { "false" })
}

fn literal(form: Form, json: &str) -> Term {
    Arc::new(Node { form, operands: Vec::new(), names: Vec::new(), literal: Some(json.into()) })
}

/// Reads a term from its JSON. Fails with the reason.
pub fn read(json: &str) -> Result<Term, String> {
    let mut terms = Terms::default();
    let root =
        parse::parse(&mut terms, json, Origin::Code, Reading::Code).map_err(|it| it.message)?.root;
    of_terms(&terms, root)
}

/// Takes a term out of an arena. Fails if it is too deep, too large, or has forms that no proof treats:
/// quotes and what reads them, tools, calls, traces.
pub fn of_terms(terms: &Terms, root: TermId) -> Result<Term, String> {
    let mut room = LARGEST;
    of_term(terms, root, DEEPEST, &mut room)
}

fn of_term(terms: &Terms, id: TermId, depth: usize, room: &mut usize) -> Result<Term, String> {
    let too_large = || "the program is too deep or too large for a proof".to_owned();
    let inner = depth.checked_sub(1).ok_or_else(too_large)?;
    *room = room.checked_sub(1).ok_or_else(too_large)?;
    let form = terms.form(id);
    if form.is_literal() && form != Form::List {
        return Ok(literal(form, &print::term(terms, id)));
    }
    if !is_known(form) {
        return Err(format!("`{}` is not treated by proofs", form.name()));
    }
    let mut operands = Vec::new();
    for operand in terms.operands(id) {
        operands.push(of_term(terms, *operand, inner, room)?);
    }
    let names: Vec<Name> = terms.names(id).iter().map(|it| terms.name(*it).into()).collect();
    if form != Form::Let {
        return Ok(node(form, operands, names));
    }
    let body = operands.pop().ok_or_else(too_large)?;
    let bound = names.into_iter().zip(operands).rev();
    Ok(bound.fold(body, |body, (name, value)| node(Form::Let, vec![value, body], vec![name])))
}

/// Tells whether proofs treat a form.
fn is_known(form: Form) -> bool {
    !matches!(
        form,
        Form::Quote
            | Form::Eval
            | Form::CodeOf
            | Form::Continue
            | Form::Tool
            | Form::Trace
            | Form::Call
            | Form::Calls
            | Form::Perform
            | Form::Unquote
            | Form::TermToData
            | Form::DataToTerm
            | Form::Analyze
    )
}

/// The canonical JSON of a term.
#[must_use]
pub fn json(term: &Term) -> String {
    let mut terms = Terms::default();
    let root = add(&mut terms, term);
    print::term(&terms, root)
}

fn add(terms: &mut Terms, term: &Term) -> TermId {
    if let Some(json) = &term.literal {
        return add_literal(terms, term.form, json);
    }
    let operands: Vec<TermId> = term.operands.iter().map(|it| add(terms, it)).collect();
    let names: Vec<NameId> = term.names.iter().map(|it| terms.intern(it)).collect();
    terms.add(term.form, 0, &operands, &names)
}

fn add_literal(terms: &mut Terms, form: Form, json: &str) -> TermId {
    match (form, number::literal(json)) {
        (Form::Boolean, _) => terms.add_boolean(0, json == "true"),
        (Form::Integer | Form::BigInteger, Ok(Number::Integer(n))) => terms.add_integer(0, n),
        (Form::FloatNumber | Form::Text, _) => {
            match parse::parse(terms, json, Origin::Code, Reading::Code) {
                Ok(parsed) => parsed.root,
                Err(_) => terms.add_unit(0),
            }
        }
        _ => terms.add_unit(0),
    }
}

impl Node {
    /// The names that a node binds within one of its operands.
    #[must_use]
    pub fn bound_in(&self, operand: usize) -> &[Name] {
        let count = match self.form.scope() {
            Scope::All => self.names.len(),
            Scope::Later => operand.min(self.names.len()),
            Scope::None => 0,
        };
        self.names.get(..count).unwrap_or_default()
    }

    /// Tells whether the names of a node are those of what it binds.
    #[must_use]
    pub fn is_binder(&self) -> bool {
        self.form.scope() != Scope::None
    }

    /// Counts the nodes of the term.
    #[must_use]
    pub fn size(&self) -> usize {
        1 + self.operands.iter().map(|it| it.size()).sum::<usize>()
    }

    /// The only name of a variable or a `let`.
    #[must_use]
    pub fn name(&self) -> Option<&Name> {
        self.names.first()
    }
}

/// Adds the free variables of a term.
pub fn free(term: &Term, found: &mut BTreeSet<Name>) {
    if term.form == Form::Var {
        found.extend(term.names.iter().cloned());
    }
    for (at, operand) in term.operands.iter().enumerate() {
        let bound = term.bound_in(at);
        if bound.is_empty() {
            free(operand, found);
        } else {
            let mut inner = BTreeSet::new();
            free(operand, &mut inner);
            found.extend(inner.into_iter().filter(|it| !bound.contains(it)));
        }
    }
}

/// Tells whether a variable is free in a term.
#[must_use]
pub fn is_free(name: &Name, term: &Term) -> bool {
    if term.form == Form::Var {
        return term.name() == Some(name);
    }
    let inside = |(at, it): (usize, &Term)| !term.bound_in(at).contains(name) && is_free(name, it);
    term.operands.iter().enumerate().any(inside)
}

/// A name like this one that is not among the taken ones.
#[must_use]
pub fn fresh(name: &Name, taken: &BTreeSet<Name>) -> Name {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = (1..).map(|n| Name::from(format!("{base}{n}")));
    std::iter::once(Arc::clone(name))
        .chain(numbered)
        .find(|it| !taken.contains(it))
        .unwrap_or_default()
}

/// Puts terms in the places of free variables. Bound names that would capture a free one get another.
#[must_use]
pub fn substitute(term: &Term, bindings: &Bindings) -> Term {
    if bindings.is_empty() {
        return Arc::clone(term);
    }
    if term.form == Form::Var {
        return term.name().and_then(|it| bindings.get(it)).unwrap_or(term).clone();
    }
    if !term.is_binder() {
        let operands = term.operands.iter().map(|it| substitute(it, bindings)).collect();
        return Arc::new(Node { operands, ..(**term).clone() });
    }
    let mut taken = BTreeSet::new();
    for (name, value) in bindings {
        if is_free(name, term) {
            free(value, &mut taken);
        }
    }
    let mut renamed = Bindings::new();
    let mut names = term.names.clone();
    if names.iter().any(|it| taken.contains(it)) {
        free(term, &mut taken);
        taken.extend(term.operands.iter().flat_map(all_names));
        for name in &mut names {
            if taken.contains(name) {
                let new = fresh(name, &taken);
                taken.insert(Arc::clone(&new));
                renamed.insert(Arc::clone(name), variable(&new));
                *name = new;
            }
        }
    }
    let mut operands = Vec::new();
    for (at, operand) in term.operands.iter().enumerate() {
        let bound = term.bound_in(at);
        let mut inner = bindings.clone();
        inner.retain(|name, _| !bound.contains(name));
        for name in bound {
            inner.extend(renamed.get(name).map(|it| (Arc::clone(name), Arc::clone(it))));
        }
        operands.push(substitute(operand, &inner));
    }
    Arc::new(Node { operands, names, ..(**term).clone() })
}

/// All names in a term, bound or not.
fn all_names(term: &Term) -> BTreeSet<Name> {
    let mut found: BTreeSet<Name> = term.names.iter().cloned().collect();
    for operand in &term.operands {
        found.extend(all_names(operand));
    }
    found
}

/// Tells whether terms are equal up to the names of what they bind.
#[must_use]
pub fn is_same(a: &Term, b: &Term) -> bool {
    Arc::ptr_eq(a, b) || is_same_within(a, b, &mut Vec::new())
}

fn is_same_within(a: &Term, b: &Term, bound: &mut Vec<(Name, Name)>) -> bool {
    if a.form != b.form || a.literal != b.literal || a.names.len() != b.names.len() {
        return false;
    }
    if let (Form::Var, [x], [y]) = (a.form, &a.names[..], &b.names[..]) {
        let binding = bound.iter().rev().find(|it| it.0 == *x || it.1 == *y);
        return binding.map_or(x == y, |it| it.0 == *x && it.1 == *y);
    }
    if !a.is_binder() && a.names != b.names || a.operands.len() != b.operands.len() {
        return false;
    }
    for (at, (left, right)) in a.operands.iter().zip(&b.operands).enumerate() {
        let names = a.bound_in(at).iter().cloned().zip(b.bound_in(at).iter().cloned());
        let before = bound.len();
        bound.extend(names);
        let is_same = is_same_within(left, right, bound);
        bound.truncate(before);
        if !is_same {
            return false;
        }
    }
    true
}

/// The term with names for what is bound that follow from where it is bound: equal for terms that are
/// equal up to these names.
#[must_use]
pub fn canonical(term: &Term) -> Term {
    canonical_within(term, &Bindings::new(), 0)
}

fn canonical_within(term: &Term, bindings: &Bindings, depth: usize) -> Term {
    if term.form == Form::Var {
        return term.name().and_then(|it| bindings.get(it)).unwrap_or(term).clone();
    }
    let new: Vec<Name> = (depth..).take(term.names.len()).map(|n| format!("#{n}").into()).collect();
    let mut operands = Vec::new();
    for (at, operand) in term.operands.iter().enumerate() {
        let bound = term.bound_in(at);
        let mut inner = bindings.clone();
        for (old, new) in bound.iter().zip(&new) {
            inner.insert(Arc::clone(old), variable(new));
        }
        operands.push(canonical_within(operand, &inner, depth + bound.len()));
    }
    let names = if term.is_binder() { new } else { term.names.clone() };
    Arc::new(Node { operands, names, ..(**term).clone() })
}

/// The term at a place: the operands on the way to it.
#[must_use]
pub fn at<'t>(term: &'t Term, place: &[usize]) -> Option<&'t Term> {
    place.iter().try_fold(term, |term, at| term.operands.get(*at))
}

/// The term with another at a place.
#[must_use]
pub fn replace(term: &Term, place: &[usize], other: &Term) -> Option<Term> {
    let Some((first, rest)) = place.split_first() else { return Some(Arc::clone(other)) };
    let mut operands = term.operands.clone();
    let operand = operands.get_mut(*first)?;
    *operand = replace(operand, rest, other)?;
    Some(Arc::new(Node { operands, ..(**term).clone() }))
}
