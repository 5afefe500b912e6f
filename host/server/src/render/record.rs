//! The record of a reply, and bounds on its texts.

use pif_domain::text;
use serde_json::{Map, Value};

/// The record of a reply.
pub type Record = Map<String, Value>;

/// The most characters of a message, a hint, a pointer or a line of a list.
pub(super) const MOST_LINE: usize = 2_500;

/// The most characters of a list of lines, such as warnings.
const MOST_LINES: usize = 50_000;

/// The members of a JSON object. Any other value gives an empty record.
pub fn object(value: Value) -> Record {
    match value {
        Value::Object(members) => members,
        _ => Record::new(),
    }
}

/// Adds a list of lines, unless it is empty. Each line is bounded, and so is the whole list.
pub fn put(record: &mut Record, name: &str, list: Vec<String>) {
    let count = list.len();
    let mut lines = Vec::new();
    let mut room = MOST_LINES;
    for line in list {
        let line = text::line(&line, MOST_LINE);
        let Some(left) = room.checked_sub(line.chars().count()) else {
            lines.push(format!("… and {} more", count - lines.len()));
            break;
        };
        room = left;
        lines.push(line);
    }
    if !lines.is_empty() {
        record.insert(name.to_owned(), lines.into());
    }
}

/// A share or a score as it is told: with four digits behind the point.
#[must_use]
pub fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
