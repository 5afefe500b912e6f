//! Tools after one another as one term, if their types meet.

use pif_domain::text::{quote, quote_one};
use pif_domain::{Fault, FaultCode, fault, named};
use pif_sandbox::{NO_TOOL, Typing, Watch};
use serde::Deserialize;
use serde_json::{Value, json};

use super::opening::Workshop;
use super::types::Sight;

/// The most stages of a pipeline.
const MOST_STAGES: usize = 64;

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Stage {
    /// The tool takes what the stage before it gives.
    Tool(String),
    /// The tool takes each element of that.
    Map(MapStage),
}

/// A tool for each element.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapStage {
    map: String,
}

impl Stage {
    fn name(&self) -> &str {
        match self {
            Self::Tool(name) | Self::Map(MapStage { map: name }) => name,
        }
    }

    /// The stage applied to a term.
    fn apply(&self, argument: &Value) -> Value {
        match self {
            Self::Tool(name) => json!({"app": {"func": {"tool": name}, "arg": argument}}),
            Self::Map(MapStage { map }) => json!({"map": [{"tool": map}, argument]}),
        }
    }

    /// The JSON Schema of what the stage takes.
    fn wanted(&self, typing: &Typing) -> Option<String> {
        let schema = typing.parameters.first().and_then(|it| it.schema.clone());
        match self {
            Self::Tool(_) => schema,
            Self::Map(_) => {
                Some(format!(r#"{{"type":"array","items":{}}}"#, schema.as_deref().unwrap_or("{}")))
            }
        }
    }
}

impl Workshop {
    /// The term of a pipeline, first stage first. The fault names the stage that does not meet the one
    /// before it.
    pub fn compose(&self, stages: &[Stage], watch: &Watch) -> Result<String, Fault> {
        if stages.is_empty() || stages.len() > MOST_STAGES {
            let message = format!("a pipeline has 1 to {MOST_STAGES} stages");
            return Err(fault(FaultCode::Malformed, message, None));
        }
        let tools = self.tools()?;
        let sight = self.ready_sight(&tools);
        let mut given = None;
        for (index, stage) in stages.iter().enumerate() {
            let place = format!("stage {} of the pipeline, {}", index + 1, quote_one(stage.name()));
            let Some(tool) = tools.find(stage.name())? else {
                let hint = tools.similar(stage.name()).map(|it| format!("did you mean `{it}`?"));
                let hint = hint.unwrap_or_else(|| named(NO_TOOL).into_owned());
                let message = format!("{place}, does not exist");
                return Err(fault(FaultCode::UnknownTool, message, Some(&hint)));
            };
            if let Some(typing) = self.type_of_tool(&tool, watch) {
                self.meet(&place, stage, &typing, given.as_deref(), watch)?;
            }
            let so_far = term(stages.get(..=index).unwrap_or(stages)).to_string();
            given = output(&sight, &so_far, watch);
        }
        Ok(term(stages).to_string())
    }

    /// The normal form of a term with the sources of tools in place of their names, and a note on these.
    pub fn fuse(&self, code: &str, watch: &Watch) -> Result<(String, String), Fault> {
        let tools = self.tools()?;
        let summary = self.sandbox.check(code, watch).map_err(|faults| {
            let none = || fault(FaultCode::Internal, "a pipeline is no term".to_owned(), None);
            faults.into_iter().next().unwrap_or_else(none)
        })?;
        let fused = self.ready_sight(&tools).fuse(&summary, &watch.again())?;
        let note = match fused.tools.as_slice() {
            [] => {
                "nothing was fused: the tools mean what they say only under their names".to_owned()
            }
            tools => format!("fused {}: later changes of these do not change it", quote(tools)),
        };
        Ok((fused.normal.term, note))
    }

    /// Refuses a stage that does not take what the stage before it gives.
    fn meet(
        &self,
        place: &str,
        stage: &Stage,
        typing: &Typing,
        given: Option<&str>,
        watch: &Watch,
    ) -> Result<(), Fault> {
        if !typing.is_function && typing.output != "any" {
            let message = format!("{place}, is no function: it is {}", typing.output);
            return Err(fault(FaultCode::TypeMismatch, message, None));
        }
        let (Some(given), Some(wanted)) = (given, stage.wanted(typing)) else { return Ok(()) };
        let Some(clash) = self.sandbox.clash(given, &wanted, &watch.again())? else {
            return Ok(());
        };
        let at = if clash.at.is_empty() { String::new() } else { format!(" at {}", clash.at) };
        let message = format!(
            "{place}, takes {}{at}, and the stage before it gives {}",
            clash.wanted, clash.shape
        );
        let hint = "put a stage between them, or change one of them";
        Err(fault(FaultCode::TypeMismatch, message, Some(hint)))
    }
}

/// The function that a pipeline is.
fn term(stages: &[Stage]) -> Value {
    let body = stages.iter().fold(json!({"var": "x"}), |argument, stage| stage.apply(&argument));
    json!({"lam": "x", "body": body})
}

/// The type of what a term gives.
fn output(sight: &Sight<'_>, code: &str, watch: &Watch) -> Option<String> {
    let summary = sight.sandbox.check(code, &watch.again()).ok()?;
    Some(sight.type_of(&summary, code, false, &watch.again())?.typing.output.clone())
}
