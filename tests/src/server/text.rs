//! Programs that several tests send.

use serde_json::{Value, json};
use std::sync::LazyLock;

/// Settings under which a run that does not end by itself goes on as long as any test does.
pub const FOREVER: &[&str] =
    &["--fuel", "1000000G", "--fuel-ceiling", "1000000G", "--wall-clock", "1h"];

/// Arguments of a `run` that does not end by itself.
pub static OMEGA: LazyLock<String> = LazyLock::new(|| {
    let twice = json!({"lam": "x", "body": {"app": {"func": {"var": "x"}, "arg": {"var": "x"}}}});
    json!({"code": {"app": {"func": twice, "arg": twice}}}).to_string()
});

/// The function that gives back its argument.
#[must_use]
pub fn identity() -> Value {
    json!({"lam": "x", "body": {"var": "x"}})
}
