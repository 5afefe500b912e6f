//! Changes that are tried before they count: they are staged in a snapshot, verified, and committed or
//! discarded.

mod commit;
mod rename;
mod stage;
mod verify;
mod wish;

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use pif_domain::text::time::now;
use pif_domain::{EntryKind, EntryOutcome, Fault, FaultCode, fault};
use pif_store::journal::Draft;
use pif_store::lease::holder;
use pif_store::staging::{Area, Change};
use pif_store::{Change as Changed, CommittedTool, Effect, Refusal, Write, areas};
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

    /// Begins to work on one's own snapshot: nobody else changes it until the work is dropped.
    fn begin_work(&self, snapshot: i64) -> Result<(Area, AreaWork<'_>), Fault> {
        let number = WORKS.fetch_add(1, Ordering::Relaxed);
        let holder = holder(&self.journal.lease().hold().map_err(stored)?, number);
        let most = self.journal.settings().staging;
        let (owner, mut found) = (self.principal().owner(), None);
        let held = self.store.transact(&mut |db| {
            found = Some(areas::hold(db, (owner, snapshot), &holder, most)?);
            Ok(())
        });
        held.map_err(unwritten)?;
        let area = found.ok_or_else(|| unwritten(Refusal::CONFUSED))?;
        Ok((area, AreaWork { workshop: self, snapshot, holder, is_over: Cell::new(false) }))
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

/// Works that this process has begun.
static WORKS: AtomicU64 = AtomicU64::new(0);

/// The work of a call on a snapshot.
struct AreaWork<'a> {
    workshop: &'a Workshop,
    snapshot: i64,
    holder: String,
    /// Whether a change has ended it.
    is_over: Cell<bool>,
}

impl AreaWork<'_> {
    /// Changes the snapshot, which is the end of the work, and writes the entry.
    fn end(self, kind: EntryKind, change: Change, arguments: &str) -> Result<(Area, i64), Fault> {
        let (area, _, entry) = self.workshop.change_area(kind, change, arguments)?;
        self.is_over.set(true);
        Ok((area, entry))
    }
}

impl Drop for AreaWork<'_> {
    fn drop(&mut self) {
        if self.is_over.get() {
            return;
        }
        let (id, holder) = (self.snapshot, &self.holder);
        let released = self.workshop.store.transact(&mut |db| Ok(areas::release(db, id, holder)?));
        if let Err(error) = released {
            tracing::debug!(%error, "the work on a snapshot ends with the lease");
        }
    }
}

fn unknown(snapshot: i64) -> Fault {
    let hint = "`stage {}` lists your snapshots";
    fault(FaultCode::UnknownSnapshot, format!("there is no snapshot {snapshot}"), Some(hint))
}
