//! Stages another name of a tool: the tool, and every tool that calls it.

use pif_domain::Fault;
use pif_domain::text::quote_one;
use pif_domain::{FaultCode, fault};
use pif_sandbox::{Renamed, Watch};
use pif_store::registry::{Definition, Evolution};
use pif_store::staging::{Kind, Operation, ToolState};
use serde_json::Value;

use super::stage::{Progress, state_of};
use crate::workshop::library;
use crate::workshop::opening::Workshop;
use crate::workshop::refusal::{refused, stored};

/// The most callers that are changed with a tool.
const MOST_CALLERS: usize = 1_000;

impl Workshop {
    /// The states of a tool and its callers after a renaming.
    pub(super) fn rename(
        &self,
        from: &str,
        to: &str,
        request: &str,
        watch: &Watch,
    ) -> Result<Progress, Fault> {
        let tool = self.current(from)?;
        let tools = self.tools()?.registered;
        if tools.find(to).map_err(refused)?.is_some() {
            let message = format!("there is a tool {} already", quote_one(to));
            return Err(fault(FaultCode::Malformed, message, Some("choose another name")));
        }
        tools.review(to, &tool.description, None).map_err(refused)?;
        library::ensure_outside(to)?;
        let callers = tools.callers(from, MOST_CALLERS + 1).map_err(stored)?;
        if callers.len() > MOST_CALLERS {
            let message = format!("more than {MOST_CALLERS} tools call {}", quote_one(from));
            return Err(fault(FaultCode::TooLarge, message, None));
        }
        let (mut terms, mut warnings) = (Vec::new(), Vec::new());
        let renamed = self.renamed(&tool, from, to, watch)?;
        let own =
            self.evolution_of(&Definition { name: to.to_owned(), ..tool.clone() }, &renamed)?;
        let mut states = vec![state_of(&own)];
        terms.push(own);
        for caller in callers {
            watch.verdict()?;
            let renamed = self.renamed(&caller, from, to, watch)?;
            if renamed.quoted {
                warnings.push(format!(
                    "{} names {} in a quote, which is data and keeps the old name",
                    quote_one(&caller.name),
                    quote_one(from)
                ));
            }
            if renamed.count > 0 {
                let term = self.evolution_of(&caller, &renamed)?;
                states.push(state_of(&term));
                terms.push(term);
            }
        }
        let gone = Evolution::from(tool);
        states.push(ToolState { hash: None, ..state_of(&gone) });
        warnings.extend(self.session_functions(from, watch)?);
        let operation = Operation {
            kind: Kind::Rename,
            request: request.to_owned(),
            tools: states,
            memos: Vec::new(),
        };
        Ok(Progress { operation, terms, warnings })
    }

    /// The term of a tool with the new name. Refuses a pin, which names a revision of the old one.
    fn renamed(
        &self,
        tool: &Definition,
        from: &str,
        to: &str,
        watch: &Watch,
    ) -> Result<Renamed, Fault> {
        let renamed = self.sandbox.rename(&tool.source, from, to, &watch.again())?;
        if !renamed.pinned {
            return Ok(renamed);
        }
        let message = format!(
            "{} names a revision of {}, which has no revision under another name",
            quote_one(&tool.name),
            quote_one(from)
        );
        Err(fault(FaultCode::Malformed, message, Some("change that tool first")))
    }

    /// The request for a tool with another term.
    fn evolution_of(&self, tool: &Definition, renamed: &Renamed) -> Result<Evolution, Fault> {
        let watch = Watch::new(self.longest);
        let first = |faults: Vec<Fault>| faults.into_iter().next();
        let summary = self.sandbox.check(&renamed.canonical, &watch).map_err(|faults| {
            first(faults).unwrap_or_else(|| {
                fault(FaultCode::Internal, "a renamed term is no term".to_owned(), None)
            })
        })?;
        let tools = self.tools()?.named(&summary, self.effects.as_ref())?;
        Ok(Evolution {
            source: summary.canonical,
            hash: summary.hash,
            tools,
            ..Evolution::from(tool.clone())
        })
    }

    /// Warnings of functions in one's sessions that name a tool: they keep the old name.
    fn session_functions(&self, name: &str, watch: &Watch) -> Result<Vec<String>, Fault> {
        let quoted = Value::from(name).to_string();
        let mut warnings = Vec::new();
        for session in self.store.sessions(self.principal().owner()).map_err(stored)? {
            for binding in self.bindings_of(&session)? {
                let Some(term) = self.term_of(&binding)?.filter(|it| it.contains(&quoted)) else {
                    continue;
                };
                watch.verdict()?;
                let names = self.sandbox.check(&term, &watch.again()).map(|it| it.names());
                if names.is_ok_and(|names| names.iter().any(|it| it == name)) {
                    warnings.push(format!(
                        "{} of the session {} names {} and keeps the old name",
                        quote_one(&binding.name),
                        quote_one(&session.name()),
                        quote_one(name)
                    ));
                }
            }
        }
        Ok(warnings)
    }
}
