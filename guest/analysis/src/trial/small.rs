//! All small values of a type, in order of their size.

use super::scalars::KEYS;
use super::types::{ANY_PARTS, Options, options};
use super::value::Value;
use crate::shape::Shape;
use std::collections::BTreeMap;

/// The values of types by size, each computed once.
#[derive(Debug, Default)]
pub(super) struct Small {
    known: BTreeMap<(Shape, usize), Option<Vec<Value>>>,
}

impl Small {
    /// All values of a type that have exactly this size, or none at all if they are more than `most`.
    pub(super) fn of_size(
        &mut self,
        shape: &Shape,
        size: usize,
        most: usize,
    ) -> Option<Vec<Value>> {
        let key = (shape.clone(), size);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.find(shape, size, most);
        self.known.insert(key, found.clone());
        found
    }

    fn find(&mut self, shape: &Shape, size: usize, most: usize) -> Option<Vec<Value>> {
        let mut found: Vec<Value> = Vec::new();
        if size == 0 {
            return Some(found);
        }
        match options(shape) {
            Options::Scalars(scalars) if size == 1 => found.extend(scalars),
            Options::Scalars(_) => {}
            Options::List(element) => {
                let lists = self.sequences(element, size - 1, most)?;
                found.extend(lists.into_iter().map(Value::List));
            }
            Options::Tuple(shapes) => {
                let shapes: Vec<(&Shape, bool)> = shapes.iter().map(|it| (it, false)).collect();
                let all = self.product(&shapes, size - 1, most)?;
                found.extend(
                    all.into_iter().map(|it| Value::List(it.into_iter().flatten().collect())),
                );
            }
            Options::Record(members) => {
                let shapes: Vec<(&Shape, bool)> =
                    members.iter().map(|it| (&it.shape, it.is_optional)).collect();
                for values in self.product(&shapes, size - 1, most)? {
                    let named = members.iter().zip(values);
                    let there = named.filter_map(|(it, value)| Some((it.name.clone(), value?)));
                    found.push(Value::Record(there.collect()));
                }
            }
            Options::Dictionary(element) => {
                for values in self.sequences(element, size - 1, most)? {
                    if values.len() <= KEYS.len() {
                        let keys = KEYS.iter().map(|key| (*key).to_owned());
                        found.push(Value::Record(keys.zip(values).collect()));
                    }
                }
            }
            Options::Union(shapes) => {
                for shape in shapes {
                    for value in self.of_size(shape, size, most)? {
                        if !found.contains(&value) {
                            found.push(value);
                        }
                    }
                }
            }
            Options::Any => {
                for shape in &*ANY_PARTS {
                    found.extend(self.of_size(shape, size, most)?);
                }
            }
        }
        (found.len() <= most).then_some(found)
    }

    /// All lists whose elements have this size together.
    fn sequences(&mut self, shape: &Shape, size: usize, most: usize) -> Option<Vec<Vec<Value>>> {
        // The lists of each size, from the empty one on.
        let mut lists: Vec<Vec<Vec<Value>>> = vec![vec![Vec::new()]];
        for whole in 1..=size {
            let mut found = Vec::new();
            for last in 1..=whole {
                let shorter = lists.get(whole - last).cloned().unwrap_or_default();
                for value in self.of_size(shape, last, most)? {
                    for list in &shorter {
                        found.push([&list[..], std::slice::from_ref(&value)].concat());
                    }
                }
            }
            if found.len() > most {
                return None;
            }
            lists.push(found);
        }
        lists.pop()
    }

    /// All values of several types whose sizes are this together. One that is optional may be missing.
    pub(super) fn product(
        &mut self,
        shapes: &[(&Shape, bool)],
        size: usize,
        most: usize,
    ) -> Option<Vec<Vec<Option<Value>>>> {
        let mut rows: Vec<Vec<Vec<Option<Value>>>> = vec![vec![Vec::new()]];
        rows.resize(size + 1, Vec::new());
        for (shape, is_optional) in shapes {
            let mut longer: Vec<Vec<Vec<Option<Value>>>> = vec![Vec::new(); size + 1];
            for (before, rows) in rows.iter().enumerate().filter(|it| !it.1.is_empty()) {
                for more in 0..=size - before {
                    let values = if more > 0 {
                        self.of_size(shape, more, most)?.into_iter().map(Some).collect()
                    } else if *is_optional {
                        vec![None]
                    } else {
                        Vec::new()
                    };
                    let Some(place) = longer.get_mut(before + more) else { continue };
                    for (row, value) in
                        rows.iter().flat_map(|row| values.iter().map(move |it| (row, it)))
                    {
                        place.push([&row[..], std::slice::from_ref(value)].concat());
                    }
                    if place.len() > most {
                        return None;
                    }
                }
            }
            rows = longer;
        }
        rows.pop()
    }
}
