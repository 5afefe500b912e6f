//! Calls of functions of tools, and of other servers' tools. The world of the tests answers the latter.

use super::operation::{bytes, mismatch};
use super::text::{TEXT_UNIT, text};
use super::value::{List, Value};
use super::{Evaluated, Evaluator};
use crate::world;
use pif::fault::Code;
use pif::form::Form;
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
    /// The function of a tool that a call means, with its argument.
    pub(super) fn function_named(
        &mut self,
        name: &Value,
        args: &Value,
        depth: u32,
    ) -> Result<Option<(Value, Value)>, Code> {
        let Value::Text(name) = name else { return Ok(None) };
        let args = match args {
            Value::Unit => record(&[]),
            Value::Record(_) => args.clone(),
            _ => return Ok(None),
        };
        if !name.contains('.') || name.len() > 512 || !self.is_tool(name) {
            return Ok(None);
        }
        Ok(Some((self.tool_value(name, depth)?, args)))
    }

    /// The values of those of some calls that mean functions of tools.
    pub(super) fn apply_named(
        &mut self,
        list: &Value,
        depth: u32,
    ) -> Result<Vec<Option<Value>>, Code> {
        let Value::List(list) = list else { return Err(mismatch(list)) };
        let mut applied = Vec::new();
        for element in list.iter() {
            let found = match element {
                Value::Record(members) if members.iter().all(|it| it.0 != "options") => {
                    let value = |key| members.iter().find(|it| it.0 == key).map(|it| it.1.clone());
                    let (name, args) = (value("tool"), value("args"));
                    let [name, args] = [name, args].map(|it| it.unwrap_or(Value::Unit));
                    self.function_named(&name, &args, depth + 1)?
                }
                _ => None,
            };
            applied.push(match found {
                None => None,
                Some((function, args)) => {
                    self.application(Form::Calls, depth)?;
                    let next = self.apply(function, vec![args], depth + 1)?;
                    Some(self.finish(next, depth + 1)?)
                }
            });
        }
        Ok(applied)
    }

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

    /// `calls`, of which these have applied functions.
    pub(super) fn calls(&mut self, operands: &[Value], applied: &[Option<Value>]) -> Evaluated {
        let all = operands.get(1).map_or(Ok(false), |options| self.call_options(options))?;
        let Value::List(list) = &operands[0] else { return Err(mismatch(&operands[0])) };
        let elements: Vec<Value> = list.iter().cloned().collect();
        if elements.is_empty() {
            return Ok(Value::List(List::default()));
        }
        self.work(elements.len() as u64)?;
        let mut calls = Vec::new();
        let sent = elements.iter().zip(applied).filter(|(_, applied)| applied.is_none());
        for (element, _) in sent {
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
        self.work(elements.len() as u64)?;
        let mut outcomes = outcomes.into_iter().zip(calls);
        let mut came = Vec::new();
        for applied in applied {
            came.push(match applied {
                Some(value) => (Ok(value.clone()), String::new()),
                None => {
                    let (outcome, call) = outcomes.next().ok_or(Code::Internal)?;
                    (self.came(outcome)?, call.tool)
                }
            });
        }
        let mut results = Vec::new();
        for (came, tool) in came {
            results.push(match came {
                Ok(value) if all => value,
                Err((reason, _, value)) if all => {
                    self.upstream = Some((tool, reason));
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
