//! The reply to a call: a short text for the model, and a record for programs.

use pif_domain::{Fault, FaultCode};
use serde_json::Value;

use super::fault::{explain, explain_all, record};
use super::record::{Record, object};

/// A successful reply.
#[derive(Debug)]
pub struct Reply {
    pub(crate) text: String,
    pub(crate) structured: Record,
    /// Lines that are in the record but not in `text`.
    pub(crate) asides: Vec<String>,
}

impl Reply {
    /// A reply whose record is a JSON object.
    pub(crate) fn new(text: impl Into<String>, structured: Value) -> Self {
        Self { text: text.into(), structured: object(structured), asides: Vec::new() }
    }

    /// The text for people and models.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is told beside the text, a line each.
    #[must_use]
    pub fn asides(&self) -> &[String] {
        &self.asides
    }

    /// The record as JSON text, for programs.
    #[must_use]
    pub fn record(&self) -> String {
        Value::Object(self.structured.clone()).to_string()
    }

    /// Tells of which time the reply is, since the database is away.
    pub(crate) fn mark_as_of(&mut self, time: &str) {
        self.structured.insert("as_of".to_owned(), time.into());
        self.note(&[format!("the database is away: this is what the server knew at {time}")]);
    }

    /// Adds notes.
    pub(crate) fn note(&mut self, notes: &[String]) {
        self.asides.extend(render_notes(&mut self.structured, notes));
    }
}

/// Adds notes to a record. Returns them as lines.
fn render_notes(record: &mut Record, notes: &[String]) -> Vec<String> {
    let mut all: Vec<Value> = notes.iter().map(|note| note.as_str().into()).collect();
    if !all.is_empty() {
        if let Some(Value::Array(before)) = record.remove("notes") {
            all.splice(0..0, before);
        }
        record.insert("notes".to_owned(), Value::Array(all));
    }
    notes.iter().map(|note| format!("note: {note}")).collect()
}

/// The reply to a refused call or a failed program.
#[derive(Debug)]
pub struct Refusal {
    pub(crate) text: String,
    pub(crate) structured: Record,
    /// Lines that are in the record but not in `text`.
    pub(crate) asides: Vec<String>,
}

impl Refusal {
    /// The text for people and models.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is told beside the text, a line each.
    #[must_use]
    pub fn asides(&self) -> &[String] {
        &self.asides
    }

    /// The refusal of a run that spent `fuel`.
    pub(super) fn after(fault: &Fault, fuel: u64) -> Self {
        let mut structured = record(fault);
        structured.insert("fuel".to_owned(), fuel.into());
        Self { text: explain(fault), structured, asides: Vec::new() }
    }

    /// The refusal for several faults. The record is that of the first, with all of them as a
    /// member.
    pub(crate) fn of_all(faults: &[Fault]) -> Self {
        let text = explain_all(faults);
        let mut structured = faults.first().map(record).unwrap_or_default();
        let alone = |fault| {
            let mut record = record(fault);
            // All faults have one repaired program.
            record.remove("fixed");
            Value::Object(record)
        };
        let all = faults.iter().map(alone).collect();
        structured.insert("faults".to_owned(), Value::Array(all));
        Self { text, structured, asides: Vec::new() }
    }

    /// The code of the fault.
    pub(crate) fn code(&self) -> Option<FaultCode> {
        FaultCode::find(self.structured.get("code")?.as_str()?)
    }

    /// Puts the name of the failed step before the text.
    pub(crate) fn during(mut self, what: &str) -> Self {
        self.text = format!("{what}: {}", self.text);
        self
    }

    /// Adds notes.
    pub(crate) fn note(&mut self, notes: &[String]) {
        self.asides.extend(render_notes(&mut self.structured, notes));
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self { text: explain(&fault), structured: record(&fault), asides: Vec::new() }
    }
}

/// Puts warnings about arguments before the other warnings. The profile repeats them in the text.
pub fn warn(result: &mut Result<Reply, Refusal>, warnings: &[String]) {
    if warnings.is_empty() {
        return;
    }
    let structured = match result {
        Ok(reply) => &mut reply.structured,
        Err(refusal) => &mut refusal.structured,
    };
    let mut all: Vec<Value> = warnings.iter().map(|warning| warning.as_str().into()).collect();
    if let Some(Value::Array(before)) = structured.remove("warnings") {
        all.extend(before);
    }
    structured.insert("warnings".to_owned(), Value::Array(all));
}
