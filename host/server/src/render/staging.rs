//! Snapshots of staged changes as text and as records.

use ::similar::TextDiff;
use pif_domain::json::lines;
use pif_domain::named;
use pif_domain::text::time;
use pif_store::CommittedTool;
use pif_store::registry::{Definition, Status, short};
use pif_store::staging::Area;
use serde_json::{Value, json};

use super::record::{object, put};
use super::reply::Reply;
use crate::workshop::{Commit, StageResult, StagedChange, VerificationReport};

/// The most lines of a comparison in a reply.
const MOST_LINES: usize = 40;

/// The reply with one's snapshots. `expires` is when one ends, in milliseconds since 1970.
pub fn snapshots(areas: &[Area], expires: impl Fn(&Area) -> i64) -> Reply {
    let line = |area: &Area| {
        let state = if area.is_verified() { "verified" } else { "not verified" };
        let tools: Vec<&str> = area.tools().iter().map(|it| it.name.as_str()).collect();
        let count = area.operations.len();
        format!("- {}: {count} operations, {state}: {}", area.id, tools.join(", "))
    };
    let title = match areas.len() {
        0 => named("no snapshots: `stage` makes one from operations").into_owned(),
        1 => "1 snapshot:".to_owned(),
        count => format!("{count} snapshots:"),
    };
    let text: Vec<String> = std::iter::once(title).chain(areas.iter().map(line)).collect();
    let records: Vec<Value> = areas.iter().map(|area| record(area, expires(area))).collect();
    Reply::new(text.join("\n"), json!({ "snapshots": records }))
}

fn record(area: &Area, expires: i64) -> Value {
    let tools: Vec<&str> = area.tools().iter().map(|it| it.name.as_str()).collect();
    json!({
        "snapshot": area.id,
        "expires_at": time::format(expires),
        "operations": area.operations.len(),
        "tools": tools,
        "verified": area.is_verified(),
    })
}

/// The reply to staged operations. `expires` is when the snapshot ends, in milliseconds since 1970.
#[must_use]
pub fn staged(staged: &StageResult, expires: i64) -> Reply {
    let StageResult { area, changes, warnings } = staged;
    let mut lines = vec![format!("snapshot {}: nothing counts before `commit`", area.id)];
    let mut records = Vec::new();
    for change in changes {
        let StagedChange { kind, subject, before, after } = change;
        let revision = |it: &Option<Definition>| it.as_ref().map(|tool| tool.short().to_owned());
        let was = revision(before);
        let now = revision(after);
        lines.push(match (&was, &now) {
            (None, None) => format!("- {} `{subject}`", kind.name()),
            (None, Some(now)) => format!("- {} `{subject}`: new, revision {now}", kind.name()),
            (Some(was), Some(now)) => format!("- {} `{subject}`: {was} to {now}", kind.name()),
            (Some(was), None) => {
                format!("- {} `{subject}`: retired (it was at {was})", kind.name())
            }
        });
        let name = if after.is_none() && before.is_none() { "key" } else { "tool" };
        let mut record = json!({ name: subject, "kind": kind.name() });
        if let (Some(before), Some(after)) = (before, after) {
            record["diff"] = differ(&before.source, &after.source).into();
        }
        records.push(record);
    }
    lines.extend(warnings.iter().cloned());
    let expires = time::format(expires);
    let mut reply = Reply::new(
        named(&lines.join("\n")).into_owned(),
        json!({ "snapshot": area.id, "expires_at": expires, "changes": records }),
    );
    put(&mut reply.structured, "warnings", warnings.clone());
    reply
}

/// How two terms differ, by lines.
fn differ(from: &str, to: &str) -> String {
    let from = lines(from).join("\n");
    let to = lines(to).join("\n");
    let diff = TextDiff::from_lines(&from, &to);
    let diff = diff.unified_diff().context_radius(1).missing_newline_hint(false).to_string();
    let mut shown: Vec<&str> = diff.lines().take(MOST_LINES).collect();
    if diff.lines().count() > MOST_LINES {
        shown.push("…");
    }
    shown.join("\n")
}

/// The reply to a verification.
#[must_use]
pub fn verified(verified: VerificationReport) -> Reply {
    let VerificationReport { passed, record, .. } = verified;
    let mut lines = vec![match passed {
        true => named("it passed: `commit` makes it count").into_owned(),
        false => "it did not pass".to_owned(),
    }];
    for part in ["tools", "dependents", "tests"] {
        lines.extend(record[part].as_array().into_iter().flatten().map(line));
    }
    Reply::new(lines.join("\n"), object(record).into())
}

/// One tool, for people.
fn line(tool: &Value) -> String {
    let name = tool["tool"].as_str().unwrap_or_default();
    if tool["retired"] == true {
        return format!("- `{name}`: retired");
    }
    let failed = tool["examples"]["failed"].as_array().map_or(&[][..], Vec::as_slice);
    let mut parts = vec![format!("{} examples passed", tool["examples"]["passed"])];
    if let Some(first) = failed.first() {
        let message = first["message"].as_str().unwrap_or_default();
        parts.push(format!("{} failed: {message}", failed.len()));
    }
    let refuted = tool["properties"]["failed"].as_array().map_or(&[][..], Vec::as_slice);
    let held = tool["properties"]["passed"].as_u64().unwrap_or_default();
    if held > 0 {
        parts.push(format!("{held} properties hold"));
    }
    for failure in refuted {
        parts.push(failure["message"].as_str().unwrap_or_default().to_owned());
    }
    for fault in tool["faults"].as_array().into_iter().flatten() {
        parts.push(fault["message"].as_str().unwrap_or_default().to_owned());
    }
    let gained: Vec<&str> =
        tool["needs_gained"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !gained.is_empty() {
        parts.push(format!("needs {} now", gained.join(", ")));
    }
    if let (Some(before), Some(after)) =
        (tool["fuel"]["before"].as_u64(), tool["fuel"]["after"].as_u64())
        && before != after
    {
        parts.push(format!("fuel {before} to {after}"));
    }
    format!("- `{name}`: {}", parts.join("; "))
}

/// The reply to a commit.
#[must_use]
pub fn committed(snapshot: i64, Commit { changes, keys, entry }: &Commit) -> Reply {
    let mut lines = vec![format!("committed snapshot {snapshot} (entry {entry})")];
    let mut records: Vec<Value> = Vec::new();
    for CommittedTool { name, hash, status } in changes {
        let mut record = json!({ "tool": name });
        match (hash, status) {
            (Some(hash), Some(status)) => {
                let revision = short(hash);
                record["revision"] = revision.into();
                record["status"] = status.name().into();
                if let Status::Changed(previous) = status {
                    record["previous"] = short(previous).into();
                }
                lines.push(format!("- `{name}`: {} (revision {revision})", status.name()));
            }
            _ => {
                record["status"] = "retired".into();
                lines.push(format!("- `{name}`: retired"));
            }
        }
        records.push(record);
    }
    lines.extend(keys.iter().map(|key| format!("- memory {}", Value::from(key.as_str()))));
    let record = json!({ "snapshot": snapshot, "committed": true, "entry": entry, "changes": records, "keys": keys });
    Reply::new(lines.join("\n"), record)
}
