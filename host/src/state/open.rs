//! Which store is opened for a place.

use std::sync::Arc;
use std::time::Duration;

use super::error::Error;
use super::place::Place;
use super::sqlite::Sqlite;
use super::store::Store;

/// Opens the store at a place, made and migrated as need be. Other processes are waited for so
/// long. [`Store::check`] tells whether it is damaged.
pub fn open(place: &Place, patience: Duration) -> Result<Arc<dyn Store>, Error> {
    Ok(Arc::new(Sqlite::open(place, patience)?))
}
