//! Loops whose function decides what becomes of an element.

use super::{At, Core, Walk};
use crate::values::{ANY, EVERY, Elements, EnvId, Function, Id, NEVER, Node, PlaceId};
use pif_language::kinds::{BOOLEAN, LIST, NULL, PAIR};
use pif_language::term::TermId;

/// How many rounds the accumulator of a fold may take to be large enough.
const ROUNDS: usize = 12;
/// From this round on the accumulator is widened.
const WIDENING: usize = 3;

impl Walk<'_> {
    /// The operands of a loop: the elements, with the parts of the input that are gone through, and
    /// the function.
    async fn parts(
        &self,
        term: TermId,
        env: EnvId,
        list: usize,
        function: usize,
    ) -> Option<(Vec<Id>, Id, Vec<PlaceId>, Id)> {
        let mut values = self.operands(term, env).await?;
        self.with(|core| {
            let of = |values: &[Id], at: usize| values.get(at).copied().unwrap_or(ANY);
            let taken = core.expect((term, list), of(&values, list), LIST, 0)?;
            if let Some(place) = values.get_mut(list) {
                *place = taken;
            }
            let applied = core.expect_function((term, function), of(&values, function))?;
            let (element, keep) = core.elements(taken);
            Some((values, element, keep, applied))
        })
    }

    /// `fold` and `reduce`: the accumulator grows until the function adds nothing to it.
    pub(crate) async fn fold(&self, is_paired: bool, term: TermId, env: EnvId) -> Id {
        let Some((values, element, keep, function)) = self.parts(term, env, 2, 0).await else {
            return NEVER;
        };
        let mut gathered = values.get(1).copied().unwrap_or(ANY);
        for round in 0.. {
            let before = self.enter_branch();
            let given = self.step(is_paired, (term, 0), function, (gathered, element)).await;
            let is_done = self.with(|core| {
                core.branches -= 1;
                let given = if core.state.is_dead { NEVER } else { core.settle(given) };
                let given = core.values.weaken(given);
                let next = match round {
                    0..WIDENING => core.values.join(gathered, given),
                    WIDENING..ROUNDS => core.values.widen(gathered, given),
                    _ => {
                        core.values.forget(gathered);
                        core.values.forget(given);
                        ANY
                    }
                };
                if next == gathered || core.fuel == 0 {
                    core.meet(before, &keep);
                    return true;
                }
                gathered = next;
                core.state = before;
                false
            });
            if is_done {
                break;
            }
        }
        self.with(|core| core.values.weaken(gathered))
    }

    async fn step(&self, is_paired: bool, at: At, function: Id, (acc, element): (Id, Id)) -> Id {
        let arguments = if is_paired {
            let pair = Some([acc, element]);
            let node = Node { kinds: PAIR, pair, ..Node::default() };
            vec![self.with(|core| core.values.make(node))]
        } else {
            vec![acc, element]
        };
        self.apply(at, function, arguments).await
    }

    /// `filter` and `find`: of the elements those for which the test is true.
    pub(crate) async fn filter(&self, is_find: bool, term: TermId, env: EnvId) -> Id {
        let Some((_, element, mut keep, function)) = self.parts(term, env, 1, 0).await else {
            return NEVER;
        };
        let element = if is_find {
            keep.clear();
            self.with(|core| core.values.weaken(element))
        } else {
            element
        };
        let before = self.enter_branch();
        let test = self.apply((term, 0), function, vec![element]).await;
        let passed = self.passed(function, element);
        self.with(|core| {
            core.branches -= 1;
            let is_dead = core.state.is_dead;
            if !is_dead {
                core.look(test, BOOLEAN, 0);
            }
            core.meet(before, &keep);
            let passed = if is_dead { NEVER } else { core.values.weaken(passed) };
            if is_find {
                let null = core.values.of(NULL);
                return core.values.join(passed, null);
            }
            core.list(passed)
        })
    }

    /// What an element is for which a test is true.
    fn passed(&self, function: Id, element: Id) -> Id {
        self.with(|core| {
            let node = core.values.node(function);
            let Some([only]) = node.functions.as_deref() else { return element };
            let Some(Function::Lambda { term, env, held, .. }) = core.values.function(*only) else {
                return element;
            };
            let [name] = *self.terms.names(term) else { return element };
            if !held.is_empty() || core.state.is_dead {
                return element;
            }
            let state = core.state.clone();
            let inner = core.bind_all(env, &[name], &[element]);
            let inner = core.assume(self.terms, self.terms.operand(term, 0), true, inner);
            core.state = state;
            match core.values.lookup(inner, name) {
                Some(crate::values::Entry::Value(id)) => id,
                _ => element,
            }
        })
    }

    /// Lists that the function gives are joined; another value is an element.
    pub(crate) async fn flat_map(&self, term: TermId, env: EnvId) -> Id {
        let Some((_, element, keep, function)) = self.parts(term, env, 1, 0).await else {
            return NEVER;
        };
        let before = self.enter_branch();
        let given = self.apply((term, 0), function, vec![element]).await;
        self.with(|core| {
            core.branches -= 1;
            let is_dead = core.state.is_dead;
            let joined = if is_dead { NEVER } else { core.flat(given) };
            core.meet(before, &keep);
            core.list(joined)
        })
    }

    /// `update` and `update_in`: the function gets the value that is there.
    pub(crate) async fn update(&self, is_path: bool, term: TermId, env: EnvId) -> Id {
        let Some(values) = self.operands(term, env).await else { return NEVER };
        let [subject, key, function] = *values else { return ANY };
        let Some(function) = self.with(|core| core.expect_function((term, 2), function)) else {
            return NEVER;
        };
        let path = self.with(|core| core.path(self.terms, term, key, is_path));
        let Some(path) = path else {
            let given = self.apply((term, 2), function, vec![ANY]).await;
            return self.with(|core| {
                core.look_through(subject);
                core.values.forget(subject);
                core.values.forget(given);
                ANY
            });
        };
        let found = self.with(|core| {
            let mut at = subject;
            for key in &path {
                at = core.get((term, 0), at, key, None)?;
            }
            Some(at)
        });
        let Some(found) = found else { return NEVER };
        let given = self.apply((term, 2), function, vec![found]).await;
        if self.is_dead() {
            return NEVER;
        }
        self.with(|core| core.put_path((term, 0), subject, &path, given)).unwrap_or(NEVER)
    }
}

impl Core {
    /// The elements of a list, or another value itself.
    pub(crate) fn flat(&mut self, given: Id) -> Id {
        let kinds = self.kinds(given);
        let other = self.restrict(given, EVERY & !LIST);
        self.glance(given);
        if kinds & LIST == 0 {
            return other;
        }
        let lists = self.restrict(given, LIST);
        let (element, _) = self.elements(lists);
        if kinds & !LIST == 0 {
            return element;
        }
        self.values.join(element, other)
    }

    /// Lists within a list become parts of it, so often.
    pub(crate) fn flatten(&mut self, list: Id, depth: u32) -> Id {
        let (mut element, _) = self.elements(list);
        for _ in 0..depth {
            element = self.flat(element);
        }
        element
    }

    /// The elements of a list but the first.
    pub(crate) fn tail(&mut self, list: Id) -> Id {
        let node = self.values.node(list);
        if let (true, Some(Elements::Tuple(elements))) = (node.refs.is_empty(), &node.list) {
            let rest = elements.get(1..).unwrap_or_default().to_vec();
            return self.values.list_of(rest);
        }
        let (element, _) = self.elements(list);
        let element = self.values.weaken(element);
        self.list(element)
    }
}
