//! The life of a server: it is started in the background, runs until nobody needs it, and is left alone
//! for a while when it fails.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use pif_domain::{Limit, Reason};
use tokio::time::{sleep, timeout, timeout_at};

use super::super::definition::Definition;
use super::super::pin::Era;
use super::connect::{Connection, ConnectionEnd, connect};
use super::trouble::Trouble;
use super::{Phase, Upstream};

/// A server that ends sooner than this has failed.
const SHORT: Duration = Duration::from_secs(10);

/// How long a server that failed is left alone: twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// How long a server that starts keeps others from it.
const TURN: Duration = Duration::from_secs(3);

impl Upstream {
    /// Starts the server in the background: whoever waits for it may give up.
    pub(super) fn start(self: &Arc<Self>) {
        let begins = self.phase.send_if_modified(|phase| {
            let begins = match phase {
                Phase::Off => true,
                Phase::Down { until, .. } => *until <= Instant::now() || self.bearer.is_new(),
                Phase::Starting | Phase::On(_) => false,
            };
            if begins {
                *phase = Phase::Starting;
            }
            begins
        });
        if begins {
            tokio::spawn(Arc::clone(self).live());
        }
    }

    /// Everything from the start of the server to its end.
    async fn live(self: Arc<Self>) {
        let began = Instant::now();
        let why = match self.run().await {
            // It has run for a while, or was stopped because it had nothing to do.
            Ok(why) if began.elapsed() > SHORT || why.is_none() => {
                *self.failures.lock().unwrap_or_else(PoisonError::into_inner) = 0;
                self.phase.send_replace(Phase::Off);
                return;
            }
            Ok(why) => why.unwrap_or_else(|| Trouble::unavailable("the server has ended")),
            Err(why) => why,
        };
        // The next call finds out whether its operator has logged in.
        let pause = match why.reason {
            Reason::NeedsLogin => Duration::ZERO,
            _ => self.pause(),
        };
        let told = self.shared.secrets.redact(&why.message);
        tracing::warn!(server = self.id, "{told}");
        self.phase.send_replace(Phase::Down { why, until: Instant::now() + pause });
    }

    /// How long the server is left alone, which has failed once more.
    fn pause(&self) -> Duration {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = FIRST_PAUSE.saturating_mul(1 << (*failures).min(6)).min(LONGEST_PAUSE);
        *failures += 1;
        pause
    }

    /// Starts the server and waits for its end. Gives why it ended, unless we have ended it.
    async fn run(&self) -> Result<Option<Trouble>, Trouble> {
        let (connection, running) = self.begin().await?;
        self.phase.send_replace(Phase::On(Arc::clone(&connection)));
        let mut ended = Box::pin(running.wait(Arc::clone(&connection)));
        let mut listening = std::pin::pin!(connection.listen());
        loop {
            let rest = self.server.idle.saturating_sub(connection.idle());
            tokio::select! {
                () = self.gone.cancelled() => {
                    connection.stop.cancel();
                    ended.await;
                    return Ok(None);
                }
                () = &mut ended => return Ok(Some(Trouble::unavailable("the server has ended"))),
                () = connection.expired.cancelled() => {
                    // Other calls may still get their answers.
                    let connection = Arc::clone(&connection);
                    tokio::spawn(async move {
                        connection.is_done().await;
                        connection.stop.cancel();
                        ended.await;
                    });
                    return Ok(None);
                }
                () = connection.changed.notified() => {
                    if let Ok(tools) = connection.tools().await {
                        self.observe(tools)?;
                    }
                }
                () = &mut listening => {}
                () = sleep(rest.max(Duration::from_millis(10))) => {
                    if connection.idle() >= self.server.idle {
                        connection.stop.cancel();
                        ended.await;
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Starts the server, and hears what it offers.
    async fn begin(&self) -> Result<(Arc<Connection>, ConnectionEnd), Trouble> {
        let time = Duration::from_nanos(Limit::UpstreamStart.fixed());
        let known = self.pins().era(&self.id);
        let starting = async {
            let (connection, running) =
                connect(&self.server.manner, &self.shared.secrets, &self.bearer, known).await?;
            match connection.tools().await {
                Ok(tools) => Ok((connection, running, tools)),
                Err(trouble) => {
                    connection.stop.cancel();
                    running.wait(connection).await;
                    Err(trouble)
                }
            }
        };
        let Ok(started) = timeout(time, self.in_turn(starting)).await else {
            // Another server may have come by its name, which takes another handshake.
            self.learn(None);
            let message = format!("the server did not start within {time:?}");
            return Err(Trouble::unavailable(message));
        };
        let (connection, running, tools) =
            started.map_err(|trouble| self.bearer.explain(&self.id, trouble))?;
        self.observe(tools)?;
        self.learn(Some(connection.era));
        Ok((connection, running))
    }

    fn learn(&self, era: Option<Era>) {
        if let Err(error) = self.pins().meet(&self.id, era) {
            tracing::warn!(%error, "which handshake a server takes cannot be written down");
        }
    }

    /// Starts while few others do. A start that takes long keeps nobody waiting.
    async fn in_turn<T>(&self, start: impl Future<Output = T>) -> T {
        let place = self.shared.starts.acquire().await;
        let mut start = std::pin::pin!(start);
        match timeout(TURN, &mut start).await {
            Ok(started) => started,
            Err(_) => {
                drop(place);
                start.await
            }
        }
    }

    /// Asks a server that runs again what it offers: not each of them tells that it changes.
    pub(in super::super) async fn look(&self, deadline: Instant) {
        let Phase::On(connection) = self.phase.borrow().clone() else { return };
        let looked = timeout_at(deadline.into(), connection.tools()).await;
        let observed = match looked {
            Ok(Ok(tools)) if connection.is_open() => self.observe(tools),
            Ok(Err(trouble)) => Err(trouble),
            _ => return,
        };
        if let Err(trouble) = observed {
            let told = self.shared.secrets.redact(&trouble.message);
            tracing::warn!(server = self.id, "{told}");
        }
    }

    fn observe(&self, (tools, remarks): (Vec<Definition>, Vec<String>)) -> Result<(), Trouble> {
        for remark in &remarks {
            let told = self.shared.secrets.redact(remark);
            tracing::warn!(server = self.id, "{told}");
        }
        *self.remarks.lock().unwrap_or_else(PoisonError::into_inner) = remarks;
        let is_granted = self.is_granted();
        self.pins().observe(&self.id, is_granted, tools).map_err(|error| {
            Trouble::unavailable(format!("what the server offers cannot be written down: {error}"))
        })
    }
}
