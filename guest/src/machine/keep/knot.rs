//! Functions that refer to one another, found by Tarjan's algorithm (SIAM J. Comput. 1(2), 1972).

use super::function::{Function, Functions, Held, Variables, sorted};
use super::obstacle::Obstacle;
use pif_core::ids::IdMap;
use pif_core::limits::{MOST_PARAMETERS, to_u32};
use pif_language::term::{NameId, Terms};

/// Functions that refer to one another.
#[derive(Debug, Default)]
pub(super) struct Knot {
    /// The names that they have for one another, in order, with their numbers.
    pub(super) functions: Vec<(NameId, u32)>,
    /// All their other variables, in the order of their names.
    pub(super) variables: Vec<(NameId, Held)>,
}

/// The knots of a value.
#[derive(Debug, Default)]
pub(super) struct Knots {
    all: Vec<Knot>,
    /// The place of the knot of each function.
    of: IdMap,
}

impl Knots {
    /// Returns the knot of a function.
    pub(super) fn of(&self, function: u32) -> Option<&Knot> {
        self.all.get(self.of.get(function)? as usize)
    }
}

/// Finds the knots. Fails with a function whose names mean different things in its knot.
pub(super) fn find(terms: &Terms, functions: &Functions) -> Result<Knots, Obstacle> {
    let mut knots = Knots::default();
    for members in Search::of(functions) {
        for member in &members {
            knots.of.insert(*member, to_u32(knots.all.len()));
        }
        knots.all.push(tie(terms, functions, &members)?);
    }
    Ok(knots)
}

fn tie(terms: &Terms, functions: &Functions, members: &[u32]) -> Result<Knot, Obstacle> {
    let first = members.first().and_then(|member| functions.all.get(*member as usize));
    if let Some(first) = first.filter(|_| members.len() > MOST_PARAMETERS) {
        return Err(mixed(first));
    }
    let mut knot = Knot::default();
    let mut variables = Variables::default();
    for member in members {
        let Some(function) = functions.all.get(*member as usize) else { continue };
        let mut fits = true;
        for (name, held) in &function.variables {
            let other = plain(functions, *held).filter(|other| members.contains(other));
            let Some(other) = other else {
                fits &= variables.get_or_set(*name, *held) == *held;
                continue;
            };
            match knot.functions.iter().find(|(known, _)| known == name) {
                Some((_, known)) => fits &= *known == other,
                None => knot.functions.push((*name, other)),
            }
        }
        if !fits || knot.functions.len() > MOST_PARAMETERS {
            return Err(mixed(function));
        }
    }
    let clash = knot.functions.iter().any(|(name, _)| variables.get(*name).is_some());
    if let (true, Some(first)) = (clash, first) {
        return Err(mixed(first));
    }
    knot.functions = sorted(terms, &knot.functions);
    knot.variables = variables.sorted(terms);
    Ok(knot)
}

fn mixed(function: &Function) -> Obstacle {
    let message = "functions that refer to one another cannot be kept if they have one name for \
                   different values";
    Obstacle::Part(function.word, message.to_owned())
}

/// Returns the number of a value that is a function without arguments and no tool.
fn plain(functions: &Functions, held: Held) -> Option<u32> {
    let Held::Word(word) = held else { return None };
    let (number, function) = functions.get(word)?;
    (function.taken.is_empty() && function.tool.is_none()).then_some(number)
}

/// What is known of a function.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// When it was visited, counted from 1.
    index: u32,
    /// The earliest function on the stack that it leads to.
    low: u32,
    is_on_stack: bool,
}

struct Search<'f> {
    functions: &'f Functions,
    visits: Vec<Visit>,
    count: u32,
    stack: Vec<u32>,
    found: Vec<Vec<u32>>,
}

impl<'f> Search<'f> {
    /// Returns the members of each knot.
    fn of(functions: &'f Functions) -> Vec<Vec<u32>> {
        let visits = vec![Visit::default(); functions.all.len()];
        let mut search = Self { functions, visits, count: 0, stack: Vec::new(), found: Vec::new() };
        for root in 0..to_u32(functions.all.len()) {
            if search.visit(root).index == 0 {
                search.from(root);
            }
        }
        search.found
    }

    fn visit(&self, function: u32) -> Visit {
        self.visits.get(function as usize).copied().unwrap_or_default()
    }

    fn update(&mut self, function: u32, change: impl FnOnce(&mut Visit)) {
        self.visits.get_mut(function as usize).map(change);
    }

    /// The functions that a function refers to, from a variable on, each with its variable.
    fn edges(&self, function: u32, from: usize) -> impl Iterator<Item = (usize, u32)> + use<'f> {
        let functions = self.functions;
        let of = functions.all.get(function as usize).filter(|of| of.taken.is_empty());
        let variables = of.map_or(&[][..], |of| &of.variables).iter().enumerate().skip(from);
        variables.filter_map(|(at, (_, held))| Some((at, plain(functions, *held)?)))
    }

    fn from(&mut self, root: u32) {
        let mut open = vec![(root, 0)];
        while let Some((function, next)) = open.pop() {
            if next == 0 {
                self.count += 1;
                let index = self.count;
                self.update(function, |it| *it = Visit { index, low: index, is_on_stack: true });
                self.stack.push(function);
            }
            let mut low = self.visit(function).low;
            let mut deeper = None;
            for (at, other) in self.edges(function, next) {
                let visit = self.visit(other);
                if visit.index == 0 {
                    deeper = Some((at, other));
                    break;
                }
                if visit.is_on_stack {
                    low = low.min(visit.index);
                }
            }
            self.update(function, |it| it.low = low);
            if let Some((at, other)) = deeper {
                open.extend([(function, at + 1), (other, 0)]);
                continue;
            }
            if low == self.visit(function).index {
                self.component(function);
            }
            if let Some((below, _)) = open.last() {
                self.update(*below, |it| it.low = it.low.min(low));
            }
        }
    }

    /// Takes a component off the stack. It is a knot if it refers to itself.
    fn component(&mut self, first: u32) {
        let from = self.stack.iter().rposition(|function| *function == first).unwrap_or_default();
        let members = self.stack.split_off(from);
        for member in &members {
            self.update(*member, |it| it.is_on_stack = false);
        }
        if members.len() > 1 || self.edges(first, 0).any(|(_, other)| other == first) {
            self.found.push(members);
        }
    }
}
