//! `analyze`: answers what is asked about a program before it runs.

use std::sync::Arc;

use pif_domain::Limit;
use pif_sandbox::Watch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{any, decode, malformed, term, text_of};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, reply};
use crate::config::Profile;
use crate::render::{Refusal, analyzed};
use crate::workshop::{Analyzed, Asked, too_large};

const TEXT: &str = "\
What is known of a program, or of a tool, before it runs. `ask` for some of: type (with the places that surely \
fail), cost (a bound of the fuel), normal (its normal form: programs with one `normal_hash` are equal), needs (the tools that it calls, its own and those of other servers).";

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
    /// all, if it is left out
    #[serde(default)]
    ask: Option<Vec<Asked>>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(_: Profile) -> Value {
        reply(&json!({"type": {"type": "string"}, "needs": {"type": "object"}}))
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let about = match (self.code, self.tool) {
            (Some(code), None) => Analyzed::Code(match code.get() {
                raw if raw.starts_with('"') => decode("code", raw)?,
                _ => text_of(code),
            }),
            (None, Some(tool)) => Analyzed::Tool(tool),
            _ => return Err(malformed("give one of `code` and `tool`", None).into()),
        };
        if let Analyzed::Code(code) = &about {
            let most = backend.config.values.size(Limit::Code);
            if code.len() > most {
                return Err(too_large(Limit::Code, "code", code.len(), most).into());
            }
        }
        let asked = self.ask.unwrap_or_default();
        backend.opened(&call.caller).await?;
        let analyze =
            move |backend: &Backend, watch: &Watch| backend.workshop.analyze(&about, &asked, watch);
        let told = backend.look(&call.caller, analyze).await?;
        Ok(analyzed(&told.map_err(|faults| Refusal::of_all(&faults))?))
    }
}
