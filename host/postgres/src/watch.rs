//! Watches the registry for changes of other servers, and holds the chain of this one.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use pif_store::Error;
use tokio::sync::Notify;
use tokio_postgres::{AsyncMessage, Client};

use crate::connection::{Driver, log_in};
use crate::context::StoreContext;
use crate::error::convert;
use crate::writer::LIFE;

/// How often it looks, also without a word of others.
const POLL: Duration = Duration::from_millis(400);

/// How often it says that it holds its chain.
const HOLD: Duration = Duration::from_secs(8);

/// How long it waits before it connects again.
const AGAIN: Duration = Duration::from_millis(500);

/// Watches for as long as the store is open.
pub(crate) async fn watch(shared: Arc<StoreContext>) {
    loop {
        if let Err(error) = watch_once(&shared).await {
            tracing::debug!(%error, "the registry cannot be watched");
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn watch_once(shared: &StoreContext) -> Result<(), Error> {
    let (client, driver) = log_in(&*shared.connect).await?;
    let changed = Arc::new(Notify::new());
    let driven = tokio::spawn(drive(driver, Arc::clone(&changed)));
    let watched = follow(shared, &client, &changed).await;
    driven.abort();
    watched
}

/// Moves the bytes of the connection, and tells of changes.
async fn drive(mut driver: Driver, changed: Arc<Notify>) {
    let mut messages = pin!(stream::poll_fn(move |context| driver.poll_message(context)));
    while let Some(Ok(message)) = messages.next().await {
        if matches!(message, AsyncMessage::Notification(_)) {
            changed.notify_one();
        }
    }
    // Whoever waits finds out that the connection is closed.
    changed.notify_one();
}

async fn follow(shared: &StoreContext, client: &Client, changed: &Notify) -> Result<(), Error> {
    let told = |error: tokio_postgres::Error| convert(&error);
    client.batch_execute("SET statement_timeout = 5000; LISTEN pif_change").await.map_err(told)?;
    let last = client.prepare("SELECT coalesce(max(id), 0) FROM pif.change").await.map_err(told)?;
    let mut held = Instant::now();
    loop {
        let asked = Instant::now();
        let row = client.query_one(&last, &[]).await.map_err(told)?;
        shared.changes.see(row.try_get(0).map_err(told)?, asked);
        shared.contact.note_answer();
        if held.elapsed() >= HOLD {
            held = Instant::now();
            let chain = shared.chain();
            if chain > 0 {
                let holder = shared.holder.as_bytes();
                client
                    .query_one("SELECT pif.hold_chain($1, $2, $3)", &[&chain, &holder, &LIFE])
                    .await
                    .map_err(told)?;
            }
        }
        tokio::select! {
            () = changed.notified() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }
}
