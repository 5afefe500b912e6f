//! Costs: a bound of the fuel of a program by the sizes of its input.
//!
//! A run that ends with a value never takes more than the bound. Where none is derived, the cost is
//! unknown, and may be measured: `grow` makes inputs of growing size, and `fit` finds the class of
//! what they took.

mod bound;
mod descent;
mod fit;
mod forms;
mod loops;
mod sizes;
mod value;
mod walk;
mod work;

pub use bound::{Bound, Size};
pub use fit::{fit, grow};
pub use sizes::{Measure, Part, Step, Variable};

use crate::{Analysis, Request, analyze_term};
use pif_core::fault::Fault;
use pif_core::stack::{self, Stack};
use pif_language::term::{Origin, TermId, Terms};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use value::{Entry, Value, bind};
use walk::{Core, Walk};

/// The cost of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// What is known.
    pub kind: Kind,
    /// The bound, if there is one.
    pub bound: Bound,
    /// The sizes in it.
    pub variables: BTreeMap<Size, Variable>,
}

/// How a cost is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No run that has a value takes more.
    Bound,
    /// Nothing is known.
    Unknown,
}

impl Cost {
    fn unknown() -> Self {
        Self { kind: Kind::Unknown, bound: Bound::default(), variables: BTreeMap::new() }
    }

    /// The fuel, as in `31 + 14·n`; empty if it is unknown.
    #[must_use]
    pub fn fuel(&self) -> String {
        match self.kind {
            Kind::Bound => self.bound.text(&|size| self.name(size)),
            Kind::Unknown => String::new(),
        }
    }

    /// The class, as in `n log n`. Limbs are left out.
    #[must_use]
    pub fn class(&self) -> String {
        if self.kind == Kind::Unknown {
            return "unknown".to_owned();
        }
        let is_limbs =
            |size: Size| self.variables.get(&size).is_some_and(|it| it.measure == Measure::Limbs);
        self.bound.class(&is_limbs, &|size| self.name(size))
    }

    /// The variables: names, each with its expression over the input.
    #[must_use]
    pub fn places(&self) -> Vec<(String, String)> {
        self.variables.values().map(|it| (it.name.clone(), it.expression())).collect()
    }

    fn name(&self, size: Size) -> String {
        self.variables.get(&size).map(|it| it.name.clone()).unwrap_or_default()
    }
}

/// Deepest part of an input that is told apart.
const DEEPEST_INPUT: u32 = 10;
/// Steps for any program.
const STEPS: u64 = 100_000;
/// Steps for each term of a program.
const STEPS_PER_TERM: u64 = 100;

/// Tells what a program costs. A function of several parameters is meant fully applied.
pub fn cost(request: &Request<'_>) -> Result<Cost, Fault> {
    let mut terms = Terms::default();
    let free = request.free_names();
    let root = pif_notation::read_code(&mut terms, request.code, Origin::Code, &free)?.root;
    let told = analyze_term(&terms, root, request);
    Ok(cost_term(&terms, root, request, &told))
}

/// Tells what the program at `root` costs, of which this is known.
#[must_use]
pub fn cost_term(terms: &Terms, root: TermId, request: &Request<'_>, told: &Analysis) -> Cost {
    let steps = STEPS + STEPS_PER_TERM * u64::from(terms.len());
    let steps = request.fuel.unwrap_or(steps);
    let core = Rc::new(RefCell::new(Core { steps, ..Core::default() }));
    let stack = Stack::default();
    let walk = Walk { terms, core: Rc::clone(&core), stack: stack.clone() };
    let ended = stack::run(&stack, whole(walk, root, told));
    drop(stack);
    let core = core.borrow();
    if ended.is_none() || core.is_lost || core.fuel.is_endless() {
        return Cost::unknown();
    }
    let bound = core.fuel.clone();
    match core.sizes.variables(&bound) {
        Some(variables) => Cost { kind: Kind::Bound, bound, variables },
        None => Cost::unknown(),
    }
}

/// Walks through a program, applied to its input if it is a function.
async fn whole(walk: Walk<'_>, root: TermId, told: &Analysis) -> Value {
    let given = |of: &str, shape: &crate::Shape| {
        let part = Part { of: of.to_owned(), steps: Vec::new() };
        walk.with(|core| core.given(&part, shape, DEEPEST_INPUT))
    };
    let is_one = told.parameters.len() == 1;
    let mut env = None;
    if !told.is_function {
        for parameter in &told.parameters {
            if let Some(name) = walk.terms.name_id(&parameter.name) {
                let value = given(&parameter.name, &parameter.shape);
                env = bind(env, name, Entry::Value(Box::new(value)));
            }
        }
    }
    let value = walk.value(root, env).await;
    walk.with(|core| core.root = Some(value.clone()));
    if !told.is_function {
        return value;
    }
    let arguments = told.parameters.iter().map(|it| {
        let name = if is_one { "data" } else { it.name.as_str() };
        given(name, &it.shape)
    });
    let arguments: Vec<Value> = arguments.collect();
    walk.apply(&value, arguments).await
}
