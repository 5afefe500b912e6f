//! The type of a value that is of one type or of another.

use super::{
    ANY, Elements, Entry, Env, EnvId, Function, FunctionId, Id, MOST_ELEMENTS, MOST_FUNCTIONS,
    MOST_MEMBERS, MOST_TEXTS, NEVER, Node, Record, Ref, Values,
};
use pif_language::kinds::{FUNCTION, Kinds, LIST, MAP, PAIR, RECORD, SET, STRING};
use std::rc::Rc;

/// How deep joins of environments may be within one another.
const NESTED: u32 = 12;

impl Values {
    /// The type of what may be of either type. Unless both are one, nobody knows which of the two a
    /// value is, so parts of the input are no longer asked for surely.
    pub(crate) fn join(&mut self, a: Id, b: Id) -> Id {
        if a == b || b == NEVER {
            return a;
        }
        if a == NEVER {
            return b;
        }
        if let Some(id) = self.joined.get(&(a, b)) {
            return *id;
        }
        let (first, second) = (self.weaken(a), self.weaken(b));
        let id = if first == second { first } else { self.union(first, second) };
        self.joined.insert((a, b), id);
        id
    }

    /// The join of all these.
    pub(crate) fn join_all(&mut self, ids: impl IntoIterator<Item = Id>) -> Id {
        ids.into_iter().fold(NEVER, |joined, id| self.join(joined, id))
    }

    /// A join that ends after few steps, however often it is repeated.
    pub(crate) fn widen(&mut self, before: Id, id: Id) -> Id {
        let joined = self.join(before, id);
        if self.depth(joined) <= self.depth(before) {
            return joined;
        }
        self.forget(joined);
        let node = self.node(joined);
        let refs = node.refs.clone();
        self.make(Node { kinds: node.kinds, refs, ..Node::default() })
    }

    /// The type of what is of the first type, or else of the second. What the first one asks of parts
    /// of the input it goes on asking.
    pub(crate) fn union(&mut self, a: Id, b: Id) -> Id {
        if a == ANY || b == ANY {
            self.forget(a);
            self.forget(b);
            return ANY;
        }
        if a == NEVER || a == b {
            return b;
        }
        if b == NEVER {
            return a;
        }
        let (a, b) = (self.node(a), self.node(b));
        let node = Node {
            kinds: a.kinds | b.kinds,
            texts: join_texts(&a, &b),
            list: self.join_lists(&a, &b),
            pair: self.join_halves(&a, &b, PAIR, |node| node.pair),
            record: self.join_records(&a, &b),
            map: self.join_halves(&a, &b, MAP, |node| node.map),
            set: self.join_sets(&a, &b),
            functions: self.join_functions(&a, &b),
            refs: join_refs(&a.refs, &b.refs),
        };
        self.make(node)
    }

    fn join_lists(&mut self, a: &Node, b: &Node) -> Option<Elements> {
        if a.kinds & LIST == 0 {
            return b.list.clone();
        }
        if b.kinds & LIST == 0 {
            return a.list.clone();
        }
        match (&a.list, &b.list) {
            (Some(Elements::Tuple(a)), Some(Elements::Tuple(b))) if a.len() == b.len() => {
                let pairs = a.iter().zip(b);
                Some(Elements::Tuple(pairs.map(|(a, b)| self.join(*a, *b)).collect()))
            }
            (Some(a), Some(b)) => {
                let (a, b) = (self.element_of(a), self.element_of(b));
                let joined = self.join(a, b);
                Some(Elements::Of(self.weaken(joined)))
            }
            (a, b) => {
                for elements in [a, b].into_iter().flatten() {
                    let element = self.element_of(elements);
                    self.forget(element);
                }
                None
            }
        }
    }

    /// The type of the elements of a list.
    pub(crate) fn element_of(&mut self, elements: &Elements) -> Id {
        match elements {
            Elements::Of(element) => *element,
            Elements::Tuple(elements) => self.join_all(elements.iter().copied()),
        }
    }

    /// A list of just these elements, if they are few.
    pub(crate) fn list_of(&mut self, elements: Vec<Id>) -> Id {
        let elements = if elements.len() <= MOST_ELEMENTS {
            Elements::Tuple(elements)
        } else {
            Elements::Of(self.join_all(elements))
        };
        self.make(Node { kinds: LIST, list: Some(elements), ..Node::default() })
    }

    fn join_halves(
        &mut self,
        a: &Node,
        b: &Node,
        kind: u16,
        halves: impl Fn(&Node) -> Option<[Id; 2]>,
    ) -> Option<[Id; 2]> {
        if a.kinds & kind == 0 || b.kinds & kind == 0 {
            return halves(if a.kinds & kind == 0 { b } else { a });
        }
        match (halves(a), halves(b)) {
            (Some(a), Some(b)) => Some([self.join(a[0], b[0]), self.join(a[1], b[1])]),
            (a, b) => {
                self.forget_all(a.into_iter().chain(b).flatten());
                None
            }
        }
    }

    fn join_sets(&mut self, a: &Node, b: &Node) -> Option<Id> {
        if a.kinds & SET == 0 || b.kinds & SET == 0 {
            return if a.kinds & SET == 0 { b.set } else { a.set };
        }
        match (a.set, b.set) {
            (Some(a), Some(b)) => Some(self.join(a, b)),
            (a, b) => {
                self.forget_all(a.into_iter().chain(b));
                None
            }
        }
    }

    fn join_records(&mut self, a: &Node, b: &Node) -> Option<Record> {
        if a.kinds & RECORD == 0 {
            return b.record.clone();
        }
        if b.kinds & RECORD == 0 {
            return a.record.clone();
        }
        let (Some(first), Some(second)) = (&a.record, &b.record) else {
            let parts: Vec<Id> = a.record.iter().chain(&b.record).flat_map(members).collect();
            self.forget_all(parts);
            return None;
        };
        if first.spread != second.spread {
            let spreads = [first.spread, second.spread].into_iter().flatten();
            let places: Vec<_> = spreads.map(|it| it.place).collect();
            self.lost.extend(places);
            self.forget_all(members(first).chain(members(second)));
            return None;
        }
        let mut joined = Record { spread: first.spread, ..Record::default() };
        joined.rest = self.join(first.rest, second.rest);
        let names: std::collections::BTreeSet<&Rc<str>> =
            first.members.keys().chain(second.members.keys()).collect();
        for name in names {
            let of = |record: &Record| {
                let rest = (record.rest, true);
                record.members.get(name).copied().unwrap_or(rest)
            };
            let ((a, a_missing), (b, b_missing)) = (of(first), of(second));
            joined.members.insert(Rc::clone(name), (self.join(a, b), a_missing || b_missing));
        }
        Some(self.few_members(joined))
    }

    /// A record of many members has them under any keys.
    pub(crate) fn few_members(&mut self, record: Record) -> Record {
        if record.members.len() <= MOST_MEMBERS {
            return record;
        }
        let mut rest = record.rest;
        for (id, _) in record.members.into_values() {
            rest = self.join(rest, id);
        }
        Record { rest, spread: record.spread, ..Record::default() }
    }

    fn join_functions(&mut self, a: &Node, b: &Node) -> Option<Vec<FunctionId>> {
        if a.kinds & FUNCTION == 0 {
            return b.functions.clone();
        }
        if b.kinds & FUNCTION == 0 {
            return a.functions.clone();
        }
        let (Some(first), Some(second)) = (&a.functions, &b.functions) else {
            self.escaped.extend(a.functions.iter().chain(&b.functions).flatten());
            return None;
        };
        let mut joined = first.clone();
        for id in second {
            let of_the_same = joined.iter().position(|it| self.is_of_one_lambda(*it, *id));
            match of_the_same {
                Some(at) => {
                    let merged = joined.get(at).and_then(|it| self.join_closures(*it, *id));
                    let Some(merged) = merged else {
                        self.escaped.extend(first.iter().chain(second));
                        return None;
                    };
                    joined.splice(at..=at, [merged]);
                }
                None => joined.push(*id),
            }
        }
        joined.sort_unstable();
        joined.dedup();
        if joined.len() > MOST_FUNCTIONS {
            self.escaped.extend(joined);
            return None;
        }
        Some(joined)
    }

    fn is_of_one_lambda(&self, a: FunctionId, b: FunctionId) -> bool {
        match (self.function(a), self.function(b)) {
            (
                Some(Function::Lambda { term: a, held: x, .. }),
                Some(Function::Lambda { term: b, held: y, .. }),
            )
            | (
                Some(Function::Tool { number: a, held: x }),
                Some(Function::Tool { number: b, held: y }),
            ) => a == b && x.len() == y.len(),
            _ => false,
        }
    }

    fn join_closures(&mut self, a: FunctionId, b: FunctionId) -> Option<FunctionId> {
        if a == b {
            return Some(a);
        }
        let joined = match (self.function(a)?, self.function(b)?) {
            (
                Function::Lambda { term, env, held, .. },
                Function::Lambda { env: other, held: more, .. },
            ) => {
                let env = self.join_envs(env, other)?;
                let held = held.iter().zip(more).map(|(a, b)| self.join(*a, b)).collect();
                Function::Lambda { term, env, held, is_weak: true }
            }
            (Function::Tool { number, held }, Function::Tool { held: more, .. }) => {
                let held = held.iter().zip(more).map(|(a, b)| self.join(*a, b)).collect();
                Function::Tool { number, held }
            }
            _ => return None,
        };
        Some(self.add_function(joined))
    }

    /// The environment of a lambda whose variables are of one type or another. Both bind the same
    /// names in the same order.
    pub(crate) fn join_envs(&mut self, a: EnvId, b: EnvId) -> Option<EnvId> {
        if self.nested >= NESTED {
            return None;
        }
        self.nested += 1;
        let joined = self.join_variables(a, b);
        self.nested -= 1;
        joined
    }

    fn join_variables(&mut self, mut a: EnvId, mut b: EnvId) -> Option<EnvId> {
        let mut inner: Vec<(Env, Env)> = Vec::new();
        while a != b {
            let (first, second) = (self.env(a)?, self.env(b)?);
            if first.name != second.name {
                return None;
            }
            inner.push((first, second));
            a = first.outer;
            b = second.outer;
        }
        let mut env = a;
        for (first, second) in inner.into_iter().rev() {
            let entry = match (first.entry, second.entry) {
                (a, b) if a == b => a,
                (Entry::Value(a), Entry::Value(b)) => Entry::Value(self.join(a, b)),
                (
                    Entry::Recursive { term, around, number },
                    Entry::Recursive { term: other, around: beside, number: place },
                ) if term == other && number == place => {
                    let around = self.join_envs(around, beside)?;
                    Entry::Recursive { term, around, number }
                }
                _ => return None,
            };
            env = self.bind(env, first.name, entry);
        }
        Some(env)
    }

    /// The type without strong references.
    pub(crate) fn weaken(&mut self, id: Id) -> Id {
        if !self.measured(id).is_strong {
            return id;
        }
        if let Some(weak) = self.weakened.get(&id) {
            return *weak;
        }
        let mut node = (*self.node(id)).clone();
        node.refs.iter_mut().for_each(|it| it.is_strong = false);
        for function in node.functions.iter_mut().flatten() {
            *function = self.weaken_function(*function);
        }
        if let Some(spread) = node.record.as_mut().and_then(|it| it.spread.as_mut()) {
            spread.is_strong = false;
        }
        for part in node.parts_mut() {
            *part = self.weaken(*part);
        }
        let weak = self.make(node);
        self.weakened.insert(id, weak);
        weak
    }

    /// The type with other kinds in its references.
    pub(crate) fn narrow(&mut self, id: Id, kinds: &impl Fn(Ref) -> Kinds) -> Id {
        let mut node = (*self.node(id)).clone();
        for it in &mut node.refs {
            it.mask = kinds(*it);
        }
        for part in node.parts_mut() {
            *part = self.narrow(*part, kinds);
        }
        self.make(node)
    }
}

impl Values {
    fn weaken_function(&mut self, id: FunctionId) -> FunctionId {
        match self.function(id) {
            Some(Function::Lambda { term, env, held, is_weak: false }) => {
                self.add_function(Function::Lambda { term, env, held, is_weak: true })
            }
            _ => id,
        }
    }
}

fn members(record: &Record) -> impl Iterator<Item = Id> + '_ {
    record.members.values().map(|it| it.0).chain([record.rest])
}

fn join_texts(a: &Node, b: &Node) -> Vec<Rc<str>> {
    if a.kinds & STRING == 0 || b.kinds & STRING == 0 {
        return if a.kinds & STRING == 0 { b.texts.clone() } else { a.texts.clone() };
    }
    if a.texts.is_empty() || b.texts.is_empty() {
        return Vec::new();
    }
    let mut texts: Vec<Rc<str>> = a.texts.iter().chain(&b.texts).cloned().collect();
    texts.sort_unstable();
    texts.dedup();
    if texts.len() > MOST_TEXTS { Vec::new() } else { texts }
}

/// References of both, one for each place.
fn join_refs(a: &[Ref], b: &[Ref]) -> Vec<Ref> {
    let mut refs: Vec<Ref> = a.to_vec();
    for other in b {
        match refs.iter_mut().find(|it| it.place == other.place) {
            Some(it) => {
                it.mask |= other.mask;
                it.is_strong &= other.is_strong;
            }
            None => refs.push(*other),
        }
    }
    refs.sort_unstable();
    refs
}
