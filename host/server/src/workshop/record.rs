//! The journaled form of runs: requests, so that a run can be repeated, and outcomes, so that they
//! can be compared. All texts of programs are kept exactly.

use std::ops::Not;
use std::time::Duration;

use pif_domain::{EntryKind, EntryOutcome, Excess, Fault, FaultCode};
use pif_sandbox::{
    self, Argument, Binding, Code, Completion, Continuation, Limits, Outcome, Request,
};
use pif_store::journal::{Answer, Digest, Draft};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The journaled form of a request.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    /// Names of a session's bindings that the code may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bindings: Vec<String>,
    /// Whether a function is the value, and not applied.
    #[serde(default, skip_serializing_if = "Not::not")]
    unapplied: bool,
    /// Whether the value is given as a term, too.
    #[serde(default, skip_serializing_if = "Not::not")]
    keep: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<String>,
    fuel: u64,
    depth: u32,
    memory: u64,
    output: u32,
    #[serde(default, skip_serializing_if = "is_nothing")]
    step: u64,
    #[serde(default, skip_serializing_if = "is_nothing")]
    max_steps: u64,
    /// The snapshot whose tools the run had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snapshot: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_nothing(n: &u64) -> bool {
    *n == 0
}

impl From<&Request> for RequestRecord {
    fn from(request: &Request) -> Self {
        let Limits { fuel, depth, memory, output } = request.limits;
        let mut recorded = Self {
            context: request.context.clone(),
            output_schema: request.output_schema.clone(),
            bindings: request.bindings.iter().map(|binding| binding.name.clone()).collect(),
            keep: request.keep,
            fuel,
            depth,
            memory,
            output,
            step: request.step,
            max_steps: request.max_steps,
            ..Self::default()
        };
        match &request.code {
            Code::Term(text) => recorded.code = Some(text.clone()),
            Code::Tool(name) => recorded.tool = Some(name.clone()),
        }
        match &request.argument {
            Argument::None => {}
            Argument::Unapplied => recorded.unapplied = true,
            Argument::Input(text) => recorded.input = Some(text.clone()),
            Argument::Data(text) => recorded.data = Some(text.clone()),
        }
        recorded
    }
}

impl RequestRecord {
    /// Restores the request; None if it holds nothing to run.
    pub(super) fn into_request(self) -> Option<Request> {
        let Self { code, tool, input, data, context, fuel, depth, memory, output, .. } = self;
        let Self { step, max_steps, output_schema, bindings, unapplied, keep, .. } = self;
        let code = match (code, tool) {
            (Some(text), None) => Code::Term(text),
            (None, Some(name)) => Code::Tool(name),
            _ => return None,
        };
        let argument = match (input, data) {
            (Some(text), _) => Argument::Input(text),
            (None, Some(text)) => Argument::Data(text),
            (None, None) if unapplied => Argument::Unapplied,
            (None, None) => Argument::None,
        };
        let limits = Limits { fuel, depth, memory, output };
        Some(Request {
            code,
            argument,
            context,
            bindings: bindings.into_iter().map(|name| Binding { name, term: None }).collect(),
            keep,
            limits,
            step,
            max_steps,
            output_schema,
            debug: false,
            steps: 0,
        })
    }
}

/// The entry of a run.
pub(super) fn run(
    request: &Request,
    answers: Vec<Answer>,
    outcome: &Outcome,
    elapsed: Duration,
) -> Draft {
    Draft {
        ending: ending(outcome),
        fuel: Some(outcome.usage.fuel),
        answers,
        outcome: self::outcome(outcome),
        memory: outcome.usage.peak_memory,
        depth: outcome.usage.peak_depth,
        micros: u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        ..begun(request)
    }
}

/// The entry of a run whose ending is unknown.
pub(super) fn begun(request: &Request) -> Draft {
    let subject = match &request.code {
        Code::Tool(name) => Some(name.as_str()),
        Code::Term(_) => None,
    };
    let draft = Draft::new(EntryKind::Run, subject, EntryOutcome::Unknown);
    Draft { request: json!(RequestRecord::from(request)), ..draft }
}

/// The ending of a run, as one word.
pub(super) fn ending(outcome: &Outcome) -> EntryOutcome {
    match &outcome.ending {
        Ok(Completion::Value(_)) => EntryOutcome::Value,
        Ok(Completion::Continuation(_)) => EntryOutcome::Continuation,
        Err(fault) => EntryOutcome::Fault(fault.code),
    }
}

/// The journaled form of an outcome.
pub(super) fn outcome(outcome: &Outcome) -> Value {
    let (mut told, warnings, trace) = match &outcome.ending {
        Ok(Completion::Value(it)) => (value(it), &it.warnings, &it.trace),
        Ok(Completion::Continuation(it)) => {
            (json!({"continuation": it.json}), &it.warnings, &it.trace)
        }
        Err(it) => (fault(it), &it.warnings, &Vec::new()),
    };
    if let Value::Object(members) = &mut told {
        for (name, lines) in [("warnings", warnings), ("trace", trace)] {
            if !lines.is_empty() {
                members.insert(name.to_owned(), json!(lines));
            }
        }
        if outcome.driven > 0 {
            members.insert("steps".to_owned(), outcome.driven.into());
        }
    }
    told
}

/// The outcome that this tells.
pub(super) fn read_outcome(told: &Value) -> Result<Completion, Fault> {
    let lines = |name: &str| {
        let lines = told[name].as_array().into_iter().flatten();
        lines.filter_map(|line| Some(line.as_str()?.to_owned())).collect::<Vec<_>>()
    };
    let warnings = lines("warnings");
    let trace = lines("trace");
    if let (Some(json), Some(kind)) = (told["value"].as_str(), told["kind"].as_str()) {
        let json = json.to_owned();
        let kind = kind.to_owned();
        return Ok(Completion::Value(pif_sandbox::Value {
            json,
            kind,
            warnings,
            trace,
            term: None,
        }));
    }
    if let Some(json) = told["continuation"].as_str() {
        let next: Value = serde_json::from_str(json).unwrap_or_default();
        return Ok(Completion::Continuation(Continuation {
            json: json.to_owned(),
            tool: next["tool"].as_str().unwrap_or_default().to_owned(),
            input: next["next_input"].to_string(),
            step: next["step"].as_u64().unwrap_or_default(),
            warnings,
            trace,
        }));
    }
    let fault = &told["fault"];
    let text = |name: &str| fault[name].as_str().map(str::to_owned);
    let code = fault["code"].as_str().and_then(FaultCode::find).unwrap_or(FaultCode::Internal);
    let found = pif_domain::fault(code, text("message").unwrap_or_default(), None);
    let at = text("at").unwrap_or_default();
    let excerpt = text("excerpt").map(String::into_boxed_str);
    Err(Fault { at, tool: text("tool"), hint: text("hint"), excerpt, warnings, ..found })
}

/// The journaled form of a value. Of a term only the hash is kept, and of one that is missing only
/// the reason.
fn value(it: &pif_sandbox::Value) -> Value {
    let mut record = json!({"value": it.json, "kind": it.kind});
    match &it.term {
        None => {}
        Some(Ok(term)) => record["term"] = json!(Digest::of(term).sha256),
        Some(Err(fault)) => record["unkept"] = json!({"code": fault.code, "at": fault.at}),
    }
    record
}

/// The journaled form of a fault.
pub(super) fn fault(fault: &Fault) -> Value {
    let Fault { code, message, at, tool, hint, calls, excerpt, limit, .. } = fault;
    let Fault { mismatches, upstream, place, .. } = fault;
    let mut record = json!({"code": code.name(), "message": message, "at": at});
    if let Value::Object(members) = &mut record {
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                members.insert(name.to_owned(), value);
            }
        };
        add("tool", tool.as_ref().map(|it| json!(it)));
        add("hint", hint.as_ref().map(|it| json!(it)));
        add("excerpt", excerpt.as_ref().map(|it| json!(it)));
        add("calls", (!calls.is_empty()).then(|| json!(calls)));
        let excess =
            |it: &Excess| json!({"name": it.name.name(), "used": it.used, "limit": it.limit});
        add("limit", limit.as_deref().map(excess));
        add("line", place.as_ref().map(|it| json!(it.line)));
        add("column", place.as_ref().map(|it| json!(it.column)));
        add("caret", place.as_ref().map(|it| json!(it.caret)));
        add("upstream", upstream.as_ref().map(|it| json!(it)));
        add("mismatches", mismatches.as_ref().map(|it| json!(it)));
    }
    json!({ "fault": record })
}
