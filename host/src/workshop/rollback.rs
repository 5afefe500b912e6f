//! How tools go back to what they were, and go away.

use std::sync::Arc;

use serde_json::json;

use super::world::Candidate;
use super::{Tools, Workshop, library, stored, unwritten};
use crate::domain::{EntryKind, Fault, FaultCode, fault};
use crate::journal::Draft;
use crate::registry::{self, Definition, Status};
use crate::sandbox::Watch;
use crate::state::{Change, Effect, Refusal, Write};
use crate::text::quote;

/// Callers of a tool that are named.
const MOST_CALLERS: usize = 200;

impl Workshop {
    /// Takes a tool back to one of its revisions; gives what it is now, and notes.
    pub fn roll_back(
        &self,
        name: &str,
        prefix: &str,
        arguments: &str,
        watch: &Watch,
    ) -> Result<(Definition, Status, Vec<String>), Fault> {
        let mut notes = Vec::new();
        let tools = self.tools()?;
        if let Some(past) = tools.find(&format!("{name}@{prefix}"))? {
            let Definition { source, hash, .. } = past;
            // Its own examples are not run: it is what it was.
            let (is_pinned, output_schema) = (false, None);
            let candidate =
                Candidate { name: name.to_owned(), source, hash, is_pinned, output_schema };
            let tools = Tools { candidates: Arc::new([candidate]), ..tools };
            // Going back is never refused; what it breaks is told.
            self.broken_callers(name, &tools, watch, &mut notes)?;
        }
        let change = Change::RollBack { name: name.to_owned(), prefix: prefix.to_owned() };
        let effect = self.change(EntryKind::Rollback, name, change, arguments)?;
        let Effect::RolledBack(tool, status) = effect else {
            return Err(unwritten(Refusal::CONFUSED));
        };
        Ok((tool, status, notes))
    }

    /// Hides a tool: its name stands for nothing, its revisions stay. Gives what it was, and notes.
    pub fn retire(&self, name: &str, arguments: &str) -> Result<(Definition, Vec<String>), Fault> {
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

/// Why a tool does not go back, or away.
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
