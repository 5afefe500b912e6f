//! A whole run: what was submitted is parsed, evaluated, and applied to the argument.

use super::value::{Environment, Value};
use super::{Evaluated, Evaluator, Next, SUBMITTED, json};
use pif::analysis;
use pif::fault::{Code, Fault};
use pif::form::Form;
use pif::parse::{self, Reading};
use pif::request::{Argument, Program, Source};
use pif::term::{Origin, TermId};

impl Evaluator {
    /// A whole run. Everything that was submitted is parsed before anything is evaluated.
    pub(super) fn program(&mut self, program: &Program) -> Evaluated {
        let code = match &program.code {
            Source::Term(text) => Some(self.submitted(text, program)?),
            Source::Tool(_) if program.context.is_some() => return Err(Code::Malformed),
            Source::Tool(_) if !program.bindings.is_empty() => return Err(Code::Malformed),
            Source::Tool(_) => None,
        };
        let given = match &program.argument {
            Argument::None | Argument::Unapplied => Next::Value(Value::Unit),
            Argument::Data(text) => Next::Value(json::read(text)?),
            Argument::Input(text) => {
                let term = self.parse_submitted(text, Origin::Argument("input"), Reading::Input)?;
                let tool = match &program.code {
                    Source::Tool(name) => Some(name.as_str().into()),
                    Source::Term(_) => None,
                };
                Next::Tail(term, Environment::default(), tool)
            }
        };
        let bound = match code {
            Some(code) => self.bindings(code, &program.bindings)?,
            None => Environment::default(),
        };
        self.context = self.context(bound, program, code, &given)?;
        let code = self.with_input(program, code);
        self.root = code;
        let value = match (&program.code, code) {
            (Source::Tool(name), _) => self.tool_value(name, 0)?,
            (_, code) => {
                self.parsed.insert(SUBMITTED.to_owned(), code.unwrap_or_default());
                self.tool_value(SUBMITTED, 0)?
            }
        };
        if !matches!(value, Value::Function(_)) || program.argument == Argument::Unapplied {
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
        reading: Reading,
    ) -> Result<TermId, Code> {
        let parsed = parse::parse(&mut self.terms, text, origin, reading);
        if let Ok(parsed) = &parsed {
            self.warnings.parsed(&parsed.notes);
        }
        parsed.map(|parsed| parsed.root).map_err(|Fault { code, .. }| code)
    }

    /// Parses submitted code, whose notes are warnings of the run.
    fn submitted(&mut self, text: &str, program: &Program) -> Result<TermId, Code> {
        let context = program.context.as_deref().map(json::read).transpose()?;
        let mut names: Vec<String> = match &context {
            Some(Value::Record(members)) => members.iter().map(|(name, _)| name.clone()).collect(),
            _ => Vec::new(),
        };
        names.extend(["data", "input"].map(str::to_owned));
        names.extend(program.bindings.iter().map(|(name, _)| name.clone()));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let parsed = pif::notation::read_code(&mut self.terms, text, Origin::Code, &names);
        if let Ok(parsed) = &parsed {
            self.warnings.parsed(&parsed.notes);
        }
        parsed.map(|parsed| parsed.root).map_err(|Fault { code, .. }| code)
    }

    /// Code that is no function, and in which `input` is free, is a function of it.
    fn with_input(&mut self, program: &Program, code: Option<TermId>) -> Option<TermId> {
        let (Source::Term(text), Argument::Input(_), Some(root)) =
            (&program.code, &program.argument, code)
        else {
            return code;
        };
        let is_free =
            analysis::check(text).is_ok_and(|it| it.free.iter().any(|name| name == "input"));
        if self.terms.form(root) == Form::Lam || !is_free {
            return code;
        }
        let (name, token) = (self.terms.intern("input"), self.terms.node(root).token);
        Some(self.terms.add(Form::Lam, token, &[root], &[name]))
    }

    /// The variables of the submitted code: the context, and the data of code that is no function.
    fn context(
        &mut self,
        bound: Environment,
        program: &Program,
        code: Option<TermId>,
        given: &Next,
    ) -> Result<Environment, Code> {
        let mut env = bound;
        if let (Argument::Data(_), Some(code), Next::Value(value)) =
            (&program.argument, code, given)
            && self.terms.form(code) != Form::Lam
        {
            env = env.with(self.terms.intern("data"), value.clone());
        }
        let text = program.context.as_deref();
        let Some(text) = text else { return Ok(env) };
        let Value::Record(members) = json::read(text)? else { return Err(Code::Malformed) };
        let members = members.iter();
        Ok(members.fold(env, |env, (name, value)| env.with(self.terms.intern(name), value.clone())))
    }
}
