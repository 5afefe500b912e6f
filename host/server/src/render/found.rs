//! Renders the results of a search as text and as a record.

use std::fmt::Write as _;

use pif_domain::text;
use serde_json::{Value, json};

use super::record::rounded;
use crate::workshop::{Match, Neighbor};

/// The results as lines. `total` is the number of all that was found.
#[must_use]
pub fn matches(found: &[Match], total: usize) -> String {
    let mut lines = match (found.len(), total) {
        (0, _) => return "nothing matches".to_owned(),
        (shown, total) if total > shown => format!("{shown} of {total} results:"),
        (1, _) => "1 result:".to_owned(),
        (shown, _) => format!("{shown} results:"),
    };
    for it in found {
        let kind = it.kind.name();
        let place = &it.place;
        let _ = write!(lines, "\n- {kind} {place} ({:.2}): {}", it.score, it.title);
        if !it.snippet.is_empty() && it.snippet != it.title {
            let _ = write!(lines, "\n  {}", it.snippet);
        }
        if let Some(call) = &it.call {
            let _ = write!(lines, "\n  {}", text::line(call, 400));
        }
        let near = |it: &Neighbor| format!("{} ({})", it.place, it.relation);
        let near: Vec<String> = it.neighbors.iter().map(near).collect();
        if !near.is_empty() {
            let _ = write!(lines, "\n  near: {}", near.join(", "));
        }
    }
    lines
}

/// The results as a record.
#[must_use]
pub fn matches_record(found: &[Match], total: usize) -> Value {
    let records: Vec<Value> = found.iter().map(record).collect();
    json!({"results": records, "total": total})
}

fn record(it: &Match) -> Value {
    let mut told = json!({
        "kind": it.kind.name(),
        "place": it.place,
        "score": rounded(it.score),
        "title": it.title,
        "snippet": it.snippet,
    });
    if let Some(call) = &it.call {
        told["call"] = call.as_str().into();
    }
    let near = it.neighbors.iter().map(
        |near| json!({"kind": near.kind.name(), "place": near.place, "relation": near.relation}),
    );
    let near: Vec<Value> = near.collect();
    if !near.is_empty() {
        told["neighbors"] = near.into();
    }
    told
}
