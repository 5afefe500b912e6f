//! Records.

use super::lists::halves;
use super::text::TEXT_UNIT;
use super::value::{List, Value};
use super::{Evaluated, Evaluator};
use pif_guest::fault::Code;
use pif_guest::form::Form;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

type Members = BTreeMap<String, Value>;

/// Whether a form is one of these.
pub(super) fn is_one(form: Form) -> bool {
    form > Form::Record && form <= Form::Describe && !matches!(form, Form::Update | Form::UpdateIn)
}

fn record(members: Members) -> Value {
    Value::Record(Rc::new(members.into_iter().collect()))
}

fn text_work(text: &str) -> u64 {
    text.len() as u64 / TEXT_UNIT
}

fn members(value: &Value) -> Result<Members, Code> {
    match value {
        Value::Record(members) => Ok(members.iter().cloned().collect()),
        _ => Err(Code::TypeMismatch),
    }
}

fn elements(value: &Value) -> Result<Vec<Value>, Code> {
    match value {
        Value::List(list) => Ok(list.iter().cloned().collect()),
        _ => Err(Code::TypeMismatch),
    }
}

fn text(value: &Value) -> Result<String, Code> {
    match value {
        Value::Text(text) => Ok(text.to_string()),
        _ => Err(Code::TypeMismatch),
    }
}

fn is_step(step: &Value) -> bool {
    matches!(step, Value::Text(_) | Value::Integer(_))
}

fn pair(a: Value, b: Value) -> Value {
    Value::Pair(Rc::new((a, b)))
}

impl Evaluator {
    pub(super) fn records(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        match (form, operands) {
            (Form::Get, [of, key, default @ ..]) => {
                let is_null = matches!(of, Value::Unit) && !default.is_empty();
                let of = if is_null { Members::new() } else { members(of)? };
                let key = text(key)?;
                self.work(text_work(&key))?;
                of.get(&key).or(default.first()).cloned().ok_or(Code::MissingKey)
            }
            (Form::GetIn, [of, path, default @ ..]) => match self.follow(of, &elements(path)?) {
                Err(Code::MissingKey | Code::OutOfRange) if !default.is_empty() => {
                    Ok(default[0].clone())
                }
                Ok(None) => default.first().cloned().ok_or(Code::TypeMismatch),
                Ok(Some(value)) => Ok(value),
                Err(code) => Err(code),
            },
            (Form::Has, [of, key]) => {
                let (of, key) = (members(of)?, text(key)?);
                self.work(text_work(&key))?;
                Ok(Value::Boolean(of.contains_key(&key)))
            }
            (Form::PutIn, [of, path, value]) => {
                let path = elements(path)?;
                self.charge_path(&path)?;
                self.put_in(of, &path, value)
            }
            (Form::Put | Form::Remove, [of, key, value @ ..]) => {
                let (mut of, key) = (members(of)?, text(key)?);
                self.work(of.len() as u64 + text_work(&key))?;
                of.remove(&key);
                of.extend(value.first().map(|value| (key, value.clone())));
                Ok(record(of))
            }
            (Form::Merge, [a, b]) => {
                let (mut a, b) = (members(a)?, members(b)?);
                for key in a.keys().chain(b.keys()) {
                    self.work(1 + text_work(key))?;
                }
                a.extend(b);
                Ok(record(a))
            }
            (Form::Keys | Form::Values | Form::Entries, [of]) => {
                let of = members(of)?;
                self.work(of.len() as u64)?;
                let parts = of.into_iter().map(|(key, value)| match form {
                    Form::Keys => Value::Text(key.into()),
                    Form::Values => value,
                    _ => pair(Value::Text(key.into()), value),
                });
                Ok(Value::List(parts.collect()))
            }
            (Form::FromEntries, [entries]) => self.made_of_entries(&elements(entries)?),
            (Form::Pick | Form::Omit, [of, keys]) => self.choose(form, of, keys),
            (Form::Describe, [value]) => self.describe(value),
            _ => Err(Code::TypeMismatch),
        }
    }

    fn choose(&mut self, form: Form, of: &Value, keys: &Value) -> Evaluated {
        let (mut of, keys) = (members(of)?, elements(keys)?);
        self.work((of.len() + 4 * keys.len()) as u64)?;
        let keys = keys.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        for key in &keys {
            self.work(text_work(key))?;
        }
        of.retain(|key, _| keys.contains(key) == (form == Form::Pick));
        Ok(record(of))
    }

    pub(super) fn update(
        &mut self,
        of: &Value,
        key: &Value,
        function: &Value,
        depth: u32,
    ) -> Evaluated {
        let (mut of, key) = (members(of)?, text(key)?);
        let Value::Function(_) = function else { return Err(Code::NotAFunction) };
        self.work(text_work(&key))?;
        let old = of.get(&key).cloned().ok_or(Code::MissingKey)?;
        self.application(Form::Update, depth)?;
        let next = self.apply(function.clone(), vec![old], depth + 1)?;
        let new = self.finish(next, depth + 1)?;
        self.form = Form::Update;
        self.work(of.len() as u64)?;
        of.insert(key, new);
        Ok(record(of))
    }

    pub(super) fn update_in(
        &mut self,
        of: &Value,
        path: &Value,
        function: &Value,
        depth: u32,
    ) -> Evaluated {
        let path = elements(path)?;
        self.charge_path(&path)?;
        let Value::Function(_) = function else { return Err(Code::NotAFunction) };
        let old = self.go(of, &path)?.ok_or(Code::TypeMismatch)?;
        self.application(Form::UpdateIn, depth)?;
        let next = self.apply(function.clone(), vec![old], depth + 1)?;
        let new = self.finish(next, depth + 1)?;
        self.form = Form::UpdateIn;
        self.put_in(of, &path, &new)
    }

    /// The value with another one at the end of a path.
    fn put_in(&mut self, of: &Value, path: &[Value], value: &Value) -> Evaluated {
        let Some((step, rest)) = path.split_first() else { return Ok(value.clone()) };
        match (of, step) {
            (Value::Unit, Value::Text(key)) => {
                let inner = self.put_in(&Value::Unit, rest, value)?;
                Ok(record(Members::from([(key.to_string(), inner)])))
            }
            (Value::Record(_), Value::Text(key)) => {
                let mut of = members(of)?;
                self.work(of.len() as u64)?;
                let old = of.get(key.as_ref()).cloned().unwrap_or(Value::Unit);
                let inner = self.put_in(&old, rest, value)?;
                of.insert(key.to_string(), inner);
                Ok(record(of))
            }
            (Value::List(_), Value::Integer(_)) => {
                let old = self.step(of, step)?.ok_or(Code::TypeMismatch)?;
                let inner = self.put_in(&old, rest, value)?;
                let mut items = elements(of)?;
                let at = match step {
                    Value::Integer(n) => usize::try_from(n).map_err(|_| Code::OutOfRange)?,
                    _ => return Err(Code::TypeMismatch),
                };
                items[at] = inner;
                Ok(Value::List(items.into_iter().collect()))
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// Fuel of the steps of a path.
    fn charge_path(&mut self, path: &[Value]) -> Result<(), Code> {
        self.work(path.len() as u64)?;
        if !path.iter().all(is_step) {
            return Err(Code::TypeMismatch);
        }
        for key in path.iter().filter_map(|step| text(step).ok()) {
            self.work(text_work(&key))?;
        }
        Ok(())
    }

    /// Follows a path; nothing where it leads through a value of the wrong type.
    fn follow(&mut self, of: &Value, path: &[Value]) -> Result<Option<Value>, Code> {
        self.charge_path(path)?;
        self.go(of, path)
    }

    fn go(&mut self, of: &Value, path: &[Value]) -> Result<Option<Value>, Code> {
        let mut at = of.clone();
        for step in path {
            at = match self.step(&at, step)? {
                Some(next) => next,
                None => return Ok(None),
            };
        }
        Ok(Some(at))
    }

    /// The value that a step leads to; none from a value of the wrong type.
    fn step(&mut self, at: &Value, step: &Value) -> Result<Option<Value>, Code> {
        match (at, step) {
            (Value::Record(_), Value::Text(key)) => {
                members(at)?.remove(key.as_ref()).ok_or(Code::MissingKey).map(Some)
            }
            (Value::List(list), Value::Integer(n)) => {
                let n = usize::try_from(n);
                // An index that no list has is known to be none without a look at the list.
                let n = n.ok().filter(|n| *n < 1 << 62).ok_or(Code::OutOfRange)?;
                let passed = list.iter().count().min(n.saturating_add(1));
                self.work(passed as u64)?;
                list.iter().nth(n).cloned().ok_or(Code::OutOfRange).map(Some)
            }
            (Value::Pair(pair), Value::Integer(n)) => {
                let n = usize::try_from(n);
                let n = n.ok().filter(|n| *n < 1 << 62).ok_or(Code::OutOfRange)?;
                self.work(n.saturating_add(1).min(2) as u64)?;
                let half = [&pair.0, &pair.1].get(n).copied().cloned();
                half.ok_or(Code::OutOfRange).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn made_of_entries(&mut self, entries: &[Value]) -> Evaluated {
        let n = entries.len() as u64;
        // The least power of two that is no less than n.
        let rounds = (0..64).find(|rounds| 1_u64 << rounds >= n).unwrap_or_default();
        self.work(n + n * rounds)?;
        let mut made = Members::new();
        let entries = entries
            .iter()
            .map(|entry| halves(entry).and_then(|(key, value)| Ok((text(&key)?, value))));
        for (key, value) in entries.collect::<Result<Vec<_>, Code>>()? {
            self.work(text_work(&key))?;
            made.insert(key, value);
        }
        Ok(record(made))
    }

    fn describe(&mut self, value: &Value) -> Evaluated {
        let (mut size, mut records) = (None, Vec::new());
        match value {
            Value::Text(text) => size = Some(text.chars().count()),
            Value::Record(of) => {
                size = Some(of.len());
                records.push(members(value)?);
            }
            Value::List(list) => {
                size = Some(list.iter().count());
                self.work(list.iter().count() as u64)?;
                records = list.iter().filter_map(|element| members(element).ok()).collect();
            }
            _ => {}
        }
        let mut about = Members::new();
        about.insert("type".into(), Value::Text(value.kind().into()));
        about.extend(size.map(|size| ("size".into(), Value::Integer(size.into()))));
        if !records.is_empty() {
            about.insert("keys".into(), self.describe_keys(&records)?);
        }
        Ok(record(about))
    }

    fn describe_keys(&mut self, records: &[Members]) -> Evaluated {
        let mut keys: BTreeMap<&String, Vec<&Value>> = BTreeMap::new();
        for (key, value) in records.iter().flatten() {
            self.work(1 + text_work(key))?;
            keys.entry(key).or_default().push(value);
        }
        let mut described = Members::new();
        for (key, values) in keys.into_iter().take(100) {
            let types: BTreeSet<&str> = values.iter().map(|value| value.kind()).collect();
            let types = types.into_iter().map(|name| Value::Text(name.into()));
            let mut about = Members::new();
            about.insert("types".into(), Value::List(types.collect::<List>()));
            about.insert("coverage".into(), Value::Integer(values.len().into()));
            if let Some(example) = values.iter().find(|value| is_short(value)) {
                about.insert("example".into(), self.cut(example)?);
            }
            described.insert(key.clone(), record(about));
        }
        Ok(record(described))
    }

    fn cut(&mut self, example: &Value) -> Evaluated {
        let Value::Text(text) = example else { return Ok(example.clone()) };
        self.work(text_work(text))?;
        if text.chars().count() <= 100 {
            return Ok(example.clone());
        }
        let beginning: String = text.chars().take(100).collect();
        Ok(Value::Text(format!("{beginning}…").into()))
    }
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::Integer(n) => n.bits() <= 64,
        value => matches!(value, Value::Boolean(_) | Value::Float(_) | Value::Text(_)),
    }
}
