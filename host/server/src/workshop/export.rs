//! Exports tools with their dependencies, and optionally the memory.

use std::collections::BTreeSet;

use pif_domain::text::quote_one;
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::Watch;
use pif_store::memory::Memo;
use pif_store::registry::name;
use serde_json::value::RawValue;

use super::bundle::{self, Packed, Remembered};
use super::opening::Workshop;
use super::refusal::stored;
use super::world::Tools;

/// An exported file.
#[derive(Debug)]
pub struct Exported {
    /// The text of the file. Equal tools give equal text.
    pub text: String,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Workshop {
    /// Exports tools and all tools that their terms name, at the pinned revisions. Tools that a
    /// term names only at run time are not found. `memory` adds all keys of the memory.
    pub fn export(&self, names: &[String], memory: bool, watch: &Watch) -> Result<Exported, Fault> {
        let tools = self.tools()?;
        let named = names.iter().map(|name| (name.clone(), None)).collect();
        let (packed, notes) = self.pack(named, &tools, watch)?;
        let memory = if memory { self.remembered()? } else { Vec::new() };
        Ok(Exported { text: bundle::write(packed, memory)?, notes })
    }

    /// Packs tools and all that their terms name. Each is asked for by the user or by a caller.
    pub(super) fn pack(
        &self,
        mut queue: Vec<(String, Option<String>)>,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(Vec<Packed>, Vec<String>), Fault> {
        let (mut seen, mut packed, mut notes) = (BTreeSet::new(), Vec::new(), Vec::new());
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
            packed.push(Packed::new(tool, is_pinned, summary.notation)?);
        }
        bundle::sort(&mut packed);
        packed.dedup_by(|b, a| a.reference() == b.reference());
        notes.sort();
        Ok((without_current(packed), notes))
    }

    /// All keys of the memory, in the order of their last change.
    fn remembered(&self) -> Result<Vec<Remembered>, Fault> {
        let pack = |memo: Memo| {
            let value = RawValue::from_string(memo.value.unwrap_or_default());
            let value = value.map_err(|error| {
                let key = quote_one(&memo.key);
                fault(FaultCode::Internal, format!("the value of {key} is no JSON: {error}"), None)
            })?;
            Ok(Remembered { key: memo.key, tags: memo.tags, value })
        };
        self.memory.all().map_err(stored)?.into_iter().map(pack).collect()
    }
}

/// Removes a pinned revision if the same revision is also exported as the current one.
fn without_current(packed: Vec<Packed>) -> Vec<Packed> {
    let current: BTreeSet<(String, String)> = packed
        .iter()
        .filter(|tool| !tool.pinned)
        .map(|tool| (tool.name.clone(), tool.sha256.clone()))
        .collect();
    let is_needed = |tool: &Packed| {
        !tool.pinned || !current.contains(&(tool.name.clone(), tool.sha256.clone()))
    };
    packed.into_iter().filter(is_needed).collect()
}

/// An unknown tool: a fault if the user asked for it, a note if the term of `caller` names it.
fn missing(reference: &str, caller: Option<String>, tools: &Tools) -> Result<String, Fault> {
    if let Some(caller) = caller {
        let (caller, missing) = (quote_one(&caller), quote_one(reference));
        return Ok(format!("{caller} names the tool {missing}, which does not exist"));
    }
    let hint = tools.similar(name::split(reference).0).map(|it| format!("did you mean `{it}`?"));
    let message = format!("there is no tool {}", quote_one(reference));
    Err(fault(FaultCode::UnknownTool, message, hint.as_deref()))
}

pub(super) fn first(faults: Vec<Fault>) -> Fault {
    let none = || fault(FaultCode::Internal, "a term was refused for no reason".to_owned(), None);
    faults.into_iter().next().unwrap_or_else(none)
}
