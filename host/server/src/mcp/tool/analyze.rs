//! `analyze`: answers what is asked about a program before it runs.

use std::sync::Arc;

use pif_domain::{Fault, Limit};
use pif_sandbox::Watch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{any, decode, malformed, term, terms, text_of};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, reply};
use crate::config::Profile;
use crate::render::{Refusal, analyzed};
use crate::workshop::{Question, Questions, Subject, read_properties, too_large};

const TEXT: &str = "\
What is known of a program, or of a tool, before it runs. `ask` for some of: type (with the places that surely \
fail), cost (a bound of the fuel), normal (its normal form: programs with one `normal_hash` are equal), needs (the tools that it calls, its own and those of other servers), laws (of a function: associative, commutative, idempotent, order-preserving, total; proved, tested or refuted).
`against`: another program, or @tool: equal with a proof, different with an input, or unknown. `properties`: functions that give true for every input, in which @self is the program; the smallest input on which one fails comes as a call.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// a program, or its JSON term
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "term")]
    code: Option<Box<RawValue>>,
    /// the name of a tool, in place of `code`
    #[serde(default)]
    tool: Option<String>,
    /// all but laws, if nothing is asked
    #[serde(default)]
    ask: Option<Vec<Question>>,
    /// a program to compare with
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "term")]
    against: Option<Box<RawValue>>,
    #[serde(default)]
    #[schemars(schema_with = "terms")]
    properties: Option<Box<RawValue>>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(_: Profile) -> Value {
        reply(&json!({
            "type": {"type": "string"},
            "needs": {"type": "object"},
            "equality": {"type": "object"},
            "laws": {"type": "array"},
            "properties": {"type": "array"},
        }))
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let about = match (self.code, self.tool) {
            (Some(code), None) => Subject::Code(program(backend, "code", code)?),
            (None, Some(tool)) => Subject::Tool(tool),
            _ => return Err(malformed("give one of `code` and `tool`", None).into()),
        };
        let against = self.against.map(|it| program(backend, "against", it)).transpose()?;
        let properties = match &self.properties {
            Some(raw) => properties(backend, raw)?,
            None => Vec::new(),
        };
        let ask = self.ask.unwrap_or_default();
        // Some questions are answered by runs, which wait for their turn.
        let is_run = against.is_some() || !properties.is_empty() || ask.contains(&Question::Laws);
        let questions = Questions { ask, against, properties };
        let analyze = move |backend: &Backend, watch: &Watch| {
            backend.workshop.analyze(&about, &questions, watch)
        };
        backend.opened(&call.caller).await?;
        let told = match is_run {
            true => backend.run_blocking(&call.caller, analyze).await?,
            false => backend.look(&call.caller, analyze).await?,
        };
        Ok(analyzed(&told.map_err(|faults| Refusal::of_all(&faults))?))
    }
}

/// The program in an argument, if it is not too long.
fn program(backend: &Backend, name: &str, raw: Box<RawValue>) -> Result<String, Fault> {
    let text = match raw.get() {
        text if text.starts_with('"') => decode(name, text)?,
        _ => text_of(raw),
    };
    ensure_length(backend, name, text.len())?;
    Ok(text)
}

/// Properties, if they are not too long.
pub(super) fn properties(backend: &Backend, raw: &RawValue) -> Result<Vec<String>, Fault> {
    ensure_length(backend, "properties", raw.get().len())?;
    read_properties(raw.get())
}

fn ensure_length(backend: &Backend, name: &str, length: usize) -> Result<(), Fault> {
    let most = backend.config.values.size(Limit::Code);
    if length > most { Err(too_large(Limit::Code, name, length, most)) } else { Ok(()) }
}
