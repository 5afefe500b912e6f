//! Tells clients of the older protocol versions that lists have changed.

use std::sync::Arc;

use super::backend::Backend;
use crate::transport::Session;

/// Notifies the session's peer of changes in the registry, and in what other servers offer, until the
/// session ends.
pub(super) async fn announce(backend: Arc<Backend>, session: Arc<Session>) {
    let mut changes = backend.workshop.registry.changes();
    let mut offers = backend.workshop.effects().changes();
    loop {
        tokio::select! {
            result = changes.changed() => if result.is_err() { return },
            Ok(()) = offers.changed() => {}
            () = session.ended.cancelled() => return,
        }
        let Some(peer) = session.peer() else { continue };
        // Each tool is a resource too, so both lists change.
        for told in
            [peer.notify_tool_list_changed().await, peer.notify_resource_list_changed().await]
        {
            if let Err(error) = told {
                tracing::debug!(%error, "a peer was not told of a change");
            }
        }
    }
}
