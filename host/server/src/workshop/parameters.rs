//! What the functions of tools take, by the names of their parameters.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pif_domain::json::object;
use pif_domain::text::quote_one;
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::{Argument, Code, Parameter, Request, Watch};
use pif_store::registry::Definition;
use pif_store::session::Binding;
use serde::Deserialize;
use serde_json::json;

use super::opening::Workshop;

/// The kind of a function's binding.
const FUNCTION: &str = "function";

/// The term of a tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedTerm {
    tool: String,
}

/// The most terms whose parameters are kept in mind.
const MOST: usize = 1_000;

/// The parameters of terms that were looked at, by their hashes.
static KNOWN: Mutex<Option<HashMap<String, Arc<Takes>>>> = Mutex::new(None);

/// What the function of a tool takes.
#[derive(Debug, Default)]
pub struct Takes {
    /// Its parameters, or the members of the record that it takes.
    pub parameters: Vec<Parameter>,
    /// Whether they are members of a record.
    pub is_record: bool,
}

impl Takes {
    /// The parameter with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|it| it.name == name)
    }

    /// Gives a call of the tool `name` its arguments. Each is JSON text.
    pub fn give(
        &self,
        request: &mut Request,
        name: &str,
        arguments: &[(&str, &str)],
    ) -> Result<(), Fault> {
        match (self.is_record, arguments) {
            (false, [(_, value)]) if self.parameters.len() == 1 => {
                request.argument = Argument::Data((*value).to_owned());
            }
            (true, members) => {
                request.argument = Argument::Data(object(members.iter().copied()));
            }
            (false, given) => return self.apply(request, name, given),
        }
        Ok(())
    }

    /// Several arguments become variables of a term that applies the tool to them.
    fn apply(
        &self,
        request: &mut Request,
        name: &str,
        given: &[(&str, &str)],
    ) -> Result<(), Fault> {
        let mut members = Vec::new();
        for (at, parameter) in self.parameters.iter().enumerate() {
            let value = given.iter().find(|(name, _)| *name == parameter.name);
            match value {
                Some((_, value)) => members.push((at.to_string(), *value)),
                None if parameter.optional => members.push((at.to_string(), "null")),
                None => {
                    let message = format!("the argument {} is missing", quote_one(&parameter.name));
                    return Err(fault(FaultCode::Malformed, message, Some(&self.describe(name))));
                }
            }
        }
        let variables: Vec<_> = members.iter().map(|(at, _)| json!({ "var": at })).collect();
        let term = json!({"app": {"func": {"tool": name}, "args": variables}});
        request.code = Code::Term(term.to_string());
        request.context = Some(object(members.iter().map(|(at, value)| (at.as_str(), *value))));
        request.argument = Argument::None;
        Ok(())
    }

    /// How the tool is called.
    #[must_use]
    pub fn describe(&self, name: &str) -> String {
        let named = |it: &Parameter| match it.optional {
            true => format!("\"{}\"?: …", it.name),
            false => format!("\"{}\": …", it.name),
        };
        let all: Vec<String> = self.parameters.iter().map(named).collect();
        format!("call {name} {{{}}}", all.join(", "))
    }
}

impl Workshop {
    /// What the function of a tool takes; nothing while the sandbox is not open.
    #[must_use]
    pub fn takes(&self, tool: &Definition, watch: &Watch) -> Arc<Takes> {
        self.takes_of(&tool.hash, &tool.source, watch)
    }

    /// How many arguments the function of a session takes, if its term shows that.
    #[must_use]
    pub fn arity(&self, binding: &Binding, watch: &Watch) -> Option<usize> {
        if binding.kind != FUNCTION {
            return None;
        }
        let term = self.term_of(binding).ok()??;
        let takes = match serde_json::from_str::<NamedTerm>(&term) {
            Ok(NamedTerm { tool }) => {
                let (source, hash) = self.tools().ok()?.look_up(&tool).ok()??;
                self.takes_of(&hash, &source, watch)
            }
            Err(_) => self.takes_of(&binding.hash, &term, watch),
        };
        let count = if takes.is_record { 1 } else { takes.parameters.len() };
        (count > 0).then_some(count)
    }

    fn takes_of(&self, hash: &str, source: &str, watch: &Watch) -> Arc<Takes> {
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().as_ref().and_then(|known| known.get(hash)) {
            return Arc::clone(found);
        }
        let outlook = match self.sandbox.is_open() {
            true => self.sandbox.foresee(source, &watch.again()),
            false => return Arc::default(),
        };
        let Ok(outlook) = outlook else { return Arc::default() };
        let found =
            Arc::new(Takes { parameters: outlook.parameters, is_record: outlook.takes_record });
        let mut all = known();
        let all = all.get_or_insert_default();
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(hash.to_owned(), Arc::clone(&found));
        found
    }
}
