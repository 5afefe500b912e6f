//! Records.

use super::lists::{self, of_two};
use super::mapping;
use super::members::{Members, index, record};
use super::operation::{is_number, mismatch};
use super::reading::digits_work;
use super::text::TEXT_UNIT;
use super::value::{List, Match, Value};
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use pif::fault::Code;
use pif::figures;
use pif::form::Form;

/// Whether a form is one of these.
pub(super) fn is_one(form: Form) -> bool {
    form.row().is_some_and(|row| row.group == "records")
        && !matches!(form, Form::Record | Form::Update | Form::UpdateIn)
}

pub(super) fn text_work(text: &str) -> u64 {
    text.len() as u64 / TEXT_UNIT
}

pub(super) fn members(value: &Value) -> Result<Members, Code> {
    match value {
        Value::Record(members) => Ok(members.iter().cloned().collect()),
        value => Err(mismatch(value)),
    }
}

fn elements(value: &Value) -> Result<Vec<Value>, Code> {
    match value {
        Value::List(list) => Ok(list.iter().cloned().collect()),
        value => Err(mismatch(value)),
    }
}

fn text(value: &Value) -> Result<String, Code> {
    match value {
        Value::Text(text) => Ok(text.to_string()),
        value => Err(mismatch(value)),
    }
}

fn part_named(found: &Match, name: &str) -> Option<Value> {
    match name {
        "index" => Some(Value::Integer(found.index.into())),
        "input" => Some(Value::Text(found.input.clone())),
        "groups" => Some(found.groups.clone()),
        "length" => Some(Value::Integer(found.list.iter().count().into())),
        _ => None,
    }
}

/// The most members of a record that is copied where one of them changes.
const COPIED: usize = 64;

/// The fuel of changing a member of a record of so many, in units of work.
fn change_work(members: usize) -> u64 {
    let n = members as u64;
    if members > COPIED { 16 + 2 * mapping::bits(members) } else { n }
}

/// The text of a key.
fn key_text(key: &Value) -> Result<String, Code> {
    match key {
        Value::Text(text) => Ok(text.to_string()),
        Value::Integer(n) => Ok(n.to_string()),
        Value::Float(n) => Ok(figures::text(*n)),
        Value::Boolean(b) => Ok(b.to_string()),
        key => Err(mismatch(key)),
    }
}

/// The fuel of a key, in units of work.
fn key_work(key: &Value) -> Result<u64, Code> {
    Ok(match key {
        Value::Boolean(_) => 0,
        Value::Integer(n)
            if !(-BigInt::from(1_i64 << 62)..BigInt::from(1_i64 << 62)).contains(n) =>
        {
            let limbs = n.bits().div_ceil(64);
            digits_work(limbs) + 2 * limbs
        }
        key => text_work(&key_text(key)?),
    })
}

/// The index that a key is.
fn index_of(key: &Value) -> Option<u64> {
    match key {
        Value::Integer(n) => u64::try_from(n).ok().filter(|n| *n < 1 << 62),
        Value::Float(n) => {
            let whole = (0.0..9_007_199_254_740_992.0).contains(n) && n.fract() == 0.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
            whole.then_some(*n as u64)
        }
        Value::Text(text) => index(text),
        _ => None,
    }
}

fn is_length(key: &Value) -> bool {
    matches!(key, Value::Text(text) if &**text == "length")
}

/// What a value that has members lacks: an index, or a key.
fn lacking(key: &Value) -> Code {
    if is_number(key) { Code::OutOfRange } else { Code::MissingKey }
}

/// The member of a value at a key, and what is passed on the way.
fn member(of: &Value, key: &Value, passed: &mut u64) -> Evaluated {
    match of {
        Value::Record(members) => {
            let key = key_text(key)?;
            let found = members.iter().find(|(known, _)| *known == key);
            found.map(|(_, value)| value.clone()).ok_or(Code::MissingKey)
        }
        Value::List(list) => {
            let length = list.iter().count() as u64;
            if is_length(key) {
                *passed += length;
                return Ok(Value::Integer(length.into()));
            }
            let n = index_of(key).ok_or(lacking(key))?;
            *passed += length.min(n.saturating_add(1));
            let n = usize::try_from(n).unwrap_or(usize::MAX);
            list.iter().nth(n).cloned().ok_or(Code::OutOfRange)
        }
        Value::Pair(pair) => {
            let n = index_of(key).ok_or(lacking(key))?;
            *passed += n.saturating_add(1).min(2);
            let half = [&pair.0, &pair.1].get(usize::try_from(n).unwrap_or(2)).copied().cloned();
            half.ok_or(Code::OutOfRange)
        }
        Value::Match(found) => {
            if let Value::Text(name) = key
                && let Some(part) = part_named(found, name)
            {
                return Ok(part);
            }
            member(&Value::List(found.list.clone()), key, passed)
        }
        Value::Map(of) | Value::Set(of) => match key {
            Value::Text(name) if &**name == "size" => Ok(Value::Integer(of.len().into())),
            _ => Err(Code::MissingKey),
        },
        Value::Text(text) => {
            if is_length(key) {
                return Ok(Value::Integer(text.chars().count().into()));
            }
            let n = usize::try_from(index_of(key).ok_or(lacking(key))?).unwrap_or(usize::MAX);
            let found = text.chars().nth(n).ok_or(Code::OutOfRange)?;
            *passed += text.len() as u64 / 2;
            Ok(Value::Text(found.to_string().into()))
        }
        _ => Err(Code::TypeMismatch),
    }
}

fn has_members(of: &Value) -> bool {
    matches!(of, Value::Record(_) | Value::List(_) | Value::Pair(_) | Value::Text(_))
        || matches!(of, Value::Match(_) | Value::Map(_) | Value::Set(_))
}

/// The index of a list to be changed there.
fn place_in(key: &Value) -> Result<usize, Code> {
    match index_of(key) {
        Some(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
        None if is_number(key) => Err(Code::OutOfRange),
        None => Err(mismatch(key)),
    }
}

/// The list with another element, at most behind its last one.
fn with_element(list: &List, n: usize, element: Value) -> Value {
    let mut items: Vec<Value> = list.iter().cloned().collect();
    if n == items.len() {
        items.push(element);
    } else {
        items[n] = element;
    }
    Value::List(items.into_iter().collect())
}

impl Evaluator {
    pub(super) fn records(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        let is_mapping = operands.first().and_then(mapping::entries).is_some();
        match (form, operands) {
            (Form::Has | Form::Remove | Form::Keys | Form::Values | Form::Entries, _)
                if is_mapping =>
            {
                self.of_mapping(form, operands)
            }
            (Form::Get, [of, key, default @ ..]) => self.get(of, key, default.first()),
            (Form::GetIn, [of, path, default @ ..]) => {
                let path = elements(path)?;
                self.charge_path(&path, !default.is_empty())?;
                match (self.follow(form, of, &path)?, default.first()) {
                    (Err(_), Some(default)) => Ok(default.clone()),
                    (found, _) => found,
                }
            }
            (Form::Has, [of, key]) => {
                if !matches!(of, Value::Record(_) | Value::List(_)) {
                    return Err(Code::TypeMismatch);
                }
                key_text(key)?;
                self.work(key_work(key)?)?;
                let mut passed = 0;
                let found = member(of, key, &mut passed);
                self.work(passed / form.work_price())?;
                Ok(Value::Boolean(found.is_ok()))
            }
            (Form::PutIn, [of, path, value]) => {
                let path = elements(path)?;
                self.charge_path(&path, false)?;
                self.put_in(of, &path, value)
            }
            (Form::Put, [Value::List(list), key, value]) => {
                key_text(key)?;
                self.work(key_work(key)?)?;
                let n = self.place_for(list, key)?;
                Ok(with_element(list, n, value.clone()))
            }
            (Form::Put, [of, key, value]) => {
                let (mut of, text) = (members(of)?, key_text(key)?);
                self.work(key_work(key)?)?;
                self.work(change_work(of.len()))?;
                of.insert(text, value.clone());
                Ok(of.record())
            }
            (Form::Remove, [of, key]) => {
                let (of, text) = (members(of)?, key_text(key)?);
                self.work(key_work(key)?)?;
                self.work(change_work(of.len()))?;
                Ok(record(of.listed().into_iter().filter(|(known, _)| *known != text)))
            }
            (Form::Merge, [a, b]) => {
                let merged = |value: &Value| match value {
                    Value::Unit | Value::Boolean(_) | Value::NotNumber => Ok(Members::default()),
                    Value::Text(text) if text.is_empty() => Ok(Members::default()),
                    value if is_number(value) => Ok(Members::default()),
                    value => members(value),
                };
                let second = b;
                let (a, b) = (merged(a)?.listed(), merged(b)?.listed());
                let put = b.len() as u64 * change_work(a.len());
                let is_put =
                    a.len() > COPIED && put < a.len() as u64 && matches!(second, Value::Record(_));
                let looked_at = if is_put { &[] } else { &*a };
                self.work(if is_put { put } else { (a.len() + b.len()) as u64 })?;
                for (key, _) in looked_at.iter().chain(&b) {
                    self.work(text_work(key))?;
                }
                Ok(record(a.into_iter().chain(b)))
            }
            (Form::Keys | Form::Values | Form::Entries, [of]) => {
                let of = match of {
                    Value::List(list) => list
                        .iter()
                        .enumerate()
                        .map(|(at, element)| (at.to_string(), element.clone()))
                        .collect(),
                    of => members(of)?,
                };
                self.work(of.len() as u64)?;
                let parts = of.listed().into_iter().map(|(key, value)| match form {
                    Form::Keys => Value::Text(key.into()),
                    Form::Values => value,
                    _ => of_two(Value::Text(key.into()), value),
                });
                Ok(Value::List(parts.collect()))
            }
            (Form::FromEntries, [entries]) => self.made_of_entries(&elements(entries)?),
            (Form::Pick | Form::Omit, [of, keys]) => self.choose(form, of, keys),
            (Form::Describe, [value]) => self.describe(value),
            _ => Err(Code::TypeMismatch),
        }
    }

    fn get(&mut self, of: &Value, key: &Value, default: Option<&Value>) -> Evaluated {
        if !has_members(of) && !matches!(of, Value::Unit) && default.is_none() {
            return Err(Code::TypeMismatch);
        }
        if let (Value::Unit, Some(default)) = (key, default) {
            return Ok(default.clone());
        }
        key_text(key)?;
        self.work(key_work(key)?)?;
        let mut passed = 0;
        let found = member(of, key, &mut passed);
        self.work(passed / Form::Get.work_price())?;
        found.or_else(|code| default.cloned().ok_or(code))
    }

    /// The index of a list to be changed there, with its fuel.
    fn place_for(&mut self, list: &List, key: &Value) -> Result<usize, Code> {
        let n = place_in(key)?;
        let before = list.iter().count().min(n);
        self.work(1 + before as u64 / 2)?;
        if before < n { Err(Code::OutOfRange) } else { Ok(n) }
    }

    fn choose(&mut self, form: Form, of: &Value, keys: &Value) -> Evaluated {
        let (of, keys) = (members(of)?, elements(keys)?);
        self.work((of.len() + 4 * keys.len()) as u64)?;
        let keys = keys.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        for key in &keys {
            self.work(text_work(key))?;
        }
        let chosen = |key: &String| keys.contains(key) == (form == Form::Pick);
        Ok(record(of.listed().into_iter().filter(|(key, _)| chosen(key))))
    }

    pub(super) fn update(
        &mut self,
        of: &Value,
        key: &Value,
        function: &Value,
        depth: u32,
    ) -> Evaluated {
        if !matches!(of, Value::Record(_) | Value::List(_)) {
            return Err(Code::TypeMismatch);
        }
        let text = key_text(key)?;
        let Value::Function(_) = function else { return Err(Code::NotAFunction) };
        self.work(key_work(key)?)?;
        let old = if let Value::List(list) = of {
            let n = place_in(key)?;
            self.work(list.iter().count().min(n) as u64 / Form::Update.work_price())?;
            list.iter().nth(n).cloned().ok_or(Code::OutOfRange)?
        } else {
            members(of)?.get(&text).cloned().ok_or(Code::MissingKey)?
        };
        self.application(Form::Update, depth)?;
        let next = self.apply(function.clone(), vec![old], depth + 1)?;
        let new = self.finish(next, depth + 1)?;
        self.form = Form::Update;
        if let Value::List(list) = of {
            let n = self.place_for(list, key)?;
            return Ok(with_element(list, n, new));
        }
        let mut of = members(of)?;
        self.work(change_work(of.len()))?;
        of.insert(text, new);
        Ok(of.record())
    }

    pub(super) fn update_in(
        &mut self,
        of: &Value,
        path: &Value,
        function: &Value,
        depth: u32,
    ) -> Evaluated {
        let path = elements(path)?;
        self.charge_path(&path, false)?;
        let Value::Function(_) = function else { return Err(Code::NotAFunction) };
        let old = self.follow(Form::UpdateIn, of, &path)??;
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
                Ok(record([(key.to_string(), inner)]))
            }
            (Value::Record(_), key) => {
                let (mut of, key) = (members(of)?, key_text(key)?);
                self.work(change_work(of.len()))?;
                let old = of.get(&key).cloned().unwrap_or(Value::Unit);
                let inner = self.put_in(&old, rest, value)?;
                of.insert(key, inner);
                Ok(of.record())
            }
            (Value::List(list), key) => {
                let n = self.place_for(list, key)?;
                let old = list.iter().nth(n).cloned().unwrap_or(Value::Unit);
                let inner = self.put_in(&old, rest, value)?;
                Ok(with_element(list, n, inner))
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// Fuel of the steps of a path. Null may be one where a default stands for what is missing.
    pub(super) fn charge_path(&mut self, path: &[Value], has_default: bool) -> Result<(), Code> {
        self.work(path.len() as u64)?;
        let is_step =
            |step: &Value| key_text(step).is_ok() || has_default && matches!(step, Value::Unit);
        if let Some(odd) = path.iter().find(|step| !is_step(step)) {
            return Err(mismatch(odd));
        }
        for step in path.iter().filter(|step| !matches!(step, Value::Unit)) {
            self.work(key_work(step)?)?;
        }
        Ok(())
    }

    /// What a path leads to, or why it leads nowhere.
    pub(super) fn follow(
        &mut self,
        form: Form,
        of: &Value,
        path: &[Value],
    ) -> Result<Evaluated, Code> {
        let (mut at, mut passed) = (Ok(of.clone()), 0);
        for step in path {
            at = at.and_then(|at| member(&at, step, &mut passed));
        }
        self.work(passed / form.work_price())?;
        Ok(at)
    }

    fn made_of_entries(&mut self, entries: &[Value]) -> Evaluated {
        let n = entries.len() as u64;
        // The least power of two that is no less than n.
        let rounds = (0..64).find(|rounds| 1_u64 << rounds >= n).unwrap_or_default();
        self.work(n + n * rounds)?;
        let mut made = Members::default();
        let entries = entries.iter().map(lists::entry).collect::<Result<Vec<_>, Code>>()?;
        let texts =
            entries.iter().map(|(key, _)| key_text(key)).collect::<Result<Vec<_>, Code>>()?;
        for (text, (key, value)) in texts.into_iter().zip(entries) {
            self.work(key_work(&key)?)?;
            made.insert(text, value);
        }
        Ok(made.record())
    }
}
