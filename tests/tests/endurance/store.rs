//! Stores that tests damage.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use anyhow::{Context, Result};
use pif_sandbox::{Code, Sandbox};
use pif_server::workshop::Workshop;
use pif_tests::endure::shop;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::folder::{Folder, cache};

/// The name of the file.
pub(super) const FILE: &str = "mcp-pif.db";

/// The sandbox of all stores that are opened in this process.
pub(super) fn sandbox() -> Result<Arc<Sandbox>> {
    static SANDBOX: LazyLock<Result<Arc<Sandbox>>> =
        LazyLock::new(|| Ok(Arc::new(Sandbox::open(Some(&cache()), 2)?)));
    SANDBOX.as_ref().map(Arc::clone).map_err(|error| anyhow::anyhow!("{error:#}"))
}

/// Opens the store in a directory; the error is what a server would say.
pub(super) fn open(directory: &Path) -> Result<Workshop> {
    shop::open(directory, &sandbox()?, &["--patience", "300ms"])
}

/// The function that adds a number.
pub(super) fn adder(n: u64) -> Value {
    json!({"lam": "x", "body": {"add": [{"var": "x"}, n]}})
}

/// A store that was closed in good order.
pub(super) struct Closed {
    folder: Folder,
    /// The bytes of its file.
    pub(super) bytes: Vec<u8>,
    /// Entries that are short.
    pub(super) small: Vec<i64>,
    /// An entry that takes several pages.
    pub(super) large: i64,
}

impl Closed {
    /// A store with two tools, runs of both, a fault, and a run with much data.
    pub(super) fn make() -> Result<Self> {
        let folder = Folder::new()?;
        let shop = open(folder.path())?;
        shop::evolve(&shop, "first", &adder(1))?;
        let mut small = Vec::new();
        for n in 0..4 {
            small.push(shop::run(&shop, Code::Tool("first".to_owned()), &n.to_string())?.0);
        }
        let list = json!((0..3_000).collect::<Vec<_>>()).to_string();
        let identity = Code::Term(r#"{"lam":"x","body":{"length":{"var":"x"}}}"#.to_owned());
        let (large, length) = shop::run(&shop, identity, &list)?;
        assert_eq!(length, "3000");
        shop::evolve(&shop, "second", &adder(2))?;
        small.push(shop::run(&shop, Code::Term(r#"{"div":[1,0]}"#.to_owned()), "")?.0);
        small.push(shop::run(&shop, Code::Tool("second".to_owned()), "5")?.0);
        drop(shop);
        let bytes = fs::read(folder.path().join(FILE))?;
        Ok(Self { folder, bytes, small, large })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join(FILE)
    }

    /// Writes other bytes and opens the store.
    pub(super) fn open_as(&self, bytes: &[u8]) -> Result<Workshop> {
        fs::write(self.path(), bytes)?;
        open(self.folder.path())
    }

    /// Changes the file by statements and opens the store.
    pub(super) fn open_changed(&self, sql: &str) -> Result<Workshop> {
        fs::write(self.path(), &self.bytes)?;
        let db = Connection::open(self.path())?;
        db.execute_batch(sql).with_context(|| sql.to_owned())?;
        db.close().map_err(|(_, error)| error)?;
        open(self.folder.path())
    }

    pub(super) fn directory(&self) -> &Path {
        self.folder.path()
    }
}
