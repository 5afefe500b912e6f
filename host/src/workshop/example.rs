//! Examples of a tool: the arguments and the expected value.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::domain::{Fault, FaultCode, fault};
use crate::sandbox::{Argument, Code};

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
    /// The expected value.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<RawValue>>,
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
        self.output.is_none().then(|| "has no `output`".to_owned())
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

    /// Rewrites a fault for the author of the example: the term that applies a tool to several
    /// arguments is generated, so its places mean nothing to the author.
    pub(super) fn told(&self, fault: Fault) -> Fault {
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
