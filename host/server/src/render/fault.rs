//! Renders faults as text and as records.

use pif_domain::text::{self, MOST_NAME};
use pif_domain::{CallSummary, Excess, Fault, Fix, Place};
use serde_json::{Value, json};

use super::record::{MOST_LINE, Record, object, put};
use super::summary::lines_of;

/// A fault as text.
pub fn explain(fault: &Fault) -> String {
    match &fault.fix {
        Some(fix) => format!("{}\n{}", explain_alone(fault), whole(fix)),
        None => explain_alone(fault),
    }
}

/// Several faults of one program as text.
pub fn explain_all(faults: &[Fault]) -> String {
    let mut lines: Vec<String> = faults.iter().map(explain_alone).collect();
    lines.extend(faults.iter().find_map(|fault| fault.fix.as_deref().map(whole)));
    lines.join("\n")
}

/// The program with all sure repairs.
fn whole(fix: &Fix) -> String {
    format!("fixed: {}", lines_of(&fix.fixed))
}

/// A fault as text, without the repaired program.
fn explain_alone(fault: &Fault) -> String {
    let Fault { code, message, at, tool, hint, excerpt, place: text, .. } = complete(fault);
    let place = match (tool, at.as_str()) {
        (Some(tool), "") => Some(format!("in tool `{tool}`")),
        (Some(tool), at) => Some(format!("at {at} in tool `{tool}`")),
        (None, "") => excerpt.is_some().then(|| "in the term".to_owned()),
        (None, at) => Some(format!("at {at}")),
    };
    let place = match (text, place) {
        (Some(text), _) => {
            let Place { line, column, caret } = *text;
            Some(format!("at line {line}, column {column}\n{caret}"))
        }
        (None, Some(place)) => Some(match excerpt {
            Some(excerpt) => format!("{place}: {excerpt}"),
            None => place,
        }),
        (None, None) => None,
    };
    let mut text = format!("{code}: {message}");
    let hint = hint.map(|hint| format!("hint: {hint}"));
    let fix = fault.fix.as_deref().and_then(render_fix);
    let lines = [place, hint, fix, made(&fault.calls_made)];
    for line in lines.into_iter().flatten() {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

/// A fault as a flat record, as in the language reference.
pub(super) fn record(fault: &Fault) -> Record {
    let Fault { code, message, at, tool, hint, calls, excerpt, limit, mismatches, place, .. } =
        complete(fault);
    let mut record = object(json!({"code": code.name(), "message": message, "at": at}));
    if let Some(place) = place {
        let Place { line, column, caret } = *place;
        record.extend(object(json!({"line": line, "column": column, "caret": caret})));
    }
    if let Some(excerpt) = excerpt {
        record.insert("excerpt".to_owned(), excerpt.into_string().into());
    }
    if let Some(hint) = hint {
        record.insert("hint".to_owned(), hint.into());
    }
    if let Some(Fix { at, was, now, fixed }) = fault.fix.as_deref() {
        record.extend(fix(at, was, now, fixed));
    }
    if let Some(tool) = tool {
        record.insert("tool".to_owned(), tool.into());
    }
    put(&mut record, "calls", calls);
    put(&mut record, "warnings", fault.warnings.clone());
    if let Some(limit) = limit {
        record.insert("limit".to_owned(), excess(*limit));
    }
    if let Some(reason) = fault.reason {
        record.insert("reason".to_owned(), reason.into());
    }
    if let Some(call) = &fault.upstream {
        record.insert("upstream".to_owned(), json!(call));
    }
    if !fault.calls_made.is_empty() {
        record.insert("calls_made".to_owned(), json!(fault.calls_made));
    }
    if let Some(mismatches) = mismatches {
        // The members of the first mismatch are also members of the fault itself.
        record.extend(mismatches.iter().next().map(|it| object(json!(it))).unwrap_or_default());
        if mismatches.iter().count() > 1 {
            record.insert("mismatches".to_owned(), json!(mismatches));
        }
    }
    record
}

/// The members of a record for a repair.
pub(super) fn fix(at: &str, was: &str, now: &str, fixed: &str) -> Record {
    object(json!({"fix": {"at": at, "was": was, "now": now}, "fixed": fixed}))
}

/// The most characters of a repaired part that a line shows.
const MOST_PART: usize = 300;

/// A repair as text, if it is not the whole program.
fn render_fix(Fix { was, now, fixed, .. }: &Fix) -> Option<String> {
    let [was, now] = [was, now].map(|text| text::line(text, MOST_PART));
    match (was.as_str(), now.as_str()) {
        _ if now == *fixed => None,
        ("", now) => Some(format!("fix: insert `{now}`")),
        (was, "") => Some(format!("fix: leave out `{was}`")),
        (was, now) => Some(format!("fix: write `{now}` for `{was}`")),
    }
}

/// The displayed form of a fault: quoted texts are bounded and hidden characters are made visible.
fn complete(fault: &Fault) -> Fault {
    let line = |text: &String| text::line(text, MOST_LINE);
    Fault {
        code: fault.code,
        message: line(&fault.told()),
        at: line(&fault.at),
        tool: fault.tool.as_ref().map(|tool| text::line(tool, MOST_NAME)),
        hint: fault.hint.as_ref().map(line),
        calls: fault.calls.clone(),
        excerpt: fault.excerpt.as_deref().map(|it| text::line(it, MOST_LINE).into()),
        warnings: fault.warnings.clone(),
        limit: fault.limit.clone(),
        place: fault.place.as_deref().map(shown).map(Box::new),
        mismatches: fault
            .mismatches
            .as_ref()
            .map(|it| Box::new(it.map(|text| text::line(text, MOST_LINE)))),
        reason: fault.reason,
        upstream: fault.upstream.clone(),
        calls_made: fault.calls_made.clone(),
        variable: None,
        is_incomplete: fault.is_incomplete,
        fix: None,
    }
}

/// The calls that a run made, in a line: those of one tool with one outcome together.
pub fn made(calls: &[CallSummary]) -> Option<String> {
    let mut groups: Vec<(&CallSummary, usize, u64)> = Vec::new();
    for call in calls {
        let is_same = |(first, ..): &&mut (&CallSummary, usize, u64)| {
            first.tool == call.tool && first.outcome == call.outcome
        };
        match groups.iter_mut().find(is_same) {
            Some((_, count, ms)) => {
                *count += 1;
                *ms = (*ms).max(call.ms);
            }
            None => groups.push((call, 1, call.ms)),
        }
    }
    let describe = |(call, count, ms): &(&CallSummary, usize, u64)| {
        let tool = text::line(&call.tool, MOST_NAME);
        let outcome = &call.outcome;
        match count {
            1 => format!("{tool} {outcome} ({ms} ms)"),
            count => format!("{tool} × {count} {outcome} (up to {ms} ms)"),
        }
    };
    let calls: Vec<String> = groups.iter().map(describe).collect();
    (!calls.is_empty()).then(|| text::line(&format!("calls made: {}", calls.join(", ")), MOST_LINE))
}

/// The place with hidden characters made visible.
fn shown(place: &Place) -> Place {
    Place { caret: lines_of(&place.caret), ..*place }
}

/// The record of an exceeded limit.
pub fn excess(Excess { name, used, limit }: Excess) -> Value {
    json!({"name": name.name(), "used": used, "limit": limit})
}
