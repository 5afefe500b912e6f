//! Backs up the whole store to one file, which is verified before it gets its name; and restores
//! it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pif_domain::Limit;
use pif_store::journal::{ChainEnds, Journal};
use pif_store::memory::Memory;
use pif_store::registry::Registry;
use pif_store::{self, Duplicate, MovedStore, Sqlite, Store, is_occupied};

use super::opening::{Error, settings};
use crate::config::Config;

/// The contents of a copy of the store.
#[derive(Debug)]
pub struct Contents {
    /// The verified chain of its journal.
    pub journal: ChainEnds,
    /// The number of tools.
    pub tools: u64,
    /// The number of keys in the memory.
    pub keys: u64,
}

/// A restored store.
#[derive(Debug)]
pub struct RestoreResult {
    /// The store.
    pub file: PathBuf,
    /// The contents of the store.
    pub contents: Contents,
    /// The new path of the store that was there before, if there was one.
    pub aside: Option<PathBuf>,
}

/// Writes the whole store to a file while servers keep running. An existing file is replaced only
/// if `replace` is set.
pub fn back_up(config: &Config, file: &Path, replace: bool) -> Result<Contents, Error> {
    let refuse = |reason: &str| {
        Err(pif_store::Error::Unusable { path: file.to_owned(), reason: reason.to_owned() }.into())
    };
    if let Some(store) = config.place.file()
        && is_part(file, &store)
    {
        return refuse("this is the store itself: name another file");
    }
    if file.is_dir() {
        return refuse("name a file, not a directory");
    }
    if file.exists() && !replace {
        return refuse("there is a file of this name already; --force replaces it");
    }
    let copy = Sqlite::open(&config.place, config.values.time(Limit::Patience))?.copy(file)?;
    let contents = verify(config, &copy, file)?;
    copy.publish(replace)?;
    Ok(contents)
}

/// Whether a path names the store's file or one of SQLite's files beside it.
fn is_part(file: &Path, store: &Path) -> bool {
    let whole = |path: &Path| fs::canonicalize(path).ok();
    let beside = ["", "-wal", "-shm"].map(|suffix| {
        let mut name = store.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    });
    beside.iter().any(|part| file == part || (whole(part).is_some() && whole(part) == whole(file)))
}

/// Restores a backup as the store of the settings. An existing store is moved aside if `replace` is
/// set; otherwise the restore is refused.
pub fn restore(config: &Config, file: &Path, replace: bool) -> Result<RestoreResult, Error> {
    let copy = Duplicate::of_backup(file, &config.place)?;
    let contents = verify(config, &copy, file)?;
    let place = config.place.file().unwrap_or_default();
    let aside = if is_occupied(&config.place) {
        if !replace {
            let reason = "there is a store already; --force keeps it beside as `mcp-pif.db.old-N`";
            return Err(
                pif_store::Error::Unusable { path: place, reason: reason.to_owned() }.into()
            );
        }
        MovedStore::put(&config.place)?
    } else {
        None
    };
    copy.publish(aside.is_some())?;
    Ok(RestoreResult { file: place, contents, aside: aside.map(|aside| aside.path) })
}

/// Verifies the whole copy: its file, its journal and its contents.
fn verify(config: &Config, copy: &Duplicate, file: &Path) -> Result<Contents, Error> {
    let store = copy.open()?;
    Duplicate::check(&store, file)?;
    let store: Arc<dyn Store> = Arc::new(store);
    let journal = Journal::new(Arc::clone(&store), settings(config, ""));
    let place = || file.display().to_string();
    let verified = journal.verify().and_then(|it| journal.verify_texts().map(|()| it));
    let journal = verified.map_err(|reason| Error::Journal { place: place(), reason })?;
    let tools = Registry::open(Arc::clone(&store))?.snapshot()?.count()?;
    let keys = Memory::new(store).count()?;
    Ok(Contents { journal, tools, keys })
}
