//! What a value may be, as the walk knows it: nodes in an arena, each once, so equal types have equal
//! ids. A node says which kinds a value may have, and of each kind its parts.

mod index;
mod join;

use pif_language::kinds::{FUNCTION, Kinds, LIST, MAP, PAIR, RECORD, SET, STRING};
use pif_language::term::{NameId, TermId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use index::Index;

/// A type in the arena.
pub(crate) type Id = u32;

/// No value.
pub(crate) const NEVER: Id = 0;
/// Any value, of which nothing is known.
pub(crate) const ANY: Id = 1;
/// All kinds.
pub(crate) const EVERY: Kinds = Kinds::MAX;

/// Deepest nesting of a type. One that would be deeper is cut to its kinds.
const DEEPEST: u8 = 10;
/// Most nodes of a type, each counted wherever it stands.
const LARGEST: u32 = 400;
/// Most texts that are told apart.
const MOST_TEXTS: usize = 8;
/// Most members of a record that are told apart.
const MOST_MEMBERS: usize = 64;
/// Most elements of a list that are told apart.
pub(crate) const MOST_ELEMENTS: usize = 8;
/// Most functions that a value may be.
const MOST_FUNCTIONS: usize = 8;

/// What a value may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    /// The kinds it may have, apart from those of `refs`. Of a kind without parts below nothing more
    /// is known.
    pub(crate) kinds: Kinds,
    /// The texts it may be; none if it may be any.
    pub(crate) texts: Vec<Rc<str>>,
    pub(crate) list: Option<Elements>,
    pub(crate) pair: Option<[Id; 2]>,
    pub(crate) record: Option<Record>,
    pub(crate) map: Option<[Id; 2]>,
    pub(crate) set: Option<Id>,
    pub(crate) functions: Option<Vec<FunctionId>>,
    /// The parts of the input that it may be.
    pub(crate) refs: Vec<Ref>,
}

/// The elements of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Elements {
    /// Any number of these.
    Of(Id),
    /// Just these.
    Tuple(Vec<Id>),
}

/// The members of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Record {
    /// Keys, each with its type, and whether it may be missing.
    pub(crate) members: BTreeMap<Rc<str>, (Id, bool)>,
    /// What stands under any other key; `NEVER` if there is none.
    pub(crate) rest: Id,
    /// A record whose other members it has, too.
    pub(crate) spread: Option<Ref>,
}

/// Which part of the input.
pub(crate) type PlaceId = u32;

/// A part of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ref {
    pub(crate) place: PlaceId,
    /// The kinds that the part has where this is the value.
    pub(crate) mask: Kinds,
    /// Whether this is the value whenever the part has one of these kinds. What is asked of such a
    /// value is asked of each part at the place.
    pub(crate) is_strong: bool,
}

pub(crate) type FunctionId = u32;

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    /// A lambda in its environment, with the arguments that it has got. One that is weak is perhaps
    /// another function: what it asks of the input is perhaps not asked.
    Lambda { term: TermId, env: EnvId, held: Vec<Id>, is_weak: bool },
    /// A tool: its number among those that are known, with the arguments that it has got.
    Tool { number: u32, held: Vec<Id> },
}

pub(crate) type EnvId = u32;
/// The environment without variables.
pub(crate) const EMPTY: EnvId = 0;

/// A variable, and those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Env {
    pub(crate) name: NameId,
    pub(crate) entry: Entry,
    pub(crate) outer: EnvId,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    Value(Id),
    /// A function of a `letrec`: the term of that, the environment around it, and which.
    Recursive {
        term: TermId,
        around: EnvId,
        number: u32,
    },
}

/// What is known of a node, beside it.
#[derive(Clone, Copy, Debug)]
struct Measure {
    depth: u8,
    size: u32,
    /// Whether it has strong references, at any depth.
    is_strong: bool,
}

/// All types, functions and environments.
#[derive(Debug)]
pub(crate) struct Values {
    nodes: Vec<Rc<Node>>,
    measures: Vec<Measure>,
    ids: HashMap<Rc<Node>, Id>,
    functions: Vec<Function>,
    function_ids: HashMap<Function, FunctionId>,
    envs: Vec<Env>,
    /// For each environment, where its variables are found.
    indices: Vec<u32>,
    index: Index,
    env_ids: HashMap<Env, EnvId>,
    joined: HashMap<(Id, Id), Id>,
    weakened: HashMap<Id, Id>,
    /// Functions that the walk has lost sight of: somebody may apply them to anything.
    pub(crate) escaped: BTreeSet<FunctionId>,
    /// Parts of the input that it has lost sight of: somebody may look at them.
    pub(crate) lost: BTreeSet<PlaceId>,
    forgotten: BTreeSet<Id>,
    /// How deep joins of environments are within one another.
    nested: u32,
}

impl Values {
    pub(crate) fn new() -> Self {
        let root = Env { name: NameId::MAX, entry: Entry::Value(NEVER), outer: EMPTY };
        let mut values = Self {
            nodes: Vec::new(),
            measures: Vec::new(),
            ids: HashMap::new(),
            functions: Vec::new(),
            function_ids: HashMap::new(),
            envs: vec![root],
            indices: vec![index::EMPTY],
            index: Index::default(),
            env_ids: HashMap::new(),
            joined: HashMap::new(),
            weakened: HashMap::new(),
            escaped: BTreeSet::new(),
            lost: BTreeSet::new(),
            forgotten: BTreeSet::new(),
            nested: 0,
        };
        values.add(Node::default());
        values.add(Node { kinds: EVERY, ..Node::default() });
        values
    }

    pub(crate) fn node(&self, id: Id) -> Rc<Node> {
        self.nodes.get(id as usize).cloned().unwrap_or_default()
    }

    pub(crate) fn function(&self, id: FunctionId) -> Option<Function> {
        self.functions.get(id as usize).cloned()
    }

    /// Finds or adds a function.
    pub(crate) fn add_function(&mut self, function: Function) -> FunctionId {
        if let Some(id) = self.function_ids.get(&function) {
            return *id;
        }
        let id = pif_core::limits::to_u32(self.functions.len());
        self.functions.push(function.clone());
        self.function_ids.insert(function, id);
        id
    }

    pub(crate) fn env(&self, id: EnvId) -> Option<Env> {
        self.envs.get(id as usize).copied().filter(|_| id != EMPTY)
    }

    /// An environment with one more variable.
    pub(crate) fn bind(&mut self, outer: EnvId, name: NameId, entry: Entry) -> EnvId {
        let env = Env { name, entry, outer };
        if let Some(id) = self.env_ids.get(&env) {
            return *id;
        }
        let id = pif_core::limits::to_u32(self.envs.len());
        let around = self.indices.get(outer as usize).copied().unwrap_or(index::EMPTY);
        self.indices.push(self.index.with(around, name, id));
        self.envs.push(env);
        self.env_ids.insert(env, id);
        id
    }

    /// The entry of a variable.
    pub(crate) fn lookup(&self, env: EnvId, name: NameId) -> Option<Entry> {
        let index = self.indices.get(env as usize).copied()?;
        self.env(self.index.find(index, name)?).map(|it| it.entry)
    }

    /// The variables of an environment, from the innermost on. A name may stand there more than once.
    pub(crate) fn variables(&self, env: EnvId) -> Vec<(NameId, Entry)> {
        let mut found = Vec::new();
        let mut at = env;
        while let Some(Env { name, entry, outer }) = self.env(at) {
            found.push((name, entry));
            at = outer;
        }
        found
    }

    /// Finds or adds a type. One that is too large is cut to its kinds.
    pub(crate) fn make(&mut self, mut node: Node) -> Id {
        let kinds = node.kinds;
        let has = |kind: Kinds| kinds & kind != 0;
        if !has(STRING) {
            node.texts.clear();
        }
        node.list.take_if(|_| !has(LIST));
        node.pair.take_if(|_| !has(PAIR));
        node.record.take_if(|_| !has(RECORD));
        node.map.take_if(|_| !has(MAP));
        node.set.take_if(|_| !has(SET));
        node.functions.take_if(|_| !has(FUNCTION));
        node.refs.retain(|it| it.mask != 0);
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let measure = self.measure(&node);
        if measure.depth > DEEPEST || measure.size > LARGEST {
            let parts: Vec<Id> = node.parts().collect();
            self.forget_all(parts);
            let (spread, functions) = (node.record.and_then(|it| it.spread), node.functions);
            self.lost.extend(spread.map(|it| it.place));
            self.escaped.extend(functions.iter().flatten());
            let refs = node.refs;
            return self.make(Node { kinds, refs, ..Node::default() });
        }
        self.add(node)
    }

    fn add(&mut self, node: Node) -> Id {
        let measure = self.measure(&node);
        let id = pif_core::limits::to_u32(self.nodes.len());
        let node = Rc::new(node);
        self.nodes.push(Rc::clone(&node));
        self.measures.push(measure);
        self.ids.insert(node, id);
        id
    }

    fn measured(&self, id: Id) -> Measure {
        let none = Measure { depth: 0, size: 1, is_strong: false };
        self.measures.get(id as usize).copied().unwrap_or(none)
    }

    fn measure(&self, node: &Node) -> Measure {
        let strong = node.refs.iter().any(|it| it.is_strong);
        let spread = node.record.as_ref().and_then(|it| it.spread);
        let mut functions = node.functions.iter().flatten();
        let is_closure = functions.any(|it| {
            let function = self.functions.get(*it as usize);
            matches!(function, Some(Function::Lambda { is_weak: false, .. }))
        });
        let is_strong = strong || is_closure || spread.is_some_and(|it| it.is_strong);
        let mut whole = Measure { depth: 0, size: 1, is_strong };
        for part in node.parts() {
            let part = self.measured(part);
            whole.depth = whole.depth.max(part.depth.saturating_add(1));
            whole.size = whole.size.saturating_add(part.size);
            whole.is_strong |= part.is_strong;
        }
        whole
    }

    /// How deep a type is.
    pub(crate) fn depth(&self, id: Id) -> u8 {
        self.measured(id).depth
    }

    /// A value of kinds, whose parts are not known.
    pub(crate) fn of(&mut self, kinds: Kinds) -> Id {
        self.make(Node { kinds, ..Node::default() })
    }

    /// Notes that values go where the walk does not follow.
    pub(crate) fn forget_all(&mut self, ids: impl IntoIterator<Item = Id>) {
        for id in ids {
            self.forget(id);
        }
    }

    /// Notes that a value goes where the walk does not follow.
    pub(crate) fn forget(&mut self, id: Id) {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            if !self.forgotten.insert(id) {
                continue;
            }
            let node = self.node(id);
            left.extend(node.parts());
            self.lost.extend(node.refs.iter().map(|it| it.place));
            let spread = node.record.as_ref().and_then(|it| it.spread);
            self.lost.extend(spread.map(|it| it.place));
            self.escaped.extend(node.functions.iter().flatten());
        }
    }
}

impl Node {
    /// The types within.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Id> + '_ {
        let elements = match &self.list {
            None => &[][..],
            Some(Elements::Of(element)) => std::slice::from_ref(element),
            Some(Elements::Tuple(elements)) => elements,
        };
        let members = self.record.iter().flat_map(|it| it.members.values().map(|it| it.0));
        let rest = self.record.iter().map(|it| it.rest);
        let halves = self.pair.iter().flatten().chain(self.map.iter().flatten()).copied();
        elements.iter().copied().chain(members).chain(rest).chain(halves).chain(self.set)
    }

    /// The types within, to be changed.
    fn parts_mut(&mut self) -> impl Iterator<Item = &mut Id> + '_ {
        let elements = match &mut self.list {
            None => &mut [][..],
            Some(Elements::Of(element)) => std::slice::from_mut(element),
            Some(Elements::Tuple(elements)) => elements,
        };
        let record = self.record.iter_mut();
        let members =
            record.flat_map(|it| it.members.values_mut().map(|it| &mut it.0).chain([&mut it.rest]));
        let halves = self.pair.iter_mut().flatten().chain(self.map.iter_mut().flatten());
        elements.iter_mut().chain(members).chain(halves).chain(self.set.as_mut())
    }

    /// The only part of the input that it is, if it is nothing else.
    pub(crate) fn only_ref(&self) -> Option<Ref> {
        match self.refs[..] {
            [it] if self.kinds == 0 => Some(it),
            _ => None,
        }
    }
}
