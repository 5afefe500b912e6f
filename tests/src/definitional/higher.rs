//! Forms that apply a function to each element of a list.

use super::keys::count;
use super::lists::{self, of_two};
use super::operation::mismatch;
use super::value::Value;
use super::{Evaluated, Evaluator};
use pif::fault::Code;
use pif::form::Form;
use std::cmp::Ordering;

/// Whether a form is one of these.
pub(super) fn applies(form: Form) -> bool {
    matches!(
        form,
        Form::Map
            | Form::FlatMap
            | Form::Filter
            | Form::Find
            | Form::Any
            | Form::All
            | Form::SortBy
            | Form::GroupBy
            | Form::CountBy
            | Form::DistinctBy
            | Form::MaxBy
            | Form::MinBy
            | Form::Partition
            | Form::SortWith
    )
}

impl Evaluator {
    pub(super) fn each(
        &mut self,
        form: Form,
        function: &Value,
        list: &Value,
        operands: &[Value],
        depth: u32,
    ) -> Evaluated {
        let Value::List(list) = list else { return Err(mismatch(list)) };
        let Value::Function(_) = function else { return Err(Code::NotAFunction) };
        if form == Form::SortWith {
            return self.sort_with(function, list, depth);
        }
        let descending = match operands.get(2) {
            None => false,
            Some(Value::Text(order)) if order.as_ref() == "desc" => true,
            Some(Value::Text(order)) if order.as_ref() == "asc" => false,
            Some(Value::Text(_)) => return Err(Code::OutOfRange),
            Some(order) => return Err(mismatch(order)),
        };
        let (mut given, mut others) = (Vec::new(), Vec::new());
        for item in list.iter() {
            self.charge(form.application_price())?;
            let next = self.apply(function.clone(), vec![item.clone()], depth + 1)?;
            let value = self.finish(next, depth + 1)?;
            self.form = form;
            let is_test =
                matches!(form, Form::Filter | Form::Find | Form::Any | Form::All | Form::Partition);
            let holds = match &value {
                Value::Boolean(holds) => *holds,
                value if is_test => return Err(mismatch(value)),
                _ => false,
            };
            match form {
                Form::FlatMap => {
                    let values = match value.without_match() {
                        Value::List(values) => values.iter().cloned().collect(),
                        other => vec![other],
                    };
                    self.work(count(values.len()))?;
                    given.extend(values);
                }
                Form::Filter | Form::Partition if holds => given.push(item.clone()),
                Form::Partition => others.push(item.clone()),
                Form::Find if holds => return Ok(item.clone()),
                Form::Any if holds => return Ok(value),
                Form::All if !holds => return Ok(value),
                _ if !is_test => given.push(value),
                _ => {}
            }
        }
        let items: Vec<Value> = list.iter().cloned().collect();
        Ok(match form {
            Form::Find => Value::Unit,
            Form::Any => Value::Boolean(false),
            Form::All => Value::Boolean(true),
            Form::Partition => of_two(lists::list(given), lists::list(others)),
            Form::SortBy => lists::list(self.sorted(&given, &items, descending)?),
            Form::MaxBy => self.extreme(&given, &items, Ordering::Greater)?,
            Form::MinBy => self.extreme(&given, &items, Ordering::Less)?,
            Form::GroupBy => {
                let groups = self.grouped(&given, &items)?.into_iter();
                lists::list(groups.map(|(key, items)| of_two(key, lists::list(items))))
            }
            Form::CountBy => {
                let groups = self.grouped(&given, &items)?.into_iter();
                lists::list(groups.map(|(key, of)| of_two(key, Value::Integer(of.len().into()))))
            }
            Form::DistinctBy => {
                let groups = self.grouped(&given, &items)?.into_iter();
                lists::list(groups.filter_map(|(_, items)| items.into_iter().next()))
            }
            _ => lists::list(given),
        })
    }
}
