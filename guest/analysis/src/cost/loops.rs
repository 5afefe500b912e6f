//! Loops: what a state grows to in so many rounds, and what all rounds cost.

use super::bound::{Bound, Size};
use super::descent::{self, Change};
use super::value::{Entry, Function, Number, Value, bind, tuple};
use super::walk::Walk;
use pif_language::form::Form;

/// How often the first rounds are walked through until no other kinds come.
const FIRST_ROUNDS: usize = 6;
/// Rounds that are walked through one by one.
const FEW: u64 = 8;
/// How many first rounds there are at least.
const ALWAYS: usize = 2;
/// How often what grows is looked for.
const ROUNDS: usize = 6;

/// What is done in each round.
#[derive(Clone, Debug)]
pub(super) enum Round {
    /// A function is applied to the state and an element.
    Fold { function: Box<Value>, element: Box<Value>, is_paired: bool },
    /// A function calls itself: the state is its arguments, and behind them what it gives. The argument
    /// that ends the recursion stays as it is.
    Recursion { function: Box<Function>, ending: usize },
}

impl Walk<'_> {
    /// One round: what it costs, and the state behind it.
    async fn round(&self, round: &Round, state: &[Value]) -> Option<(Bound, Vec<Value>)> {
        let before = self.with(|core| std::mem::take(&mut core.fuel));
        let next = match round {
            Round::Fold { function, element, is_paired } => {
                let sum = state.first().cloned()?;
                let arguments = if *is_paired {
                    vec![tuple(vec![sum, (**element).clone()])]
                } else {
                    vec![sum, (**element).clone()]
                };
                vec![self.apply(function, arguments).await]
            }
            Round::Recursion { function, ending } => {
                let (given, arguments) = state.split_last()?;
                let assumed = Some(given.clone());
                let (given, calls) = self.body(function, arguments.to_vec(), assumed).await;
                let mut next: Vec<Value> = vec![Value::default(); arguments.len()];
                for call in &calls {
                    for (known, argument) in next.iter_mut().zip(call) {
                        *known = known.or(argument);
                    }
                }
                if let (Some(kept), Some(value)) = (next.get_mut(*ending), arguments.get(*ending)) {
                    kept.clone_from(value);
                }
                next.push(given);
                next
            }
        };
        let fuel = self.with(|core| std::mem::replace(&mut core.fuel, before));
        let is_lost = self.with(|core| core.is_lost);
        (!is_lost).then_some((fuel, next))
    }

    /// So many rounds: pays for all of them, and gives the state that bounds each.
    pub(super) async fn rounds(
        &self,
        round: &Round,
        start: Vec<Value>,
        count: &Bound,
    ) -> Option<Vec<Value>> {
        let few = count.constant().filter(|it| *it <= FEW);
        if let (Some(count), Round::Fold { .. }) = (few, round) {
            return self.each_round(round, start, count).await;
        }
        if let Some(state) = self.grown(round, start.clone(), count).await {
            return Some(state);
        }
        // Numbers that are multiplied grow by limbs.
        let start = start.iter().map(in_limbs).collect();
        self.grown(round, start, count).await
    }

    /// Few rounds, one after another.
    async fn each_round(&self, round: &Round, start: Vec<Value>, count: u64) -> Option<Vec<Value>> {
        let (mut state, mut all) = (start.clone(), start);
        for _ in 0..count {
            let (fuel, next) = self.round(round, &state).await?;
            self.pay(&fuel);
            all = both(&all, &next);
            state = next;
        }
        Some(all)
    }

    async fn grown(&self, round: &Round, start: Vec<Value>, count: &Bound) -> Option<Vec<Value>> {
        let mut state = start;
        for first in 0..FIRST_ROUNDS {
            let (fuel, next) = self.round(round, &state).await?;
            let joined = both(&state, &next);
            if joined == state {
                self.pay(&fuel.by(count));
                return Some(state);
            }
            let is_alike = bounds(&joined).len() == bounds(&state).len();
            // What comes from outside is in the state before it grows.
            if is_alike && first >= ALWAYS {
                break;
            }
            state = joined;
        }
        self.solved(round, state, count).await
    }

    /// A state whose bounds grow by something in each round.
    async fn solved(&self, round: &Round, state: Vec<Value>, count: &Bound) -> Option<Vec<Value>> {
        let base = bounds(&state);
        let mut growing: Vec<Option<Size>> = vec![None; base.len()];
        for _ in 0..ROUNDS {
            let grown = with_growth(&state, &growing);
            let (fuel, next) = self.round(round, &grown).await?;
            let joined = both(&grown, &next);
            let (known, after) = (bounds(&grown), bounds(&joined));
            if after.len() != known.len() {
                return None;
            }
            let mut is_new = false;
            for (at, growth) in growing.iter_mut().enumerate() {
                if growth.is_none() && after.get(at) != known.get(at) {
                    *growth = Some(self.with(|core| core.sizes.made()));
                    is_new = true;
                }
            }
            if is_new {
                continue;
            }
            let added = added(&growing, &base, &after)?;
            let most = resolved(added, count)?;
            let fuel = most.iter().fold(fuel, |fuel, (size, by)| fuel.with(*size, by));
            self.pay(&fuel.by(count));
            return Some(grown.iter().map(|it| it.with(&most)).collect());
        }
        None
    }

    /// A function that calls itself.
    pub(super) async fn recursion(&self, function: &Function, arguments: Vec<Value>) -> Value {
        let Some(descent) = descent::find(self.terms, function) else { return self.lost() };
        let mut arguments = arguments;
        let Some(argument) = arguments.get(descent.parameter).cloned() else { return self.lost() };
        let count = match descent.change {
            Change::Shorter => length(&argument),
            Change::Less { below } => {
                let most = argument.number.as_ref().and_then(|it| it.most.clone());
                most.map(|it| it.plus(&Bound::from(below)))
            }
            Change::More { limit } => {
                self.limit(function, &arguments, limit).await.and_then(|it| {
                    let start = argument.number.as_ref().filter(|it| it.is_small())?;
                    Some(it.plus(&start.factor))
                })
            }
        };
        let Some(count) = count else { return self.lost() };
        let count = count.plus(&Bound::from(1));
        if let (Change::More { .. }, Some(ending)) =
            (descent.change, arguments.get_mut(descent.parameter))
        {
            *ending = ending.or(&Value::count(count.clone()));
        }
        arguments.push(Value::default());
        let round =
            Round::Recursion { function: Box::new(function.clone()), ending: descent.parameter };
        let state = self.rounds(&round, arguments, &count).await;
        state.and_then(|mut state| state.pop()).unwrap_or_else(|| self.lost())
    }

    /// The greatest integer that the limit of a parameter may be.
    async fn limit(
        &self,
        function: &Function,
        arguments: &[Value],
        limit: pif_language::term::TermId,
    ) -> Option<Bound> {
        let names = self.terms.names(function.term).iter();
        let env = names.zip(arguments).fold(function.env.clone(), |env, (name, value)| {
            bind(env, *name, Entry::Value(Box::new(value.clone())))
        });
        let (_, value) = self.apart(limit, env).await;
        let most = value.number.and_then(|it| it.most);
        most.filter(|_| self.terms.form(limit) != Form::Unit)
    }
}

/// The length of a list.
fn length(value: &Value) -> Option<Bound> {
    match (&value.list, &value.tuple) {
        (Some((length, _)), None) => Some(length.clone()),
        (None, Some(elements)) => Some(Bound::from(elements.len() as u64)),
        (Some((length, _)), Some(elements)) => {
            Some(length.cover(&Bound::from(elements.len() as u64)))
        }
        _ => None,
    }
}

fn both(state: &[Value], next: &[Value]) -> Vec<Value> {
    state.iter().zip(next).map(|(a, b)| a.or(b)).collect()
}

fn bounds(state: &[Value]) -> Vec<Bound> {
    state.iter().flat_map(Value::bounds).collect()
}

/// The state with what some of its bounds grow by.
fn with_growth(state: &[Value], growing: &[Option<Size>]) -> Vec<Value> {
    let mut sizes = growing.iter();
    let mut grow = |bound: &Bound| match sizes.next() {
        Some(Some(size)) => bound.plus(&Bound::size(*size)),
        _ => bound.clone(),
    };
    state.iter().map(|it| it.each(&mut grow)).collect()
}

/// What each growing bound gets in a round.
fn added(growing: &[Option<Size>], base: &[Bound], after: &[Bound]) -> Option<Vec<(Size, Bound)>> {
    let mut all = Vec::new();
    for ((growth, base), after) in growing.iter().zip(base).zip(after) {
        if let Some(size) = growth {
            all.push((*size, after.beyond(*size)?.minus(base)));
        }
    }
    Some(all)
}

/// What each has grown by in the end. What depends on another one comes behind it.
fn resolved(mut added: Vec<(Size, Bound)>, count: &Bound) -> Option<Vec<(Size, Bound)>> {
    let mut known: Vec<(Size, Bound)> = Vec::new();
    while !added.is_empty() {
        let open: Vec<Size> = added.iter().map(|it| it.0).collect();
        let is_closed = |it: &(Size, Bound)| it.1.sizes().iter().all(|size| !open.contains(size));
        let place = added.iter().position(is_closed)?;
        let (size, by) = added.swap_remove(place);
        let most = by.by(count);
        for other in &mut added {
            other.1 = other.1.with(size, &most);
        }
        known.push((size, most));
    }
    Some(known)
}

/// The value with its numbers in limbs.
fn in_limbs(value: &Value) -> Value {
    let mut made = value.clone();
    made.number = made.number.map(|it| {
        let limbs = it.in_limbs();
        Number { limbs: limbs.limbs.cover(&Bound::from(1)), most: None, ..limbs }
    });
    made
}
