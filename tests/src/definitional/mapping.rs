//! Maps and sets: keys in order, each with the text that equal keys share.

use super::keys::count;
use super::lists::{self, list, of_two};
use super::value::{List, Value};
use super::{Evaluated, Evaluator, text};
use pif::fault::Code;
use pif::form::Form;
use std::rc::Rc;

/// Keys and values, with the text that equal keys share.
pub(super) type Entries = Rc<Vec<(String, Value, Value)>>;

/// Whether a form is one of these.
pub(super) fn knows(form: Form) -> bool {
    matches!(form, Form::ToMap | Form::ToSet | Form::Lookup | Form::Insert | Form::Elements)
}

/// The entries of a map or set, and whether it is a map.
pub(super) fn entries(of: &Value) -> Option<(&Entries, bool)> {
    match of {
        Value::Map(entries) => Some((entries, true)),
        Value::Set(entries) => Some((entries, false)),
        _ => None,
    }
}

/// A map as a list of lists of two, a set as a list.
pub(super) fn as_list(entries: &Entries, is_map: bool) -> Value {
    let entries =
        entries.iter().map(
            |(_, key, value)| {
                if is_map { of_two(key.clone(), value.clone()) } else { key.clone() }
            },
        );
    list(entries)
}

fn made(entries: Vec<(String, Value, Value)>, is_map: bool) -> Value {
    if is_map { Value::Map(Rc::new(entries)) } else { Value::Set(Rc::new(entries)) }
}

/// Bits of a number.
pub(super) fn bits(n: usize) -> u64 {
    (0..64).find(|bits| n >> bits == 0).unwrap_or(64)
}

impl Evaluator {
    pub(super) fn mapping(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        match (form, operands) {
            (Form::Elements, [of]) => self.elements(of).map(Value::List),
            (Form::ToMap, [Value::Map(_)]) | (Form::ToSet, [Value::Set(_)]) => {
                Ok(operands[0].clone())
            }
            (Form::ToMap, [Value::Text(_)]) => Err(Code::TypeMismatch),
            (Form::ToMap | Form::ToSet, [of]) => {
                let of: Vec<Value> = self.elements(of)?.iter().cloned().collect();
                self.map_of(&of, form == Form::ToMap)
            }
            (Form::Lookup, [Value::Map(map), key, default @ ..]) => {
                self.work(1 + bits(map.len()) / 8)?;
                let name = self.name(key)?;
                let found = map.iter().find(|(known, ..)| *known == name).map(|entry| &entry.2);
                found.or(default.first()).cloned().ok_or(Code::MissingKey)
            }
            (Form::Insert, [Value::Map(map), key, value]) => {
                self.inserted(map, key, value).map(|entries| made(entries, true))
            }
            (Form::Insert, [Value::Set(set), key]) => {
                self.inserted(set, key, key).map(|entries| made(entries, false))
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// All that a value holds.
    pub(super) fn elements(&mut self, of: &Value) -> Result<List, Code> {
        match of {
            Value::List(list) => Ok(list.clone()),
            Value::Unit => Ok(List::default()),
            Value::Text(of) => {
                self.charge_texts(&[of])?;
                let chars: Vec<Value> = of.chars().map(|c| text::text(c.to_string())).collect();
                self.work(count(chars.len()))?;
                Ok(chars.into_iter().collect())
            }
            Value::Map(entries) | Value::Set(entries) => {
                self.work(4 * count(entries.len()))?;
                match as_list(entries, matches!(of, Value::Map(_))) {
                    Value::List(list) => Ok(list),
                    _ => Err(Code::Internal),
                }
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// A map of lists of two, or a set of elements.
    fn map_of(&mut self, of: &[Value], is_map: bool) -> Evaluated {
        let pair = |element: &Value| match element {
            _ if !is_map => Ok((element.clone(), element.clone())),
            element => lists::entry(element),
        };
        let pairs = of.iter().map(pair).collect::<Result<Vec<_>, Code>>()?;
        let (keys, values): (Vec<Value>, Vec<Value>) = pairs.into_iter().unzip();
        let groups = self.grouped(&keys, &values)?;
        self.work(4 * count(groups.len()))?;
        let form = self.form;
        let mut entries = Vec::new();
        for (key, values) in groups {
            let fuel = self.fuel;
            let name = self.name(&key)?;
            // The keys are paid.
            self.fuel = fuel;
            let last = values.last().filter(|_| is_map).cloned();
            let value = last.unwrap_or_else(|| key.clone());
            entries.push((name, key, value));
        }
        self.form = form;
        Ok(made(entries, is_map))
    }

    fn inserted(
        &mut self,
        of: &Entries,
        key: &Value,
        value: &Value,
    ) -> Result<Vec<(String, Value, Value)>, Code> {
        self.work(8 + bits(of.len()))?;
        let name = self.name(key)?;
        let mut entries = of.as_ref().clone();
        match entries.iter_mut().find(|(known, ..)| *known == name) {
            Some(entry) => entry.2 = value.clone(),
            None => entries.push((name, key.clone(), value.clone())),
        }
        Ok(entries)
    }

    /// A form that takes records, on a map or set.
    pub(super) fn of_mapping(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        let [of, operands @ ..] = operands else { return Err(Code::Internal) };
        let (entries, is_map) = entries(of).ok_or(Code::TypeMismatch)?;
        match (form, operands) {
            (Form::Get, [Value::Text(key), default @ ..]) => {
                self.charge_texts(&[key])?;
                if key.as_ref() == "size" {
                    return Ok(Value::Integer(entries.len().into()));
                }
                default.first().cloned().ok_or(Code::MissingKey)
            }
            (Form::Has | Form::Contains, [key]) => {
                self.work(1 + bits(entries.len()) / 8)?;
                let name = self.name(key)?;
                Ok(Value::Boolean(entries.iter().any(|(known, ..)| *known == name)))
            }
            (Form::Remove, [key]) => {
                self.work(8 + bits(entries.len()))?;
                let name = self.name(key)?;
                let mut entries = entries.as_ref().clone();
                entries.retain(|(known, ..)| *known != name);
                Ok(made(entries, is_map))
            }
            (Form::Keys | Form::Values | Form::Entries, []) => {
                self.work(4 * count(entries.len()))?;
                Ok(list(entries.iter().map(|(_, key, value)| match form {
                    Form::Entries => of_two(key.clone(), value.clone()),
                    Form::Keys => key.clone(),
                    _ if is_map => value.clone(),
                    _ => key.clone(),
                })))
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// Whether two maps, or two sets, hold the same.
    pub(super) fn equal_entries(
        &mut self,
        a: &Entries,
        b: &Entries,
        is_map: bool,
    ) -> Result<bool, Code> {
        if a.len() != b.len() {
            return Ok(false);
        }
        let mut values = Vec::new();
        for (name, key, value) in a.iter() {
            self.work(1)?;
            self.name(key)?;
            match b.iter().find(|(known, ..)| known == name) {
                Some((_, _, other)) => values.push((value, other)),
                None => return Ok(false),
            }
        }
        for (value, other) in values.into_iter().filter(|_| is_map) {
            self.work(1)?;
            if !self.equal(value, other)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
