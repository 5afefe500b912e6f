//! What the tests share: a client of the database at the end of a way to it.

use anyhow::{Context, Result};
use pif_database::{Address, Connector, Target};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;
use tokio_postgres::{Client, Config, NoTls};

/// How long the tests wait for a database.
pub(super) const DEADLINE: Duration = Duration::from_secs(20);

pub(super) fn runtime() -> Result<Runtime> {
    Ok(Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

/// A database to connect to.
pub(super) fn target(url: &str, password_file: Option<PathBuf>) -> Result<Target> {
    let address: Address = url.parse().map_err(anyhow::Error::msg)?;
    Ok(Target { address, password_file, deadline: DEADLINE })
}

/// Writes a file that only its owner can read.
pub(super) fn keep(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let file = folder.join(name);
    fs::write(&file, text)?;
    fs::set_permissions(&file, Permissions::from_mode(0o600))?;
    Ok(file)
}

/// A client, as the server's: it knows no password, and names nobody.
pub(super) async fn client(connector: &Connector) -> Result<Client> {
    Ok(client_with_driver(connector).await?.0)
}

/// A client, and the task that moves its bytes. Without its task it is gone, whatever it waits for.
pub(super) async fn client_with_driver(connector: &Connector) -> Result<(Client, AbortHandle)> {
    let stream = connector.connect().await?;
    let (client, connection) = Config::new().user("nobody").connect_raw(stream, NoTls).await?;
    Ok((client, tokio::spawn(connection).abort_handle()))
}

/// The first column of the only row.
pub(super) async fn ask(client: &Client, statement: &str) -> Result<String> {
    Ok(client.query_one(statement, &[]).await?.try_get(0)?)
}

/// Whom the database takes us for.
pub(super) fn whoami(url: &str, password_file: Option<PathBuf>) -> Result<String> {
    let connector = Connector::new(target(url, password_file)?);
    runtime()?.block_on(async {
        let client = client(&connector).await?;
        ask(&client, "SELECT current_user || '@' || current_database()").await
    })
}

/// Why the database cannot be reached.
pub(super) fn refusal(url: &str, password_file: Option<PathBuf>) -> Result<String> {
    whoami(url, password_file).err().map(|error| error.to_string()).context("it let us in")
}
