//! The relay of the bytes of a session. The client at the near end is told that it is logged in: it never
//! takes part in that, and knows no password.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, copy, split};
use tokio::time::timeout;

use super::login;
use super::session::{Session, Stream};
use super::wire::{ACCEPTED, read_startup};

/// How long the database may take to notice that a session is over before it is told to cancel what
/// the session does.
const NOTICE: Duration = Duration::from_millis(100);

/// How long it may take after that.
const PARTING: Duration = Duration::from_secs(2);

impl Session {
    /// Serves the client at the near end until one end is gone. Work that nobody waits for is
    /// canceled: it would hold its locks.
    pub(super) async fn relay(self, near: impl Stream) -> io::Result<()> {
        let Self { stream, welcome, key, address } = self;
        let (mut from_near, mut to_near) = split(near);
        read_startup(&mut from_near).await?;
        to_near.write_all(&[&ACCEPTED[..], &welcome].concat()).await?;
        to_near.flush().await?;
        let (mut from_far, mut to_far) = split(stream);
        let is_lost = tokio::select! {
            _ = copy(&mut from_far, &mut to_near) => true,
            _ = copy(&mut from_near, &mut to_far) => false,
        };
        if is_lost {
            return to_near.shutdown().await;
        }
        let _ = to_far.shutdown().await;
        let mut nowhere = tokio::io::sink();
        let mut rest = async || drop(copy(&mut from_far, &mut nowhere).await);
        if timeout(NOTICE, rest()).await.is_err() {
            if let Some(key) = key {
                let _ = timeout(PARTING, login::cancel(&address, key)).await;
            }
            let _ = timeout(PARTING, rest()).await;
        }
        Ok(())
    }
}
