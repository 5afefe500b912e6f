//! `evolve`: creates a tool from a term, or changes one. The examples run first.

use std::sync::Arc;

use pif_domain::json::{Members, decoded};
use pif_domain::text;
use pif_domain::{Fault, Limit};
use pif_sandbox::Watch;
use pif_store::registry::{Status, short};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::super::arguments::{any, decode, json_schema, malformed, schema, term, terms, text_of};
use super::super::backend::Backend;
use super::analyze::properties;
use super::run::read_schema;
use super::{Call, Tool, ToolResult};
use crate::render::{Refusal, Reply, put};
use crate::workshop::{
    ChangeRefusal, EvolveResult, Example, MOST_EXAMPLES, PreparedChange, Proposal, Stage, too_large,
};

/// The most characters of a note.
const MOST_NOTE: usize = 2_500;

const TEXT: &str = "\
Make or change a tool: a function of JavaScript under a name. Call it by that name, or in \
programs as @name(x).
{\"name\":\"double\",\"description\":\"Doubles a number\",\"code\":\"x => x * \
2\",\"examples\":[{\"input\":21,\"output\":42}]}
Examples run first; if one fails, nothing changes. One has `input`, `data`, or `args`: \
{\"args\":[2,3],\"output\":5}. The parameters of the function are the arguments of the tool: \
({folder, month = 1}) => … takes `folder` and `month`. In a tool self(x) calls its function, \
continue(x) asks to run again.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// letters, digits, `_`, `-`
    name: String,
    /// for its callers
    description: String,
    /// a function, or its JSON term
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "term")]
    code: Option<Box<RawValue>>,
    /// in place of `code` tools after one another: ["a", {"map": "b"}]
    #[serde(default)]
    #[schemars(schema_with = "terms")]
    pipeline: Option<Box<RawValue>>,
    /// store the pipeline as one function, without the names of its tools
    #[serde(default)]
    fuse: bool,
    #[serde(default)]
    #[schemars(schema_with = "examples")]
    examples: Option<Box<RawValue>>,
    /// functions true for every input: xs => @self(xs).length == xs.length
    #[serde(default)]
    #[schemars(schema_with = "terms")]
    properties: Option<Box<RawValue>>,
    /// JSON Schema for its values; true removes it
    #[serde(default)]
    #[schemars(schema_with = "json_schema")]
    output_schema: Option<Box<RawValue>>,
    /// a record of functions, called as NAME.FUNCTION
    capability: Option<bool>,
    /// change only this revision
    expected_revision: Option<String>,
    /// refuse what breaks examples of its callers
    #[serde(default)]
    verify_dependents: bool,
}

/// What to write for a tool.
const CODE: &str = r#"write {"name": "double", "code": "x => x * 2"}"#;

/// What to write for a pipeline.
const PIPELINE: &str = r#"write {"pipeline": ["first", {"map": "for_each"}, "last"]}"#;

/// The term of a pipeline, and a note if it is fused.
async fn compose(
    backend: &Arc<Backend>,
    (has_code, is_fused): (bool, bool),
    stages: &RawValue,
    call: &Call,
) -> Result<(Box<RawValue>, Option<String>), Fault> {
    let hint = Some(PIPELINE);
    if has_code {
        return Err(malformed("give one of `code` and `pipeline`", hint));
    }
    let stages: Vec<Stage> = serde_json::from_str(stages.get())
        .map_err(|_| malformed("`pipeline` is a list of names of tools", hint))?;
    backend.opened(&call.caller).await?;
    let compose = move |backend: &Backend, watch: &Watch| {
        let term = backend.workshop.compose(&stages, watch)?;
        if !is_fused {
            return Ok((term, None));
        }
        let (term, note) = backend.workshop.fuse(&term, watch)?;
        Ok::<_, Fault>((term, Some(note)))
    };
    let (term, note) = backend.look(&call.caller, compose).await??;
    let term = RawValue::from_string(term);
    Ok((term.map_err(|error| malformed(format!("{error}"), None))?, note))
}

fn examples(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "array", "items": {"type": "object"}}))
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(mut self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let mut fused = None;
        if let Some(stages) = self.pipeline.take() {
            let how = (self.code.is_some(), self.fuse);
            match compose(backend, how, &stages, &call).await {
                Ok((code, note)) => (self.code, fused) = (Some(code), note),
                Err(fault) => return Err(backend.refuse("evolve", &call, fault).await),
            }
        } else if self.fuse {
            let fault = malformed("`fuse` is of a `pipeline`", Some(PIPELINE));
            return Err(backend.refuse("evolve", &call, fault).await);
        }
        match self.proposal(backend) {
            Ok(proposal) => evolve(backend, proposal, fused, call).await,
            Err(fault) => Err(backend.refuse("evolve", &call, fault).await),
        }
    }
}

impl Arguments {
    fn proposal(self, backend: &Backend) -> Result<Proposal, Fault> {
        let Some(raw) = self.code else {
            return Err(malformed("the argument `code` is missing", Some(CODE)));
        };
        let code = raw.get();
        // The limit applies to the term: for a string, to its text without quotes and escapes.
        let length = if code.starts_with('"') { decode("code", code)?.len() } else { code.len() };
        let most = backend.config.values.size(Limit::Code);
        if length > most {
            return Err(too_large(Limit::Code, "code", length, most));
        }
        Ok(Proposal {
            name: self.name,
            description: self.description,
            code: text_of(raw),
            examples: self.examples.map(|it| read_examples(backend, it.get())).transpose()?,
            properties: self.properties.map(|it| properties(backend, &it)).transpose()?,
            output_schema: self.output_schema.map(|it| read_schema(&it)).transpose()?,
            capability: self.capability,
            expected: self.expected_revision,
            verify_dependents: self.verify_dependents,
        })
    }
}

async fn evolve(
    backend: &Arc<Backend>,
    proposal: Proposal,
    fused: Option<String>,
    call: Call,
) -> ToolResult {
    let (name, arguments) = (proposal.name.clone(), call.text());
    backend.opened(&call.caller).await?;
    let made = backend
        .look(&call.caller, move |backend, watch| prepare(backend, proposal, &arguments, watch));
    let evolved = match made.await? {
        Ok(Next::Run(prepared)) => {
            let arguments = call.text();
            let make = move |backend: &Backend, watch: &Watch| {
                backend.workshop.make(*prepared, &arguments, watch)
            };
            backend.run_blocking(&call.caller, make).await?
        }
        Ok(Next::Done(evolved)) => Ok(evolved),
        Err(refused) => Err(refused),
    };
    match evolved {
        Ok(EvolveResult { hash, status, notes, .. }) => {
            let notes: Vec<String> = fused.into_iter().chain(notes).collect();
            Ok(render(&name, &hash, &status, &notes))
        }
        Err(ChangeRefusal { during: None, faults }) => Err(Refusal::of_all(&faults)),
        Err(ChangeRefusal { during: Some(what), faults }) => match faults.into_iter().next() {
            Some(fault) => Err(Refusal::from(fault).during(&what)),
            None => Err(Refusal::of_all(&[])),
        },
    }
}

/// The step after a change is checked.
enum Next {
    /// The change is done.
    Done(EvolveResult),
    /// The examples must run, so the call waits for its turn.
    Run(Box<PreparedChange>),
}

fn prepare(
    backend: &Backend,
    proposal: Proposal,
    arguments: &str,
    watch: &Watch,
) -> Result<Next, ChangeRefusal> {
    let prepared = backend.workshop.prepare(proposal, arguments, watch)?;
    if backend.workshop.has_runs(&prepared)? {
        return Ok(Next::Run(Box::new(prepared)));
    }
    backend.workshop.make(prepared, arguments, watch).map(Next::Done)
}

/// The examples of a tool or a program.
pub(super) fn read_examples(backend: &Backend, raw: &str) -> Result<Vec<Example>, Fault> {
    let shape = "write {\"examples\": [{\"input\": 21, \"output\": 42}]}";
    let items: Vec<&RawValue> = serde_json::from_str(raw)
        .map_err(|_| malformed("`examples` must be a list", Some(shape)))?;
    if items.len() > MOST_EXAMPLES {
        let message = format!("there are {} examples", items.len());
        return Err(malformed(message, Some(&format!("give {MOST_EXAMPLES} at most"))));
    }
    if raw.len() > backend.config.values.size(Limit::Data) {
        return Err(too_large(
            Limit::Data,
            "examples",
            raw.len(),
            backend.config.values.size(Limit::Data),
        ));
    }
    let read = |(index, item): (usize, &&RawValue)| {
        read_example(index, item.get(), shape, backend.config.values.size(Limit::Nesting))
    };
    items.iter().enumerate().map(read).collect()
}

fn read_example(index: usize, text: &str, shape: &str, nesting: usize) -> Result<Example, Fault> {
    let fail = |reason: &str| malformed(format!("example {index} {reason}"), Some(shape));
    let members = Members::parse(text).map_err(|_| fail("is not an object"))?;
    if let Some(name) = members.duplicate() {
        return Err(fail(&format!("has two members `{name}`")));
    }
    let known = |name: &str| matches!(name, "input" | "data" | "args" | "answers" | "output");
    if let Some((name, _)) = members.iter().find(|(name, _)| !known(name)) {
        return Err(fail(&format!("has an unknown member `{name}`")));
    }
    let keep = |name| members.raw(name).map(|it| RawValue::from_string(it.to_owned())).transpose();
    let args = members.raw("args").filter(|raw| *raw != "null");
    let args = args.map(|raw| decoded(raw, '[', nesting));
    let args = args.map(|raw| serde_json::from_str(&raw)).transpose();
    let args = args.map_err(|_| {
        let hint = "write {\"args\": [2, 3], \"output\": 5}";
        malformed(format!("`args` of example {index} must be a list"), Some(hint))
    })?;
    let answers = members.raw("answers").map(|raw| decoded(raw, '[', nesting));
    let answers = answers.map(|raw| serde_json::from_str(&raw)).transpose();
    let answers = answers.map_err(|_| {
        let hint =
            "write {\"answers\": [{\"tool\": \"x.y\", \"value\": 1}], \"input\": 2, \"output\": 3}";
        malformed(format!("`answers` of example {index} cannot be read"), Some(hint))
    })?;
    let example = || {
        let (input, data, output) = (keep("input")?, keep("data")?, keep("output")?);
        Ok(Example { input, data, args, answers, output })
    };
    let example =
        example().map_err(|error: serde_json::Error| fail(&format!("cannot be read: {error}")))?;
    example.complaint().map_or(Ok(example), |reason| Err(fail(&reason)))
}

fn render(name: &str, hash: &str, status: &Status, notes: &[String]) -> Reply {
    let revision = short(hash);
    let told = match status {
        Status::New => format!("evolved `{name}` (revision {revision}, new)"),
        Status::Changed(previous) => {
            format!("evolved `{name}` (revision {revision}, changed from {})", short(previous))
        }
        Status::Described => {
            format!("changed the description of `{name}` (still revision {revision})")
        }
        Status::Unchanged => {
            format!("nothing changed: `{name}` is already at revision {revision}")
        }
    };
    let word = status.name();
    // A note that quotes the term may contain any characters.
    let notes: Vec<String> = notes.iter().map(|note| text::line(note, MOST_NOTE)).collect();
    let lines: Vec<&str> =
        std::iter::once(told.as_str()).chain(notes.iter().map(String::as_str)).collect();
    let mut reply =
        Reply::new(lines.join("\n"), json!({"name": name, "revision": revision, "status": word}));
    if let Status::Changed(previous) = status {
        reply.structured.insert("previous".to_owned(), short(previous).into());
    }
    put(&mut reply.structured, "notes", notes);
    reply
}
