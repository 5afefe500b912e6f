//! Forms that choose what is evaluated and bind names: conditions, `let`, `try`, `pipe`.

use super::javascript::is_true;
use super::operation::mismatch;
use super::value::{Context, Environment, Value};
use super::{Evaluated, Evaluator, Next};
use pif::fault::Code;
use pif::form::Form;
use pif::term::TermId;
use std::rc::Rc;

impl Evaluator {
    /// The operand at `index`, which must be a boolean.
    pub(super) fn test(
        &mut self,
        term: TermId,
        index: usize,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Result<bool, Code> {
        let operand = self.terms.operand(term, index);
        match self.eval(operand, env, tool, depth + 1)? {
            Value::Boolean(b) => Ok(b),
            value => Err(mismatch(&value)),
        }
    }

    /// The first operand that is not null, that counts as true, or that does not; else the last.
    pub(super) fn coalesce(
        &mut self,
        term: TermId,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Evaluated {
        let form = self.terms.form(term);
        let mut last = Value::Unit;
        for operand in self.terms.operands(term).to_vec() {
            last = self.eval(operand, env, tool, depth + 1)?;
            let is_taken = match form {
                Form::Either => is_true(&last),
                Form::Both => !is_true(&last),
                _ => !matches!(last, Value::Unit),
            };
            if is_taken {
                break;
            }
        }
        Ok(last)
    }

    pub(super) fn cond(
        &mut self,
        term: TermId,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Result<Next, Code> {
        for index in (0..self.terms.operands(term).len()).step_by(2) {
            if self.test(term, index, env, tool, depth)? {
                let value = self.terms.operand(term, index + 1);
                return Ok(Next::Tail(value, env.clone(), tool.clone()));
            }
        }
        Err(Code::NoMatch)
    }

    pub(super) fn bind(
        &mut self,
        term: TermId,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Result<Next, Code> {
        let mut env = env.clone();
        let names = self.terms.names(term).to_vec();
        for (index, name) in names.iter().enumerate() {
            let bound = self.terms.operand(term, index);
            let value = self.eval(bound, &env, tool, depth + 1)?;
            env = env.with(*name, value);
        }
        Ok(Next::Tail(self.terms.operand(term, names.len()), env, tool.clone()))
    }

    /// The functions are values at once, and see each other by their names.
    pub(super) fn bind_functions(
        &mut self,
        term: TermId,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Result<Next, Code> {
        let names = self.terms.names(term).iter().copied();
        let functions: Vec<_> = names.zip(self.terms.operands(term).iter().copied()).collect();
        let body = self.terms.operand(term, functions.len());
        for (_, lambda) in &functions {
            self.visit(*lambda, env, tool, depth + 1)?;
        }
        Ok(Next::Tail(body, env.with_functions(functions, tool), tool.clone()))
    }

    /// The handler is evaluated only if it is needed. Of its record only code and value are known
    /// here: the others are null.
    pub(super) fn try_catch(
        &mut self,
        term: TermId,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Result<Next, Code> {
        let active = self.active_evals;
        let tried = self.terms.operand(term, 0);
        let code = match self.eval(tried, env, tool, depth + 1) {
            Ok(value) => {
                self.tried(term, false);
                return Ok(Next::Value(value));
            }
            Err(code) if code.is_catchable() && self.takes(term, code) => code,
            Err(code) => return Err(code),
        };
        self.active_evals = active;
        self.tried(term, true);
        self.charge(768_u64)?;
        let has_value = matches!(code, Code::Fail | Code::Upstream);
        let value = if has_value { self.failed.clone() } else { Value::Unit };
        let call = self.upstream.take().filter(|_| code == Code::Upstream);
        let [upstream, reason] = call.map_or([Value::Unit, Value::Unit], |(tool, reason)| {
            [Value::Text(tool.as_str().into()), Value::Text(reason.as_str().into())]
        });
        let members = [
            ("at", Value::Unit),
            ("code", Value::Text(code.name().into())),
            ("hint", Value::Unit),
            ("message", Value::Unit),
            ("reason", reason),
            ("tool", upstream),
            ("value", value),
        ];
        let record = members.map(|(key, value)| (key.to_owned(), value));
        let handler = self.terms.operand(term, 1);
        let handler = self.eval(handler, env, tool, depth + 1)?;
        self.application(Form::Try, depth)?;
        self.apply(handler, vec![Value::Record(Rc::new(record.into()))], depth)
    }

    /// Whether a `try` catches faults of a code.
    fn takes(&self, term: TermId, code: Code) -> bool {
        let codes = self.terms.names(term);
        codes.is_empty() || codes.iter().any(|name| self.terms.name(*name) == code.name())
    }

    /// A `try` ended that catches any fault.
    fn tried(&mut self, term: TermId, is_fault: bool) {
        if self.terms.names(term).is_empty() {
            self.warnings.tried(term, is_fault);
        }
    }

    pub(super) fn pipe(&mut self, operands: Vec<Value>, depth: u32) -> Result<Next, Code> {
        let mut operands = operands.into_iter();
        let mut value = operands.next().unwrap_or(Value::Unit);
        let last = operands.next_back().unwrap_or(Value::Unit);
        for function in operands {
            self.application(Form::Pipe, depth)?;
            let next = self.apply(function, vec![value], depth + 1)?;
            value = self.finish(next, depth + 1)?;
        }
        self.application(Form::Pipe, depth)?;
        self.apply(last, vec![value], depth)
    }

    /// One application made by a form at this depth.
    pub(super) fn application(&mut self, form: Form, depth: u32) -> Result<(), Code> {
        let too_deep = depth > self.limits.depth;
        if too_deep { Err(Code::TooDeep) } else { self.charge(form.application_price()) }
    }
}
