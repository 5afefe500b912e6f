//! Renders the summary of a checked term as text and as records.

use pif_domain::text::{self, quote};
use pif_sandbox::{Fix, Note, Place, Summary};
use serde_json::{Value, json};

use super::record::{MOST_LINE, object};
use super::types::{cost, typed};
use crate::workshop::ProgramType;

/// The most notes on a term. The evaluator makes fewer.
const MOST_NOTES: usize = 200;

/// Describes a well-formed term, with its type if that is known.
pub fn describe(summary: &Summary, told: Option<&ProgramType>) -> String {
    let forms: Vec<String> = summary
        .forms
        .iter()
        .map(|(form, count)| if *count == 1 { form.clone() } else { format!("{form} × {count}") })
        .collect();
    let mut lines = vec![
        format!("ok: `{}`, revision {}", summary.form, summary.hash.get(..12).unwrap_or_default()),
        format!("canonical: {}", text::visible(&summary.canonical)),
    ];
    if !summary.notation.is_empty() {
        lines.insert(1, format!("notation: {}", lines_of(&summary.notation)));
    }
    let lists = [
        ("forms", forms.join(", ")),
        ("free variables", quote(&summary.free)),
        ("tools named", quote(&summary.names())),
        ("needs", needs(summary)),
        ("pure", if summary.pure { "yes" } else { "no, it can call other servers" }.to_owned()),
    ];
    let given = lists.iter().filter(|(_, list)| !list.is_empty());
    lines.extend(given.map(|(title, list)| format!("{title}: {list}")));
    lines.extend(told.map(typed).unwrap_or_default());
    lines.extend(told.and_then(|it| it.cost.as_ref()).and_then(cost));
    lines.extend(
        summary
            .notes
            .iter()
            .take(MOST_NOTES)
            .map(|note| format!("note: {}", text::line(&note.to_string(), MOST_LINE))),
    );
    if let Some(fixed) = fixed(&summary.notes) {
        lines.push(format!("fixed: {}", lines_of(fixed)));
    }
    lines.join("\n")
}

/// The program with all sure repairs of what the notes are about.
pub fn fixed(notes: &[Note]) -> Option<&str> {
    notes.iter().find_map(|note| Some(note.fix.as_ref()?.fixed.as_str()))
}

/// The tools of other servers that a term calls.
fn needs(summary: &Summary) -> String {
    let names: Vec<String> = summary.needs.iter().map(|it| it.name.clone()).collect();
    match (names.as_slice(), summary.computed) {
        ([], true) => "unknown, since it computes names".to_owned(),
        (names, true) => format!("{}, and others whose names it computes", quote(names)),
        (names, false) => quote(names),
    }
}

/// A program in the notation as text for people, with hidden characters made visible.
pub fn lines_of(notation: &str) -> String {
    let lines: Vec<_> = notation.lines().map(text::visible).collect();
    lines.join("\n")
}

/// The notes as records.
pub fn notes(notes: &[Note]) -> Vec<Value> {
    let line = |text: &String| text::line(text, MOST_LINE);
    let record = |note: &Note| {
        let Note { code, at, message, .. } = note;
        let hint = note.hint.as_ref().map(line);
        let excerpt = note.excerpt.as_ref().map(line);
        let mut record =
            object(json!({"code": line(code), "at": line(at), "message": line(message)}));
        let more = [("excerpt", excerpt), ("hint", hint)];
        let given =
            more.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
        record.extend(given);
        if let Some(place) = &note.place {
            let Place { line, column, caret } = place;
            record.extend(object(json!({"line": line, "column": column, "caret": caret})));
        }
        if let Some(Fix { at, was, now, .. }) = &note.fix {
            record.insert("fix".to_owned(), json!({"at": at, "was": was, "now": now}));
        }
        Value::Object(record)
    };
    notes.iter().take(MOST_NOTES).map(record).collect()
}
