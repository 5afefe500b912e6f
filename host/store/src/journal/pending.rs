//! Runs that call others and have not ended: what they have asked for is on the disk before a call
//! leaves, so that a server that dies leaves an entry behind.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pif_domain::text::time::now;
use pif_domain::{Approval, CallPreview, Decision};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::Answer;
use super::durable::{Durable, RunEnd, RunStatus};
use super::settings::{Policy, Settings};
use crate::lease::ProcessLease;

/// A run that has not ended, or a durable one, as a store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Its number; None: it is not kept yet, and the store gives it one.
    pub id: Option<i64>,
    /// The lease of the process that works on it, or a word for none.
    pub owner: String,
    /// That lease, if it lasts. A store finds it out, and does not write it.
    pub lease: Option<ProcessLease>,
    /// When it has ended for certain, in milliseconds since 1970.
    pub until: i64,
    /// Texts of [`RunProgress`]. A store adds them to those that it has.
    pub parts: Vec<String>,
}

/// What became of a run that is to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parked {
    /// It is kept, and has this number.
    Kept(i64),
    /// So many others wait that it is not kept.
    Full,
    /// Another process has taken it over, or it has ended.
    Lost,
}

/// What a run has asked for since it was last kept. So all that is kept of it grows with the number of
/// its calls, and not with the square of that.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RunProgress {
    /// The tool that is run. The first part has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What was asked for. The first part has it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub request: Value,
    /// How many of the answers before stay. Calls of which nobody knew what came are told again.
    pub from: usize,
    /// What the machine asked, and was told; of the last calls nobody knows what came.
    pub answers: Vec<Answer>,
    /// Texts of which the answers hold the digests. Some may stand in two parts.
    pub texts: Vec<String>,
    /// Who it belongs to. The first part has it.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub principal: Arc<str>,
    /// The question that it waits for; None: it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitState>,
    /// The places in the last answer of calls that may have done something, where nobody knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsure: Vec<usize>,
    /// How a durable run is kept. The last part that has it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable: Option<Durable>,
    /// How it ended, if it is kept beyond that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<RunEnd>,
}

/// What a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitState {
    /// The calls that need an approval.
    pub wishes: Vec<CallPreview>,
    /// Tools that were approved before for the rest of the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub granted: BTreeMap<String, Approval>,
    /// The last change of a tool that the run sees.
    pub as_of: i64,
    /// The digest of the handle of a client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
    /// What was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}

/// The owner of runs that wait.
const NOBODY: &str = "waits";

/// The owner of durable runs that have ended, or whose process has.
const LEFT: &str = "left";

impl RunProgress {
    /// All parts together. A part that cannot be read adds nothing.
    #[must_use]
    pub fn read(parts: &[String]) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.add(serde_json::from_str(part).unwrap_or_default());
        }
        all
    }

    fn add(&mut self, part: Self) {
        if self.subject.is_none() {
            self.subject = part.subject;
        }
        if self.request.is_null() {
            self.request = part.request;
        }
        if self.principal.is_empty() {
            self.principal = part.principal;
        }
        self.answers.truncate(part.from);
        self.answers.extend(part.answers);
        self.texts.extend(part.texts);
        self.waits = part.waits;
        self.unsure = part.unsure;
        if part.durable.is_some() {
            self.durable = part.durable;
        }
        self.ended = part.ended;
    }

    /// As a store keeps it for so long. The process that works on it holds the lease `holder`.
    pub(super) fn keep(
        self,
        id: Option<i64>,
        time: Duration,
        settings: &Settings,
        holder: &str,
    ) -> Pending {
        let kept = match settings.policy {
            Policy::Full => self,
            // Its entry would have digests; those of a run that did not end are of no use.
            Policy::Summary | Policy::None => {
                Self { request: Value::Null, texts: Vec::new(), ..self }
            }
        };
        let kept = if kept.principal.is_empty() {
            Self { principal: Arc::clone(&settings.principal), ..kept }
        } else {
            kept
        };
        let until = now().saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
        let owner = match (&kept.waits, &kept.ended) {
            (Some(_), _) => NOBODY,
            (None, Some(_)) => LEFT,
            (None, None) => holder,
        };
        // Texts, numbers and JSON already.
        let text = serde_json::to_string(&kept).unwrap_or_default();
        Pending { id, owner: owner.to_owned(), lease: None, until, parts: vec![text] }
    }
}

impl Pending {
    /// How the run stands of which the store keeps this.
    #[must_use]
    pub fn standing(&self, run: &RunProgress) -> RunStatus {
        if let Some(end) = &run.ended {
            return match end.ending.as_str() {
                "value" | "continuation" => RunStatus::Done,
                "cancelled" => RunStatus::Cancelled,
                _ => RunStatus::Failed,
            };
        }
        let is_interrupted = |it: &Durable| !it.interrupted.is_null();
        if run.waits.is_some() {
            RunStatus::Waiting
        } else if !self.is_left() && !run.durable.as_ref().is_some_and(is_interrupted) {
            RunStatus::Working
        } else if run.unsure.is_empty() {
            RunStatus::Interrupted
        } else {
            RunStatus::OutcomeUnknown
        }
    }

    /// Whether no process works on the run any more.
    pub(super) fn is_left(&self) -> bool {
        self.owner == LEFT || self.until < now() || self.is_abandoned()
    }

    /// Whether a process worked on the run whose lease is over.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.lease.is_none() && !matches!(self.owner.as_str(), NOBODY | LEFT)
    }

    /// The run, on which nobody works.
    #[must_use]
    pub fn left(&self) -> Self {
        Self { owner: LEFT.to_owned(), lease: None, ..self.clone() }
    }

    /// Whether nobody can end the run any more. A durable one can go on until its time is over.
    pub(super) fn is_over(&self) -> bool {
        (self.until < now() || self.is_abandoned())
            && RunProgress::read(&self.parts).durable.is_none_or(|it| it.is_past())
    }

    /// Whether the run has ended, and its entry is written.
    pub(super) fn has_ended(&self) -> bool {
        RunProgress::read(&self.parts).ended.is_some()
    }

    /// Who the run belongs to.
    pub(super) fn principal(&self) -> Arc<str> {
        RunProgress::read(&self.parts).principal
    }
}
