//! Settings in files that the server reads again while it runs.

use std::fmt::Display;
use std::sync::{Arc, PoisonError, RwLock};

/// What was last read, and the files that it stands in.
#[derive(Debug)]
pub(super) struct Reread<T> {
    /// The files, as messages name them.
    files: String,
    read: RwLock<Arc<T>>,
}

impl<T> Reread<T> {
    pub(super) fn new(files: String, read: T) -> Self {
        Self { files, read: RwLock::new(Arc::new(read)) }
    }

    pub(super) fn get(&self) -> Arc<T> {
        Arc::clone(&self.read.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the files again. A mistake in them changes nothing.
    pub(super) fn renew<E: Display>(&self, read: impl FnOnce() -> Result<T, E>) {
        let files = &self.files;
        match read() {
            Ok(read) => {
                *self.read.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(read);
                tracing::info!("{files} was read again");
            }
            Err(error) => tracing::error!(%error, "{files}: its former contents stay in force"),
        }
    }
}
