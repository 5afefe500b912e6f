//! Renders what a repair has come to.

use pif_domain::named;
use pif_domain::text::line;
use pif_store::registry::short;
use serde_json::{Map, Value, json};

use super::fault::{explain_all, record};
use super::record::put;
use super::reply::Reply;
use super::summary::lines_of;
use crate::workshop::{
    AppliedFix, Diagnosis, Fragment, Inner, Least, Proof, Repair, RepairedProgram, Since, Was,
};

/// The most characters of an input, and of a program.
const MOST: usize = 4_000;

/// The reply.
#[must_use]
pub fn mended(mended: &Repair) -> Reply {
    let Repair { fault, is_given, fixes, repaired, proof, diagnosis, snapshot, notes } = mended;
    let mut lines = vec![headline(mended)];
    let mut all = Map::new();
    all.insert("repaired".to_owned(), (!repaired.is_empty()).into());
    lines.extend(repaired.iter().map(repaired_line));
    for RepairedProgram { tool, code } in repaired {
        match tool {
            None => drop(all.insert("code".to_owned(), code.as_str().into())),
            Some(tool) => {
                let tools = all.entry("tools").or_insert_with(|| json!({}));
                tools[tool] = code.as_str().into();
            }
        }
    }
    if let Some(snapshot) = snapshot {
        all.insert("snapshot".to_owned(), (*snapshot).into());
        let next = format!(
            "staged in snapshot {snapshot}: `verify` {{\"snapshot\": {snapshot}}}, then `commit` it"
        );
        lines.push(named(&next).into_owned());
    }
    if !fixes.is_empty() {
        lines.extend(fixes.iter().map(fix_line));
        all.insert("fixes".to_owned(), fixes.iter().map(fix_record).collect());
    }
    lines.extend(proof_lines(proof));
    all.insert("proof".to_owned(), proof_record(proof));
    if let Some(fault) = fault {
        lines.push(explain_all(&[pif_domain::Fault { fix: None, ..(**fault).clone() }]));
        all.insert("fault".to_owned(), Value::Object(record(fault)));
    }
    if let Some(diagnosis) = diagnosis {
        lines.extend(diagnosis_lines(diagnosis));
        all.insert("diagnosis".to_owned(), Value::Object(diagnosis_record(diagnosis)));
    }
    if *is_given == Some(false) {
        lines.push("note: it is another fault than the one that was given".to_owned());
        all.insert("another_fault".to_owned(), true.into());
    }
    lines.extend(notes.iter().map(|note| format!("note: {note}")));
    put(&mut all, "notes", notes.clone());
    Reply::new(lines.join("\n"), Value::Object(all))
}

fn headline(mended: &Repair) -> String {
    let is_failed = !mended.proof.is_passed();
    match &mended.fault {
        None if !mended.repaired.is_empty() => "repaired".to_owned(),
        None if is_failed => "no run has a fault, but examples or properties fail".to_owned(),
        None => "nothing to repair: the fault does not come".to_owned(),
        Some(_) if !mended.repaired.is_empty() => "repaired".to_owned(),
        Some(_) if mended.fixes.is_empty() => "not repaired: no fix is sure".to_owned(),
        Some(_) if is_failed => {
            "not repaired: with the fixes examples or properties fail".to_owned()
        }
        Some(_) => "not repaired: the sure fixes are not enough".to_owned(),
    }
}

fn repaired_line(RepairedProgram { tool, code }: &RepairedProgram) -> String {
    match tool {
        None => format!("program: {}", lines_of(code)),
        Some(tool) => format!("tool `{tool}`: {}", lines_of(code)),
    }
}

fn fix_line(AppliedFix { tool, was, now }: &AppliedFix) -> String {
    let [was, now] = [was, now].map(|text| line(text, 300));
    let place = tool.as_ref().map_or_else(String::new, |tool| format!(" in tool `{tool}`"));
    format!("fix{place}: write `{now}` for `{was}`")
}

fn fix_record(AppliedFix { tool, was, now }: &AppliedFix) -> Value {
    let mut record = json!({"was": was, "now": now});
    if let Some(tool) = tool {
        record["tool"] = tool.as_str().into();
    }
    record
}

fn proof_lines(Proof { passed, failed, held, refuted, is_cut }: &Proof) -> Vec<String> {
    let mut lines = Vec::new();
    if passed + failed.len() > 0 {
        lines.push(format!("examples: {passed} passed, {} failed", failed.len()));
    }
    lines.extend(failed.iter().map(|it| format!("- {it}")));
    if held + refuted.len() > 0 {
        lines.push(format!("properties: {held} hold, {} fail", refuted.len()));
    }
    lines.extend(refuted.iter().map(|it| format!("- {it}")));
    if *is_cut {
        lines.push("not all examples could be run in time".to_owned());
    }
    lines
}

fn proof_record(Proof { passed, failed, held, refuted, is_cut }: &Proof) -> Value {
    let mut record = json!({
        "examples": {"passed": passed, "failed": failed},
        "properties": {"hold": held, "failed": refuted},
    });
    if *is_cut {
        record["cut"] = true.into();
    }
    record
}

fn diagnosis_lines(diagnosis: &Diagnosis) -> Vec<String> {
    let Diagnosis { input, context, inner, program, term, since } = diagnosis;
    let mut lines = Vec::new();
    lines.extend(input.as_ref().map(|it| least_line("input", it)));
    lines.extend(context.as_ref().map(|it| least_line("record of variables", it)));
    if let Some(Inner { tool, input }) = inner {
        lines.push(least_line(&format!("input of `{tool}`"), input));
    }
    lines.extend(program.as_ref().map(program_lines));
    lines.extend(term.as_ref().map(term_line));
    lines.extend(since.as_ref().map(since_line));
    lines
}

fn least_line(what: &str, Least { json, is_least }: &Least) -> String {
    let least = if *is_least { "least" } else { "smaller" };
    format!("{least} {what} that still fails so: {}", line(json, MOST))
}

fn program_lines(Fragment { tool, code, shape, is_least }: &Fragment) -> String {
    let least = if *is_least { "least" } else { "smaller" };
    let of = tool.as_ref().map_or_else(String::new, |tool| format!(" of `{tool}`"));
    let shape = shape.as_ref().map_or_else(String::new, |shape| format!("\n  type: {shape}"));
    format!("{least} program{of} that still fails so: {}{shape}", lines_of(&line(code, MOST)))
}

fn term_line(Fragment { code, shape, .. }: &Fragment) -> String {
    let shape = shape.as_ref().map_or_else(String::new, |shape| format!("\n  type: {shape}"));
    format!("the term that fails: {}{shape}", lines_of(&line(code, MOST)))
}

fn since_line(since: &Since) -> String {
    let Since { tool, revision, before, was, entry, time } = since;
    let change = match (revision, before) {
        (None, _) => format!("since `{tool}` was retired"),
        (Some(now), None) => format!("since the first revision of `{tool}`, {}", short(now)),
        (Some(now), Some(before)) => {
            format!("since revision {} of `{tool}`, which followed {}", short(now), short(before))
        }
    };
    let was = match was {
        Was::Value => "there was a value before".to_owned(),
        Was::Fault(code) => format!("before it was `{code}`"),
    };
    format!("{change} (entry {entry}, {time}): {was}")
}

fn diagnosis_record(diagnosis: &Diagnosis) -> Map<String, Value> {
    let Diagnosis { input, context, inner, program, term, since } = diagnosis;
    let mut record = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        record.extend(value.map(|value| (name.to_owned(), value)));
    };
    add("input", input.as_ref().map(least_record));
    add("context", context.as_ref().map(least_record));
    add(
        "inner",
        inner.as_ref().map(|Inner { tool, input }| {
            let mut record = least_record(input);
            record["tool"] = tool.as_str().into();
            record
        }),
    );
    add("program", program.as_ref().map(part_record));
    add("term", term.as_ref().map(part_record));
    add("since", since.as_ref().map(since_record));
    record
}

fn least_record(Least { json, is_least }: &Least) -> Value {
    json!({"json": line(json, MOST), "least": is_least})
}

fn part_record(Fragment { tool, code, shape, is_least }: &Fragment) -> Value {
    let mut record = json!({"code": line(code, MOST), "least": is_least});
    for (name, text) in [("tool", tool), ("type", shape)] {
        if let Some(text) = text {
            record[name] = text.as_str().into();
        }
    }
    record
}

fn since_record(Since { tool, revision, before, was, entry, time }: &Since) -> Value {
    let mut record = json!({"tool": tool, "entry": entry, "time": time});
    for (name, hash) in [("revision", revision), ("before", before)] {
        if let Some(hash) = hash {
            record[name] = short(hash).into();
        }
    }
    record["was"] = match was {
        Was::Value => "value".into(),
        Was::Fault(code) => code.as_str().into(),
    };
    record
}
