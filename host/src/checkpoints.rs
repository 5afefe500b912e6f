//! Has a server make checkpoints of its journal while it serves.

use std::io;
use std::thread;
use std::time::Duration;

use pif_server::workshop::Workshop;

/// The time between two checkpoints.
const INTERVAL: Duration = Duration::from_secs(10);

/// Makes a checkpoint now and then, on a thread of its own. A store without keys has none; that of a
/// database says so.
pub(super) fn start(workshop: &Workshop, is_database: bool) -> io::Result<()> {
    if let Err(fault) = workshop.ensure_signs() {
        if is_database {
            let reason = fault.message;
            tracing::warn!("the journal gets no checkpoints, and runs get no receipts: {reason}");
        }
        return Ok(());
    }
    let workshop = workshop.clone();
    let make = move || loop {
        if let Err(fault) = workshop.checkpoint() {
            tracing::warn!("the journal has no new checkpoint: {}", fault.message);
        }
        thread::sleep(INTERVAL);
    };
    thread::Builder::new().spawn(make).map(drop)
}
