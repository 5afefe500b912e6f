//! The place of the state.

use std::path::PathBuf;

/// The name of the file in the data directory.
pub(super) const FILE: &str = "mcp-pif.db";

/// The place of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In this process, until it ends.
    Memory,
    /// In a directory. It is created if necessary.
    Directory(PathBuf),
}

impl Place {
    /// The path of the store's file, which may not exist; None in memory.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Memory => None,
            Self::Directory(directory) => Some(directory.join(FILE)),
        }
    }

    /// Whether the store exists already.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.file().is_some_and(|file| file.exists())
    }
}
