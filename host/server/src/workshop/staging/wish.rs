//! An operation to stage, as a request has it.

use pif_domain::{Fault, FaultCode, fault};
use pif_store::memory::Note;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::workshop::example::{Example, MOST_EXAMPLES};
use crate::workshop::refusal::unkept;
use crate::workshop::{Proposal, Remember, read_properties};

/// An operation to stage.
#[derive(Debug)]
pub(super) enum StagedOperation {
    /// Makes or changes a tool.
    Evolve(Box<Proposal>),
    /// Makes an earlier revision of a tool current.
    Rollback {
        /// The tool.
        tool: String,
        /// The first digits of the revision's hash.
        revision: String,
    },
    /// Hides a tool.
    Retire(String),
    /// Gives a tool another name, and changes its callers.
    Rename {
        /// The name that it has.
        from: String,
        /// The name that it gets.
        to: String,
    },
    /// Changes the memory.
    Memory(Remember),
}

/// What to write.
const SHAPE: &str = "write {\"evolve\": {\"name\": …, \"description\": …, \"code\": …}}, \
    {\"rollback\": {\"tool\": …, \"revision\": …}}, {\"retire\": NAME}, {\"rename\": [OLD, NEW]} or \
    {\"memory\": {\"key\": …, \"value\": …}}";

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum RawOperation {
    Evolve(Evolve),
    Rollback(Rollback),
    Retire(String),
    Rename((String, String)),
    Memory(Memory),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Evolve {
    name: String,
    description: String,
    code: Box<RawValue>,
    #[serde(default)]
    examples: Option<Vec<Example>>,
    #[serde(default)]
    properties: Option<Box<RawValue>>,
    #[serde(default)]
    output_schema: Option<Box<RawValue>>,
    #[serde(default)]
    capability: Option<bool>,
    #[serde(default)]
    expected_revision: Option<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "taken and without effect: a verification runs all dependents")]
    verify_dependents: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rollback {
    tool: String,
    #[serde(default)]
    revision: Option<String>,
    #[serde(default)]
    retire: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    key: String,
    #[serde(default)]
    value: Option<Box<RawValue>>,
    #[serde(default)]
    tags: Option<Vec<String>>,
    #[serde(default)]
    context: Option<String>,
    #[serde(default)]
    confidence: Option<f64>,
    #[serde(default)]
    outcome: Option<Outcome>,
    #[serde(default)]
    forget: bool,
}

/// Whether an entry of the memory helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Helped,
    Failed,
}

/// Reads an operation from JSON text.
pub(super) fn read_wish(text: &str) -> Result<StagedOperation, Fault> {
    let written: RawOperation = serde_json::from_str(text)
        .map_err(|error| malformed(format!("it cannot be read: {error}"), SHAPE))?;
    Ok(match written {
        RawOperation::Evolve(evolve) => StagedOperation::Evolve(Box::new(evolve.proposal()?)),
        RawOperation::Rollback(Rollback { tool, revision: None, retire: true }) => {
            StagedOperation::Retire(tool)
        }
        RawOperation::Rollback(Rollback { tool, revision: Some(revision), retire: false }) => {
            StagedOperation::Rollback { tool, revision }
        }
        RawOperation::Rollback(_) => {
            let message = "`rollback` has neither a revision nor `retire`, or both".to_owned();
            return Err(malformed(message, SHAPE));
        }
        RawOperation::Retire(tool) => StagedOperation::Retire(tool),
        RawOperation::Rename((from, to)) => StagedOperation::Rename { from, to },
        RawOperation::Memory(memory) => StagedOperation::Memory(memory.change()?),
    })
}

impl Evolve {
    fn proposal(self) -> Result<Proposal, Fault> {
        let count = self.examples.as_ref().map_or(0, Vec::len);
        if count > MOST_EXAMPLES {
            let hint = format!("give {MOST_EXAMPLES} at most");
            return Err(malformed(format!("there are {count} examples"), &hint));
        }
        for (index, example) in self.examples.iter().flatten().enumerate() {
            if let Some(reason) = example.complaint() {
                let hint = "write {\"examples\": [{\"input\": 21, \"output\": 42}]}";
                return Err(malformed(format!("example {index} {reason}"), hint));
            }
        }
        Ok(Proposal {
            name: self.name,
            description: self.description,
            code: self.code.get().to_owned(),
            examples: self.examples,
            properties: self.properties.map(|raw| read_properties(raw.get())).transpose()?,
            output_schema: self.output_schema.map(|raw| raw.get().to_owned()),
            capability: self.capability,
            expected: self.expected_revision,
            verify_dependents: false,
        })
    }
}

impl Memory {
    fn change(self) -> Result<Remember, Fault> {
        let Self { key, value, tags, context, confidence, outcome, forget } = self;
        let is_plain = tags.is_none() && context.is_none() && confidence.is_none();
        match (forget, value, outcome) {
            (true, None, None) if tags.is_none() => Ok(Remember::Forget(key)),
            (false, None, Some(outcome)) if is_plain => {
                Ok(Remember::Outcome { key, helped: outcome == Outcome::Helped })
            }
            (false, Some(value), None) => {
                let note = Note::new(key, value.get(), tags);
                let note = note.and_then(|note| note.learned(context, confidence));
                note.map(Remember::Keep).map_err(unkept)
            }
            _ => Err(malformed(
                "`memory` has not one of `value`, `outcome` and `forget`".to_owned(),
                "write {\"key\": …, \"value\": …}, {\"key\": …, \"outcome\": \"helped\"} or {\"key\": …, \"forget\": true}",
            )),
        }
    }
}

fn malformed(message: String, hint: &str) -> Fault {
    fault(FaultCode::Malformed, message, Some(hint))
}
