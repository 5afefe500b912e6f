//! Figures of the last calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pif_domain::Part;
use serde::{Deserialize, Serialize};

use super::record::Record;

/// Times in microseconds: the median, what 95 % do not exceed, and the longest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// The median.
    pub p50: u64,
    /// What 95 % do not exceed.
    pub p95: u64,
    /// The longest.
    pub max: u64,
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        // The least time that this part of all do not exceed.
        let at = |percent: usize| {
            let index = (times.len() * percent).div_ceil(100).saturating_sub(1);
            times.get(index).map_or(0, |time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
        };
        Self { p50: at(50), p95: at(95), max: at(100) }
    }
}

/// Figures of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfTool {
    /// Its name.
    pub tool: String,
    /// Its calls.
    pub calls: u64,
    /// Those that failed.
    pub errors: u64,
    /// How long they took.
    pub times: Times,
    /// Fuel of all.
    pub fuel: u64,
    /// The highest peak of memory, in bytes.
    pub memory: u64,
}

/// Figures of another server's tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfUpstream {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// Its calls.
    pub calls: u64,
    /// How many ended in which way.
    pub outcomes: BTreeMap<String, u64>,
    /// How long they took.
    pub times: Times,
}

/// Figures of the last calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollup {
    /// The calls.
    pub calls: u64,
    /// Those that failed.
    pub errors: u64,
    /// The start of the oldest one, in milliseconds since 1970.
    pub since: Option<i64>,
    /// By tool, the one with the most calls first.
    pub tools: Vec<OfTool>,
    /// How many ended with which fault.
    pub faults: BTreeMap<String, u64>,
    /// By tool of another server, the one with the most calls first.
    pub upstream: Vec<OfUpstream>,
    /// How long runs waited for a place.
    pub queue: Times,
    /// Instances of the evaluator.
    pub instances: u64,
    /// Bytes that other servers answered.
    pub answered: u64,
    /// Bytes that clients got of the calls which called other servers.
    pub received: u64,
}

/// Calls with a name, and their times.
#[derive(Default)]
struct NameTimes<T> {
    figures: T,
    times: Vec<Duration>,
}

impl Rollup {
    /// The figures of calls.
    pub(super) fn of<'a>(calls: impl Iterator<Item = &'a Arc<Record>>) -> Self {
        let mut all = Self::default();
        let mut queue = Vec::new();
        let mut tools = BTreeMap::<&str, NameTimes<OfTool>>::new();
        let mut upstream = BTreeMap::<&str, NameTimes<OfUpstream>>::new();
        for call in calls {
            all.add(call);
            queue.extend(call.noted.total(Part::Admission));
            tools.entry(call.tool.as_ref()).or_default().add(call);
            for called in &call.noted.calls {
                let NameTimes { figures, times } = upstream.entry(&called.tool).or_default();
                figures.calls += 1;
                *figures.outcomes.entry(called.outcome.to_owned()).or_default() += 1;
                times.push(called.time);
            }
        }
        let tool = |(name, it): (&str, NameTimes<OfTool>)| OfTool {
            tool: name.to_owned(),
            times: Times::of(it.times),
            ..it.figures
        };
        let theirs = |(name, it): (&str, NameTimes<OfUpstream>)| OfUpstream {
            tool: name.to_owned(),
            times: Times::of(it.times),
            ..it.figures
        };
        all.tools = tools.into_iter().map(tool).collect();
        all.tools.sort_by_key(|it| std::cmp::Reverse(it.calls));
        all.upstream = upstream.into_iter().map(theirs).collect();
        all.upstream.sort_by_key(|it| std::cmp::Reverse(it.calls));
        all.queue = Times::of(queue);
        all
    }

    fn add(&mut self, call: &Record) {
        self.calls += 1;
        let time = call.time();
        self.since = Some(self.since.map_or(time, |since| since.min(time)));
        if call.ending.is_error() {
            self.errors += 1;
            *self.faults.entry(call.ending.name().into_owned()).or_default() += 1;
        }
        self.instances += call.noted.count(Part::Instance);
        self.answered = self.answered.saturating_add(call.noted.answered);
        self.received = self.received.saturating_add(call.received);
    }

    /// Bytes that other servers answered for each byte that clients got; None if either is 0.
    #[must_use]
    pub fn reduction(&self) -> Option<f64> {
        if self.answered == 0 || self.received == 0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
        let ratio = self.answered as f64 / self.received as f64;
        Some((ratio * 100.0).round() / 100.0)
    }
}

impl NameTimes<OfTool> {
    fn add(&mut self, call: &Record) {
        let (fuel, memory) = call.noted.used.unwrap_or_default();
        self.figures.calls += 1;
        self.figures.errors += u64::from(call.ending.is_error());
        self.figures.fuel = self.figures.fuel.saturating_add(fuel);
        self.figures.memory = self.figures.memory.max(memory);
        self.times.push(call.elapsed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_that_so_many_do_not_exceed() {
        let of = |count: u64| Times::of((1..=count).rev().map(Duration::from_micros).collect());
        assert_eq!(of(0), Times::default());
        assert_eq!(of(1), Times { p50: 1, p95: 1, max: 1 });
        assert_eq!(of(100), Times { p50: 50, p95: 95, max: 100 });
        assert_eq!(of(19), Times { p50: 10, p95: 19, max: 19 });
    }

    #[test]
    fn nothing_is_reduced_where_nothing_was_answered() {
        let of = |answered, received| Rollup { answered, received, ..Rollup::default() };
        assert_eq!(of(0, 10).reduction(), None);
        assert_eq!(of(10, 0).reduction(), None);
        assert_eq!(of(1_000, 3).reduction(), Some(333.33));
    }
}
