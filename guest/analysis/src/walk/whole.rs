//! The walk through a whole program: its value, applied to an input if it is a function.

use super::{Core, Hole, Walk, World};
use crate::places::{PART, Places, State};
use crate::shape::Shape;
use crate::values::{
    ANY, EMPTY, Entry, EnvId, Function, FunctionId, Id, NEVER, Node, PlaceId, Ref, Values,
};
use pif_core::stack::{self, Stack};
use pif_language::kinds::FUNCTION;
use pif_language::term::{NameId, TermId, Terms};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most functions that nobody applies and that are walked through nevertheless.
const MOST_ESCAPED: usize = 200;
/// Names of parameters that have none of their own.
const MADE: [&str; 4] = ["x", "y", "z", "w"];
/// How deep the types of variables that a host binds are told apart.
const DEEPEST_GIVEN: u32 = 8;
/// Most functions in a value whose types are told.
const MOST_TOLD: usize = 20;

/// A function of the value, applied to parts of an input.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) parameters: Vec<(String, PlaceId)>,
    pub(crate) gives: Id,
}

/// What the walk has found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) core: Core,
    /// The parameters of the program.
    pub(crate) parameters: Vec<(String, PlaceId)>,
    /// Whether the program is a function.
    pub(crate) is_function: bool,
    pub(crate) gives: Id,
    /// The functions in what it gives.
    pub(crate) functions: BTreeMap<FunctionId, Applied>,
}

/// The surroundings of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around<'a> {
    /// Variables that its host binds.
    pub(crate) variables: &'a [(String, Shape)],
    /// The type of its argument, if that is known.
    pub(crate) input: Option<&'a Shape>,
    /// The name in place of the word at the cursor.
    pub(crate) hole: Option<&'a str>,
}

/// Walks through a program.
pub(crate) fn run(world: World<'_>, root: TermId, around: Around<'_>, fuel: u64) -> Option<Found> {
    let hole = |name: &str| Hole {
        name: Rc::from(name),
        subject: None,
        env: None,
        functions: BTreeSet::new(),
    };
    let core = Core {
        values: Values::new(),
        places: Places::default(),
        state: State::default(),
        frames: Vec::new(),
        verdicts: BTreeMap::new(),
        misfits: BTreeMap::new(),
        fuel,
        gave_up: false,
        is_opaque: false,
        branches: 0,
        doubts: 0,
        is_tool: world.is_tool,
        root: None,
        hole: around.hole.map(hole),
    };
    let core = Rc::new(RefCell::new(core));
    let stack = Stack::default();
    let terms = world.terms;
    let walk = Walk { terms, world, core: Rc::clone(&core), stack: stack.clone() };
    let (parameters, is_function, gives, functions) = stack::run(&stack, walk.whole(root, around))?;
    drop(stack);
    let core = Rc::into_inner(core)?.into_inner();
    Some(Found { core, parameters, is_function, gives, functions })
}

type Whole = (Vec<(String, PlaceId)>, bool, Id, BTreeMap<FunctionId, Applied>);

impl Walk<'_> {
    async fn whole(self, root: TermId, around: Around<'_>) -> Whole {
        let (env, inputs) = self.with(|core| core.surroundings(self.terms, around.variables));
        let value = self.value(root, env).await;
        self.with(|core| core.root = Some(value));
        let mut parameters = Vec::new();
        let mut gives = value;
        let is_function = !self.is_dead() && self.with(|core| core.kinds(value)) == FUNCTION;
        if is_function {
            parameters = self.parameters(value);
            let mut arguments = self.with(|core| core.arguments(&parameters, true));
            if let (Some(shape), [only]) = (around.input, &mut arguments[..]) {
                *only = self.with(|core| core.value_of(shape, &BTreeMap::new(), DEEPEST_GIVEN));
            }
            gives = self.apply((root, 0), value, arguments).await;
        } else {
            let is_asked = |core: &Core, place: PlaceId| {
                let request = core.state.request(place);
                request != State::default().request(place) || core.values.lost.contains(&place)
            };
            let all = inputs.into_iter();
            parameters.extend(all.filter(|it| self.with(|core| is_asked(core, it.1))));
        }
        if self.is_dead() {
            gives = NEVER;
        }
        if !is_function && self.with(|core| core.kinds(gives)) & FUNCTION != 0 {
            // Perhaps it is applied to the input.
            gives = self.with(|core| {
                core.values.forget(gives);
                core.is_opaque |= !core.values.escaped.is_empty();
                ANY
            });
        }
        let mut functions = self.inner_functions(gives).await;
        self.escapes().await;
        self.seek_hole().await;
        for id in self.with(|core| core.around_hole()) {
            functions.extend(self.inner_functions(id).await);
        }
        (parameters, is_function, gives, functions)
    }

    /// The parameters of a function, each with a new part of the input.
    fn parameters(&self, value: Id) -> Vec<(String, PlaceId)> {
        self.with(|core| {
            let node = core.values.node(value);
            let only = match node.functions.as_deref() {
                Some([only]) => core.values.function(*only),
                _ => None,
            };
            let names: Vec<String> = match only {
                Some(Function::Lambda { term, held, .. }) => {
                    let names = self.terms.names(term).iter().skip(held.len());
                    names.map(|name| self.terms.name(*name).to_owned()).collect()
                }
                Some(Function::Tool { number, held }) => {
                    match self.world.shapes.get(number as usize) {
                        Some(Shape::Function(signature)) => {
                            let parameters = signature.parameters.iter().skip(held.len());
                            parameters.map(|it| it.0.clone()).collect()
                        }
                        _ => vec!["x".to_owned()],
                    }
                }
                None => vec!["x".to_owned()],
            };
            let named = |(at, name): (usize, String)| {
                // A pattern in place of a parameter has a name that nobody wrote.
                let is_made = name.strip_prefix('_').is_some_and(|it| it.parse::<u32>().is_ok());
                let made = MADE.get(at).copied().unwrap_or("more");
                let name = if is_made { made.to_owned() } else { name };
                (name, core.places.root())
            };
            names.into_iter().enumerate().map(named).collect()
        })
    }

    /// Applies the functions in a value, so that their types can be told.
    async fn inner_functions(&self, value: Id) -> BTreeMap<FunctionId, Applied> {
        let mut known = BTreeMap::new();
        let mut left = self.with(|core| core.functions_in(value));
        while let Some(function) = left.pop() {
            if known.contains_key(&function) || known.len() >= MOST_TOLD {
                continue;
            }
            let id = self.with(|core| core.only(function));
            let parameters = self.parameters(id);
            let arguments = self.with(|core| core.arguments(&parameters, true));
            let was_dead = self.is_dead();
            let before = self.enter_branch();
            let gives = self.apply((0, usize::MAX), id, arguments).await;
            let is_dead = self.is_dead();
            self.leave_branch(before);
            self.with(|core| core.state.is_dead = was_dead);
            let gives = if is_dead { NEVER } else { gives };
            left.extend(self.with(|core| core.functions_in(gives)));
            known.insert(function, Applied { parameters, gives });
        }
        known
    }

    /// Applies functions of the program, as long as the walk has not come to the hole.
    async fn seek_hole(&self) {
        loop {
            let next = self.with(|core| {
                let hole = core.hole.as_mut()?;
                let is_found = hole.subject.is_some() || hole.env.is_some();
                let next = hole.functions.pop_first().filter(|_| !is_found)?;
                core.state.is_dead = false;
                Some(core.only(next))
            });
            let Some(next) = next else { return };
            self.inner_functions(next).await;
        }
    }

    /// Applies functions that went where nobody follows to anything.
    async fn escapes(&self) {
        let mut done = 0;
        loop {
            let next = self.with(|core| core.values.escaped.pop_first());
            let Some(function) = next else { return };
            done += 1;
            if done > MOST_ESCAPED {
                self.with(|core| core.is_opaque = true);
                return;
            }
            let is_known = self.with(|core| !core.places.walked.insert(function));
            if is_known {
                continue;
            }
            let id = self.with(|core| core.only(function));
            let count = self.parameters(id).len();
            let was_dead = self.with(|core| std::mem::take(&mut core.state.is_dead));
            let before = self.enter_branch();
            self.apply((0, usize::MAX), id, vec![ANY; count]).await;
            self.leave_branch(before);
            self.with(|core| core.state.is_dead = was_dead);
        }
    }
}

impl Core {
    /// The variables around a program: `data` and `input`, which are its input if it is no function,
    /// and those that a host gives.
    fn surroundings(
        &mut self,
        terms: &Terms,
        variables: &[(String, Shape)],
    ) -> (EnvId, Vec<(String, PlaceId)>) {
        let (mut env, mut inputs) = (EMPTY, Vec::new());
        for name in ["data", "input"] {
            if let Some(id) = terms.name_id(name) {
                let place = self.places.root();
                let value = self.part_at(place, true);
                env = self.values.bind(env, id, Entry::Value(value));
                inputs.push((name.to_owned(), place));
            }
        }
        for (name, shape) in variables {
            if let Some(id) = terms.name_id(name) {
                let value = self.value_of(shape, &BTreeMap::new(), DEEPEST_GIVEN);
                env = self.values.bind(env, id, Entry::Value(value));
            }
        }
        (env, inputs)
    }

    fn part_at(&mut self, place: PlaceId, is_strong: bool) -> Id {
        let refs = vec![Ref { place, mask: PART, is_strong }];
        self.values.make(Node { refs, ..Node::default() })
    }

    fn arguments(&mut self, parameters: &[(String, PlaceId)], is_strong: bool) -> Vec<Id> {
        parameters.iter().map(|it| self.part_at(it.1, is_strong)).collect()
    }

    /// The values of the nearest variables around the hole.
    fn around_hole(&self) -> Vec<Id> {
        let env = self.hole.as_ref().and_then(|it| it.env);
        let all = env.map(|it| self.values.variables(it)).unwrap_or_default();
        let value = |it: (NameId, Entry)| match it.1 {
            Entry::Value(id) => Some(id),
            Entry::Recursive { .. } => None,
        };
        all.into_iter().filter_map(value).take(MOST_TOLD).collect()
    }

    fn only(&mut self, function: FunctionId) -> Id {
        let functions = Some(vec![function]);
        self.values.make(Node { kinds: FUNCTION, functions, ..Node::default() })
    }

    fn functions_in(&self, id: Id) -> Vec<FunctionId> {
        let (mut left, mut found) = (vec![id], Vec::new());
        let mut known = std::collections::BTreeSet::new();
        while let Some(id) = left.pop() {
            if known.insert(id) {
                let node = self.values.node(id);
                left.extend(node.parts());
                found.extend(node.functions.iter().flatten());
            }
        }
        found
    }
}
