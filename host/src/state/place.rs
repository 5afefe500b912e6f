//! Where state is kept.

use std::path::PathBuf;

/// The name of the file in the data directory.
pub(super) const FILE: &str = "mcp-pif.db";

/// Where state is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In this process, for as long as it lives.
    Memory,
    /// In a directory, which is made if need be.
    Directory(PathBuf),
}

impl Place {
    /// The file, which need not exist.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Memory => None,
            Self::Directory(directory) => Some(directory.join(FILE)),
        }
    }

    /// Whether there is a store already.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.file().is_some_and(|file| file.exists())
    }
}
