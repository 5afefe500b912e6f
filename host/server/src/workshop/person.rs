//! Shows and erases all data of one person. The tools of a store belong to all, and the
//! journal keeps what was done.

use std::collections::BTreeSet;
use std::sync::Arc;

use pif_domain::{EntryKind, EntryOutcome, Fault};
use pif_store::journal::Draft;
use pif_store::session::{Session, SessionKind};
use pif_store::{Change, Effect, Erasure, Refusal, Write};
use serde_json::json;

use super::opening::Workshop;
use super::refusal::{stored, unwritten};

/// What belongs to one person.
#[derive(Debug, Clone)]
pub struct Belongings {
    /// The name; empty for the user of this machine.
    pub name: String,
    /// Sessions that are not over.
    pub sessions: Vec<Session>,
    /// Saved states.
    pub saved: Vec<Session>,
    /// Keys of the memory.
    pub keys: Vec<String>,
    /// Numbers of the runs that wait for an approval.
    pub waiting: Vec<i64>,
}

impl Workshop {
    /// The names of all who have something.
    pub fn people(&self) -> Result<Vec<String>, Fault> {
        let mut names: BTreeSet<String> =
            self.store.owners().map_err(stored)?.into_iter().collect();
        names.extend(self.kept()?.into_iter().map(|kept| kept.run.principal.to_string()));
        Ok(names.into_iter().collect())
    }

    /// What belongs to a person.
    pub fn belongings(&self, name: &str) -> Result<Belongings, Fault> {
        let memos = self.memory.of(&Arc::from(name)).all().map_err(stored)?;
        Ok(Belongings {
            name: name.to_owned(),
            sessions: self.sessions(name, SessionKind::Open)?,
            saved: self.sessions(name, SessionKind::Saved)?,
            keys: memos.into_iter().map(|memo| memo.key).collect(),
            waiting: self.waiting_of(name)?,
        })
    }

    /// Erases what belongs to a person, all or nothing.
    pub fn erase(&self, name: &str) -> Result<Erasure, Fault> {
        let mut entry = Draft::new(EntryKind::Session, Some(name), EntryOutcome::Forgotten);
        entry.request = json!({ "arguments": json!({ "erase": name }).to_string() });
        let change = Change::Erase { owner: name.to_owned(), runs: self.waiting_of(name)? };
        let done = self.journal.commit_one(Write { change, entry }).map_err(unwritten)?;
        match done.effect {
            Effect::Erased(erased) => Ok(erased),
            _ => Err(unwritten(Refusal::CONFUSED)),
        }
    }

    fn waiting_of(&self, name: &str) -> Result<Vec<i64>, Fault> {
        let kept = self.kept()?.into_iter();
        Ok(kept.filter(|it| &*it.run.principal == name).filter_map(|it| it.row.id).collect())
    }
}
