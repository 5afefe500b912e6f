//! `repair`: repairs a program or a tool by sure fixes, and tells what is least around its fault.

use std::sync::Arc;

use pif_domain::{Fault, Limit};
use pif_sandbox::{Code, Watch};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::super::arguments::{any, any_value, decode, malformed, record, schema, term, text_of};
use super::super::backend::Backend;
use super::evolve::read_examples;
use super::run::{ensure_data, read_argument, read_context};
use super::{Call, Tool, ToolResult, number};
use crate::render::mended;
use crate::workshop::{Broken, FaultReport, Wrong, read_properties, too_large};

const TEXT: &str = "\
Repair a program (`code`), a tool, or a run that failed (`run`, its entry in the journal), without a model. \
It applies sure fixes while the fault changes its place. A repair has to pass the examples; a repaired tool \
is put into a snapshot: `verify` and `commit` it. It tells the least input and the least program that still \
fail so, and which revision of which tool brought the fault. Nobody is called.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// a program, or its JSON term
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "term")]
    code: Option<Box<RawValue>>,
    /// the name of a tool
    #[serde(default)]
    tool: Option<String>,
    /// the number of an entry of the journal
    #[serde(default)]
    run: Option<u64>,
    /// the argument, as for `run`; without it examples and failed runs are tried
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    input: Option<Box<RawValue>>,
    /// the argument, as plain JSON
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    data: Option<Box<RawValue>>,
    /// variables of `code`
    #[serde(default)]
    #[schemars(schema_with = "record")]
    context: Option<Box<RawValue>>,
    /// the fault, as an earlier call told it
    #[serde(default)]
    #[schemars(schema_with = "record")]
    error: Option<Box<RawValue>>,
    /// what the repair has to pass, beside those of the tool
    #[serde(default)]
    #[schemars(schema_with = "examples")]
    examples: Option<Box<RawValue>>,
    /// what has to hold of it, as for `evolve`
    #[serde(default)]
    #[schemars(schema_with = "properties")]
    properties: Option<Box<RawValue>>,
}

fn examples(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "array", "items": {"type": "object"}}))
}

fn properties(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "array"}))
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let wrong = match self.wrong(backend) {
            Ok(wrong) => wrong,
            Err(fault) => return Err(backend.refuse("repair", &call, fault).await),
        };
        let arguments = call.text();
        let repair = move |backend: &Backend, watch: &Watch| {
            backend.workshop.repair(&wrong, &arguments, watch)
        };
        match backend.run_blocking(&call.caller, repair).await? {
            Ok(done) => Ok(mended(&done)),
            Err(fault) => Err(backend.refuse("repair", &call, fault).await),
        }
    }
}

impl Arguments {
    fn wrong(self, backend: &Backend) -> Result<Wrong, Fault> {
        let Self { code, tool, run, input, data, context, error, examples, properties } = self;
        let broken = match (code, tool, run) {
            (Some(code), None, None) => Broken::Code(match code.get() {
                raw if raw.starts_with('"') => decode("code", raw)?,
                _ => text_of(code),
            }),
            (None, Some(tool), None) => Broken::Tool(tool),
            (None, None, Some(run)) => Broken::Run(number(run)),
            _ => return Err(malformed("give one of `code`, `tool` and `run`", None)),
        };
        let code = match &broken {
            Broken::Code(code) => Code::Term(code.clone()),
            Broken::Tool(name) => Code::Tool(name.clone()),
            Broken::Run(_) => Code::Tool(String::new()),
        };
        let most = backend.config.values.size(Limit::Code);
        if let Broken::Code(code) = &broken
            && code.len() > most
        {
            return Err(too_large(Limit::Code, "code", code.len(), most));
        }
        let context = read_context(context, &code)?;
        let argument = read_argument(input, data)?;
        let mut request = backend.workshop.request(code, argument);
        request.context = context;
        ensure_data(backend, &request)?;
        let error: Option<FaultReport> = match error {
            None => None,
            Some(raw) => Some(serde_json::from_str(raw.get()).map_err(|_| {
                let hint = "write {\"error\": {\"code\": …, \"at\": …}}, the record of a fault";
                malformed("`error` is no fault", Some(hint))
            })?),
        };
        let examples = examples.map(|raw| read_examples(backend, raw.get())).transpose()?;
        let properties = properties.map(|raw| read_properties(raw.get())).transpose()?;
        let argument = request.argument;
        let context = request.context;
        let examples = examples.unwrap_or_default();
        let properties = properties.unwrap_or_default();
        Ok(Wrong { broken, argument, context, error, examples, properties })
    }
}
