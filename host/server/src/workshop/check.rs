//! Describes a term without running it: the evaluator's findings, and the registry's knowledge of
//! the tools that the term names.

use std::collections::BTreeSet;

use pif_domain::text::quote_one;
use pif_domain::{Fault, FaultCode, named};
use pif_sandbox::{Mention, NO_TOOL, Note, Summary, Watch};
use pif_store::registry::name::OWN;
use pif_store::registry::{Definition, name};

use super::analyze::ANALYZE;
use super::opening::Workshop;
use super::refusal::stored;
use super::types::Sight;
use super::world::Tools;

/// The most tools that a check looks up, and the most that it follows to find out whether a term is
/// pure.
const MOST_TOOLS: usize = 100;

impl Workshop {
    /// Checks a term without running it. Missing tools become notes. A term is pure if all tools
    /// that it reaches by name are.
    pub fn check(&self, code: &str, watch: &Watch) -> Result<Summary, Vec<Fault>> {
        let mut summary = self.sandbox.check(code, watch)?;
        let one = |fault| vec![fault];
        let tools = self.tools().map_err(one)?;
        for mention in summary.tools.iter().take(MOST_TOOLS) {
            watch.verdict().map_err(one)?;
            summary.notes.extend(absent(mention, &tools).map_err(one)?);
        }
        summary.notes.extend(unlooked(summary.tools.len()));
        let reach = self.sight(&tools).reach(&summary, watch).map_err(one)?;
        let named: BTreeSet<String> = summary.needs.iter().map(|it| it.name.clone()).collect();
        let more = reach.needs.into_iter().filter(|name| !named.contains(name));
        // Those of tools have no place in the term.
        summary.needs.extend(more.map(|name| Mention { name, at: String::new(), excerpt: None }));
        (summary.pure, summary.computed) = (reach.pure, reach.computed);
        Ok(summary)
    }

    /// Prints a stored term in the notation. None: the term has more than `most` bytes or cannot be
    /// read.
    pub fn notation(&self, source: &str, most: usize, watch: &Watch) -> Option<String> {
        let notation =
            (source.len() <= most).then(|| self.sandbox.notation(source, &watch.again()))?;
        notation.ok().filter(|notation| !notation.is_empty())
    }

    /// What a registered tool can come to do.
    pub fn reach_of(&self, tool: &Definition, watch: &Watch) -> Result<Reach, Fault> {
        match self.sandbox.check(&tool.source, watch) {
            Ok(summary) => self.sight(&self.tools()?).reach(&summary, watch),
            // What cannot be read does nothing.
            Err(_) => Ok(Reach { pure: true, needs: BTreeSet::new(), computed: false }),
        }
    }
}

impl Sight<'_> {
    /// The abilities of a term and of all tools that it can reach by name. Everything if there are
    /// too many to follow.
    pub(super) fn reach(&self, named: &Summary, watch: &Watch) -> Result<Reach, Fault> {
        let mut reach = Reach { pure: true, needs: BTreeSet::new(), computed: false };
        let mut open = self.add(&mut reach, named)?;
        let mut seen: BTreeSet<String> = open.iter().cloned().collect();
        while let Some(name) = open.pop() {
            if seen.len() > MOST_TOOLS {
                return Ok(Reach { pure: false, computed: true, ..reach });
            }
            let Some(tool) = self.tools.find(&name)? else { continue };
            let checked = self.sandbox.check(&tool.source, &watch.again());
            watch.verdict()?;
            match checked {
                Ok(summary) => {
                    let names = self.add(&mut reach, &summary)?;
                    open.extend(names.into_iter().filter(|it| seen.insert(it.clone())));
                }
                Err(_) => reach.pure = false,
            }
        }
        Ok(reach)
    }

    /// Adds what a term can do by itself. Gives the tools that it names.
    fn add(&self, reach: &mut Reach, summary: &Summary) -> Result<Vec<String>, Fault> {
        let effects = self.effects;
        let asks_only = summary.needs.iter().all(|it| it.name == ANALYZE) && !summary.computed;
        reach.pure &= summary.pure || asks_only;
        reach.computed |= summary.computed;
        for need in &summary.needs {
            // A native capability is followed like any tool.
            if need.name != ANALYZE && self.tools.native_of(&need.name, effects)?.is_none() {
                reach.needs.insert(need.name.clone());
            }
        }
        self.tools.named(summary, effects)
    }
}

/// What a term can do, with all tools that it can come to by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Nothing but compute.
    pub pure: bool,
    /// Call these tools of other servers, by native capabilities too.
    pub needs: BTreeSet<String>,
    /// Call others whose names it computes.
    pub computed: bool,
}

/// A note that only the first tools were looked up; None if all were.
fn unlooked(count: usize) -> Option<Note> {
    let message = format!("only {MOST_TOOLS} of the {count} tools that are named were looked for");
    let code = FaultCode::UnknownTool.to_string();
    let at = String::new();
    (count > MOST_TOOLS).then_some(Note {
        code,
        at,
        message,
        hint: None,
        excerpt: None,
        place: None,
        fix: None,
    })
}

/// A note on a tool that a term names and that does not exist.
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
        None => (format!("there is no tool {quoted}"), NO_TOOL.to_owned()),
    };
    let code = FaultCode::UnknownTool.to_string();
    let at = at.clone();
    let excerpt = excerpt.clone();
    let hint = Some(named(&hint).into_owned());
    Ok(Some(Note { code, at, message, hint, excerpt, place: None, fix: None }))
}
