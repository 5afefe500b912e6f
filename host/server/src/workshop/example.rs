//! Examples of a tool: the arguments and the expected value.

use pif_domain::{CallOutcome, Failure, Fault, FaultCode, Reason, fault};
use pif_sandbox::{Argument, Code};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::script::{Line, Script};

/// The most examples that one change may bring.
pub const MOST_EXAMPLES: usize = 64;

/// The most arguments of one example, as in one `app`.
const MOST_ARGS: usize = 64;

/// An example of a tool. All members keep their JSON text as written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The argument, as a term.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<RawValue>>,
    /// The argument, as plain JSON.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
    /// Several arguments as plain JSON. The tool is applied to the first, the result to the second,
    /// and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<Box<RawValue>>>,
    /// What calls of other servers come to, one after another: an example calls nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<ScriptedAnswer>>,
    /// The expected value.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<RawValue>>,
}

/// What a call comes to in an example: a value, or the reason why there is none.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedAnswer {
    /// The tool that is to be called: `UPSTREAM.TOOL`.
    pub tool: String,
    /// Its value, as plain JSON.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// Why it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What the other server says then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl ScriptedAnswer {
    fn line(&self) -> Line {
        let outcome = match (&self.value, self.reason) {
            (Some(value), _) => CallOutcome::Value(value.get().to_owned()),
            (None, reason) => {
                let message = self.message.clone().unwrap_or_default();
                Failure::new(reason.unwrap_or(Reason::Unavailable), message).into()
            }
        };
        Line { tool: self.tool.clone(), outcome }
    }
}

/// Reads a member that is present, even if it is null: null is a valid argument and a valid value.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl Example {
    /// The defect of the example's members; None if they are valid.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        let inputs = [self.input.is_some(), self.data.is_some(), self.args.is_some()];
        let names = ["`input`", "`data`", "`args`"].into_iter().zip(inputs);
        let given: Vec<&str> = names.filter(|it| it.1).map(|it| it.0).collect();
        if let [first, second, ..] = given.as_slice() {
            return Some(format!("has both {first} and {second}"));
        }
        if self.args.as_ref().is_some_and(|args| !(1..=MOST_ARGS).contains(&args.len())) {
            return Some(format!("must have 1 to {MOST_ARGS} values in `args`"));
        }
        let answers = self.answers.as_deref().unwrap_or_default();
        if answers.iter().any(|it| it.value.is_some() == it.reason.is_some()) {
            return Some("must have `value` or `reason` in each of `answers`".to_owned());
        }
        self.output.is_none().then(|| "has no `output`".to_owned())
    }

    /// Who answers calls.
    pub(super) fn script(&self) -> Script {
        Script::new(&self.lines())
    }

    /// What calls come to.
    pub(super) fn lines(&self) -> Vec<Line> {
        let answers = self.answers.as_deref().unwrap_or_default();
        answers.iter().map(ScriptedAnswer::line).collect()
    }

    /// The code, the argument and the context of the run. Several arguments become variables of a
    /// term that applies the tool to them.
    pub(super) fn call(&self, name: &str) -> (Code, Argument, Option<String>) {
        let text = |raw: &RawValue| raw.get().to_owned();
        let tool = || Code::Tool(name.to_owned());
        match (&self.input, &self.data, &self.args) {
            (_, _, Some(args)) => {
                let variables: Vec<Value> =
                    (0..args.len()).map(|index| json!({"var": index.to_string()})).collect();
                let term = json!({"app": {"func": {"tool": name}, "args": variables}});
                let members = args.iter().enumerate();
                let members: Vec<String> =
                    members.map(|(index, raw)| format!("\"{index}\":{raw}")).collect();
                let context = format!("{{{}}}", members.join(","));
                (Code::Term(term.to_string()), Argument::None, Some(context))
            }
            (Some(input), ..) => (tool(), Argument::Input(text(input)), None),
            (_, Some(data), _) => (tool(), Argument::Data(text(data)), None),
            _ => (tool(), Argument::None, None),
        }
    }

    /// What to write where `input` is a text that stands for other JSON, as it does in a run.
    pub(super) fn decoded(&self) -> Option<String> {
        let input = self.input.as_ref()?.get();
        let text: String = serde_json::from_str(input).ok()?;
        let word = ["true", "false", "null"].contains(&text.to_lowercase().as_str());
        let read = serde_json::from_str::<Value>(&text).ok();
        let is_decoded = word || read.is_some_and(|it| !it.is_string());
        is_decoded.then(|| {
            let text = pif_domain::text::line(&text, 80);
            format!("`input` is a term, and the text {input} was read as {text}: give it as `data`, which stays a text", input = pif_domain::text::line(input, 80))
        })
    }

    /// Rewrites a fault for the author of the example: the term that applies a tool to several
    /// arguments is generated, so its places mean nothing to the author.
    pub(super) fn explain(&self, fault: Fault) -> Fault {
        let fault = match (&fault.hint, self.decoded()) {
            (None, Some(hint)) => Fault { hint: Some(hint), ..fault },
            _ => fault,
        };
        if self.args.is_none() || fault.tool.is_some() {
            return fault;
        }
        if let Some(within) = fault.at.strip_prefix("/context/") {
            return Fault { at: format!("/args/{within}"), ..fault };
        }
        let hint = match fault.code {
            FaultCode::NotAFunction => {
                Some("the tool takes fewer arguments than `args` has".to_owned())
            }
            _ => fault.hint,
        };
        Fault { at: String::new(), excerpt: None, hint, ..fault }
    }
}

/// The examples as JSON text, as the registry keeps them.
pub(super) fn to_json(examples: &[Example]) -> String {
    // They cannot fail to serialize: all parts are JSON already.
    serde_json::to_string(examples).unwrap_or_else(|_| "[]".to_owned())
}

/// Parses examples from the registry.
pub(super) fn from_json(text: &str) -> Result<Vec<Example>, Fault> {
    serde_json::from_str(text).map_err(|error| {
        fault(
            FaultCode::Internal,
            format!("the examples that were kept cannot be read: {error}"),
            None,
        )
    })
}
