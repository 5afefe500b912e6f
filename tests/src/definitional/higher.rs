//! Forms that apply a function to each element of a list.

use super::value::{List, Value};
use super::{Evaluated, Evaluator};
use pif_guest::fault::Code;
use pif_guest::form::Form;

/// Whether a form is one of these.
pub(super) fn applies(form: Form) -> bool {
    matches!(form, Form::Map | Form::Filter | Form::Find | Form::Any | Form::All)
}

impl Evaluator {
    pub(super) fn each(
        &mut self,
        form: Form,
        function: &Value,
        list: &Value,
        _operands: &[Value],
        depth: u32,
    ) -> Evaluated {
        let Value::List(list) = list else { return Err(Code::TypeMismatch) };
        let Value::Function(_) = function else { return Err(Code::NotAFunction) };
        let mut given = Vec::new();
        for item in list.iter() {
            self.charge(1)?;
            let next = self.apply(function.clone(), vec![item.clone()], depth + 1)?;
            let value = self.finish(next, depth + 1)?;
            let is_test = form != Form::Map;
            let holds = match value {
                Value::Boolean(holds) => holds,
                _ if is_test => return Err(Code::TypeMismatch),
                _ => false,
            };
            match form {
                Form::Map => given.push(value),
                Form::Filter if holds => given.push(item.clone()),
                Form::Find if holds => return Ok(item.clone()),
                Form::Any if holds => return Ok(value),
                Form::All if !holds => return Ok(value),
                _ => {}
            }
        }
        Ok(match form {
            Form::Find => Value::Unit,
            Form::Any => Value::Boolean(false),
            Form::All => Value::Boolean(true),
            _ => Value::List(given.into_iter().collect::<List>()),
        })
    }
}
