//! Makes the changes of a snapshot count.

use pif_domain::{EntryKind, Fault};
use pif_store::CommittedTool;
use pif_store::staging::Change;
use serde_json::json;

use crate::workshop::opening::Workshop;

/// A committed snapshot.
#[derive(Debug)]
pub struct Commit {
    /// What has become of each tool.
    pub changes: Vec<CommittedTool>,
    /// Keys of the memory that have changed.
    pub keys: Vec<String>,
    /// The number of the journal entry.
    pub entry: i64,
}

impl Workshop {
    /// Commits a snapshot in one transaction, with one entry. It must be verified, unless `force` is
    /// set. `arguments` is the text of the request.
    pub fn commit(&self, snapshot: i64, force: bool, arguments: &str) -> Result<Commit, Fault> {
        let mut keys: Vec<String> = Vec::new();
        for state in self.area(snapshot)?.memos() {
            if !keys.contains(&state.key) {
                keys.push(state.key.clone());
            }
        }
        let arguments =
            if force { json!({ "forced": arguments }).to_string() } else { arguments.to_owned() };
        let change = Change::Commit { id: snapshot, force };
        let (_, changes, entry) = self.change_area(EntryKind::Commit, change, &arguments)?;
        self.announce();
        Ok(Commit { changes, keys, entry })
    }
}
