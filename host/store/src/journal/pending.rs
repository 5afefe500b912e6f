//! Runs that call others and have not ended: what they have asked for is on the disk before a call
//! leaves, so that a server that dies leaves an entry behind.

use std::collections::BTreeMap;
use std::fs;
use std::process;
use std::sync::Arc;
use std::time::Duration;

use pif_domain::text::time::now;
use pif_domain::{Approval, CallPreview, Decision};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::Answer;
use super::durable::{Durable, RunEnd, RunStatus};
use super::settings::{Policy, Settings};

/// A run that has not ended, or a durable one, as a store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Its number; None: it is not kept yet, and the store gives it one.
    pub id: Option<i64>,
    /// The process that it runs in.
    pub owner: String,
    /// When it has ended for certain, in milliseconds since 1970.
    pub until: i64,
    /// Texts of [`RunProgress`]. A store adds them to those that it has.
    pub parts: Vec<String>,
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

    /// As a store keeps it for so long.
    pub(super) fn keep(self, id: Option<i64>, time: Duration, settings: &Settings) -> Pending {
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
            (None, None) => settings.owner.as_str(),
        };
        // Texts, numbers and JSON already.
        let text = serde_json::to_string(&kept).unwrap_or_default();
        Pending { id, owner: owner.to_owned(), until, parts: vec![text] }
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
        self.owner == LEFT || self.until < now() || is_gone(&self.owner)
    }

    /// The run without the process that worked on it, if that is gone. Whoever serves cannot find that out
    /// of others, so it is written down before.
    pub(super) fn leave(&self) -> Option<Self> {
        is_gone(&self.owner).then(|| Self { owner: LEFT.to_owned(), ..self.clone() })
    }

    /// Whether nobody can end the run any more. A durable one can go on until its time is over.
    pub(super) fn is_over(&self) -> bool {
        (self.until < now() || is_gone(&self.owner))
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

/// What names this process, and no other one of this machine after it.
#[must_use]
pub fn owner() -> String {
    let id = process::id();
    match (started(id), namespace()) {
        (Some(started), Some(namespace)) => format!("{id} {started} {namespace}"),
        _ => String::new(),
    }
}

/// Whether a process is known to be gone. Of one elsewhere nobody knows.
#[must_use]
pub fn is_gone(owner: &str) -> bool {
    let mut parts = owner.splitn(3, ' ');
    let (Some(id), Some(start), Some(place)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let Ok(id) = id.parse() else { return false };
    namespace().is_some_and(|here| here == place) && started(id).as_deref() != Some(start)
}

/// When a process started, as Linux counts. One that has ended is gone, though nobody has waited for it.
fn started(id: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let has_ended = matches!(fields.next()?, "Z" | "X");
    fields.nth(18).filter(|_| !has_ended).map(str::to_owned)
}

/// The machine since it started, and the part of it that this process sees.
fn namespace() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), space.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_from_one_that_is_gone() {
        let here = owner();
        assert!(!is_gone(&here));
        if let Some((_, rest)) = here.split_once(' ') {
            assert!(is_gone(&format!("{} {rest}", u32::MAX)));
            assert!(!is_gone(&format!("{} 1 another place", u32::MAX)));
        }
        assert!(!is_gone(""));
    }
}
