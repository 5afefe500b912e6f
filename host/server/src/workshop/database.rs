//! The store in the database of the settings.

use std::sync::Arc;

use pif_database::Connector;
use pif_domain::Limit;
use pif_postgres::{Connect, ConnectFuture, Postgres, Stream};
use pif_store::{Error, Store};

use crate::config::Config;

/// The way to the database, as the store takes it.
#[derive(Debug)]
struct Way(Connector);

impl Connect for Way {
    fn connect(&self) -> ConnectFuture<'_> {
        Box::pin(async {
            let stream = self.0.connect().await?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }

    fn user(&self) -> &str {
        &self.0.address().user
    }

    fn database(&self) -> &str {
        &self.0.address().database
    }

    fn address(&self) -> String {
        self.0.address().to_string()
    }
}

/// The store in a database. It connects when it is asked.
pub fn open_database(config: &Config, database: &Connector) -> Result<Postgres, Error> {
    let way = Arc::new(Way(database.clone()));
    Postgres::open(way, config.values.time(Limit::StoreDeadline))
}

/// The store of a server or of a command. A server starts without its database: it is not ready then.
pub(super) fn open(config: &Config, database: &Connector) -> Result<Arc<dyn Store>, Error> {
    let store = open_database(config, database)?;
    if !database.is_relayed() {
        store.ensure()?;
        return Ok(Arc::new(store));
    }
    match store.ensure() {
        Err(error) if error.is_absence() => {
            tracing::warn!(
                "{error}. The server starts, and is not ready until the database answers"
            );
        }
        ensured => ensured?,
    }
    store.watch();
    Ok(Arc::new(store))
}
