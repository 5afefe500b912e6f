//! The work of a call on a snapshot: while it lasts nobody else changes the snapshot.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use pif_domain::{EntryKind, Fault};
use pif_store::lease::holder;
use pif_store::staging::{Area, Change};
use pif_store::{Refusal, areas};

use super::super::opening::Workshop;
use super::super::refusal::{stored, unwritten};

impl Workshop {
    /// Begins to work on one's own snapshot: nobody else changes it until the work is dropped.
    pub(super) fn begin_work(&self, snapshot: i64) -> Result<(Area, AreaWork<'_>), Fault> {
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
}

/// Works that this process has begun.
static WORKS: AtomicU64 = AtomicU64::new(0);

/// The work of a call on a snapshot.
pub(super) struct AreaWork<'a> {
    workshop: &'a Workshop,
    snapshot: i64,
    /// How the store names it.
    pub(super) holder: String,
    /// Whether a change has ended it.
    is_over: Cell<bool>,
}

impl AreaWork<'_> {
    /// Changes the snapshot, which is the end of the work, and writes the entry.
    pub(super) fn end(
        self,
        kind: EntryKind,
        change: Change,
        arguments: &str,
    ) -> Result<(Area, i64), Fault> {
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
