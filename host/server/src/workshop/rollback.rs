//! Returns tools to an earlier revision, and retires them.

use std::sync::Arc;

use pif_domain::text::quote;
use pif_domain::{EntryKind, Fault, FaultCode, fault};
use pif_sandbox::Watch;
use pif_store::journal::Draft;
use pif_store::registry::{self, Definition, Status};
use pif_store::{Change, Effect, Refusal, Write};
use serde_json::json;

use super::library::library;
use super::opening::Workshop;
use super::refusal::{stored, unwritten};
use super::world::{Candidate, Tools};

/// The most callers that a note names.
const MOST_CALLERS: usize = 200;

impl Workshop {
    /// Returns a tool to an earlier revision. Gives the restored tool, the status and notes.
    pub fn roll_back(
        &self,
        name: &str,
        prefix: &str,
        arguments: &str,
        watch: &Watch,
    ) -> Result<(Definition, Status, Vec<String>), Fault> {
        self.ensure_unstaged()?;
        let mut notes = Vec::new();
        let tools = self.tools()?;
        if let Some(past) = tools.find(&format!("{name}@{prefix}"))? {
            let Definition { source, hash, members, .. } = past;
            // The tool's own examples do not run: this revision is unchanged.
            let is_pinned = false;
            let output_schema = None;
            let candidate = Candidate {
                name: name.to_owned(),
                source,
                hash,
                is_pinned,
                output_schema,
                members,
                written: None,
            };
            let tools = Tools { candidates: Arc::new([candidate]), ..tools };
            // A rollback is never refused because of callers; notes name the broken ones.
            self.broken_callers(name, &tools, watch, &mut notes)?;
        }
        let change = Change::RollBack { name: name.to_owned(), prefix: prefix.to_owned() };
        let effect = self.change(EntryKind::Rollback, name, change, arguments)?;
        let Effect::RolledBack(tool, status) = effect else {
            return Err(unwritten(Refusal::CONFUSED));
        };
        Ok((tool, status, notes))
    }

    /// Retires a tool: its name becomes free and its revisions stay. Gives the retired tool and
    /// notes.
    pub fn retire(&self, name: &str, arguments: &str) -> Result<(Definition, Vec<String>), Fault> {
        self.ensure_unstaged()?;
        let callers = self.tools()?.registered.callers(name, MOST_CALLERS).map_err(stored)?;
        let change = Change::Retire { name: name.to_owned() };
        let effect = self.change(EntryKind::Retire, name, change, arguments)?;
        let Effect::Retired(tool) = effect else {
            return Err(unwritten(Refusal::CONFUSED));
        };
        let names: Vec<String> = callers.into_iter().map(|caller| caller.name).collect();
        let note = || format!("warning: it is still called by {}", quote(&names));
        let notes = (!names.is_empty()).then(note);
        Ok((tool, notes.into_iter().collect()))
    }

    fn change(
        &self,
        kind: EntryKind,
        name: &str,
        change: Change,
        arguments: &str,
    ) -> Result<Effect, Fault> {
        let mut entry = Draft::of_change(kind, name);
        entry.request = json!({ "arguments": arguments });
        let done = self.journal.commit_one(Write { change, entry }).map_err(refuse)?;
        self.announce();
        Ok(done.effect)
    }
}

/// The fault of a refused rollback or retirement.
fn refuse(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Registry(registry::Error::Unknown(name)) if library().find(&name).is_some() => {
            let message =
                format!("`{name}` belongs to the standard library, which does not change");
            fault(FaultCode::Malformed, message, None)
        }
        refusal => unwritten(refusal),
    }
}
