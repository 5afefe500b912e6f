//! The last calls, and how many there were in each of the last seconds.

use std::collections::VecDeque;
use std::sync::Arc;

use pif_domain::Limit;

use super::record::Record;

/// Seconds of which the number of calls is known.
pub(super) const SECONDS: usize = 60;

/// The most calls of other servers that the record of a call keeps.
const MOST_CALLS: usize = 64;

/// The last calls.
#[derive(Debug, Default)]
pub(super) struct RecentCalls {
    calls: VecDeque<Arc<Record>>,
    /// Calls that the counts lack.
    uncounted: Vec<Arc<Record>>,
    /// Calls of a second, and the second since 1970.
    seconds: VecDeque<(i64, u32)>,
    /// All calls.
    pub(super) count: u64,
    /// Those that failed.
    pub(super) errors: u64,
}

impl RecentCalls {
    /// Keeps a call in place of the oldest one, and gives it its number.
    pub(super) fn keep(&mut self, mut record: Record) -> Arc<Record> {
        self.count += 1;
        self.errors += u64::from(record.ending.is_error());
        record.id = self.count;
        record.noted.calls.truncate(MOST_CALLS);
        let record = Arc::new(record);
        if self.calls.len() >= Limit::Measured.fixed_count() {
            self.calls.pop_front();
        }
        self.calls.push_back(Arc::clone(&record));
        self.uncounted.push(Arc::clone(&record));
        let second = record.time() / 1_000;
        match self.seconds.back_mut() {
            // Calls end in another order than they begin in.
            Some((last, count)) if second <= *last => *count += 1,
            _ => self.seconds.push_back((second, 1)),
        }
        if self.seconds.len() > SECONDS {
            self.seconds.pop_front();
        }
        record
    }

    /// The calls that the counts lack, once there are so many.
    pub(super) fn uncounted(&mut self, least: usize) -> Vec<Arc<Record>> {
        if self.uncounted.len() < least { Vec::new() } else { std::mem::take(&mut self.uncounted) }
    }

    /// The last calls, the latest first.
    pub(super) fn latest(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.calls.iter().rev()
    }

    /// Calls in each of the last seconds, up to this one.
    pub(super) fn rate(&self, now: i64) -> Vec<u32> {
        let first = now - i64::try_from(SECONDS).unwrap_or(i64::MAX) + 1;
        let of = |second: i64| {
            let found = self.seconds.iter().find(|(at, _)| *at == second);
            found.map_or(0, |(_, count)| *count)
        };
        (first..=now).map(of).collect()
    }
}
