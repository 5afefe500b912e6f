//! Tools as values and as terms, and terms that are data.

use super::operation::mismatch;
use super::value::{Context, Environment, Value};
use super::{Evaluated, Evaluator, SUBMITTED, evolved};
use pif::fault::{Code, Fault};
use pif::limits::EVAL_DEPTH;
use pif::parse::{self, Reading};
use pif::term::{Origin, TermId};

impl Evaluator {
    /// The value of a tool, evaluated once in a run.
    pub(super) fn tool_value(&mut self, name: &str, depth: u32) -> Evaluated {
        if let Some(value) = self.values.get(name) {
            return Ok(value.clone());
        }
        let term = self.source(name)?;
        let env = if name == SUBMITTED { self.context.clone() } else { Environment::default() };
        let value = self.eval(term, &env, &Some(name.into()), depth)?;
        self.values.insert(name.to_owned(), value.clone());
        Ok(value)
    }

    /// Whether there is a tool of this name.
    pub(super) fn is_tool(&self, name: &str) -> bool {
        let bare = name.split('@').next().unwrap_or_default();
        self.sources.contains_key(name) || self.sources.contains_key(bare)
    }

    /// The term that is the source of a tool.
    fn source(&mut self, name: &str) -> Result<TermId, Code> {
        if let Some(term) = self.parsed.get(name) {
            return Ok(*term);
        }
        let bare = name.split('@').next().unwrap_or_default();
        let text = self.sources.get(name).or_else(|| self.sources.get(bare));
        let text = text.cloned().ok_or(Code::UnknownTool)?;
        let origin = Origin::Tool(name.to_owned());
        let parsed = pif::notation::read_code(&mut self.terms, &text, origin, &[]);
        let term = parsed.map(|parsed| parsed.root).map_err(|Fault { code, .. }| code)?;
        self.parsed.insert(name.to_owned(), term);
        Ok(term)
    }

    pub(super) fn code_of(&mut self, name: &str, tool: &Context) -> Evaluated {
        let name = if name == "self" && !self.sources.contains_key(name) {
            evolved(tool)?
        } else if name == SUBMITTED {
            return Err(Code::UnknownTool);
        } else {
            name.into()
        };
        Ok(Value::Quoted(self.source(&name)?, Some(name)))
    }

    /// Evaluates a quoted term where `eval` stands; it counts as active until it has a value.
    pub(super) fn eval_quoted(
        &mut self,
        quoted: &Value,
        env: &Environment,
        depth: u32,
    ) -> Evaluated {
        let Value::Quoted(term, tool) = quoted else { return Err(mismatch(quoted)) };
        if self.active_evals >= EVAL_DEPTH {
            return Err(Code::EvalDepth);
        }
        self.work(self.weight(*term, None))?;
        self.active_evals += 1;
        let value = self.eval(*term, env, tool, depth + 1)?;
        self.active_evals -= 1;
        Ok(value)
    }

    pub(super) fn parse(
        &mut self,
        text: &str,
        origin: Origin,
        reading: Reading,
    ) -> Result<TermId, Code> {
        let parsed = parse::parse(&mut self.terms, text, origin, reading);
        parsed.map(|parsed| parsed.root).map_err(|Fault { code, .. }| code)
    }
}
