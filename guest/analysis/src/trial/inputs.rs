//! The inputs of a program by the types of its parameters: all small ones first, then random ones.

use super::random::Random;
use super::scalars::{HARD_FLOATS, HARD_INTEGERS, HARD_TEXTS, KEYS, numbers, scalars, texts};
use super::small::Small;
use super::types::{ANY_PARTS, Options, is_of, options};
use super::value::Value;
use crate::shape::Shape;

/// Most inputs of all sizes that are tried exhaustively.
const MOST_SMALL: usize = 1000;
/// Largest size that is tried exhaustively.
const LARGEST: usize = 12;
/// Deepest nesting of a random value.
const DEEPEST: usize = 4;
/// The seed of the random inputs, unless another is given.
pub const SEED: u64 = 0x70_69_66;

/// The inputs of a program, in their order.
#[derive(Clone, Debug)]
pub struct Inputs {
    shapes: Vec<Shape>,
    /// Those of the smallest sizes, the next one last.
    small: Vec<Vec<Value>>,
    /// The size up to which there are all.
    exhaustive: usize,
    /// Whether there are no others.
    is_finite: bool,
    random: Random,
}

impl Inputs {
    /// The inputs for parameters of these types.
    #[must_use]
    pub fn new(shapes: Vec<Shape>, seed: u64) -> Self {
        let mut all = Vec::new();
        let mut small = Small::default();
        let parts: Vec<(&Shape, bool)> = shapes.iter().map(|it| (it, false)).collect();
        let mut exhaustive = 0;
        for size in 0..=LARGEST {
            let rows = small.product(&parts, size, MOST_SMALL);
            let Some(rows) = rows.filter(|it| all.len() + it.len() <= MOST_SMALL) else { break };
            all.extend(
                rows.into_iter().map(|row| row.into_iter().flatten().collect::<Vec<Value>>()),
            );
            exhaustive = size;
        }
        let is_finite = shapes.iter().all(is_finite);
        all.reverse();
        Self { shapes, small: all, exhaustive, is_finite, random: Random::new(seed) }
    }

    /// These arguments alone.
    #[must_use]
    pub fn only(arguments: Vec<Value>) -> Self {
        let (shapes, small) = (Vec::new(), vec![arguments]);
        Self { shapes, small, exhaustive: 0, is_finite: true, random: Random::new(SEED) }
    }

    /// The size up to which all inputs are tried, a value and each of its parts counted.
    #[must_use]
    pub fn exhaustive(&self) -> usize {
        self.exhaustive
    }

    /// Tells whether a list of arguments is of the types.
    #[must_use]
    pub fn holds(&self, arguments: &[Value]) -> bool {
        arguments.len() == self.shapes.len()
            && self.shapes.iter().zip(arguments).all(|(shape, value)| is_of(shape, value))
    }
}

impl Iterator for Inputs {
    type Item = Vec<Value>;

    fn next(&mut self) -> Option<Vec<Value>> {
        if let Some(small) = self.small.pop() {
            return Some(small);
        }
        if self.is_finite {
            return None;
        }
        let mut room = 40;
        let each = |shape| value(&mut self.random, shape, DEEPEST, &mut room);
        self.shapes.iter().map(each).collect()
    }
}

/// Tells whether the small values of a type are all that it has.
fn is_finite(shape: &Shape) -> bool {
    match shape {
        Shape::Null | Shape::Boolean | Shape::Literal(_) | Shape::Never => true,
        Shape::Union(shapes) => shapes.iter().all(is_finite),
        _ => false,
    }
}

/// A random value of a type; none if there is none. `room` bounds its parts.
fn value(random: &mut Random, shape: &Shape, depth: usize, room: &mut usize) -> Option<Value> {
    *room = room.saturating_sub(1);
    let inner = depth.saturating_sub(1);
    match options(shape) {
        Options::Scalars(_) => scalar(random, shape),
        Options::List(element) => {
            let count = length(random).min(*room);
            let mut elements: Vec<Value> = Vec::new();
            for _ in 0..count {
                // Equal elements are rare by chance, and programs err with them.
                let again =
                    if random.once_in(4) { random.one_of(&elements).cloned() } else { None };
                elements.push(match again {
                    Some(again) => again,
                    None => value(random, element, inner, room)?,
                });
            }
            Some(Value::List(elements))
        }
        Options::Tuple(shapes) => {
            let each = |shape| value(random, shape, inner, room);
            Some(Value::List(shapes.iter().map(each).collect::<Option<_>>()?))
        }
        Options::Record(members) => {
            let mut found = Vec::new();
            for member in members {
                if !member.is_optional || !random.once_in(3) {
                    found.push((member.name.clone(), value(random, &member.shape, inner, room)?));
                }
            }
            // Records that differ in the order of their keys are equal, and their texts are not.
            if random.once_in(4) {
                found.reverse();
            }
            Some(Value::Record(found))
        }
        Options::Dictionary(element) => {
            let mut found: Vec<(String, Value)> = Vec::new();
            for _ in 0..length(random).min(*room) {
                let keys = if random.once_in(3) { HARD_TEXTS } else { KEYS };
                let key = *random.one_of(keys)?;
                if found.iter().all(|it| it.0 != key) {
                    found.push((key.to_owned(), value(random, element, inner, room)?));
                }
            }
            Some(Value::Record(found))
        }
        Options::Union(shapes) => {
            let shape = random.one_of(shapes)?;
            value(random, shape, depth, room)
        }
        Options::Any => {
            let parts = &*ANY_PARTS;
            let shape = random.one_of(if depth == 0 { &parts[..4] } else { &parts[..] })?;
            value(random, shape, inner, room)
        }
    }
}

/// The length of a list: mostly short.
fn length(random: &mut Random) -> usize {
    match random.below(8) {
        0 => 0,
        1..4 => random.below(4),
        4..7 => random.below(9),
        _ => random.below(25),
    }
}

fn scalar(random: &mut Random, shape: &Shape) -> Option<Value> {
    let is_plain = random.once_in(3);
    let all = match shape {
        _ if is_plain => scalars(shape),
        Shape::Integer => integers(random),
        Shape::Float => floats(random),
        Shape::Number => {
            if random.once_in(2) {
                integers(random)
            } else {
                floats(random)
            }
        }
        Shape::Text => strings(random),
        _ => scalars(shape),
    };
    random.one_of(&all).cloned()
}

fn integers(random: &mut Random) -> Vec<Value> {
    if random.once_in(2) {
        return numbers(HARD_INTEGERS);
    }
    let most = [10, 100, 100_000].get(random.below(3)).copied().unwrap_or(10);
    let n = i64::try_from(random.below(2 * most + 1)).unwrap_or_default();
    vec![Value::integer(n - i64::try_from(most).unwrap_or_default())]
}

fn floats(random: &mut Random) -> Vec<Value> {
    if random.once_in(2) {
        return numbers(HARD_FLOATS);
    }
    let thousandths = i32::try_from(random.below(200_001)).unwrap_or_default() - 100_000;
    let float = f64::from(thousandths) / 1000.0;
    vec![Value::Number(format!("{float:?}"))]
}

fn strings(random: &mut Random) -> Vec<Value> {
    if random.once_in(2) {
        return texts(HARD_TEXTS);
    }
    let pieces: Vec<&str> =
        (0..1 + random.below(5)).filter_map(|_| random.one_of(HARD_TEXTS).copied()).collect();
    vec![Value::Text(pieces.concat())]
}
