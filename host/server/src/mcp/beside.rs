//! Checks a program whose run has ended in a fault, and adds all faults of its text, and notes on
//! likely mistakes. A program of calls is looked at before it runs.

use std::sync::Arc;

use pif_domain::{Fault, FaultCode};
use pif_sandbox::{Note, Request};
use serde_json::{Value, json};

use super::backend::Backend;
use super::call::{Call, Caller};
use super::tool::ToolResult;
use crate::render::{Refusal, notes};
use crate::workshop::Tools;

/// Faults that are told at once.
const MOST: usize = 8;

/// Notes that are told beside a fault.
const MOST_NOTES: usize = 8;

/// What stands beside the fault of a run.
#[derive(Debug, Default)]
pub(super) struct FaultContext {
    /// All faults of a text that cannot be read, that of the run first.
    faults: Vec<Fault>,
    notes: Vec<Note>,
}

impl FaultContext {
    /// Adds it to the reply of the run.
    pub(super) fn add(self, told: ToolResult) -> ToolResult {
        let Err(mut refusal) = told else { return told };
        if self.faults.len() > 1 {
            let all = Refusal::of_all(&self.faults);
            refusal.text = all.text;
            refusal.structured.extend(all.structured);
        }
        let mut found = self.notes;
        // A warning of the run says it.
        let warnings = refusal.structured.get("warnings").and_then(Value::as_array);
        let warnings: Vec<&str> =
            warnings.into_iter().flatten().filter_map(Value::as_str).collect();
        found.retain(|note| {
            !warnings.iter().any(|it| it.starts_with(&note.code) && it.contains(&note.message))
        });
        if !found.is_empty() {
            refusal.asides.extend(found.iter().map(|note| format!("note: {note}")));
            refusal.structured.insert("notes".to_owned(), notes(&found).into());
        }
        Err(refusal)
    }
}

impl Backend {
    /// What a check finds beside the fault of a run. These names are variables, too.
    pub(super) async fn look_beside(
        self: &Arc<Self>,
        code: &str,
        fault: &Fault,
        bound: &[String],
        caller: &Caller,
    ) -> FaultContext {
        if fault.tool.is_some() || matches!(fault.code, FaultCode::Cancelled | FaultCode::Busy) {
            return FaultContext::default();
        }
        match self.check(code.to_owned(), caller).await {
            Err(mut faults) => {
                faults.truncate(MOST);
                let is_same = faults.first().is_some_and(|first| first.code == fault.code);
                FaultContext {
                    faults: if is_same { faults } else { Vec::new() },
                    notes: Vec::new(),
                }
            }
            Ok(summary) => {
                let mut notes = summary.notes;
                // The fault says it, or the name is bound outside of the program.
                let variables: Vec<String> =
                    bound.iter().map(|name| json!({ "var": name }).to_string()).collect();
                notes.retain(|note| {
                    let is_told = note.place.as_ref().is_some_and(|place| {
                        let told = fault.place.as_deref();
                        told.is_some_and(|it| (it.line, it.column) == (place.line, place.column))
                    });
                    let is_bound = note.excerpt.as_ref().is_some_and(|it| variables.contains(it));
                    !is_told && !is_bound
                });
                notes.truncate(MOST_NOTES);
                FaultContext { faults: Vec::new(), notes }
            }
        }
    }

    /// The faults that a program of calls is sure to have. These names are variables, too.
    pub(super) async fn forewarn(
        self: &Arc<Self>,
        request: &Request,
        bound: Vec<String>,
        tools: &Tools,
        caller: &Caller,
    ) -> Result<Vec<Fault>, Fault> {
        if !self.workshop.effects().is_open() {
            return Ok(Vec::new());
        }
        self.opened(caller).await?;
        let request = request.clone();
        let tools = tools.clone();
        let look = self.look(caller, move |backend, watch| {
            backend.workshop.forewarn(&request, &bound, &tools, watch)
        });
        look.await?
    }

    /// Journals a program that was refused before anything was called.
    pub(super) async fn refuse_all(
        self: &Arc<Self>,
        tool: &str,
        call: &Call,
        faults: Vec<Fault>,
    ) -> Refusal {
        if let Some(first) = faults.first() {
            self.refuse(tool, call, first.clone()).await;
        }
        let mut refusal = Refusal::of_all(&faults);
        refusal.text.push_str("\nnothing was called");
        refusal.structured.insert("calls_made".to_owned(), Vec::<String>::new().into());
        refusal
    }
}
