//! The journal: what happened, entry by entry, chained so that tampering shows, and complete
//! enough to do it all again. It knows neither the language nor MCP.

mod chain;
mod entry;
mod tell;

use std::sync::Arc;

use rusqlite::{OptionalExtension, params, params_from_iter, types};
use serde_json::Value;

pub use self::chain::{Link, Verified};
pub use self::entry::{Answer, Body, Digest, Draft, Entry, Hash, Payload};

use crate::domain::EntryKind;
use crate::store::{self, Durability, Store, Transaction};

/// What entries keep of requests and outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Policy {
    /// All, up to a length; of what is longer a digest
    Full,
    /// Digests
    Summary,
    /// Nothing
    None,
}

/// How the journal is kept.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What entries keep.
    pub policy: Policy,
    /// Bytes of a request or an outcome that an entry keeps.
    pub most_payload: usize,
    /// Bytes of all entries together; the oldest go first.
    pub most: u64,
    /// sha256 of the evaluator that runs are made with.
    pub component: String,
}

/// What is wrong with the journal.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An entry is not what it was.
    #[error("the journal is broken at entry {id}: {reason}")]
    Broken {
        /// The first entry that is not in order.
        id: i64,
        /// What is wrong with it.
        reason: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Which entries to look at.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those of this kind.
    pub kind: Option<EntryKind>,
    /// Only those about this tool or key.
    pub subject: Option<String>,
    /// Only those that ended so.
    pub ending: Option<String>,
    /// Only those written at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Only those before this entry.
    pub before: Option<i64>,
    /// Only those after this entry.
    pub after: Option<i64>,
}

/// What runs of a tool have cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Fuel of each, in ascending order.
    pub fuel: Vec<i64>,
    /// How many of them ended in a fault.
    pub faults: usize,
}

/// The journal in a store.
#[derive(Debug)]
pub struct Journal {
    store: Arc<Store>,
    settings: Settings,
}

impl Journal {
    /// The journal in a store, which is not verified by this.
    #[must_use]
    pub fn new(store: Arc<Store>, settings: Settings) -> Self {
        Self { store, settings }
    }

    /// How it is kept.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Writes an entry; gives its number.
    pub fn append(&self, draft: &Draft) -> Result<i64, store::Error> {
        self.store.write(Durability::Process, |transaction| self.add(transaction, draft))
    }

    /// The same, unless somebody else is writing: then nothing is written.
    pub fn append_at_once(&self, draft: &Draft) -> Result<i64, store::Error> {
        self.store.write_at_once(Durability::Process, |transaction| self.add(transaction, draft))
    }

    /// The same within a transaction.
    pub fn add(&self, db: &Transaction<'_>, draft: &Draft) -> Result<i64, store::Error> {
        let head = chain::head(db)?;
        let component = (draft.kind == EntryKind::Run).then(|| self.settings.component.clone());
        let body = self.body(draft);
        let mut entry = Entry {
            id: head.id + 1,
            time: store::now(),
            kind: draft.kind.name().to_owned(),
            subject: draft.subject.clone(),
            ending: draft.ending.name().to_owned(),
            fuel: draft.fuel.map(|fuel| i64::try_from(fuel).unwrap_or(i64::MAX)),
            component,
            ends: head.ends.saturating_add(i64::try_from(body.len()).unwrap_or(i64::MAX)),
            body,
            hash: head.hash,
        };
        entry.hash = entry.link(head.hash);
        let component =
            entry.component.as_deref().map(|hash| component_id(db, hash)).transpose()?;
        db.prepare_cached("INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?
            .execute(params![
                entry.id,
                entry.time,
                entry.kind,
                entry.subject,
                entry.ending,
                entry.fuel,
                component,
                entry.body,
                entry.ends,
                entry.hash.0,
            ])?;
        let head = Link { id: entry.id, ends: entry.ends, hash: entry.hash };
        chain::trim(db, head, i64::try_from(self.settings.most).unwrap_or(i64::MAX))?;
        Ok(entry.id)
    }

    /// The number of the entry that [`Journal::add`] will write.
    pub fn next(&self, db: &Transaction<'_>) -> Result<i64, store::Error> {
        Ok(chain::head(db)?.id + 1)
    }

    fn body(&self, draft: &Draft) -> String {
        let payload = |value: &Value| match self.settings.policy {
            _ if value.is_null() => None,
            Policy::None => None,
            Policy::Summary => Payload::keep(value, 0),
            Policy::Full => Payload::keep(value, self.settings.most_payload),
        };
        let body = Body {
            request: payload(&draft.request),
            answers: draft.answers.clone(),
            outcome: payload(&draft.outcome),
            memory: draft.memory,
            depth: draft.depth.into(),
            micros: draft.micros,
        };
        // Its parts are texts, numbers and JSON already.
        serde_json::to_string(&body).unwrap_or_else(|error| {
            tracing::error!(%error, "an entry could not be written down");
            "{}".to_owned()
        })
    }

    /// An entry by its number.
    pub fn entry(&self, id: i64) -> Result<Option<Entry>, store::Error> {
        self.store.read(|db| {
            let sql = format!("SELECT {COLUMNS} WHERE e.id = ?1", COLUMNS = entry::COLUMNS);
            Ok(db.prepare_cached(&sql)?.query_row([id], Entry::read).optional()?)
        })
    }

    /// Entries that pass a filter: the latest first, or the earliest first.
    pub fn entries(
        &self,
        filter: &Filter,
        latest_first: bool,
        most: usize,
    ) -> Result<Vec<Entry>, store::Error> {
        // The index of kinds leaves out runs, so a query has to say that it wants none of them.
        let is_rare = !matches!(filter.kind, None | Some(EntryKind::Run));
        let mut clauses = vec![if is_rare { "e.kind <> 'run'" } else { "1" }.to_owned()];
        let mut values: Vec<types::Value> = Vec::new();
        let mut add = |clause: &str, value: Option<types::Value>| {
            if let Some(value) = value {
                values.push(value);
                clauses.push(clause.replace('?', &format!("?{}", values.len())));
            }
        };
        let text = |it: &Option<String>| it.clone().map(types::Value::Text);
        add("e.kind = ?", filter.kind.map(|kind| types::Value::Text(kind.name().to_owned())));
        add("e.subject = ?", text(&filter.subject));
        add("e.ending = ?", text(&filter.ending));
        add("e.time >= ?", filter.since.map(types::Value::Integer));
        add("e.id < ?", filter.before.map(types::Value::Integer));
        add("e.id > ?", filter.after.map(types::Value::Integer));
        let order = if latest_first { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT {} WHERE {} ORDER BY e.id {order} LIMIT {most}",
            entry::COLUMNS,
            clauses.join(" AND "),
        );
        self.store.read(|db| {
            let mut statement = db.prepare_cached(&sql)?;
            let entries = statement.query_map(params_from_iter(values), Entry::read)?;
            Ok(entries.collect::<Result<_, _>>()?)
        })
    }

    /// What the latest runs of a tool, of `most` at most, have cost.
    pub fn statistics(&self, tool: &str, most: usize) -> Result<Statistics, store::Error> {
        self.store.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT fuel, ending IN ('value', 'continuation') FROM entry
                    WHERE subject = ?1 AND kind = 'run' ORDER BY id DESC LIMIT ?2",
            )?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let mut rows = statement.query(params![tool, most])?;
            let (mut fuel, mut faults) = (Vec::new(), 0);
            while let Some(row) = rows.next()? {
                fuel.push(row.get::<_, Option<i64>>(0)?.unwrap_or_default());
                faults += usize::from(!row.get::<_, bool>(1)?);
            }
            fuel.sort_unstable();
            Ok(Statistics { fuel, faults })
        })
    }

    /// Where the chain stands.
    pub fn head(&self) -> Result<Link, store::Error> {
        self.store.read(|db| Ok(chain::head(db)?))
    }

    /// The last entry that was removed to keep the journal within its size.
    pub fn anchor(&self) -> Result<Link, store::Error> {
        self.store.read(|db| Ok(chain::anchor(db)?))
    }

    /// Follows the chain from its start to its head.
    pub fn verify(&self) -> Result<Verified, Error> {
        self.store.read(chain::verify)
    }

    /// Where it is kept.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }
}

fn component_id(db: &Transaction<'_>, hash: &str) -> rusqlite::Result<i64> {
    let known = db
        .prepare_cached("SELECT id FROM component WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    db.execute("INSERT INTO component (hash) VALUES (?1)", [hash])?;
    Ok(db.last_insert_rowid())
}
