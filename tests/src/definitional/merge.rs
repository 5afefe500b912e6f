//! `sort_with`.

use super::keys::count;
use super::lists;
use super::value::{List, Value};
use super::{Evaluated, Evaluator};
use num_traits::Signed;
use pif::fault::Code;
use pif::form::Form;

impl Evaluator {
    /// Merges runs of 1, 2, 4, … elements, each with the one after it.
    pub(super) fn sort_with(&mut self, function: &Value, list: &List, depth: u32) -> Evaluated {
        let mut items: Vec<Value> = list.iter().cloned().collect();
        self.work(count(items.len()))?;
        self.rounds(items.len(), 0)?;
        let mut width = 1;
        while width < items.len() {
            let mut merged = Vec::new();
            for runs in items.chunks(2 * width) {
                let (first, second) = runs.split_at(width.min(runs.len()));
                self.merge(function, [first, second], &mut merged, depth)?;
            }
            (items, width) = (merged, 2 * width);
        }
        Ok(lists::list(items))
    }

    fn merge(
        &mut self,
        function: &Value,
        [mut first, mut second]: [&[Value]; 2],
        merged: &mut Vec<Value>,
        depth: u32,
    ) -> Result<(), Code> {
        while let ([a, others @ ..], [b, more @ ..]) = (first, second) {
            self.charge(Form::SortWith.application_price())?;
            let next = self.apply(function.clone(), vec![a.clone(), b.clone()], depth + 1)?;
            let value = self.finish(next, depth + 1)?;
            self.form = Form::SortWith;
            let is_second = match value {
                Value::Boolean(is_second) => is_second,
                Value::Integer(n) => n.is_positive(),
                Value::Float(n) => n > 0.0,
                _ => return Err(Code::TypeMismatch),
            };
            if is_second {
                merged.push(b.clone());
                second = more;
            } else {
                merged.push(a.clone());
                first = others;
            }
        }
        merged.extend(first.iter().chain(second).cloned());
        Ok(())
    }
}
