//! The sizes that costs depend on: what is measured, of which part of the input.

use super::bound::{Bound, Size};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// The elements of a list, the members of a record.
    Length,
    /// The bytes of a text.
    Bytes,
    /// The limbs of an integer that has two or more, else 0; of a text those of the integer that it spells.
    Limbs,
    /// All parts of a value, and the units of its texts.
    Size,
    /// The integer itself, if it is not negative, else 0.
    Value,
}

/// The way from a part of the input to one within it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The value under this key.
    Member(String),
    /// The elements of a list: the greatest counts.
    Element,
    /// The values of a record, whatever the keys: the greatest counts.
    Values,
    /// The keys of a record: the greatest counts.
    Keys,
    /// The element at this index.
    Index(usize),
}

/// A part of the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The parameter, or `data`.
    pub of: String,
    /// The steps from there.
    pub steps: Vec<Step>,
}

impl Part {
    pub(super) fn within(&self, step: Step) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { of: self.of.clone(), steps }
    }
}

/// A variable of a cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the cost.
    pub name: String,
    /// What it measures.
    pub measure: Measure,
    /// Of which part.
    pub part: Part,
}

impl Variable {
    /// The variable as an expression of the notation, with `length`, `bytes`, `limbs` and `size` besides.
    /// `max` of no numbers is 0.
    #[must_use]
    pub fn expression(&self) -> String {
        let mut text = self.part.of.clone();
        let mut inner = String::new();
        let mut ends = String::new();
        let mut depth = 0;
        for step in &self.part.steps {
            match step {
                Step::Member(name) if is_name(name) => _ = write!(text, ".{name}"),
                Step::Member(name) => _ = write!(text, "[{name:?}]"),
                Step::Index(at) => _ = write!(text, "[{at}]"),
                Step::Element | Step::Values | Step::Keys => {
                    let name = ["x", "y", "z", "w"].get(depth).copied().unwrap_or("v");
                    let list = match step {
                        Step::Values => format!("values({text})"),
                        Step::Keys => format!("keys({text})"),
                        _ => text.clone(),
                    };
                    _ = write!(inner, "max({list}.map({name} => ");
                    ends.push_str("))");
                    name.clone_into(&mut text);
                    depth += 1;
                }
            }
        }
        let measured = match self.measure {
            Measure::Length => format!("length({text})"),
            Measure::Bytes => format!("bytes({text})"),
            Measure::Limbs => format!("limbs({text})"),
            Measure::Size => format!("size({text})"),
            Measure::Value => text,
        };
        format!("{inner}{measured}{ends}")
    }
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// All sizes of one program.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    known: Vec<Option<(Measure, Part)>>,
    ids: BTreeMap<(Measure, Part), Size>,
}

impl Sizes {
    /// The size of a part.
    pub(super) fn of(&mut self, measure: Measure, part: &Part) -> Bound {
        let key = (measure, part.clone());
        if let Some(id) = self.ids.get(&key) {
            return Bound::size(*id);
        }
        let id = pif_core::limits::to_u32(self.known.len());
        self.known.push(Some(key.clone()));
        self.ids.insert(key, id);
        Bound::size(id)
    }

    /// A size that stands for what a loop adds until that is known.
    pub(super) fn made(&mut self) -> Size {
        self.known.push(None);
        pif_core::limits::to_u32(self.known.len() - 1)
    }

    /// The variables of a bound, with names in the order of their sizes; none if one is not of the input.
    pub(super) fn variables(&self, bound: &Bound) -> Option<BTreeMap<Size, Variable>> {
        let mut counts: BTreeMap<Measure, usize> = BTreeMap::new();
        let mut variables = BTreeMap::new();
        for size in bound.sizes() {
            let (measure, part) = self.known.get(size as usize)?.clone()?;
            let count = counts.entry(measure).or_default();
            let name = name_of(measure, *count);
            *count += 1;
            variables.insert(size, Variable { name, measure, part });
        }
        Some(variables)
    }
}

fn name_of(measure: Measure, count: usize) -> String {
    let names: &[&str] = match measure {
        Measure::Length => &["n", "m", "k", "j"],
        Measure::Bytes => &["b", "c", "d", "e"],
        Measure::Limbs => &["l"],
        Measure::Size => &["s"],
        Measure::Value => &["v", "w", "u"],
    };
    match names.get(count) {
        Some(name) => (*name).to_owned(),
        None => format!("{}{}", names.first().copied().unwrap_or("x"), count + 1),
    }
}
