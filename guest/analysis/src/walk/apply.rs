//! Applications. The body of a function is walked through anew for each application, with the types
//! of the arguments; a function that calls itself gets a fixed point.

use super::{At, Core, Frame, Walk};
use crate::places::{State, Step};
use crate::values::{ANY, EVERY, Entry, EnvId, Function, FunctionId, Id, NEVER, Node, Ref};
use pif_core::fault::Code;
use pif_language::kinds::FUNCTION;
use pif_language::term::{NameId, TermId};

/// Most functions that are active at once.
const DEEPEST: usize = 200;
/// How often a function may be active within itself with other variables around it.
const NESTED: usize = 6;
/// How often a function may be active within itself with more and more arguments.
const WIDENED: usize = 3;
/// How many rounds a fixed point may take.
const ROUNDS: usize = 6;

/// What an application comes to, before any walk.
enum Entrance {
    /// This, as the function is active and calls itself.
    Known(Id),
    /// A walk through the body with these arguments.
    Body(Vec<Id>),
}

impl Walk<'_> {
    /// Applies what may be one of several functions.
    pub(crate) async fn apply(&self, at: At, callee: Id, arguments: Vec<Id>) -> Id {
        let (kinds, node) = self.with(|core| (core.kinds(callee), core.values.node(callee)));
        if kinds & FUNCTION == 0 {
            self.with(|core| {
                core.state.is_dead = true;
                if kinds != 0 {
                    core.misfits.insert(at, (FUNCTION, kinds));
                    core.fault(at, Code::NotAFunction);
                }
            });
            return NEVER;
        }
        self.with(|core| {
            core.pass(at);
            core.look(callee, FUNCTION, 0);
        });
        let functions = node.functions.clone().unwrap_or_default();
        let is_unknown = node.kinds & FUNCTION != 0 && node.functions.is_none();
        let of_refs = self.with(|core| core.apply_refs(&node, &arguments));
        let is_alone = functions.len() == 1 && !is_unknown && of_refs == NEVER;
        if let (true, [function]) = (is_alone, &functions[..]) {
            return self.stack.call(self.clone().apply_one(at, *function, arguments)).await;
        }
        let before = self.with(|core| {
            core.branches += 1;
            core.state.clone()
        });
        let mut joined = self.with(|core| {
            if is_unknown {
                core.values.forget_all(arguments.iter().copied());
                return ANY;
            }
            of_refs
        });
        let mut met: Option<State> = (joined != NEVER).then(|| before.clone());
        for function in functions {
            self.with(|core| core.state = before.clone());
            let given =
                self.stack.call(self.clone().apply_one(at, function, arguments.clone())).await;
            self.with(|core| {
                joined = core.values.join(joined, given);
                let after = std::mem::take(&mut core.state);
                match &mut met {
                    Some(met) => met.join(after, &core.places),
                    None => met = Some(after),
                }
            });
        }
        self.with(|core| {
            core.branches -= 1;
            core.state = met.unwrap_or(before);
        });
        joined
    }

    /// Applies one function. Arguments beyond its parameters go to its value.
    async fn apply_one(self, at: At, function: FunctionId, arguments: Vec<Id>) -> Id {
        let Some(function) = self.with(|core| core.values.function(function)) else { return ANY };
        match function {
            Function::Lambda { term, env, held, is_weak } => {
                let mut arguments = [held, arguments].concat();
                let count = self.terms.names(term).len();
                if arguments.len() < count {
                    let held = arguments;
                    let waiting = Function::Lambda { term, env, held, is_weak };
                    return self.with(|core| core.function(waiting));
                }
                let rest = arguments.split_off(count);
                let before = is_weak.then(|| self.enter_branch());
                let mut given = self.enter(term, env, arguments).await;
                if let Some(before) = before {
                    self.leave_weak(before);
                    given = self.with(|core| core.values.weaken(given));
                }
                if rest.is_empty() || self.is_dead() {
                    return given;
                }
                self.apply(at, given, rest).await
            }
            Function::Tool { number, held } => {
                let arguments = [held, arguments].concat();
                self.with(|core| core.apply_tool(self.world.shapes, number, arguments))
            }
        }
    }

    /// Joins what a function has asked that was perhaps another one. If it has no value, then it was.
    fn leave_weak(&self, before: State) {
        let was_dead = self.is_dead();
        self.leave_branch(before);
        self.with(|core| core.state.is_dead |= was_dead);
    }

    /// Walks through the body of a function until what it gives to itself is what it gives.
    pub(crate) async fn enter(&self, term: TermId, env: EnvId, arguments: Vec<Id>) -> Id {
        let arguments = match self.with(|core| core.entrance(term, env, arguments)) {
            Entrance::Known(id) => return id,
            Entrance::Body(arguments) => arguments,
        };
        let inner = self.with(|core| core.bind_all(env, self.terms.names(term), &arguments));
        let before = self.with(|core| core.state.clone());
        let (body, mut assumed) = (self.terms.operand(term, 0), NEVER);
        for round in 0.. {
            let frame =
                Frame { term, env, arguments: arguments.clone(), assumed, is_recursive: false };
            self.with(|core| core.frames.push(frame));
            let given = self.value(body, inner).await;
            let (done, joined) = self.with(|core| {
                let is_recursive = core.frames.pop().is_some_and(|it| it.is_recursive);
                if !is_recursive {
                    return (true, given);
                }
                let joined = if round > ROUNDS { ANY } else { core.values.widen(assumed, given) };
                (joined == assumed || core.fuel == 0, joined)
            });
            if done {
                return joined;
            }
            assumed = joined;
            self.with(|core| core.state = before.clone());
        }
        assumed
    }
}

impl Core {
    /// Looks at an operand that must be a function.
    pub(crate) fn expect_function(&mut self, at: At, id: Id) -> Option<Id> {
        match self.kinds(id) {
            0 => self.state.is_dead = true,
            kinds if kinds & FUNCTION == 0 => {
                self.misfits.insert(at, (FUNCTION, kinds));
                self.fault(at, Code::NotAFunction);
            }
            _ => return self.expect(at, id, FUNCTION, 0),
        }
        None
    }

    /// The environment of a body.
    pub(crate) fn bind_all(&mut self, env: EnvId, names: &[NameId], values: &[Id]) -> EnvId {
        let pairs = names.iter().zip(values);
        pairs.fold(env, |env, (name, id)| self.values.bind(env, *name, Entry::Value(*id)))
    }

    /// A value that is just this function.
    pub(crate) fn function(&mut self, function: Function) -> Id {
        let functions = Some(vec![self.values.add_function(function)]);
        self.values.make(Node { kinds: FUNCTION, functions, ..Node::default() })
    }

    fn entrance(&mut self, term: TermId, env: EnvId, arguments: Vec<Id>) -> Entrance {
        if self.frames.len() >= DEEPEST {
            self.values.forget_all(arguments);
            self.is_opaque = true;
            return Entrance::Known(ANY);
        }
        let active: Vec<usize> = self.positions(|frame| frame.term == term);
        let same: Vec<usize> = self.positions(|frame| frame.term == term && frame.env == env);
        let Some(last) = same.last().copied() else {
            if active.len() < NESTED {
                return Entrance::Body(arguments);
            }
            self.values.forget_all(arguments.iter().copied());
            self.is_opaque = true;
            return Entrance::Known(ANY);
        };
        let known = self.frames.get(last).map_or_else(Vec::new, |it| it.arguments.clone());
        let mut joined = Vec::with_capacity(arguments.len());
        for (before, argument) in known.iter().zip(arguments) {
            let argument = self.without_descendants(*before, argument);
            joined.push(match same.len() {
                0..WIDENED => self.values.join(*before, argument),
                WIDENED => self.values.widen(*before, argument),
                _ if *before == argument => argument,
                _ => {
                    self.values.forget(argument);
                    self.values.forget(*before);
                    ANY
                }
            });
        }
        if joined != known {
            return Entrance::Body(joined);
        }
        let Some(frame) = self.frames.get_mut(last) else { return Entrance::Known(ANY) };
        frame.is_recursive = true;
        let assumed = frame.assumed;
        self.state.is_dead |= assumed == NEVER;
        Entrance::Known(assumed)
    }

    fn positions(&self, is_meant: impl Fn(&Frame) -> bool) -> Vec<usize> {
        let frames = self.frames.iter().enumerate();
        frames.filter(|(_, frame)| is_meant(frame)).map(|(at, _)| at).collect()
    }

    /// A function that calls itself with a part of what it has got goes as deep as the input does: of
    /// such parts nothing is told.
    fn without_descendants(&mut self, before: Id, argument: Id) -> Id {
        let (before, node) = (self.values.node(before), self.values.node(argument));
        let is_below = |places: &crate::places::Places, it: &Ref| {
            let is_below =
                |outer: &Ref| outer.place != it.place && places.is_within(it.place, outer.place);
            before.refs.iter().any(is_below)
        };
        let below: Vec<Ref> =
            node.refs.iter().filter(|it| is_below(&self.places, it)).copied().collect();
        if below.is_empty() {
            return argument;
        }
        self.values.lost.extend(below.iter().map(|it| it.place));
        self.values.forget(argument);
        let kinds = below.iter().fold(0, |kinds, it| kinds | self.state.kinds(*it));
        let refs = node.refs.iter().filter(|it| !below.contains(it)).copied().collect();
        if kinds & crate::places::PART == crate::places::PART {
            return ANY;
        }
        self.values.make(Node { kinds: node.kinds | kinds, refs, ..Node::default() })
    }

    /// Applies functions of the input: nobody knows what they look at.
    fn apply_refs(&mut self, node: &Node, arguments: &[Id]) -> Id {
        let mut joined = NEVER;
        for it in node.refs.iter().copied() {
            if self.state.kinds(it) & FUNCTION == 0 {
                continue;
            }
            let given = self.part(it, &Step::Result, EVERY, false);
            joined = self.values.union(joined, given);
            self.note_arguments(it, arguments);
        }
        if joined != NEVER {
            self.values.forget_all(arguments.iter().copied());
        }
        joined
    }

    fn note_arguments(&mut self, it: Ref, arguments: &[Id]) {
        let mut known = self.places.arguments.remove(&it.place).unwrap_or_default();
        for (at, argument) in arguments.iter().enumerate() {
            match known.get_mut(at) {
                Some(before) => *before = self.values.join(*before, *argument),
                None => known.push(self.values.weaken(*argument)),
            }
        }
        self.places.arguments.insert(it.place, known);
    }
}
