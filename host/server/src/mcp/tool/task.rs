//! `task`: a model of the operator's choice writes a program that solves a task.

use std::sync::Arc;

use pif_domain::{Fault, FaultCode, Limit, Scope, Thinking, fault};
use pif_sandbox::{Watch, milliseconds};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{any, any_value, decode, json_schema, malformed, schema, text_of};
use super::super::backend::Backend;
use super::super::sent::forbidden;
use super::super::solve::Model;
use super::run::read_schema;
use super::{Call, Tool, ToolResult, number, reply};
use crate::config::Profile;
use crate::render::{Refusal, solution};
use crate::workshop::{Assignment, GivenExample, MOST_LOOPS, USUAL_LOOPS, question, too_large};

/// The most examples of a task.
const MOST_EXAMPLES: usize = 16;

const TEXT: &str = "\
Have a model write a program that solves `task`, exactly and in the sandbox: it is checked, run, and \
written again while it fails. The model is the operator's, or the client's by sampling. It sees the shape of \
`data` and three elements, never all. Programs change nothing at other servers unless `allow_writes`. The \
reply has the answer, the program, and a ready call of `evolve` that keeps it.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// what is wanted, in words
    task: String,
    /// what the program is applied to, as plain JSON
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    data: Option<Box<RawValue>>,
    /// a record of variables of the program, or a text of what there is to know
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    context: Option<Box<RawValue>>,
    /// JSON Schema of the answer
    #[serde(default)]
    #[schemars(schema_with = "json_schema")]
    output_schema: Option<Box<RawValue>>,
    /// what the program gives for other data: [{"data": …, "output": …}]
    #[serde(default)]
    #[schemars(schema_with = "examples")]
    examples: Option<Box<RawValue>>,
    /// programs that are tried, 5 unless given, 50 at most
    max_loops: Option<u64>,
    #[serde(default)]
    #[schemars(schema_with = "levels")]
    thinking_level: Option<Thinking>,
    /// let programs call tools of other servers that change something
    #[serde(default)]
    allow_writes: bool,
    /// the number of a snapshot: programs see its tools, and it gets the program
    snapshot: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    data: Box<RawValue>,
    output: Box<RawValue>,
}

fn examples(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "array", "items": {"type": "object"}}))
}

fn levels(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "string", "enum": Thinking::ALL.map(|(_, name)| name)}))
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(_: Profile) -> Value {
        reply(&json!({
            "program": {"type": "string"},
            "attempts": {"type": "array", "items": {"type": "object"}},
            "tokens": {"type": "integer"},
        }))
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        if self.snapshot.is_some() && !backend.principal().may(Scope::Evolve) {
            let fault = forbidden("task", Scope::Evolve);
            return Err(backend.refuse("task", &call, fault).await);
        }
        let asked = match self.assignment(backend) {
            Ok(asked) => asked,
            Err(fault) => return Err(backend.refuse("task", &call, fault).await),
        };
        let asked = Arc::new(furnished(backend, asked, &call).await?);
        let Some(model) = Model::of(backend, &call.caller) else {
            return Err(no_model(backend, &asked, &call).await);
        };
        let solved = backend.solve(&asked, model, &call.caller).await?;
        let arguments = call.text();
        let most = backend.config.values.size(Limit::Result);
        let close = move |backend: &Backend, watch: &Watch| {
            let workshop = &backend.workshop;
            let entry = workshop.note_task(&asked, &solved)?;
            let keep = workshop.of_task(&asked)?.keep(&asked, &solved, watch)?;
            let staged = workshop.stage_solution(&asked, keep.as_ref(), &arguments, watch);
            Ok::<_, Fault>(solution(&solved, entry, keep.as_ref(), staged.as_ref(), most))
        };
        // What was done is written down, also if the client has cancelled.
        let caller = call.caller.clone().stopped_by(tokio_util::sync::CancellationToken::new());
        backend.look(&caller, close).await??
    }
}

/// Fills in the tools that programs can use.
async fn furnished(
    backend: &Arc<Backend>,
    mut asked: Assignment,
    call: &Call,
) -> Result<Assignment, Fault> {
    let offers = match backend.workshop.broker() {
        Some(broker) => broker.offers(None).await.tools,
        None => Vec::new(),
    };
    let furnish = move |backend: &Backend, watch: &Watch| {
        backend.workshop.of_task(&asked)?.furnish(&mut asked, &offers, watch)?;
        Ok(asked)
    };
    backend.opened(&call.caller).await?;
    backend.look(&call.caller, furnish).await?
}

/// Refuses a task that no model is there for. The record has the prompt.
async fn no_model(backend: &Arc<Backend>, asked: &Assignment, call: &Call) -> Refusal {
    let message = "no model is configured, and the client offers none".to_owned();
    let hint = "answer the `prompt` yourself and `run` the program with the same data; the operator names a \
        model under `models` in capabilities.json";
    let fault = fault(FaultCode::NoModel, message, Some(hint));
    let mut refusal = backend.refuse("task", call, fault).await;
    let prompt = question(asked);
    refusal.asides.push(format!("prompt:\n{prompt}"));
    refusal.structured.insert("prompt".to_owned(), prompt.into());
    refusal
}

impl Arguments {
    fn assignment(self, backend: &Backend) -> Result<Assignment, Fault> {
        if self.task.trim().is_empty() {
            return Err(malformed("`task` is empty", Some("say what is wanted")));
        }
        let values = &backend.config.values;
        let (context, background) = match self.context.as_ref().map(|it| it.get()) {
            None | Some("null") => (None, None),
            Some(raw) if raw.starts_with('{') => (Some(raw.to_owned()), None),
            Some(raw) if raw.starts_with('"') => (None, Some(decode("context", raw)?)),
            Some(_) => {
                let hint = "write {\"context\": {\"x\": 1}}, or a text";
                return Err(malformed("`context` must be a record or a text", Some(hint)));
            }
        };
        let raw = self.examples.as_ref().map_or("[]", |it| it.get());
        let examples: Vec<Example> = serde_json::from_str(raw).map_err(|_| {
            let hint = "write {\"examples\": [{\"data\": …, \"output\": …}]}";
            malformed("`examples` must be a list of `data` with `output`", Some(hint))
        })?;
        if examples.len() > MOST_EXAMPLES {
            let message = format!("a task has at most {MOST_EXAMPLES} examples");
            return Err(malformed(message, None));
        }
        let max_loops = self.max_loops.unwrap_or(USUAL_LOOPS);
        if !(1..=MOST_LOOPS).contains(&max_loops) {
            let hint = format!("ask for 1 to {MOST_LOOPS}");
            return Err(malformed("`max_loops` is out of its range", Some(&hint)));
        }
        let data = self.data.map(text_of).filter(|it| it != "null");
        if !examples.is_empty() && data.is_none() {
            let hint = "give `data`, which the program is applied to";
            return Err(malformed("`examples` are given without `data`", Some(hint)));
        }
        let given =
            |it: Example| GivenExample { data: text_of(it.data), output: text_of(it.output) };
        let asked = Assignment {
            task: self.task,
            data,
            context,
            background,
            output_schema: self.output_schema.map(|raw| read_schema(&raw)).transpose()?,
            examples: examples.into_iter().map(given).collect(),
            max_loops,
            thinking: self.thinking_level,
            allow_writes: self.allow_writes,
            snapshot: self.snapshot.map(number),
            most_tokens: values.get(Limit::TaskTokens),
            most_millis: milliseconds(values.time(Limit::TaskWallClock)),
            ..Assignment::default()
        };
        let bytes = asked.bytes();
        let most = values.size(Limit::Data);
        if bytes > most {
            return Err(too_large(Limit::Data, "data", bytes, most));
        }
        if asked.is_wordy() {
            let message = "`task`, `context` and `output_schema` have at most 64 KiB each";
            return Err(malformed(message, Some("what is long stands in `data`")));
        }
        Ok(asked)
    }
}
