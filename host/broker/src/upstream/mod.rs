//! One server: started when it is first needed, stopped when it has nothing to do, tried again later
//! when it fails. A server that is slow or dead takes nothing from the others.

mod answer;
mod bearer;
mod connect;
mod life;
mod lines;
mod mend;
mod names;
mod pending_call;
mod process;
mod questions;
mod trouble;
mod wall;
mod web;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::JsonObject;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio::time::{timeout, timeout_at};
use tokio_util::sync::CancellationToken;

pub(super) use self::names::object;
pub(super) use self::trouble::Trouble;

use pif_domain::{Limit, Reason, Remarks};
use pif_schema::Schema;

use self::bearer::{Bearer, needs_login};
use self::connect::{Connection, off};
use super::config::{Secrets, Server, Transport};
use super::login::{Folder, Keeper};
use super::pin::Pins;

/// How long all servers may take to end.
const PARTING: Duration = Duration::from_secs(3);

/// Where a server is.
#[derive(Debug, Clone)]
enum Phase {
    Off,
    Starting,
    On(Arc<Connection>),
    Down { why: Trouble, until: Instant },
}

/// What all servers share.
#[derive(Debug)]
pub(super) struct UpstreamContext {
    /// The texts of secrets.
    pub(super) secrets: Secrets,
    /// What was approved.
    pub(super) pins: Mutex<Pins>,
    /// Where the operator's logins are kept.
    logins: Folder,
    /// Servers that may start at once.
    starts: Semaphore,
    /// Ends all servers.
    pub(super) end: CancellationToken,
}

impl UpstreamContext {
    pub(super) fn new(secrets: Secrets, pins: Pins, logins: Folder) -> Self {
        let starts = Semaphore::new(Limit::UpstreamStarts.fixed_count());
        let end = CancellationToken::new();
        Self { secrets, pins: Mutex::new(pins), logins, starts, end }
    }
}

/// A server, whether it runs or not.
#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) id: String,
    pub(super) server: Server,
    shared: Arc<UpstreamContext>,
    bearer: Bearer,
    phase: watch::Sender<Phase>,
    failures: Mutex<u32>,
    places: Semaphore,
    /// Ends this server for good.
    gone: CancellationToken,
    /// Whether somebody is about to approve it.
    is_admitted: AtomicBool,
    /// When the calls of the last minute were made.
    recent: Mutex<VecDeque<Instant>>,
    /// Schemas of values that were read, by the hashes of their definitions. None: it cannot be read.
    promises: Mutex<HashMap<String, Option<Arc<Schema>>>>,
    /// What is wrong with its list of tools.
    remarks: Mutex<Vec<String>>,
}

/// A tool as it was when somebody judged a call of it.
#[derive(Debug)]
pub(super) struct Sendable {
    pub(super) name: String,
    /// The hash of its definition.
    pub(super) hash: String,
    /// The schema of its value.
    pub(super) output: Option<Arc<Schema>>,
}

impl Upstream {
    pub(super) fn new(id: String, server: Server, shared: Arc<UpstreamContext>) -> Self {
        let places = Semaphore::new(server.limits.at_once);
        let gone = shared.end.child_token();
        let bearer = Bearer::new(Keeper::of(&id, &server, &shared.logins, &shared.secrets));
        Self {
            id,
            server,
            shared,
            bearer,
            phase: watch::Sender::new(Phase::Off),
            failures: Mutex::default(),
            places,
            gone,
            is_admitted: AtomicBool::new(false),
            recent: Mutex::default(),
            promises: Mutex::default(),
            remarks: Mutex::default(),
        }
    }

    /// The schema of a tool's value. It is read once for each definition; None: it cannot be read,
    /// and promises nothing.
    pub(super) fn promise(&self, hash: &str, schema: &Value) -> Option<Arc<Schema>> {
        let mut promises = self.promises.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = promises.get(hash) {
            return known.clone();
        }
        if promises.len() >= Limit::UpstreamTools.fixed_count() {
            promises.clear();
        }
        let read = Schema::parse(&schema.to_string()).ok().map(Arc::new);
        promises.insert(hash.to_owned(), read.clone());
        read
    }

    /// Calls a tool; gives the JSON text of its value, and what the answer holds beside it.
    pub(super) async fn call(
        self: &Arc<Self>,
        tool: &Sendable,
        args: JsonObject,
        is_raw: bool,
        deadline: Instant,
    ) -> Result<(String, Remarks), Trouble> {
        let limits = &self.server.limits;
        // A server that starts does so on the time of whoever asks, not on that of the call.
        let connection = self.connection(deadline).await?;
        // What the server offered before may not be what it offers now.
        self.ensure_unchanged(tool)?;
        let name = &tool.name;
        let time = limits.timeout(name);
        let rest = limits.progress.then_some(time);
        let most = rest.map_or(time, |_| Duration::from_nanos(Limit::UpstreamLongest.fixed()));
        let until = deadline.min(Instant::now() + most);
        let in_time = if until == deadline {
            "before the time of the run was over".to_owned()
        } else {
            format!("within {most:?}")
        };
        let place = timeout_at(until.into(), self.places.acquire()).await.map_err(|_| {
            let told = "other calls of this server did not end";
            Trouble::unavailable(format!("{told} {in_time}; `{name}` was not called"))
        })?;
        let _place = place.map_err(|_| Trouble::unavailable("the broker ends"))?;
        self.count()?;
        let called = connection.call(name, args, rest);
        let result = timeout_at(until.into(), called).await.map_err(|_| {
            let told = format!("`{name}` did not answer {in_time}; what it did is unknown");
            Trouble::new(Reason::Timeout, told)
        })?;
        let result = result.map_err(|trouble| self.bearer.explain(&self.id, trouble))?;
        answer::read(
            &result,
            answer::AnswerRules {
                is_raw,
                most: limits.answer(name),
                schema: tool.output.as_deref(),
                is_strict: self.server.is_strict,
            },
        )
    }

    fn ensure_unchanged(&self, tool: &Sendable) -> Result<(), Trouble> {
        let pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        match pins.hash(&self.id, &tool.name) {
            Some(now) if now == tool.hash => Ok(()),
            _ => Err(Trouble::unavailable(
                "the server offers this tool no longer as it did; nothing was sent",
            )),
        }
    }

    /// Counts a call, unless there were too many.
    fn count(&self) -> Result<(), Trouble> {
        let Some(most) = self.server.limits.per_minute else { return Ok(()) };
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        while recent.front().is_some_and(|it| it.elapsed() > Duration::from_mins(1)) {
            recent.pop_front();
        }
        if recent.len() as u64 >= most {
            let told = format!("the configuration allows {most} calls of this server in a minute");
            return Err(Trouble::new(Reason::RateLimited, told));
        }
        recent.push_back(Instant::now());
        Ok(())
    }

    /// Starts the server if it does not run, and waits for the list of its tools.
    pub(super) async fn ask(self: &Arc<Self>, deadline: Instant) -> Result<(), Trouble> {
        self.connection(deadline).await.map(|_| ())
    }

    /// The connection, when the server has started.
    async fn connection(self: &Arc<Self>, deadline: Instant) -> Result<Arc<Connection>, Trouble> {
        if self.server.disabled {
            return Err(Trouble::unavailable("the server is switched off in the configuration"));
        }
        if let Transport::Off(why) = &self.server.manner {
            return Err(off(why));
        }
        if self.gone.is_cancelled() {
            return Err(Trouble::unavailable("the server is not installed any more"));
        }
        if self.waits() {
            let told = format!(
                "it was installed and waits for the operator: mcp-pif capability approve {}",
                self.id
            );
            return Err(Trouble::unavailable(told));
        }
        let mut phase = self.phase.subscribe();
        let mut has_waited = false;
        loop {
            let now = phase.borrow_and_update().clone();
            match now {
                Phase::On(connection) if connection.is_open() => return Ok(connection),
                Phase::Down { why, until } if until > Instant::now() && !self.bearer.is_new() => {
                    let seconds = until.duration_since(Instant::now()).as_secs() + 1;
                    let told = format!("{}; it is tried again in {seconds} s", why.message);
                    return Err(Trouble::new(why.reason.before_sending(), told));
                }
                // It has failed just now.
                Phase::Down { why, .. } if has_waited => return Err(why),
                Phase::Off | Phase::Down { .. } => self.start(),
                Phase::On(_) | Phase::Starting => {
                    let changed = timeout_at(deadline.into(), phase.changed()).await;
                    if changed.is_err() {
                        let told = "the server is still starting; try again in a while";
                        return Err(Trouble::unavailable(told));
                    }
                    has_waited = true;
                }
            }
        }
    }

    /// Whether nobody has approved the server yet, which is not started before.
    pub(super) fn waits(&self) -> bool {
        if !self.server.is_unmet || self.is_admitted.load(Ordering::Acquire) {
            return false;
        }
        let mut pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        !pins.is_met(&self.id).unwrap_or(false)
    }

    /// Lets the server start, for somebody who approves it.
    pub(super) fn admit(&self) {
        self.is_admitted.store(true, Ordering::Release);
    }

    /// Ends the server for good.
    pub(super) fn close(&self) {
        self.gone.cancel();
    }

    fn pins(&self) -> MutexGuard<'_, Pins> {
        self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is wrong with the list of tools.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it runs: what it offers is known then.
    pub(super) fn is_on(&self) -> bool {
        matches!(&*self.phase.borrow(), Phase::On(connection) if connection.is_open())
    }

    /// Whether what it offers first is approved: the operator grants something of it.
    pub(super) fn is_granted(&self) -> bool {
        !self.server.grants.is_empty() && !self.server.is_unmet
    }

    /// Why it cannot be used before its operator logs in again; None: it can, or nobody knows.
    pub(super) fn needs_login(&self) -> Option<Trouble> {
        self.bearer.has_ended().then(|| needs_login(&self.id))
    }

    /// Waits for a moment until the server has ended.
    pub(super) async fn ended(&self) {
        let mut phase = self.phase.subscribe();
        let has_ended = |phase: &Phase| !matches!(phase, Phase::On(_));
        // Who does not end is ended by others.
        let ended = async {
            let _ = phase.wait_for(has_ended).await;
            self.bearer.rest().await;
        };
        let _ = timeout(PARTING, ended).await;
    }
}
