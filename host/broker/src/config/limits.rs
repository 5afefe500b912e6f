//! Limits of one server.

use std::time::Duration;

use pif_domain::Limit;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::values::{ByPattern, count, size, time};

/// What a call of one tool may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "an object of limits")]
struct CallLimits {
    #[serde(deserialize_with = "time")]
    call_timeout: Option<Duration>,
    #[serde(deserialize_with = "answer")]
    answer: Option<u64>,
}

/// What one server may take.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "an object of limits")]
pub struct Limits {
    #[serde(deserialize_with = "time")]
    call_timeout: Option<Duration>,
    #[serde(deserialize_with = "answer")]
    answer: Option<u64>,
    tools: ByPattern<CallLimits>,
    /// Calls at the same time.
    #[serde(deserialize_with = "at_once")]
    pub at_once: usize,
    /// Calls within a minute; none: any number.
    #[serde(deserialize_with = "count::<_, 1_000_000>")]
    pub per_minute: Option<u64>,
    /// Whether the time of a call begins anew whenever its server tells of progress.
    pub progress: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call_timeout: None,
            answer: None,
            tools: ByPattern::default(),
            at_once: Limit::UpstreamAtOnce.fixed_count(),
            per_minute: None,
            progress: false,
        }
    }
}

impl Limits {
    /// What a call may take if nothing else is said.
    pub(super) fn default_timeout(&mut self, timeout: Option<Duration>) {
        self.call_timeout = self.call_timeout.or(timeout);
    }

    /// Cuts times that are too long. Gives the longest, if there was one.
    pub(super) fn clamp(&mut self) -> Option<Duration> {
        let longest = Duration::from_nanos(Limit::UpstreamLongest.fixed());
        let tools = self.tools.0.iter_mut().map(|(_, limits)| &mut limits.call_timeout);
        let times = tools.chain([&mut self.call_timeout]).flatten();
        let long: Vec<&mut Duration> = times.filter(|time| **time > longest).collect();
        let is_cut = !long.is_empty();
        for time in long {
            *time = longest;
        }
        is_cut.then_some(longest)
    }

    /// How long the longest call may take.
    pub(super) fn longest(&self) -> Duration {
        if self.progress {
            return Duration::from_nanos(Limit::UpstreamLongest.fixed());
        }
        let tools = self.tools.0.iter().filter_map(|(_, limits)| limits.call_timeout);
        tools.chain([self.timeout("")]).max().unwrap_or_default()
    }

    /// How long a call of a tool may take.
    #[must_use]
    pub fn timeout(&self, tool: &str) -> Duration {
        let timeout = self.of(tool).call_timeout.or(self.call_timeout);
        timeout.unwrap_or(Duration::from_nanos(Limit::UpstreamCall.fixed()))
    }

    /// Bytes of an answer of a tool.
    #[must_use]
    pub fn answer(&self, tool: &str) -> usize {
        let answer = self.of(tool).answer.or(self.answer);
        answer
            .and_then(|it| usize::try_from(it).ok())
            .unwrap_or(Limit::UpstreamAnswer.fixed_count())
    }

    fn of(&self, tool: &str) -> CallLimits {
        let matching = self.tools.0.iter().filter(|(pattern, _)| pattern.matches(tool));
        let best = matching.max_by_key(|(pattern, _)| pattern.weight());
        best.map(|(_, said)| *said).unwrap_or_default()
    }
}

fn answer<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let most = Limit::UpstreamMostAnswer.fixed();
    match size(from)? {
        Some(bytes) if !(1..=most).contains(&bytes) => {
            Err(D::Error::custom(format_args!("write a size from 1 to {most} bytes")))
        }
        bytes => Ok(bytes),
    }
}

fn at_once<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let calls = count::<D, 64>(from)?.map(usize::try_from).transpose();
    calls.map(|it| it.unwrap_or(Limit::UpstreamAtOnce.fixed_count())).map_err(D::Error::custom)
}
