//! Keys: what they cost, which are equal, and the order they come in.

use super::comparison::compare_with_float;
use super::operation::{is_number, limbs, mismatch};
use super::text::TEXT_UNIT;
use super::value::Value;
use super::{Evaluator, json};
use num_bigint::BigInt;
use num_traits::FromPrimitive;
use pif::fault::Code;
use pif::number::float_text;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The length as fuel counts it.
pub(super) fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// What looking at a number costs: one limb nothing.
pub(super) fn long(n: &Value) -> Result<u64, Code> {
    limbs(n).map(length_work)
}

pub(super) fn length_work(limbs: u64) -> u64 {
    if limbs > 1 { 8 + limbs } else { 0 }
}

/// ⌈log2 n⌉, 0 of nothing.
fn rounds(n: u64) -> u64 {
    (0..64).find(|log| 1_u64 << log >= n).unwrap_or(64)
}

/// The kinds of what stood at each place in keys so far; the place is the indices that lead to it.
type Kinds = BTreeMap<Vec<usize>, &'static str>;

/// The kind of a key, or of an element of one; none of null, which goes with any other.
fn kind(key: &Value) -> Result<Option<&'static str>, Code> {
    match key {
        Value::Unit => Ok(None),
        Value::Integer(_) | Value::Float(_) => Ok(Some("number")),
        Value::Text(_) => Ok(Some("text")),
        Value::Boolean(_) => Ok(Some("boolean")),
        Value::List(_) => Ok(Some("list")),
        Value::Date(_) => Ok(Some("date")),
        key => Err(mismatch(key)),
    }
}

fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Unit, b) => {
            if matches!(b, Value::Unit) {
                Ordering::Equal
            } else {
                Ordering::Less
            }
        }
        (_, Value::Unit) => Ordering::Greater,
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::List(a), Value::List(b)) => {
            let (a, b): (Vec<_>, Vec<_>) = (a.iter().collect(), b.iter().collect());
            let differing = a.iter().zip(&b).map(|(a, b)| order(a, b)).find(|it| it.is_ne());
            differing.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Value::Integer(a), Value::Float(b)) => compare_with_float(a, *b),
        (Value::Float(a), Value::Integer(b)) => compare_with_float(b, *a).reverse(),
        _ => Ordering::Equal,
    }
}

impl Evaluator {
    /// Pays for looking at keys of one kind; gives their weight.
    pub(super) fn weigh(&mut self, keys: &[Value]) -> Result<u64, Code> {
        self.work(count(keys.len()))?;
        let before = self.fuel;
        let mut kinds = Kinds::new();
        for key in keys {
            self.weigh_part(key, &mut Vec::new(), &mut kinds)?;
        }
        Ok((before - self.fuel) / self.form.work_price())
    }

    /// Pays for a key, or for what stands at a place in it.
    fn weigh_part(
        &mut self,
        part: &Value,
        place: &mut Vec<usize>,
        kinds: &mut Kinds,
    ) -> Result<(), Code> {
        if let Some(kind) = kind(part)?
            && *kinds.entry(place.clone()).or_insert(kind) != kind
        {
            return Err(Code::TypeMismatch);
        }
        match part {
            Value::Text(text) => self.work(count(text.len()) / TEXT_UNIT),
            Value::List(list) => {
                for (index, element) in list.iter().enumerate() {
                    self.work(1)?;
                    place.push(index);
                    self.weigh_part(element, place, kinds)?;
                    place.pop();
                }
                Ok(())
            }
            Value::Unit | Value::Boolean(_) | Value::Date(_) => Ok(()),
            _ => self.work(long(part)?),
        }
    }

    /// Pays for sorting so many keys of this weight.
    pub(super) fn rounds(&mut self, n: usize, weight: u64) -> Result<(), Code> {
        self.work(rounds(count(n)) * (count(n) + weight))
    }

    /// The values in the order of their keys.
    pub(super) fn sorted(
        &mut self,
        keys: &[Value],
        values: &[Value],
        descending: bool,
    ) -> Result<Vec<Value>, Code> {
        let weight = self.weigh(keys)?;
        self.rounds(keys.len(), weight)?;
        let mut pairs: Vec<(&Value, &Value)> = keys.iter().zip(values).collect();
        pairs.sort_by(|a, b| if descending { order(b.0, a.0) } else { order(a.0, b.0) });
        let sorted: Vec<&Value> = pairs.iter().map(|pair| pair.0).collect();
        self.doubt_order(&sorted, descending);
        Ok(pairs.into_iter().map(|pair| pair.1.clone()).collect())
    }

    /// The first value whose key is not exceeded by any other, in this direction; nulls are no keys.
    pub(super) fn extreme(
        &mut self,
        keys: &[Value],
        values: &[Value],
        direction: Ordering,
    ) -> Result<Value, Code> {
        self.weigh(keys)?;
        let is_key = |key: &&Value| !matches!(key, Value::Unit);
        let exceeded = |key| keys.iter().filter(is_key).any(|it| order(it, key) == direction);
        let found = keys.iter().zip(values).find(|(key, _)| is_key(key) && !exceeded(key));
        found.map(|found| found.1.clone()).ok_or(Code::EmptyList)
    }

    /// The different keys in order of first sight, each with the values that have it.
    pub(super) fn grouped(
        &mut self,
        keys: &[Value],
        values: &[Value],
    ) -> Result<Vec<(Value, Vec<Value>)>, Code> {
        self.work(4 * count(keys.len()))?;
        let mut places = BTreeMap::new();
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        for (key, value) in keys.iter().zip(values) {
            let place = *places.entry(self.name(key)?).or_insert(groups.len());
            if place == groups.len() {
                groups.push((key.clone(), Vec::new()));
            }
            groups[place].1.push(value.clone());
        }
        Ok(groups)
    }

    /// A text that equal values share.
    pub(super) fn name(&mut self, value: &Value) -> Result<String, Code> {
        Ok(match value {
            Value::Unit => "null".to_owned(),
            Value::Boolean(b) => b.to_string(),
            Value::Float(n) if n.fract() != 0.0 || n.is_infinite() => float_text(*n),
            Value::Float(n) => BigInt::from_f64(*n).unwrap_or_default().to_string(),
            Value::Integer(n) => {
                self.work(long(value)?)?;
                n.to_string()
            }
            Value::Text(text) => {
                self.work(count(text.len()) / TEXT_UNIT)?;
                json::quote(text)
            }
            Value::List(list) => {
                let mut items = Vec::new();
                for item in list.iter() {
                    self.work(1)?;
                    items.push(self.name(item)?);
                }
                format!("[{}]", items.join(","))
            }
            Value::Pair(pair) => {
                self.work(1)?;
                format!("({};{})", self.name(&pair.0)?, self.name(&pair.1)?)
            }
            Value::Record(members) => {
                let mut items = Vec::new();
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by(|a, b| a.0.cmp(&b.0));
                for (key, value) in members {
                    self.work(1)?;
                    self.work(count(key.len()) / TEXT_UNIT)?;
                    items.push(format!("{}:{}", json::quote(key), self.name(value)?));
                }
                format!("{{{}}}", items.join(","))
            }
            Value::Map(entries) | Value::Set(entries) => {
                let mut items = Vec::new();
                for (_, key, of) in entries.iter() {
                    self.work(1)?;
                    let key = self.name(key)?;
                    items.push(match value {
                        Value::Map(_) => format!("{key}>{}", self.name(of)?),
                        _ => key,
                    });
                }
                items.sort_unstable();
                let kind = value.kind();
                format!("{kind}({})", items.join(";"))
            }
            Value::Quoted(term, _) => {
                self.work(self.weight(*term, None))?;
                format!("'{}'", self.text_of(*term))
            }
            Value::Match(found) => return self.name(&Value::List(found.list.clone())),
            Value::Date(ms) => format!("@{ms}"),
            Value::Regex(regex) => {
                self.work(count(regex.0.len()) / TEXT_UNIT + count(regex.1.len()) / TEXT_UNIT)?;
                format!("/{}/{}", json::quote(&regex.0), regex.1)
            }
            Value::NotNumber => return Err(Code::NotFinite),
            Value::Function(_) | Value::Continuation(_) => return Err(Code::TypeMismatch),
        })
    }
}

/// The numbers among values that are numbers or null.
pub(super) fn numbers(values: &[Value]) -> Vec<Value> {
    values.iter().filter(|value| is_number(value)).cloned().collect()
}
