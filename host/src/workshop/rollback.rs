//! How tools go back to what they were, and go away.

use std::sync::Arc;

use serde_json::json;

use super::evolve::told;
use super::world::Candidate;
use super::{Tools, Workshop, library, refused, stored};
use crate::domain::{EntryEnding, EntryKind, Fault, FaultCode, fault};
use crate::journal::Draft;
use crate::registry::{self, Definition, Status};
use crate::sandbox::Watch;
use crate::store::Durability;
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
        let done = self.store.write(Durability::Power, |db| {
            let entry = self.journal.next(db)?;
            let (tool, status) = self.registry.roll_back(db, name, prefix, entry)?;
            let mut draft = Draft::new(EntryKind::Rollback, Some(name), status.ending());
            draft.request = json!({ "arguments": arguments });
            draft.outcome = told(&tool.hash, &status);
            self.journal.add(db, &draft)?;
            Ok::<_, registry::Error>((tool, status))
        });
        let (tool, status) = done.map_err(refuse)?;
        self.announce();
        Ok((tool, status, notes))
    }

    /// Hides a tool: its name stands for nothing, its revisions stay. Gives what it was, and notes.
    pub fn retire(&self, name: &str, arguments: &str) -> Result<(Definition, Vec<String>), Fault> {
        let callers = self.tools()?.registered.callers(name, MOST_CALLERS).map_err(stored)?;
        let done = self.store.write(Durability::Power, |db| {
            let entry = self.journal.next(db)?;
            let tool = self.registry.retire(db, name, entry)?;
            let mut draft = Draft::new(EntryKind::Retire, Some(name), EntryEnding::Retired);
            draft.request = json!({ "arguments": arguments });
            draft.outcome = json!({ "revision": tool.hash });
            self.journal.add(db, &draft)?;
            Ok::<_, registry::Error>(tool)
        });
        let tool = done.map_err(refuse)?;
        self.announce();
        let names: Vec<String> = callers.into_iter().map(|caller| caller.name).collect();
        let note = || format!("warning: it is still called by {}", quote(&names));
        let notes = (!names.is_empty()).then(note);
        Ok((tool, notes.into_iter().collect()))
    }
}

/// Why a tool does not go back, or away.
fn refuse(error: registry::Error) -> Fault {
    match error {
        registry::Error::Unknown(name) if library().find(&name).is_some() => {
            let message =
                format!("`{name}` belongs to the standard library, which does not change");
            fault(FaultCode::Malformed, message, None)
        }
        error => refused(error),
    }
}
