//! What can be said of a term without running it: what the evaluator says, and what the registry
//! knows of the tools that the term names.

use std::collections::BTreeSet;

use super::{Tools, Workshop, stored};
use crate::domain::{Fault, FaultCode};
use crate::registry::name;
use crate::sandbox::{Mention, Note, Summary, Watch};
use crate::text::quote_one;

/// Tools that are looked for, and looked at to find out whether one of them can do more than compute.
const MOST_TOOLS: usize = 100;

/// What the source of a tool calls the tool itself.
const OWN: &str = "self";

impl Summary {
    /// The names of the tools that the term names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }
}

impl Workshop {
    /// Looks at a term without running it. Tools that are not there are notes; a term is pure
    /// if all tools that it can come to by name are.
    pub fn check(&self, code: &str, watch: &Watch) -> Result<Summary, Vec<Fault>> {
        let mut summary = self.sandbox.check(code, watch)?;
        let one = |fault| vec![fault];
        let tools = self.tools().map_err(one)?;
        for mention in summary.tools.iter().take(MOST_TOOLS) {
            watch.verdict().map_err(one)?;
            summary.notes.extend(absent(mention, &tools).map_err(one)?);
        }
        summary.notes.extend(unlooked(summary.tools.len()));
        if summary.pure && !summary.tools.is_empty() {
            summary.pure = self.are_pure(&summary, &tools, watch).map_err(one)?;
        }
        Ok(summary)
    }

    /// Whether no tool that the term names, and none that these name, can do more than compute. Of
    /// too many nobody knows.
    fn are_pure(&self, named: &Summary, tools: &Tools, watch: &Watch) -> Result<bool, Fault> {
        let mut open = named.names();
        let mut seen: BTreeSet<String> = open.iter().cloned().collect();
        while let Some(name) = open.pop() {
            if seen.len() > MOST_TOOLS {
                return Ok(false);
            }
            let Some(tool) = tools.find(&name)? else { continue };
            let checked = self.sandbox.check(&tool.source, &watch.again());
            watch.verdict()?;
            match checked {
                Ok(summary) if summary.pure => {
                    open.extend(summary.names().into_iter().filter(|it| seen.insert(it.clone())));
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// What there is to say of a term that names so many tools.
fn unlooked(count: usize) -> Option<Note> {
    let message = format!("only {MOST_TOOLS} of the {count} tools that are named were looked for");
    let (code, at) = (FaultCode::UnknownTool.to_string(), String::new());
    (count > MOST_TOOLS).then_some(Note {
        code,
        at,
        message,
        hint: None,
        excerpt: None,
        place: None,
    })
}

/// What there is to say of a tool that a term names and that is not there.
fn absent(mention: &Mention, tools: &Tools) -> Result<Option<Note>, Fault> {
    let Mention { name: reference, at, excerpt } = mention;
    if reference == OWN || tools.find(reference)?.is_some() {
        return Ok(None);
    }
    let name = name::split(reference).0;
    let quoted = quote_one(reference);
    let is_retired = !tools.registered.history(name, 1).map_err(stored)?.is_empty();
    let (message, hint) = match tools.similar(name) {
        _ if is_retired && name == reference => {
            (format!("the tool {quoted} is retired"), "`rollback` restores it".to_owned())
        }
        _ if is_retired => {
            let hint = "`inspect` shows its revisions".to_owned();
            (format!("the tool {} has no revision {quoted}", quote_one(name)), hint)
        }
        Some(similar) => {
            (format!("there is no tool {quoted}"), format!("did you mean `{similar}`?"))
        }
        None => (
            format!("there is no tool {quoted}"),
            "make it with `evolve`; `list` shows the tools there are".to_owned(),
        ),
    };
    let (code, at, excerpt) = (FaultCode::UnknownTool.to_string(), at.clone(), excerpt.clone());
    Ok(Some(Note { code, at, message, hint: Some(hint), excerpt, place: None }))
}
