//! The rows of leases, and how others name them.

use std::time::Duration;

use pif_domain::text::time;

use crate::error::Error;

/// A lease of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessLease {
    /// Its name. No other lease ever has it.
    pub name: String,
    /// The process, for people.
    pub place: String,
    /// When it ends unless it is renewed, in milliseconds since 1970.
    pub until: i64,
}

impl ProcessLease {
    /// Where it is held and when it ends, in words.
    #[must_use]
    pub fn told(&self) -> String {
        format!("{}, whose lease lasts until {} unless it is renewed", self.place, self.end())
    }

    /// When it ends, as text.
    #[must_use]
    pub fn end(&self) -> String {
        time::format(self.until)
    }
}

/// The leases of a store. Its own clock says when one is over.
pub trait Leases {
    /// Takes a lease with a new name for so long.
    fn take_lease(&self, name: &str, place: &str, life: Duration) -> Result<(), Error>;
    /// Makes a lease last so long from now, if nobody has ended it; says whether it is there. Ends all
    /// other leases that are over.
    fn renew_lease(&self, name: &str, life: Duration) -> Result<bool, Error>;
    /// Ends a lease.
    fn end_lease(&self, name: &str) -> Result<(), Error>;
    /// All leases that are not ended, in the order of their names.
    fn leases(&self) -> Result<Vec<ProcessLease>, Error>;
}

/// The holder that rows name while a process works on them: its lease, and a number of the work.
#[must_use]
pub fn holder(lease: &str, number: u64) -> String {
    format!("{lease}/{number}")
}

/// The lease that a holder names.
#[must_use]
pub fn lease_of(holder: &str) -> &str {
    holder.rsplit_once('/').map_or(holder, |(lease, _)| lease)
}

/// The process that a lease names, as [`super::process`] has it.
#[must_use]
pub fn process_of(lease: &str) -> &str {
    lease.rsplit_once(' ').map_or("", |(process, _)| process)
}

/// A length of time as rows have it.
#[must_use]
pub fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
