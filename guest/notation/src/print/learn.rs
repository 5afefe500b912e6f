//! Learns of each term before any is written: which have no words here and are written as JSON, which
//! functions have a name where they are used, and which names are asked for.
//!
//! The reader takes a `const` of functions as `letrec` if one of them uses itself or a later one, as far
//! as it sees into them: not into JSON.

use crate::print::facts::Facts;
use crate::print::printer::{Ask, Printer, block_names};
use crate::table::callback;
use pif_core::ids::IdSet;
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::term::{NameId, TermId, Terms};

/// A step of the walk, the next one last.
enum Visit {
    Enter(TermId),
    Exit(TermId),
    /// A value of a binding begins.
    Value(TermId, u32),
    /// A name is bound: by which term, as which of its names.
    Bind(NameId, TermId, u32),
    Unbind(NameId),
    /// The names of a block are its own no more.
    Leave(TermId),
}

/// Where names are bound, and what to undo.
struct Walk {
    work: Vec<Visit>,
    /// For each name the terms that bind it, the innermost last. The program finds some names bound:
    /// no term of it binds those.
    scopes: Vec<Vec<(Option<TermId>, u32)>>,
    /// For each binding, which of its values is walked.
    current: Vec<u32>,
    /// Terms whose captures have been counted, and whether they are values of a `let`.
    log: Vec<(TermId, bool)>,
    /// Of each open term, how long the log was.
    marks: Vec<usize>,
    /// Bodies of bindings.
    bodies: IdSet,
}

impl Printer<'_> {
    /// Learns what is to be known of a term.
    pub(super) fn learn(&mut self, root: TermId) {
        let terms = self.terms;
        let count = root as usize + 1;
        let names = terms.count_names();
        self.facts = Facts {
            json: vec![false; count],
            takes: vec![0; count],
            captures: vec![0; count],
            early: vec![0; count],
            tested: tested(terms, root),
            members: vec![false; names],
        };
        let mut walk = Walk {
            work: vec![Visit::Enter(root)],
            scopes: vec![Vec::new(); names],
            current: vec![0; count],
            log: Vec::new(),
            marks: Vec::new(),
            bodies: IdSet::default(),
        };
        // Names that the program finds bound.
        for (name, scope) in walk.scopes.iter_mut().enumerate() {
            if self.bound.get(name).is_some_and(|count| *count > 0) {
                scope.push((None, 0));
            }
        }
        while let Some(visit) = walk.work.pop() {
            match visit {
                Visit::Enter(id) => self.enter(id, &mut walk),
                Visit::Exit(id) => self.exit(id, &mut walk),
                Visit::Value(id, at) => {
                    if let Some(slot) = walk.current.get_mut(id as usize) {
                        *slot = at;
                    }
                }
                Visit::Bind(name, id, at) => {
                    if let Some(scope) = walk.scopes.get_mut(name as usize) {
                        scope.push((Some(id), at));
                    }
                }
                Visit::Unbind(name) => {
                    if let Some(scope) = walk.scopes.get_mut(name as usize) {
                        scope.pop();
                    }
                }
                Visit::Leave(id) => {
                    for name in names_of(terms, id) {
                        self.unbind(name);
                    }
                }
            }
        }
    }

    fn enter(&mut self, id: TermId, walk: &mut Walk) {
        let terms = self.terms;
        let form = terms.form(id);
        let operands = terms.operands(id);
        walk.marks.push(walk.log.len());
        if form == Form::Var {
            self.name_used(id, walk);
        }
        if let (Some(callback), Some(first)) = (callback(form), operands.first())
            && terms.form(*first) == Form::Lam
            && terms.names(*first).len() > callback.arguments
        {
            // The reader would give it an index.
            self.facts.set_json(*first);
        }
        let mut work = Vec::new();
        let is_block = matches!(form, Form::Let | Form::Letrec) && !walk.bodies.has(id);
        if is_block || form == Form::Lam {
            for name in names_of(terms, id) {
                self.bind(name);
            }
        }
        match form {
            Form::Let | Form::Letrec => self.enter_binding(id, walk, &mut work),
            Form::Lam => {
                let bind = |(at, name): (usize, &NameId)| Visit::Bind(*name, id, to_u32(at));
                work.extend(terms.names(id).iter().enumerate().map(bind));
                work.extend(operands.iter().map(|id| Visit::Enter(*id)));
                work.extend(terms.names(id).iter().map(|name| Visit::Unbind(*name)));
            }
            _ => work.extend(operands.iter().map(|id| Visit::Enter(*id))),
        }
        if is_block || form == Form::Lam {
            work.push(Visit::Leave(id));
        }
        work.push(Visit::Exit(id));
        walk.work.extend(work.into_iter().rev());
    }

    fn enter_binding(&mut self, id: TermId, walk: &mut Walk, work: &mut Vec<Visit>) {
        let terms = self.terms;
        let names = terms.names(id);
        let operands = terms.operands(id);
        let Some((body, values)) = operands.split_last() else { return };
        walk.bodies.add(*body);
        let is_seen =
            |value: &TermId| terms.form(id) == Form::Letrec || terms.form(*value) == Form::Lam;
        let all = || names.iter().zip(values).zip(0..);
        for ((name, value), at) in all() {
            if is_seen(value) {
                work.push(Visit::Bind(*name, id, at));
            }
        }
        for ((name, value), at) in all() {
            if terms.form(*value) == Form::Record {
                for member in terms.names(*value) {
                    if let Some(slot) = self.facts.members.get_mut(*member as usize) {
                        *slot = true;
                    }
                }
            }
            work.extend([Visit::Value(id, at), Visit::Enter(*value)]);
            if !is_seen(value) {
                work.push(Visit::Bind(*name, id, at));
            }
        }
        work.extend([Visit::Value(id, u32::MAX), Visit::Enter(*body)]);
        work.extend(names.iter().map(|name| Visit::Unbind(*name)));
    }

    /// Notes what a name stands for.
    fn name_used(&mut self, id: TermId, walk: &mut Walk) {
        let terms = self.terms;
        let scope = walk.scopes.get(terms.only_name(id) as usize);
        let Some((binder, at)) = scope.and_then(|scope| scope.last()).copied() else {
            // A name that is bound further down in the block is another one.
            if self.is_bound(terms.name(terms.only_name(id))) {
                self.facts.set_json(id);
            }
            return;
        };
        let Some(binder) = binder else { return };
        let is_binding = matches!(terms.form(binder), Form::Let | Form::Letrec);
        let Some(value) = terms.operands(binder).get(at as usize).filter(|_| is_binding) else {
            return;
        };
        if terms.form(*value) == Form::Lam
            && let Some(slot) = self.facts.takes.get_mut(id as usize)
        {
            *slot = u16::try_from(terms.names(*value).len()).unwrap_or(u16::MAX);
        }
        let current = walk.current.get(binder as usize).copied().unwrap_or_default();
        if current > at {
            return;
        }
        // A value of a `let` would be one of a `letrec`, or stand behind the function.
        let is_value = terms.form(binder) != Form::Letrec;
        let captured = if is_value {
            terms.operands(binder).get(current as usize).copied().unwrap_or_default()
        } else {
            binder
        };
        if let Some(count) = self.facts.counted(is_value).get_mut(captured as usize) {
            *count += 1;
            walk.log.push((captured, is_value));
        }
    }

    fn exit(&mut self, id: TermId, walk: &mut Walk) {
        let mark = walk.marks.pop().unwrap_or_default();
        if self.facts.is_early(id) || self.spelling(id, Ask::Value).is_none() {
            self.facts.set_json(id);
        }
        if self.facts.is_json(id) {
            for (captured, is_value) in walk.log.drain(mark..) {
                if let Some(count) = self.facts.counted(is_value).get_mut(captured as usize) {
                    *count -= 1;
                }
            }
        }
    }
}

/// The names that a function binds, or a block.
fn names_of(terms: &Terms, id: TermId) -> Vec<NameId> {
    if terms.form(id) == Form::Lam { terms.names(id).to_vec() } else { block_names(terms, id) }
}

/// The names of variables of which a test may ask whether they are there.
fn tested(terms: &Terms, root: TermId) -> Vec<bool> {
    let mut names = vec![false; terms.count_names()];
    let mut is_asked = vec![false; root as usize + 1];
    for id in (0..=root).rev() {
        let inherits = is_asked.get(id as usize).copied().unwrap_or_default();
        let form = terms.form(id);
        if form == Form::Var {
            if let Some(slot) = names.get_mut(terms.only_name(id) as usize) {
                *slot |= inherits;
            }
            continue;
        }
        for (at, operand) in terms.operands(id).iter().enumerate() {
            let is_test = match form {
                Form::If => at == 0 || inherits,
                Form::Or
                | Form::And
                | Form::Either
                | Form::Both
                | Form::Coalesce
                | Form::Eq
                | Form::Not
                | Form::Truth
                | Form::Typeof => true,
                Form::GetIn => at == 0,
                _ => false,
            };
            if let Some(slot) = is_asked.get_mut(*operand as usize).filter(|_| is_test) {
                *slot = true;
            }
        }
    }
    names
}
