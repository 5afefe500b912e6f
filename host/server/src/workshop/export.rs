//! Exports tools with their dependencies, the memory and the bindings of a session, as one file.

use std::collections::BTreeSet;

use pif_domain::text::quote_one;
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::Watch;
use pif_store::memory::{Memo, Outcomes};
use pif_store::registry::name;
use pif_store::session::{Binding, Session, is_recent};
use serde_json::value::RawValue;

use super::bundle::{self, BundledBinding, BundledMemo, BundledTool, PackedSession};
use super::opening::Workshop;
use super::refusal::stored;
use super::vouched::Certificates;
use super::world::Tools;

/// What a file is to hold.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selection<'a> {
    /// Tools.
    pub names: &'a [String],
    /// Whether it holds the memory.
    pub memory: bool,
    /// A session or a saved state, with its bindings.
    pub session: Option<(&'a Session, &'a [Binding])>,
    /// Whether it holds the tools that the bindings name.
    pub with_tools: bool,
    /// Whether it holds signed certificates of its tools.
    pub sign: bool,
    /// Tools, each with one to which its certificate says that it is equal.
    pub equal: &'a [(String, String)],
}

/// An exported file.
#[derive(Debug)]
pub struct ExportFile {
    /// The text of the file. Equal tools give equal text.
    pub text: String,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Workshop {
    /// Exports what a file is to hold, with all tools that terms name, at the pinned revisions. Tools
    /// that a term names only at run time are not found.
    pub fn export(&self, selection: Selection<'_>, watch: &Watch) -> Result<ExportFile, Fault> {
        let Selection { names, memory, session, with_tools, sign, equal } = selection;
        let tools = self.tools()?;
        let mut named: Vec<NamedTool> = names.iter().map(|name| (name.clone(), None)).collect();
        let mut missing = Vec::new();
        let session = match session {
            None => None,
            Some((session, bindings)) => {
                let (packed, own) = self.pack_session(session, bindings, &tools, watch)?;
                if with_tools {
                    named.extend(own);
                } else {
                    missing = absent(&own, &tools)?;
                }
                Some(packed)
            }
        };
        let (packed, mut notes) = self.pack(named, &tools, watch)?;
        notes.extend(missing);
        let memory = if memory { self.remembered()? } else { Vec::new() };
        let certificates = match sign {
            true => self.certify(&packed, equal, &tools, watch)?,
            false => Certificates::default(),
        };
        Ok(ExportFile { text: bundle::write(packed, memory, session, certificates)?, notes })
    }

    /// Packs the bindings of a session or of a saved state, without the last values. Gives the tools
    /// that their terms name.
    fn pack_session(
        &self,
        session: &Session,
        bindings: &[Binding],
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(PackedSession, Vec<NamedTool>), Fault> {
        let mut packed = Vec::new();
        let mut named = Vec::new();
        for binding in bindings.iter().filter(|binding| !is_recent(&binding.name)) {
            let Binding { name, hash, kind, .. } = binding.clone();
            let term = self.term_of(binding)?.ok_or_else(|| changed(&session.name()))?;
            let summary = self.sandbox.check(&term, &watch.again()).map_err(first)?;
            let used = tools.named(&summary, self.effects.as_ref())?;
            named.extend(used.into_iter().map(|tool| (tool, Some(name.clone()))));
            let term = RawValue::from_string(term).map_err(|error| {
                let message = format!("the term of {} is no JSON: {error}", quote_one(&name));
                fault(FaultCode::Internal, message, None)
            })?;
            packed.push(BundledBinding { name, kind, sha256: hash, term });
        }
        Ok((PackedSession { title: session.title.clone(), bindings: packed }, named))
    }

    /// Packs tools and all that their terms name. Each is asked for by the user or by a caller.
    fn pack(
        &self,
        mut queue: Vec<NamedTool>,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(Vec<BundledTool>, Vec<String>), Fault> {
        let mut seen = BTreeSet::new();
        let mut packed = Vec::new();
        let mut notes = Vec::new();
        while let Some((reference, caller)) = queue.pop() {
            if !seen.insert(reference.clone()) {
                continue;
            }
            let Some(tool) = tools.find(&reference)? else {
                notes.push(missing(&reference, caller, tools)?);
                continue;
            };
            let summary = self.sandbox.check(&tool.source, &watch.again()).map_err(first)?;
            let named = tools.named(&summary, self.effects.as_ref())?;
            let callers = named.into_iter().map(|used| (used, Some(tool.name.clone())));
            queue.extend(callers);
            let is_pinned = name::split(&reference).1.is_some();
            packed.push(BundledTool::new(tool, is_pinned, summary.notation)?);
        }
        bundle::sort(&mut packed);
        packed.dedup_by(|b, a| a.reference() == b.reference());
        notes.sort();
        Ok((without_current(packed), notes))
    }

    /// All keys of the memory, in the order of their last change.
    fn remembered(&self) -> Result<Vec<BundledMemo>, Fault> {
        let pack = |memo: Memo| {
            let value = RawValue::from_string(memo.value.unwrap_or_default());
            let value = value.map_err(|error| {
                let key = quote_one(&memo.key);
                fault(FaultCode::Internal, format!("the value of {key} is no JSON: {error}"), None)
            })?;
            let outcomes = Outcomes { successes: memo.successes, tries: memo.tries };
            let key = memo.key;
            let tags = memo.tags;
            let context = memo.context;
            Ok(BundledMemo { key, tags, value, context, confidence: Some(memo.given), outcomes })
        };
        self.memory.all().map_err(stored)?.into_iter().map(pack).collect()
    }
}

/// A tool, and the tool or the binding whose term names it.
type NamedTool = (String, Option<String>);

/// Notes on tools that bindings name and that there are not.
fn absent(named: &[NamedTool], tools: &Tools) -> Result<Vec<String>, Fault> {
    let mut notes = Vec::new();
    for (tool, caller) in named {
        if tools.find(tool)?.is_none() {
            notes.push(missing(tool, caller.clone(), tools)?);
        }
    }
    Ok(notes)
}

fn changed(name: &str) -> Fault {
    let message = format!("the bindings of {} changed meanwhile", quote_one(name));
    fault(FaultCode::SessionBusy, message, Some("try again when the turn has ended"))
}

/// Removes a pinned revision if the same revision is also exported as the current one.
fn without_current(packed: Vec<BundledTool>) -> Vec<BundledTool> {
    let current: BTreeSet<(String, String)> = packed
        .iter()
        .filter(|tool| !tool.pinned)
        .map(|tool| (tool.name.clone(), tool.sha256.clone()))
        .collect();
    let is_needed = |tool: &BundledTool| {
        !tool.pinned || !current.contains(&(tool.name.clone(), tool.sha256.clone()))
    };
    packed.into_iter().filter(is_needed).collect()
}

/// An unknown tool: a fault if the user asked for it, a note if the term of `caller` names it.
fn missing(reference: &str, caller: Option<String>, tools: &Tools) -> Result<String, Fault> {
    if let Some(caller) = caller {
        let caller = quote_one(&caller);
        let missing = quote_one(reference);
        return Ok(format!("{caller} names the tool {missing}, which does not exist"));
    }
    let hint = tools.similar(name::split(reference).0).map(|it| format!("did you mean `{it}`?"));
    let message = format!("there is no tool {}", quote_one(reference));
    Err(fault(FaultCode::UnknownTool, message, hint.as_deref()))
}

fn first(faults: Vec<Fault>) -> Fault {
    let none = || fault(FaultCode::Internal, "a term was refused for no reason".to_owned(), None);
    faults.into_iter().next().unwrap_or_else(none)
}
