//! The time as stores keep it.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time, in milliseconds since 1970, as stores keep it.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
