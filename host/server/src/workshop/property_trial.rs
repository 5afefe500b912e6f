//! Tries properties of a tool on many inputs, and those of a tool that changes.

use pif_domain::text::{line, quote_one};
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::{Came, Inquiry, KnownTool, Watch};
use pif_store::registry::Definition;
use pif_store::registry::name::OWN;
use serde_json::{Map, Value};

use super::inquiry::{InquiryResult, put_exact, put_found};
use super::opening::Workshop;
use super::property::of_tool;
use super::refusal::ChangeRefusal;
use super::types::Sight;
use super::world::Tools;

/// The most characters of a property, an input or a value in a message.
const MOST_TOLD: usize = 200;

/// What came of a property.
#[derive(Debug, Clone)]
pub struct PropertyResult {
    /// The property, as its author wrote it.
    pub property: String,
    /// What was tried.
    pub tried: InquiryResult,
}

impl PropertyResult {
    /// The verdict in a word.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match self.tried.found() {
            Some(_) => "fails",
            None if self.tried.inputs() == 0 => "vacuous",
            None => "holds",
        }
    }

    /// The verdict as a record.
    pub(super) fn record(&self) -> Value {
        let mut record = Map::new();
        record.insert("property".to_owned(), self.property.as_str().into());
        record.insert("verdict".to_owned(), self.verdict().into());
        if let Some(found) = self.tried.found() {
            put_found(found, &mut record);
        }
        self.tried.put(&mut record);
        Value::Object(record)
    }

    /// The arguments of a call of the tool `run` that shows how it fails, as members of a record.
    pub(super) fn put_call(&self, record: &mut Map<String, Value>) {
        if let Some(call) = self.tried.found().and_then(|it| it.call.as_deref()) {
            put_exact(record, ["call", "call_exact"], call);
        }
    }

    /// Why the property fails, if it does.
    pub(super) fn refutation(&self) -> Option<Fault> {
        let found = self.tried.found()?;
        let input = line(&found.arguments, MOST_TOLD);
        let property = line(&self.property, MOST_TOLD);
        let came = match found.outcomes.first() {
            Some(Came::Value((value, _))) => format!("gives {}", line(value, MOST_TOLD)),
            Some(Came::Fault(code)) => format!("ends in the fault {code}"),
            Some(Came::Nothing) | None => "does not give true".to_owned(),
        };
        let message = format!("the property {} {came} for {input}", quote_one(&property));
        let shown = found.call.as_deref().map(|call| format!("run {call} shows it"));
        let shown = shown.map(|it| line(&it, 2 * MOST_TOLD));
        Some(fault(FaultCode::Fail, message, shown.as_deref()))
    }
}

impl Sight<'_> {
    /// Tries properties of a tool that runs know by this name, within the time of the watch. A property
    /// that cannot be read is a fault.
    pub(super) fn properties(
        &self,
        name: &str,
        properties: &[String],
        watch: &Watch,
    ) -> Result<Vec<PropertyResult>, Fault> {
        let shape = self.shape_of(name, watch);
        let mut left = u32::try_from(properties.len()).unwrap_or(u32::MAX);
        let mut found = Vec::new();
        for (index, property) in properties.iter().enumerate() {
            // Each gets an equal part of the time.
            let part = watch.again_for(watch.left() / left.max(1));
            left = left.saturating_sub(1);
            let placed = |fault: Fault| {
                let message = format!("property {index}: {}", fault.message);
                Fault { message, at: format!("/properties/{index}{}", fault.at), ..fault }
            };
            let summary = self.sandbox.check(property, &part);
            let summary = summary.map_err(|faults| placed(first(faults)))?;
            let (mut subject, _) = self.subject_of(&summary, property, &part);
            subject.tools.retain(|it| it.name != OWN);
            let own = KnownTool {
                name: OWN.to_owned(),
                shape: Some(shape.clone()),
                schemas: None,
                code: None,
            };
            subject.tools.push(own);
            let asked = Inquiry::Property((subject, name.to_owned()));
            let tried = self.inquire(&asked, &part).map_err(placed)?;
            found.push(PropertyResult { property: property.clone(), tried });
        }
        Ok(found)
    }

    /// The type of the value of a tool; any, if the analyst cannot tell.
    fn shape_of(&self, name: &str, watch: &Watch) -> String {
        let any = || "any".to_owned();
        let Ok(Some((source, _))) = self.tools.look_up(name) else { return any() };
        let Ok(summary) = self.sandbox.check(&source, watch) else { return any() };
        let told = self.type_of(&summary, &source, false, watch);
        told.map_or_else(any, |it| it.typing.of_tool.clone())
    }
}

fn first(faults: Vec<Fault>) -> Fault {
    let none =
        || fault(FaultCode::Internal, "a program is refused without a fault".to_owned(), None);
    faults.into_iter().next().unwrap_or_else(none)
}

impl Workshop {
    /// Tries the properties of a change. One that fails refuses the change.
    pub(super) fn try_properties(
        &self,
        name: &str,
        properties: &[String],
        tools: &Tools,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<(), ChangeRefusal> {
        for (index, held) in self.held(name, properties, tools, watch)?.iter().enumerate() {
            if let Some(fault) = held.refutation() {
                let during = Some(format!("property {index} refuses the change"));
                return Err(ChangeRefusal { during, faults: vec![fault] });
            }
            notes.push(told(index, held));
        }
        Ok(())
    }

    /// The properties of the current revision that hold of a change which brings none.
    pub(super) fn carry_over_properties(
        &self,
        name: &str,
        current: Option<&Definition>,
        tools: &Tools,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Vec<String>, Fault> {
        let before = current.map_or(Ok(Vec::new()), of_tool)?;
        let held = self.held(name, &before, tools, watch)?;
        let (lost, kept): (Vec<_>, Vec<_>) =
            held.into_iter().partition(|it| it.tried.found().is_some());
        if !lost.is_empty() {
            notes.push(format!(
                "warning: {} of its {} properties fail and were removed: give `properties` again",
                lost.len(),
                before.len()
            ));
        }
        Ok(kept.into_iter().map(|it| it.property).collect())
    }

    /// What comes of properties of a tool, which share one deadline.
    pub(super) fn held(
        &self,
        name: &str,
        properties: &[String],
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Vec<PropertyResult>, Fault> {
        if properties.is_empty() {
            return Ok(Vec::new());
        }
        self.ready_sight(tools).properties(name, properties, &watch.again())
    }
}

/// A note on a property that does not fail.
fn told(index: usize, held: &PropertyResult) -> String {
    let inputs = held.tried.inputs();
    match held.verdict() {
        "vacuous" => format!(
            "warning: property {index} says nothing: no run had a value or a fault of its own"
        ),
        _ if held.tried.is_late => {
            format!("property {index} holds for {inputs} inputs; then the time was over")
        }
        _ => format!("property {index} holds for {inputs} inputs"),
    }
}
