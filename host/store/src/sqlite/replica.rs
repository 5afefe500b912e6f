//! The current tools of another store, in memory. A server shows them while its database is away.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::connections::Durability;
use super::{Sqlite, tools};
use crate::change::Wait;
use crate::error::Error;
use crate::place::Place;
use crate::registry::CurrentTool;
use crate::store::Store;

/// The current tools of another store, and the number of its last change then.
#[derive(Debug)]
pub struct Replica {
    store: Sqlite,
    last: AtomicI64,
}

impl Replica {
    /// One that has nothing yet.
    pub fn new() -> Result<Self, Error> {
        Ok(Self {
            store: Sqlite::open(&Place::Memory, Duration::ZERO)?,
            last: AtomicI64::default(),
        })
    }

    /// The number of the last change that it has.
    #[must_use]
    pub fn last(&self) -> i64 {
        self.last.load(Ordering::Acquire)
    }

    /// Takes over the tools that are new after the last change that it has, and up to `last`. Forgets those
    /// that were retired.
    pub fn take(
        &self,
        last: i64,
        changed: &[CurrentTool],
        retired: &[String],
    ) -> Result<(), Error> {
        self.store.write(Durability::Process, Wait::Patiently, |db| {
            retired.iter().try_for_each(|name| tools::drop_name(db, name))?;
            changed.iter().try_for_each(|it| tools::put_current(db, it))?;
            Ok::<_, Error>(())
        })?;
        self.last.fetch_max(last, Ordering::AcqRel);
        Ok(())
    }

    /// The reads of the registry.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &self.store
    }
}
