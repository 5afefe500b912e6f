//! `session_eval`: one turn of a session.

use std::sync::Arc;

use pif_domain::text::{self, MOST_NAME};
use pif_domain::{Fault, FaultCode, Limit};
use pif_sandbox::{Argument, Code, Request};
use pif_store::session::{SessionCapacity, is_recent};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{self, any, decode, json_schema, malformed, schema, term};
use super::super::backend::Backend;
use super::super::beside::FaultContext;
use super::super::call::Caller;
use super::super::present;
use super::run::{self, Settings};
use super::{Call, Tool, ToolResult, sessions};
use crate::config::Profile;
use crate::render::warn;
use crate::workshop::{Declaration, Plan, RunResult, Tools, ended, too_large};

const TEXT: &str = "\
Run `code` as `run` does, with its arguments, in a session: its bindings are variables, and `_1`, \
`_2`, `_3` its last values. `define` keeps: {\"define\":\"orders\",\"data\":[…]}, \
{\"define\":\"count\",\"code\":\"orders.length\"}, or several in order: \
{\"define\":[[\"a\",\"1\"],[\"b\",\"a + 1\"]]}. A turn that fails changes nothing.";

/// What it takes.
#[derive(Debug)]
pub(in super::super) struct Arguments {
    subject: Subject,
    settings: Settings,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Subject {
    session: Option<String>,
    /// a program, as for `run`
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "term")]
    code: Option<Box<RawValue>>,
    /// instead of `code`
    tool: Option<String>,
    /// a name for the value, or a list of [name, code]
    #[serde(default)]
    #[schemars(schema_with = "definitions")]
    define: Option<Box<RawValue>>,
    /// JSON Schema for the value
    #[serde(default)]
    #[schemars(schema_with = "json_schema")]
    output_schema: Option<Box<RawValue>>,
}

fn definitions(_: &mut SchemaGenerator) -> Schema {
    let pairs = json!({"type": "array", "items": {"type": "string"}});
    let pairs = json!({"type": "array", "items": pairs});
    schema(json!({"anyOf": [{"type": "string"}, pairs]}))
}

impl arguments::Arguments for Arguments {
    fn names() -> Vec<&'static str> {
        [Subject::names(), Settings::names()].concat()
    }

    fn schema() -> Value {
        let mut schema = Subject::schema();
        if let (Some(all), Value::Object(own)) =
            (schema["properties"].as_object_mut(), Settings::schema()["properties"].take())
        {
            all.extend(own);
        }
        schema
    }

    fn take(members: &[(&str, &str)]) -> Result<Self, Fault> {
        Ok(Self { subject: Subject::take(members)?, settings: Settings::take(members)? })
    }
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(profile: Profile) -> Value {
        run::output_schema(profile)
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let (plan, request, tools) = match self.turn(backend) {
            Ok(turn) => turn,
            Err(fault) => return Err(backend.refuse("session_eval", &call, fault).await),
        };
        let name = plan.which.name.clone();
        if backend.workshop.effects().is_open() {
            let bound = bound(backend, &plan, &call.caller).await;
            let foreseen = backend.forewarn(&request, bound, &tools, &call.caller).await?;
            if !foreseen.is_empty() {
                return Err(backend.refuse_all("session_eval", &call, foreseen).await);
            }
        }
        let seen = plan.clone();
        let code = match &request.code {
            Code::Term(text) if plan.define.is_empty() => Some(text.clone()),
            _ => None,
        };
        let which = plan.which.clone();
        let mut report = backend.evaluate_turn(plan, request, tools, &call.caller).await;
        if let Err(fault) = &report.outcome.ending
            && fault.at.starts_with("/bindings/")
        {
            let fault = fault.clone();
            let look = backend.look(&call.caller, move |backend, watch| {
                backend.workshop.explain_binding(fault, &which, watch)
            });
            report.outcome.ending = Err(look.await?);
        }
        let is_refused = report.entry.is_none() && report.outcome.ending.is_err();
        if let (true, Err(fault)) = (is_refused, &report.outcome.ending)
            && !fault.code.is_of_store()
        {
            // Nothing else tells of a turn that was not made.
            backend.refuse("session_eval", &call, fault.clone()).await;
        }
        let mut beside = FaultContext::default();
        let mut warnings = Vec::new();
        match (code, &report.outcome.ending) {
            (Some(code), Err(fault)) => {
                let bound = bound(backend, &seen, &call.caller).await;
                beside = backend.look_beside(&code, fault, &bound, &call.caller).await;
                report.outcome.ending = Err(advise(fault.clone()));
            }
            (Some(code), Ok(_)) if seen.name.is_none() => {
                warnings.extend(undefined(backend, &call.caller, code).await);
            }
            _ => {}
        }
        let mut told = render(report, backend, name);
        warn(&mut told, &warnings);
        beside.add(told)
    }
}

/// A fault with the way in which a session binds a name.
fn advise(fault: Fault) -> Fault {
    if fault.code != FaultCode::Unbound {
        return fault;
    }
    let own = "`define` binds a name for later turns";
    let hint = fault.hint.as_ref().map_or(own.to_owned(), |hint| format!("{hint}; {own}"));
    Fault { hint: Some(hint), ..fault }
}

/// Warns of code that only declares a name, which is gone after the turn.
async fn undefined(backend: &Arc<Backend>, caller: &Caller, code: String) -> Option<String> {
    let look = backend.look(caller, move |backend, watch| {
        let Declaration { name, value } = backend.workshop.declaration(&code, watch)?;
        Some(json!({"define": name, "code": value}).to_string())
    });
    look.await
        .ok()?
        .map(|call| format!("the name is gone after this turn; to keep it, write {call}"))
}

/// The names that the program of a turn sees.
async fn bound(backend: &Arc<Backend>, plan: &Plan, caller: &Caller) -> Vec<String> {
    let which = plan.which.clone();
    let look = backend.look(caller, move |backend, _| backend.workshop.session(&which));
    let mut names: Vec<String> = plan.define.iter().map(|(name, _)| name.clone()).collect();
    if let Ok(Ok((_, bindings))) = look.await {
        names.extend(bindings.into_iter().map(|it| it.name));
    }
    names
}

fn render(report: RunResult, backend: &Backend, name: String) -> ToolResult {
    let turned = report.turned.clone();
    let mut told = present::render(report, &backend.config);
    let record = match &mut told {
        Ok(reply) => &mut reply.structured,
        Err(refusal) => &mut refusal.structured,
    };
    record.insert("session".to_owned(), text::line(&name, MOST_NAME).into());
    if let Some(turned) = turned {
        record.insert("turn".to_owned(), turned.session.turn.into());
        if !turned.defined.is_empty() {
            record.insert("defined".to_owned(), json!(turned.defined));
            if let Ok(reply) = &mut told {
                reply.asides.push(format!("defined: {}", turned.defined.join(", ")));
            }
        }
    }
    told
}

impl Arguments {
    fn turn(self, backend: &Backend) -> Result<(Plan, Request, Tools), Fault> {
        let tools = backend.workshop.tools()?;
        let Subject { session, code, tool, define, output_schema } = self.subject;
        let (name, mut list) = match define {
            None => (None, Vec::new()),
            Some(raw) => read_define(&raw, &tools, backend.workshop.session_capacity())?,
        };
        let mut request = match (code, tool) {
            (None, None) => self.settings.request(backend, Code::Term(String::new()))?,
            (code, tool) => {
                let (code, _) = run::read_code(code, tool, &tools)?;
                self.settings.request(backend, code)?
            }
        };
        let is_blank = matches!(&request.code, Code::Term(text) if text.is_empty());
        let mut name = name;
        let mut place = String::new();
        if is_blank {
            request.code = Code::Term(match (&request.argument, list.pop()) {
                (Argument::Data(_), None) => r#"{"var":"data"}"#.to_owned(),
                (Argument::Input(_), None) => r#"{"var":"input"}"#.to_owned(),
                (Argument::None | Argument::Unapplied, Some((last, code))) => {
                    (name, place) = (Some(last), Plan::place(list.len()));
                    code
                }
                (_, Some(_)) => {
                    let hint = "give `code` that uses it, or no `input` and `data`";
                    return Err(malformed("nothing takes the argument", Some(hint)));
                }
                (_, None) => {
                    let hint = "write {\"code\": \"1 + 2\"} or {\"define\": \"x\", \"data\": …}";
                    return Err(malformed("there is nothing to run", Some(hint)));
                }
            });
        }
        if name.is_some() && matches!(request.argument, Argument::None) {
            request.argument = Argument::Unapplied;
        }
        request.output_schema = output_schema.map(|raw| run::read_schema(&raw)).transpose()?;
        let most = backend.config.values.size(Limit::Code);
        let codes = list.iter().map(|(_, code)| code.len());
        let length = codes.sum::<usize>()
            + match &request.code {
                Code::Term(text) => text.len(),
                Code::Tool(_) => 0,
            };
        if length > most {
            return Err(too_large(Limit::Code, "code", length, most));
        }
        run::ensure_data(backend, &request)?;
        let which = sessions::which(backend, session);
        let plan = Plan { which, define: list, name, place };
        Ok((plan, request, tools))
    }
}

type Definitions = (Option<String>, Vec<(String, String)>);

/// A name for the value, or names with their code.
fn read_define(
    raw: &RawValue,
    tools: &Tools,
    most: &SessionCapacity,
) -> Result<Definitions, Fault> {
    let ensure = |name: &str| {
        if is_recent(name) {
            let message = format!("`{name}` is one of the last values");
            return Err(malformed(message, Some("use another name")));
        }
        sessions::ensure_name("define", name)
    };
    if raw.get().starts_with('"') {
        let name = decode("define", raw.get())?;
        ensure(&name)?;
        return Ok((Some(name), Vec::new()));
    }
    let pairs: Vec<(String, Box<RawValue>)> = serde_json::from_str(raw.get()).map_err(|_| {
        let hint = "write {\"define\": \"name\"} or {\"define\": [[\"name\", code], …]}";
        malformed("`define` is neither a name nor a list of [name, code]", Some(hint))
    })?;
    most.ensure_bindings(u64::try_from(pairs.len()).unwrap_or(u64::MAX)).map_err(ended)?;
    let mut list = Vec::new();
    for (name, code) in pairs {
        ensure(&name)?;
        let code = match run::read_code(Some(code), None, tools)? {
            (Code::Term(text), _) => text,
            (Code::Tool(tool), _) => json!({ "tool": tool }).to_string(),
        };
        list.push((name, code));
    }
    Ok((None, list))
}
