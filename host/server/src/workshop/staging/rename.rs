//! Stages another name of a tool: the tool, and every tool that calls it.

use std::collections::BTreeSet;

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
use crate::workshop::property;
use crate::workshop::refusal::{refused, stored};

/// The most callers that are changed with a tool.
const MOST_CALLERS: usize = 1_000;

/// The tools that are looked at together.
const PAGE: usize = 500;

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
        let properties = self.renamed_properties(&tool, from, to, watch)?;
        let own = Definition { name: to.to_owned(), ..tool.clone() };
        let own = with_properties(self.evolution_of(&own, &renamed)?, properties);
        let mut states = vec![state_of(&own)];
        terms.push(own);
        let mut seen: BTreeSet<String> = [from.to_owned()].into();
        for caller in callers {
            watch.verdict()?;
            seen.insert(caller.name.clone());
            let renamed = self.renamed(&caller, from, to, watch)?;
            let properties = self.renamed_properties(&caller, from, to, watch)?;
            if renamed.quoted {
                warnings.push(format!(
                    "{} names {} in a quote, which is data and keeps the old name",
                    quote_one(&caller.name),
                    quote_one(from)
                ));
            }
            if renamed.count > 0 || properties.is_some() {
                let term = with_properties(self.evolution_of(&caller, &renamed)?, properties);
                states.push(state_of(&term));
                terms.push(term);
            }
        }
        for other in self.tools_with_properties(from)? {
            watch.verdict()?;
            if seen.contains(&other.name) {
                continue;
            }
            let properties = self.renamed_properties(&other, from, to, watch)?;
            if properties.is_some() {
                let term = with_properties(Evolution::from(other), properties);
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

    /// The current tools whose properties may name a tool.
    fn tools_with_properties(&self, name: &str) -> Result<Vec<Definition>, Fault> {
        let tools = self.tools()?.registered;
        let (mut found, mut after) = (Vec::new(), String::new());
        loop {
            let page = tools.page(&after, PAGE).map_err(stored)?;
            let Some(last) = page.last() else { return Ok(found) };
            after.clone_from(&last.name);
            let names = |tool: &Definition| {
                tool.properties.as_ref().is_some_and(|properties| properties.contains(name))
            };
            found.extend(page.into_iter().filter(names));
        }
    }

    /// The properties of a tool with the new name, as the registry keeps them; None if they do not name
    /// the tool.
    fn renamed_properties(
        &self,
        tool: &Definition,
        from: &str,
        to: &str,
        watch: &Watch,
    ) -> Result<Option<String>, Fault> {
        let mut properties = property::of_tool(tool)?;
        let mut is_changed = false;
        for text in properties.iter_mut().filter(|text| text.contains(from)) {
            let checked = self.sandbox.check(text, &watch.again());
            // What cannot be read holds of nothing, and names nothing.
            let Ok(summary) = checked else { continue };
            let renamed = self.renamed_term(tool, &summary.canonical, (from, to), watch)?;
            if renamed.count > 0 {
                is_changed = true;
                let is_json = text.trim_start().starts_with('{');
                *text = match is_json {
                    true => renamed.canonical,
                    false => self.sandbox.notation(&renamed.canonical, &watch.again())?,
                };
            }
        }
        Ok(property::kept(&properties).filter(|_| is_changed))
    }

    /// The term of a tool with the new name. Refuses a pin, which names a revision of the old one.
    fn renamed(
        &self,
        tool: &Definition,
        from: &str,
        to: &str,
        watch: &Watch,
    ) -> Result<Renamed, Fault> {
        self.renamed_term(tool, &tool.source, (from, to), watch)
    }

    /// A term of a tool with the new name.
    fn renamed_term(
        &self,
        tool: &Definition,
        term: &str,
        (from, to): (&str, &str),
        watch: &Watch,
    ) -> Result<Renamed, Fault> {
        let renamed = self.sandbox.rename(term, from, to, &watch.again())?;
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

/// The request for a tool with these properties, if there are any in place of its own.
fn with_properties(tool: Evolution, properties: Option<String>) -> Evolution {
    match properties {
        Some(properties) => Evolution { properties: Some(properties), ..tool },
        None => tool,
    }
}
