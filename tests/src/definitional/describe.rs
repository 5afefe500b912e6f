//! `describe`: what a value is, and the keys of its records.

use super::members::{Members, record};
use super::records::{members, text_work};
use super::value::{List, Value};
use super::{Evaluated, Evaluator};
use std::collections::BTreeSet;

impl Evaluator {
    pub(super) fn describe(&mut self, value: &Value) -> Evaluated {
        let (mut size, mut records) = (None, Vec::new());
        let value = &value.clone().without_match();
        match value {
            Value::Text(text) => size = Some(text.chars().count()),
            Value::Record(of) => {
                size = Some(of.len());
                records.push(members(value)?);
            }
            Value::Map(of) | Value::Set(of) => size = Some(of.len()),
            Value::List(list) => {
                size = Some(list.iter().count());
                self.work(list.iter().count() as u64)?;
                records = list.iter().filter_map(|element| members(element).ok()).collect();
            }
            _ => {}
        }
        let mut about = Vec::new();
        if !records.is_empty() {
            about.push(("keys".to_owned(), self.describe_keys(records)?));
        }
        about.extend(size.map(|size| ("size".to_owned(), Value::Integer(size.into()))));
        about.push(("type".to_owned(), Value::Text(value.kind().into())));
        Ok(record(about))
    }

    fn describe_keys(&mut self, records: Vec<Members>) -> Evaluated {
        // The values of each key, in the order of the first keys.
        let mut keys: Vec<(String, Vec<Value>)> = Vec::new();
        for (key, value) in records.into_iter().flat_map(Members::listed) {
            self.work(1 + text_work(&key))?;
            match keys.iter_mut().find(|(known, _)| *known == key) {
                Some((_, values)) => values.push(value),
                None => keys.push((key, vec![value])),
            }
        }
        let mut described = Members::default();
        for (key, values) in keys.into_iter().take(100) {
            let types: BTreeSet<&str> = values.iter().map(Value::kind).collect();
            let types = types.into_iter().map(|name| Value::Text(name.into()));
            let coverage = Value::Integer(values.len().into());
            let mut about = vec![("coverage".to_owned(), coverage)];
            if let Some(example) = values.iter().find(|value| is_short(value)) {
                about.push(("example".to_owned(), self.cut(example)?));
            }
            about.push(("types".to_owned(), Value::List(types.collect::<List>())));
            described.insert(key, record(about));
        }
        Ok(described.record())
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
