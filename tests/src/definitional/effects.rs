//! Calls of other servers' tools. The world of the tests answers them.

use super::operation::{bytes, mismatch};
use super::text::{TEXT_UNIT, text};
use super::value::{List, Value};
use super::{Evaluated, Evaluator};
use crate::world;
use pif_guest::fault::Code;
use pif_guest::request::{Call, Outcome};
use std::rc::Rc;

/// A call that has no value: the reason and the message.
type Failure = (String, String);

fn bad_output() -> Failure {
    let message = "the answer is not JSON that a value can be made of";
    ("bad-output".to_owned(), message.to_owned())
}

fn record(members: &[(&str, Value)]) -> Value {
    let members = members.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    Value::Record(Rc::new(members.collect()))
}

impl Evaluator {
    /// `call` and `perform`.
    pub(super) fn call(&mut self, tool: &Value, args: &Value) -> Evaluated {
        let Value::Text(tool) = tool else { return Err(mismatch(tool)) };
        self.charge_texts(&[tool])?;
        let call = Call { tool: tool.to_string(), args: self.arguments(args)? };
        let mut outcomes = world::answer(&[call]).map_err(|refusal| refusal.code)?;
        let outcome = outcomes.pop().ok_or(Code::Internal)?;
        match self.came(outcome)? {
            Ok(value) => Ok(value),
            Err((reason, _)) => {
                self.upstream = Some((tool.to_string(), reason));
                Err(Code::Upstream)
            }
        }
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
            let (args, tool) = match members.as_slice() {
                [(key, tool)] if key == "tool" => (&Value::Unit, tool),
                [(first, args), (second, tool)] | [(second, tool), (first, args)]
                    if first == "args" && second == "tool" =>
                {
                    (args, tool)
                }
                _ => return Err(Code::Malformed),
            };
            let Value::Text(tool) = tool else { return Err(Code::Malformed) };
            if !matches!(args, Value::Unit | Value::Record(_)) {
                return Err(Code::Malformed);
            }
            self.charge_texts(&[tool])?;
            calls.push(Call { tool: tool.to_string(), args: self.arguments(args)? });
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
                Err((reason, _)) if all => {
                    self.upstream = Some((call.tool, reason));
                    return Err(Code::Upstream);
                }
                Ok(value) => record(&[("ok", Value::Boolean(true)), ("value", value)]),
                Err((reason, message)) => record(&[
                    ("message", text(&message)),
                    ("ok", Value::Boolean(false)),
                    ("reason", text(&reason)),
                ]),
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
            Outcome::Failed { reason, message } => {
                self.charge_texts(&[&reason, &message])?;
                Ok(Err((reason, message)))
            }
        }
    }
}
