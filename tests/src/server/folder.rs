//! Folders that tests write to.

use super::binary::target;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A new folder, removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// Makes it in the target directory.
    pub fn new() -> Result<Self> {
        let place = scratch()?;
        let folder = tempfile::Builder::new().prefix("test-").tempdir_in(&place);
        Ok(Self(folder.with_context(|| format!("no folder in {}", place.display()))?))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Where tests keep what they make.
pub fn scratch() -> Result<PathBuf> {
    let place = target()?.join("tmp");
    fs::create_dir_all(&place).with_context(|| format!("cannot make {}", place.display()))?;
    Ok(place)
}

/// Where the servers under test keep their compiled evaluator, so that only the first compiles it.
#[must_use]
pub fn cache() -> PathBuf {
    scratch().unwrap_or_default().join("cache")
}
