//! Opens the store of a place.

use std::sync::Arc;
use std::time::Duration;

use super::error::Error;
use super::place::Place;
use super::sqlite::Sqlite;
use super::store::Store;

/// Opens the store at a place. Creates and migrates it if necessary. Waits up to `patience` for
/// other processes' locks. [`Store::check`] detects damage.
pub fn open(place: &Place, patience: Duration) -> Result<Arc<dyn Store>, Error> {
    Ok(Arc::new(Sqlite::open(place, patience)?))
}
