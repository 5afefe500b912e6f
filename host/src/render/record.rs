//! Records and their bounds.

use serde_json::{Map, Value};

use crate::text;

/// The record of a reply.
pub(crate) type Record = Map<String, Value>;

/// Characters of a message, a hint, a pointer, a line of a list.
pub(super) const MOST_LINE: usize = 2_500;

/// Characters of a list of lines, such as warnings.
const MOST_LINES: usize = 50_000;

/// The members of a JSON object; of anything else, none.
pub(crate) fn object(value: Value) -> Record {
    match value {
        Value::Object(members) => members,
        _ => Record::new(),
    }
}

/// Adds a list of lines, unless it is empty. They are bounded one by one and together.
pub(crate) fn put(record: &mut Record, name: &str, list: Vec<String>) {
    let (count, mut lines, mut room) = (list.len(), Vec::new(), MOST_LINES);
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
