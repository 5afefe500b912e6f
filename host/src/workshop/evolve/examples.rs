//! Examples: what a tool is given, and what is expected of it.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Refused, unexpected};
use crate::domain::{Fault, FaultCode, fault};
use crate::registry::Definition;
use crate::sandbox::{Argument, Code, Ending, Request, Watch, drive};
use crate::text;
use crate::workshop::world::{Live, Witness};
use crate::workshop::{Tools, Workshop, conform};

/// Continuations that an example may drive: what counts is the value at the end. The wall clock
/// stops those that never come to one.
const MOST_STEPS: u64 = 1_000_000;

/// Arguments of one example: as many as one `app` has.
const MOST_ARGS: usize = 64;

/// The hint of an example that comes to a function.
const MORE: &str = "the tool takes more arguments: give all of them, one after another, as \
    `args`, a list of plain JSON";

/// Characters of a value that a refusal quotes.
const QUOTED: usize = 200;

/// What a tool is expected to do. All members are the JSON text that was written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What its function is applied to, as a term.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<RawValue>>,
    /// The same as plain JSON.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
    /// Plain JSON again, where the function takes several arguments: each is given to what the one
    /// before it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<Box<RawValue>>>,
    /// What comes out.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<RawValue>>,
}

/// A member that is there, even if it is null: a tool may be given null, and may give it.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl Example {
    /// What is wrong with its shape.
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

    /// What to run. Several arguments are variables of a term that applies the tool to them.
    fn call(&self, name: &str) -> (Code, Argument, Option<String>) {
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

    /// A fault in the words of the example: the term that applies a tool to several arguments is
    /// none of its author's.
    fn told(&self, fault: Fault) -> Fault {
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

/// Examples as the registry keeps them.
pub(in super::super) fn to_json(examples: &[Example]) -> String {
    // They are JSON already.
    serde_json::to_string(examples).unwrap_or_else(|_| "[]".to_owned())
}

/// Examples that the registry kept.
pub(in super::super) fn from_json(text: &str) -> Result<Vec<Example>, Fault> {
    serde_json::from_str(text).map_err(|error| {
        fault(
            FaultCode::Internal,
            format!("the examples that were kept cannot be read: {error}"),
            None,
        )
    })
}

impl Workshop {
    /// Runs examples that come with a change: one that fails refuses it.
    pub(in super::super) fn try_examples(
        &self,
        name: &str,
        examples: Vec<Example>,
        tools: &Tools,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Example>, Refused> {
        for (index, example) in examples.iter().enumerate() {
            self.try_example(name, example, tools, &watch.again()).map_err(|fault| Refused {
                during: Some(format!("example {index} refuses the change")),
                faults: vec![fault],
            })?;
        }
        match examples.len() {
            0 => {}
            1 => notes.push("1 example passed".to_owned()),
            count => notes.push(format!("{count} examples passed")),
        }
        Ok(examples)
    }

    /// Runs the examples that a tool has, and says how many there are; one that fails is told.
    pub fn prove(&self, name: &str, watch: &Watch) -> Result<usize, Refused> {
        let tools = self.tools()?;
        let Some(tool) = tools.find(name)? else {
            let message = format!("there is no tool {}", text::quote_one(name));
            return Err(fault(FaultCode::UnknownTool, message, None).into());
        };
        let examples = from_json(&tool.examples)?;
        let proved = self.try_examples(name, examples, &tools, watch, &mut Vec::new())?;
        Ok(proved.len())
    }

    /// Runs the examples of the revision that is changed, where the change brings none. Those that
    /// pass stay.
    pub(super) fn carry_over(
        &self,
        name: &str,
        current: Option<&Definition>,
        tools: &Tools,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Example>, Refused> {
        let Some(current) = current else { return Ok(Vec::new()) };
        let before = from_json(&current.examples)?;
        let (all, watch) = (before.len(), watch.again());
        let passes = |it: &Example| self.try_example(name, it, tools, &watch).is_ok();
        let kept: Vec<Example> = before.into_iter().filter(passes).collect();
        watch.verdict()?;
        match all - kept.len() {
            0 => {}
            lost => notes.push(format!(
                "warning: {lost} of its {all} examples failed and were removed: give `examples` again"
            )),
        }
        Ok(kept)
    }

    /// Runs a tool on an example and compares what comes out.
    pub(super) fn try_example(
        &self,
        name: &str,
        example: &Example,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(), Fault> {
        let Some(expected) = &example.output else { return Ok(()) };
        let (code, argument, context) = example.call(name);
        let request = Request {
            code,
            argument,
            context,
            limits: self.limits,
            step: 0,
            max_steps: MOST_STEPS,
            output_schema: None,
            debug: false,
        };
        let mut nobody = ();
        let mut witness = Witness::new(Live::of(tools.clone()), &mut nobody);
        let ending = drive(&self.sandbox, request, &mut witness, watch).ending;
        let (found, kind, is_value) = match ending.map_err(|fault| example.told(fault))? {
            Ending::Value(value) => (value.json, value.kind, true),
            Ending::Continuation(continuation) => (continuation.json, String::new(), false),
        };
        if !is_same(&found, expected.get()) {
            let hint = if kind == "function" { MORE } else { "correct the code or the example" };
            let [expected, found] = compared(expected.get(), [&found, &kind]);
            return Err(unexpected(&expected, &found, hint));
        }
        match tools.candidate_schema(name) {
            Some(schema) if is_value => {
                conform::compare(schema, "its output schema", &found, watch)
            }
            _ => Ok(()),
        }
    }
}

/// Whether a value is the one that somebody wrote down: spelling does not count, and a float
/// that is a whole number may be written as one.
fn is_same(found: &str, expected: &str) -> bool {
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
    found == expected
        || matches!((parse(found), parse(expected)), (Some(a), Some(b)) if is_equal(&a, &b))
}

fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let is_integer = |n: &str| !n.contains(['.', 'e', 'E']);
            let (left, right) = (a.to_string(), b.to_string());
            let exact = is_integer(&left) && is_integer(&right);
            left == right || (!exact && a.as_f64().is_some_and(|a| Some(a) == b.as_f64()))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_equal(a, b)))
        }
        _ => a == b,
    }
}

/// Two values that differ, as people see them; with their types where these differ too.
fn compared(expected: &str, [found, kind]: [&str; 2]) -> [String; 2] {
    let wanted = type_of(expected);
    let kind = if kind.is_empty() { type_of(found) } else { kind };
    if wanted == kind {
        return [expected, found].map(|json| cut(&text::plain(json)));
    }
    [(expected, wanted), (found, kind)].map(|(json, name)| format!("{} ({name})", cut(json)))
}

fn type_of(json: &str) -> &'static str {
    match json.trim_start().bytes().next() {
        Some(b'"') => "string",
        Some(b'[') => "list",
        Some(b'{') => "record",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ if json.contains(['.', 'e', 'E']) => "float",
        _ => "integer",
    }
}

fn cut(text: &str) -> String {
    format!("`{}`", text::line(text, QUOTED))
}
