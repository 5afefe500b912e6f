//! A whole run: what was submitted is parsed, evaluated, and applied to the argument.

use super::value::{Environment, Value};
use super::{Evaluated, Evaluator, Next, SUBMITTED, json};
use pif_guest::fault::{Code, Fault};
use pif_guest::parse::{self, Notation};
use pif_guest::request::{Argument, Program, Source};
use pif_guest::term::{Origin, TermId};

impl Evaluator {
    /// A whole run. Everything that was submitted is parsed before anything is evaluated.
    pub(super) fn program(&mut self, program: &Program) -> Evaluated {
        let code = match &program.code {
            Source::Term(text) => Some(self.parse_submitted(text, Origin::Code, Notation::Code)?),
            Source::Tool(_) if program.context.is_some() => return Err(Code::Malformed),
            Source::Tool(_) => None,
        };
        let given = match &program.argument {
            Argument::None => Next::Value(Value::Unit),
            Argument::Data(text) => Next::Value(json::read(text)?),
            Argument::Input(text) => {
                let term =
                    self.parse_submitted(text, Origin::Argument("input"), Notation::Input)?;
                let tool = match &program.code {
                    Source::Tool(name) => Some(name.as_str().into()),
                    Source::Term(_) => None,
                };
                Next::Tail(term, Environment::default(), tool)
            }
        };
        self.context = self.context(program.context.as_deref())?;
        let value = match (&program.code, code) {
            (Source::Tool(name), _) => self.tool_value(name, 0)?,
            (_, code) => {
                self.parsed.insert(SUBMITTED.to_owned(), code.unwrap_or_default());
                self.tool_value(SUBMITTED, 0)?
            }
        };
        if !matches!(value, Value::Function(_)) {
            return Ok(value);
        }
        let argument = self.finish(given, 0)?;
        let next = self.apply(value, vec![argument], 0)?;
        self.finish(next, 0)
    }

    /// Parses what was submitted, whose notes are warnings of the run.
    fn parse_submitted(
        &mut self,
        text: &str,
        origin: Origin,
        notation: Notation,
    ) -> Result<TermId, Code> {
        let parsed = parse::parse(&mut self.terms, text, origin, notation);
        if let Ok(parsed) = &parsed {
            self.warnings.parsed(&parsed.notes);
        }
        parsed.map(|parsed| parsed.root).map_err(|Fault { code, .. }| code)
    }

    /// The variables of the submitted code.
    fn context(&mut self, text: Option<&str>) -> Result<Environment, Code> {
        let Some(text) = text else { return Ok(Environment::default()) };
        let Value::Record(members) = json::read(text)? else { return Err(Code::Malformed) };
        let members = members.iter();
        Ok(members.fold(Environment::default(), |env, (name, value)| {
            env.with(self.terms.intern(name), value.clone())
        }))
    }
}
