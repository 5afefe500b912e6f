//! The shared registry: a store, notifications of changes and a cache.

use std::sync::{Arc, Mutex, PoisonError};

use pif_domain::text::description::ensure_plain;
use pif_domain::text::similar::similar;
use tokio::sync::watch;

use super::error::Error;
use super::evolution::{ensure_distinct, ensure_expected};
use super::name;
use super::overlay::Overlay;
use super::revision::{Definition, Past, ensure_prefix, is_named};
use crate::error::Error as StoreError;
use crate::find::{Collection, Document, Kind, Source};
use crate::recall::Recall;
use crate::sqlite::Transient;
use crate::staging::Area;
use crate::store::Store;

/// The most tools in the cache, and the most bytes of their texts.
const MOST_FOUND: usize = 1_000;
const MOST_FOUND_BYTES: usize = 16 << 20;

/// The shared registry.
#[derive(Debug)]
pub struct Registry {
    store: Arc<dyn Store>,
    changes: watch::Sender<i64>,
    latest: Mutex<Latest>,
}

/// A cache of look-ups at one change. They never become invalid, because later changes do not
/// affect them.
#[derive(Debug, Clone)]
struct Latest {
    as_of: i64,
    found: Arc<Recall<Option<Definition>>>,
}

impl Latest {
    fn new(as_of: i64) -> Self {
        Self { as_of, found: Arc::new(Recall::new(MOST_FOUND, MOST_FOUND_BYTES)) }
    }
}

impl Registry {
    /// Opens the registry of a store. Of a database that is not there nothing is known yet.
    pub fn open(store: Arc<dyn Store>) -> Result<Self, StoreError> {
        let last = match store.last_change() {
            Err(error) if error.is_absence() => 0,
            last => last?,
        };
        let latest = Mutex::new(Latest::new(last));
        Ok(Self { store, changes: watch::Sender::new(last), latest })
    }

    /// A snapshot of the current state, or of the last known one of a database that is lost. Later
    /// changes do not affect it.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let last = self.store.last_change();
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let as_of = match last {
            Err(error) if error.is_absence() => latest.as_of,
            last => last?,
        };
        if latest.as_of != as_of {
            *latest = Latest::new(as_of);
        }
        let (store, found) = (Arc::clone(&self.store), Arc::clone(&latest.found));
        Ok(Snapshot { store, as_of, found, overlay: None })
    }

    /// The registry after one of its earlier changes.
    #[must_use]
    pub fn snapshot_as_of(&self, as_of: i64) -> Snapshot {
        let (store, found) = (Arc::clone(&self.store), Latest::new(as_of).found);
        Snapshot { store, as_of, found, overlay: None }
    }

    /// The registry with the changes of a staging area. It shows no later change of others.
    pub fn staged(&self, area: &Area) -> Result<Snapshot, StoreError> {
        let overlay = Overlay::of(self.store.as_ref(), area)?;
        Ok(self.view(area.base, Arc::new(overlay)))
    }

    /// The registry after its change `base`, with an overlay.
    #[must_use]
    pub fn view(&self, base: i64, overlay: Arc<Overlay>) -> Snapshot {
        Snapshot { overlay: Some(overlay), ..self.snapshot_as_of(base) }
    }

    /// A receiver that is notified of changes. One notification may cover several changes.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<i64> {
        self.changes.subscribe()
    }

    /// Notifies subscribers if this process or another has changed tools since the last
    /// notification.
    pub fn refresh(&self) -> Result<(), StoreError> {
        let last = self.store.last_change()?;
        self.store.hold_registry()?;
        self.changes.send_if_modified(|known| std::mem::replace(known, last) != last);
        Ok(())
    }

    /// Another name that a reader may confuse with this one.
    pub fn lookalike(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.store.lookalike(name)
    }
}

/// The registry after one of its changes.
#[derive(Debug, Clone)]
pub struct Snapshot {
    store: Arc<dyn Store>,
    as_of: i64,
    found: Arc<Recall<Option<Definition>>>,
    /// What it shows instead of current tools, if it is that of a staging area.
    overlay: Option<Arc<Overlay>>,
}

impl Snapshot {
    /// Checks a change as far as possible without its term.
    pub fn review(
        &self,
        name: &str,
        description: &str,
        expected: Option<&str>,
    ) -> Result<(), Error> {
        name::ensure_free(name)?;
        ensure_plain(description).map_err(Error::Description)?;
        let current = self.find(name)?;
        if current.is_none() {
            ensure_distinct(self.store.twin(name)?, name)?;
        }
        ensure_expected(current.as_ref(), name, expected)
    }

    /// The number of the last change in the snapshot.
    #[must_use]
    pub fn as_of(&self) -> i64 {
        self.as_of
    }

    /// The tool that a name referred to at this snapshot, or the revision of `name@hash`.
    pub fn find(&self, reference: &str) -> Result<Option<Definition>, Error> {
        if let Some(known) = self.found.get(reference) {
            return Ok(known);
        }
        let (name, pin) = name::split(reference);
        let shown = self.overlay.as_ref().filter(|_| pin.is_none()).and_then(|it| it.find(name));
        let found = match (pin, shown) {
            (None, Some(shown)) => Ok(shown.cloned()),
            (None, None) => {
                Ok(self.store.find(name, self.as_of)?.map(Definition::intact).transpose()?)
            }
            (Some(prefix), _) => self.find_pinned(name, prefix),
        };
        if let Ok(found) = &found {
            let size = found.as_ref().map_or(0, Definition::size);
            self.found.keep(reference, found.clone(), size);
        }
        found
    }

    /// The existing name that is closest to an unknown one.
    pub fn similar(&self, name: &str) -> Result<Option<String>, StoreError> {
        let mut names = self.store.near(name)?;
        if let Some(overlay) = &self.overlay {
            names.retain(|name| overlay.find(name).is_none());
            names.extend(overlay.tools().map(|tool| tool.name.clone()));
        }
        Ok(similar(name, names.iter().map(String::as_str)).map(str::to_owned))
    }

    /// The number of current tools.
    pub fn count(&self) -> Result<u64, StoreError> {
        let Some(overlay) = &self.overlay else { return self.store.count() };
        let hidden = self.current(overlay)?.len();
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let rest = self.store.count()?.saturating_sub(count(hidden));
        Ok(rest.saturating_add(count(overlay.tools().count())))
    }

    /// The current tools that an overlay hides.
    fn current(&self, overlay: &Overlay) -> Result<Vec<Definition>, StoreError> {
        let mut found = Vec::new();
        for name in overlay.names() {
            found.extend(self.store.find(name, i64::MAX)?);
        }
        Ok(found)
    }

    /// Current tools with names after `after`, in the order of names.
    pub fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, StoreError> {
        let Some(overlay) = &self.overlay else { return self.store.page(after, most) };
        let found = self.store.page(after, most.saturating_add(overlay.len()))?;
        Ok(overlay.merge(found, |tool| tool.name.as_str() > after, most))
    }

    /// Calls back with the sources of a search among the current tools.
    pub fn look<T>(
        &self,
        search: impl FnOnce(&[Source<'_>]) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let shelf = Collection { kind: Kind::Tool, owner: "" };
        let Some(overlay) = &self.overlay else {
            return search(&[Source { index: &*self.store, shelf, hidden: &[] }]);
        };
        let hidden: Vec<String> = overlay.names().map(str::to_owned).collect();
        let documents: Vec<Document> = overlay.tools().map(Definition::document).collect();
        let shown = Transient::new()?;
        shown.put(shelf, &documents)?;
        let kept = Source { index: &*self.store, shelf, hidden: &hidden };
        search(&[kept, Source { index: &shown, shelf, hidden: &[] }])
    }

    /// The tools with the latest changes, in the order of names.
    pub fn latest(&self, most: usize) -> Result<Vec<Definition>, StoreError> {
        self.store.latest(most)
    }

    /// Tools that are native capabilities, in the order of names.
    pub fn capabilities(&self, most: usize) -> Result<Vec<Definition>, StoreError> {
        let Some(overlay) = &self.overlay else { return self.store.capabilities(most) };
        let found = self.store.capabilities(most.saturating_add(overlay.len()))?;
        Ok(overlay.merge(found, |tool| tool.members.is_some(), most))
    }

    /// The names with this prefix, in order.
    pub fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.store.names(prefix, most)
    }

    /// The number of names with this prefix.
    pub fn count_names(&self, prefix: &str) -> Result<u64, StoreError> {
        self.store.count_names(prefix)
    }

    /// The changes of a name, the latest first.
    pub fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, StoreError> {
        self.store.history(name, most)
    }

    /// The tools whose terms name this one, in the order of names.
    pub fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, StoreError> {
        let Some(overlay) = &self.overlay else { return self.store.callers(name, most) };
        let found = self.store.callers(name, most.saturating_add(overlay.len()))?;
        let mut calling = Vec::new();
        for tool in overlay.tools().filter(|tool| tool.name != name) {
            if self.uses(&tool.hash)?.iter().any(|used| used == name) {
                calling.push(tool.name.as_str());
            }
        }
        Ok(overlay.merge(found, |tool| calling.contains(&tool.name.as_str()), most))
    }

    /// The output schema that a change gave its tool, if there is one.
    pub fn output_schema(&self, change: i64) -> Result<Option<String>, StoreError> {
        self.store.output_schema(change)
    }

    /// The names of the tools that the term with this hash names.
    pub fn uses(&self, hash: &str) -> Result<Vec<String>, StoreError> {
        match self.overlay.as_ref().and_then(|overlay| overlay.uses(hash)) {
            Some(uses) => Ok(uses.to_vec()),
            None => self.store.uses(hash),
        }
    }

    /// Whether a tool is staged, and not registered yet.
    #[must_use]
    pub fn is_staged(&self, name: &str) -> bool {
        self.overlay.as_ref().is_some_and(|overlay| overlay.is_staged(name))
    }

    /// Whether it is the view of a staging area.
    #[must_use]
    pub fn is_view(&self) -> bool {
        self.overlay.is_some()
    }

    /// The source of the term with this hash.
    pub fn source(&self, hash: &str) -> Result<Option<String>, StoreError> {
        if let Some(source) = self.overlay.as_ref().and_then(|overlay| overlay.source(hash)) {
            return Ok(Some(source.to_owned()));
        }
        match self.store.source(hash)? {
            Some(source) if !is_named(&source, hash) => {
                let tool = match self.store.name_of(hash)? {
                    Some(name) => format!("`{name}`"),
                    None => "a tool that was forgotten".to_owned(),
                };
                Err(StoreError::Altered { tool, hash: hash.to_owned() })
            }
            found => Ok(found),
        }
    }

    /// The latest revision of a name whose hash has this prefix.
    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<Definition>, Error> {
        ensure_prefix(prefix)?;
        let staged = self.overlay.as_ref();
        if let Some(staged) = staged.and_then(|it| it.pinned(name, &prefix.to_ascii_lowercase())) {
            return Ok(Some(staged.clone()));
        }
        let found = self.store.find_pinned(name, &prefix.to_ascii_lowercase(), self.as_of)?;
        found.map(|found| Definition::only(found, prefix)).transpose()
    }
}
