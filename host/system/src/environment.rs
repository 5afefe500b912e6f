//! Variables of the environment.

use std::env;

/// A variable of the environment that has a text.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|text| !text.is_empty())
}

/// Variables that every program needs. Other clients hand the same to the servers that they start.
const COMMON: [&str; 8] = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/// What servers get of our own environment.
pub fn common_environment() -> impl Iterator<Item = (&'static str, String)> {
    COMMON.into_iter().filter_map(|name| Some((name, env::var(name).ok()?)))
}
