//! Changes that are tried before they count: they are staged in a snapshot, verified, and committed or
//! discarded.

mod area_work;
mod commit;
mod rename;
mod stage;
mod verify;
mod wish;

use pif_domain::text::time::now;
use pif_domain::{EntryKind, EntryOutcome, Fault, FaultCode, fault};
use pif_store::journal::Draft;
use pif_store::staging::{Area, Change};
use pif_store::{Change as Changed, CommittedTool, Effect, Refusal, Write};
use serde_json::json;

pub use self::commit::Commit;
pub use self::stage::{StageResult, StagedChange};
pub use self::verify::{VerificationReport, Verify};

use super::opening::Workshop;
use super::refusal::{stored, unwritten};

impl Workshop {
    /// The workshop within a snapshot: its tools and its memory are those of the snapshot.
    pub fn within(&self, snapshot: i64) -> Result<Self, Fault> {
        let area = self.area(snapshot)?;
        let memory = self.memory.showing(area.memos().into_iter().cloned().collect());
        let view = Some(self.registry.staged(&area).map_err(stored)?);
        Ok(Self { memory, view, snapshot: Some(snapshot), ..self.clone() })
    }

    /// One's own snapshot whose time is not over.
    pub fn area(&self, snapshot: i64) -> Result<Area, Fault> {
        let life = self.journal.settings().staging.life;
        let found = self.store.area(snapshot).map_err(stored)?;
        let is_own =
            |area: &Area| area.owner == **self.principal().owner() && area.expires(life) > now();
        found.filter(is_own).ok_or_else(|| unknown(snapshot))
    }

    /// One's own snapshots whose time is not over.
    pub fn areas(&self) -> Result<Vec<Area>, Fault> {
        let life = self.journal.settings().staging.life;
        let mut areas = self.store.areas(self.principal().owner()).map_err(stored)?;
        areas.retain(|area| area.expires(life) > now());
        Ok(areas)
    }

    /// Until when a snapshot lives, in milliseconds since 1970.
    #[must_use]
    pub fn expires(&self, area: &Area) -> i64 {
        area.expires(self.journal.settings().staging.life)
    }

    /// Removes a snapshot. `arguments` is the text of the request.
    pub fn discard(&self, snapshot: i64, arguments: &str) -> Result<Area, Fault> {
        let change = Change::Discard { id: snapshot };
        Ok(self.change_area(EntryKind::Discard, change, arguments)?.0)
    }

    /// Refuses a change of an existing tool that is not staged, where the operator wants that.
    pub(super) fn ensure_unstaged(&self) -> Result<(), Fault> {
        if !self.requires_staging || self.view.is_some() {
            return Ok(());
        }
        let message = "this server takes changes of existing tools only by `stage`".to_owned();
        let hint = "`stage` {\"operations\": [{\"evolve\": {…}}]}, then `verify` and `commit` it";
        Err(fault(FaultCode::Unverified, message, Some(hint)))
    }

    /// Changes a staging area, and writes the entry.
    fn change_area(
        &self,
        kind: EntryKind,
        change: Change,
        arguments: &str,
    ) -> Result<(Area, Vec<CommittedTool>, i64), Fault> {
        let mut entry = Draft::new(kind, None, EntryOutcome::Done);
        entry.request = json!({ "arguments": arguments });
        let write = Write { change: Changed::Stage(change), entry };
        let done = self.journal.commit_one(write).map_err(unwritten)?;
        match done.effect {
            Effect::Staged(area, committed) => Ok((*area, committed, done.entry)),
            _ => Err(unwritten(Refusal::CONFUSED)),
        }
    }
}

fn unknown(snapshot: i64) -> Fault {
    let hint = "`stage {}` lists your snapshots";
    fault(FaultCode::UnknownSnapshot, format!("there is no snapshot {snapshot}"), Some(hint))
}
