//! Calls of other servers' tools. The world of the tests answers them.

use super::operation::{bytes, mismatch};
use super::text::{TEXT_UNIT, text};
use super::value::{List, Value};
use super::{Evaluated, Evaluator};
use crate::world;
use pif::fault::Code;
use pif::request::{Call, Outcome};
use std::rc::Rc;

/// A call that has no value: the reason, the message, and what the server told beside it.
type Failure = (String, String, Value);

fn bad_output() -> Failure {
    let message = "the answer is not JSON that a value can be made of";
    ("bad-output".to_owned(), message.to_owned(), Value::Unit)
}

fn record(members: &[(&str, Value)]) -> Value {
    let members = members.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    Value::Record(Rc::new(members.collect()))
}

impl Evaluator {
    /// `call` and `perform`.
    pub(super) fn call(&mut self, operands: &[Value]) -> Evaluated {
        let Value::Text(tool) = &operands[0] else { return Err(mismatch(&operands[0])) };
        self.charge_texts(&[tool])?;
        let args = self.arguments(&operands[1])?;
        let is_raw = operands.get(2).map_or(Ok(false), |options| self.wants_raw(options))?;
        let call = Call { tool: tool.to_string(), args, is_raw };
        let mut outcomes = world::answer(&[call]).map_err(|refusal| refusal.code)?;
        let outcome = outcomes.pop().ok_or(Code::Internal)?;
        match self.came(outcome)? {
            Ok(value) => Ok(value),
            Err((reason, _, value)) => {
                self.upstream = Some((tool.to_string(), reason));
                self.failed = value;
                Err(Code::Upstream)
            }
        }
    }

    /// The options of one call.
    fn wants_raw(&mut self, options: &Value) -> Result<bool, Code> {
        let Value::Record(options) = options else { return Err(mismatch(options)) };
        self.work(options.len() as u64)?;
        let mut is_raw = false;
        for (name, value) in options.iter() {
            self.work(bytes(name) / TEXT_UNIT)?;
            match (name.as_str(), value) {
                ("raw", Value::Boolean(given)) => is_raw = *given,
                ("raw", _) => return Err(Code::TypeMismatch),
                _ => return Err(Code::OutOfRange),
            }
        }
        Ok(is_raw)
    }

    /// `calls`.
    pub(super) fn calls(&mut self, operands: &[Value]) -> Evaluated {
        let all = operands.get(1).map_or(Ok(false), |options| self.call_options(options))?;
        let Value::List(list) = &operands[0] else { return Err(mismatch(&operands[0])) };
        let elements: Vec<Value> = list.iter().cloned().collect();
        if elements.is_empty() {
            return Ok(Value::List(List::default()));
        }
        self.work(elements.len() as u64)?;
        let mut calls = Vec::new();
        for element in &elements {
            let Value::Record(members) = element else { return Err(Code::Malformed) };
            let is_known = |key: &String| ["tool", "args", "options"].contains(&key.as_str());
            if !members.iter().all(|(key, _)| is_known(key)) {
                return Err(Code::Malformed);
            }
            let member = |name: &str| members.iter().find(|it| it.0 == name).map(|it| &it.1);
            let Some(Value::Text(tool)) = member("tool") else { return Err(Code::Malformed) };
            let args = member("args").unwrap_or(&Value::Unit);
            let options = member("options");
            if !matches!(args, Value::Unit | Value::Record(_))
                || !matches!(options, None | Some(Value::Record(_)))
            {
                return Err(Code::Malformed);
            }
            self.charge_texts(&[tool])?;
            let args = self.arguments(args)?;
            let is_raw = options.map_or(Ok(false), |options| self.wants_raw(options))?;
            calls.push(Call { tool: tool.to_string(), args, is_raw });
        }
        let outcomes = world::answer(&calls).map_err(|refusal| refusal.code)?;
        self.work(outcomes.len() as u64)?;
        let mut came = Vec::new();
        for outcome in outcomes {
            came.push(self.came(outcome)?);
        }
        let mut results = Vec::new();
        for (came, call) in came.into_iter().zip(calls) {
            results.push(match came {
                Ok(value) if all => value,
                Err((reason, _, value)) if all => {
                    self.upstream = Some((call.tool, reason));
                    self.failed = value;
                    return Err(Code::Upstream);
                }
                Ok(value) => record(&[("ok", Value::Boolean(true)), ("value", value)]),
                Err((reason, message, value)) => {
                    let mut members = vec![
                        ("message", text(&message)),
                        ("ok", Value::Boolean(false)),
                        ("reason", text(&reason)),
                    ];
                    if !matches!(value, Value::Unit) {
                        members.push(("value", value));
                    }
                    record(&members)
                }
            });
        }
        Ok(Value::List(results.into_iter().collect()))
    }

    /// Looks at the options. Tells whether all calls must have a value; how many are made at once
    /// nobody sees.
    fn call_options(&mut self, options: &Value) -> Result<bool, Code> {
        let Value::Record(options) = options else { return Err(mismatch(options)) };
        self.work(options.len() as u64)?;
        let mut all = false;
        for (name, value) in options.iter() {
            self.work(bytes(name) / TEXT_UNIT)?;
            match (name.as_str(), value) {
                ("all", Value::Boolean(given)) => all = *given,
                ("all", _) => return Err(Code::TypeMismatch),
                ("at_most", Value::Integer(n)) if (1..=32).any(|most| *n == most.into()) => {}
                ("at_most", Value::Integer(_)) => return Err(Code::OutOfRange),
                ("at_most", _) => return Err(Code::TypeMismatch),
                _ => return Err(Code::OutOfRange),
            }
        }
        Ok(all)
    }

    /// The text of arguments.
    fn arguments(&mut self, args: &Value) -> Result<String, Code> {
        match args {
            Value::Unit => Ok("{}".to_owned()),
            Value::Record(_) => self.json_of(args),
            args => Err(mismatch(args)),
        }
    }

    /// The value of a call, or its failure.
    fn came(&mut self, outcome: Outcome) -> Result<Result<Value, Failure>, Code> {
        match outcome {
            Outcome::Value(json) => {
                self.charge_texts(&[&json])?;
                match self.read_json(&json) {
                    Err(Code::OutOfFuel) => Err(Code::OutOfFuel),
                    read => Ok(read.map_err(|_| bad_output())),
                }
            }
            Outcome::Failed { reason, message, value } => {
                self.charge_texts(&[&reason, &message])?;
                let Some(json) = value else { return Ok(Err((reason, message, Value::Unit))) };
                self.charge_texts(&[&json])?;
                match self.read_json(&json) {
                    Err(Code::OutOfFuel) => Err(Code::OutOfFuel),
                    read => Ok(Err((reason, message, read.unwrap_or(Value::Unit)))),
                }
            }
        }
    }
}
