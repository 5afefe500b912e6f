//! Runs the examples of a tool that changes, and those of its callers.

use std::sync::Arc;

use pif_domain::text::{self, quote};
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::{Completion, Outcome, Request, Watch, drive};
use pif_store::registry::Definition;
use serde_json::Value;

use super::conform::compare;
use super::example::{Example, from_json};
use super::opening::Workshop;
use super::refusal::{ChangeRefusal, stored};
use super::world::{Tools, Witness};

/// The most continuations that an example may drive. The final value counts. The wall clock stops
/// endless runs.
const MOST_STEPS: u64 = 1_000_000;

/// The hint for an example whose value is a function.
const MORE: &str = "the tool takes more arguments: give all of them, one after another, as \
    `args`, a list of plain JSON";

/// The most characters of a value that a refusal quotes.
const QUOTED: usize = 200;

/// The most callers, direct and indirect, whose examples are run.
const MOST_CALLERS: usize = 200;

impl Workshop {
    /// Runs the examples of a change. A failing example refuses the change.
    pub(super) fn try_examples(
        &self,
        name: &str,
        examples: Vec<Example>,
        tools: &Tools,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Example>, ChangeRefusal> {
        for (index, example) in examples.iter().enumerate() {
            self.try_example(name, example, tools, &watch.again()).map_err(|fault| {
                ChangeRefusal {
                    during: Some(format!("example {index} refuses the change")),
                    faults: vec![fault],
                }
            })?;
        }
        match examples.len() {
            0 => {}
            1 => notes.push("1 example passed".to_owned()),
            count => notes.push(format!("{count} examples passed")),
        }
        Ok(examples)
    }

    /// Runs the examples of an existing tool. Returns their number, or the first failure.
    pub fn prove(&self, name: &str, watch: &Watch) -> Result<usize, ChangeRefusal> {
        let tools = self.tools()?;
        let Some(tool) = tools.find(name)? else {
            let message = format!("there is no tool {}", text::quote_one(name));
            return Err(fault(FaultCode::UnknownTool, message, None).into());
        };
        let examples = from_json(&tool.examples)?;
        let proved = self.try_examples(name, examples, &tools, watch, &mut Vec::new())?;
        Ok(proved.len())
    }

    /// Runs the examples of the current revision if the change has none. Keeps those that pass.
    pub(super) fn carry_over(
        &self,
        name: &str,
        current: Option<&Definition>,
        tools: &Tools,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Example>, ChangeRefusal> {
        let Some(current) = current else { return Ok(Vec::new()) };
        let before = from_json(&current.examples)?;
        let all = before.len();
        let watch = watch.again();
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

    /// Runs a tool on an example and compares the value.
    pub(super) fn try_example(
        &self,
        name: &str,
        example: &Example,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(), Fault> {
        self.measure_example(name, example, tools, watch).0
    }

    /// Like [`Self::try_example`], with the fuel that the run took.
    pub(super) fn measure_example(
        &self,
        name: &str,
        example: &Example,
        tools: &Tools,
        watch: &Watch,
    ) -> (Result<(), Fault>, u64) {
        let Some(expected) = &example.output else { return (Ok(()), 0) };
        let Outcome { ending, usage, .. } = self.run_example(name, example, tools, watch);
        let judged = self.judge_example(name, example, expected.get(), ending, tools, watch);
        (judged, usage.fuel)
    }

    fn run_example(&self, name: &str, example: &Example, tools: &Tools, watch: &Watch) -> Outcome {
        let (code, argument, context) = example.call(name);
        let request = Request {
            code,
            argument,
            context,
            bindings: Vec::new(),
            keep: false,
            limits: self.limits,
            step: 0,
            max_steps: MOST_STEPS,
            output_schema: None,
            debug: false,
            steps: 0,
        };
        let mut nobody = ();
        let script = Arc::new(example.script());
        let live = self.live(tools.clone(), script, watch);
        let mut witness = Witness::new(live, &mut nobody);
        drive(&self.sandbox, request, &mut witness, watch)
    }

    pub(super) fn judge_example(
        &self,
        name: &str,
        example: &Example,
        expected: &str,
        ending: Result<Completion, Fault>,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(), Fault> {
        let describe = |fault| self.explain(example.explain(fault), tools, watch);
        let (found, kind, is_value) = match ending.map_err(describe)? {
            Completion::Value(value) => (value.json, value.kind, true),
            Completion::Continuation(continuation) => (continuation.json, String::new(), false),
        };
        if !is_same(&found, expected) {
            let decoded = example.decoded();
            let hint = match &decoded {
                _ if kind == "function" => MORE,
                Some(hint) => hint,
                None => "correct the code or the example",
            };
            let [expected, found] = compared(expected, [&found, &kind]);
            return Err(unexpected(&expected, &found, hint));
        }
        match tools.candidate_schema(name) {
            Some(schema) if is_value => compare(schema, "its output schema", &found, watch),
            _ => Ok(()),
        }
    }

    /// Runs the examples of direct and indirect callers, and adds notes on those that no longer
    /// pass. All of them share one deadline.
    pub(super) fn broken_callers(
        &self,
        name: &str,
        tools: &Tools,
        watch: &Watch,
        notes: &mut Vec<String>,
    ) -> Result<Vec<ChangeRefusal>, Fault> {
        let before = Tools { candidates: Arc::default(), ..tools.clone() };
        let mut seen = vec![name.to_owned()];
        let mut next = 0;
        let mut broken = Vec::new();
        let mut names = Vec::new();
        let watch = watch.again();
        while let Some(called) = seen.get(next).cloned() {
            next += 1;
            for caller in tools.registered.callers(&called, MOST_CALLERS).map_err(stored)? {
                // A caller that changes too has its own examples run already.
                let is_known = seen.contains(&caller.name) || tools.is_candidate(&caller.name);
                if is_known || seen.len() > MOST_CALLERS {
                    continue;
                }
                seen.push(caller.name.clone());
                if let Err(refusal) = self.try_caller(&caller, tools, &before, &watch) {
                    names.push(caller.name);
                    broken.push(refusal);
                }
                if watch.verdict().is_err() {
                    notes.push(
                        "warning: not all examples of callers could be run in time".to_owned(),
                    );
                    return Ok(broken);
                }
            }
        }
        if !names.is_empty() {
            let are = if names.len() == 1 { "is" } else { "are" };
            let names = quote(&names);
            notes.push(format!(
                "warning: examples of {names} no longer pass: what they call {are} changed"
            ));
        }
        Ok(broken)
    }

    /// An example of a caller that fails with the change and passed before.
    fn try_caller(
        &self,
        caller: &Definition,
        tools: &Tools,
        before: &Tools,
        watch: &Watch,
    ) -> Result<(), ChangeRefusal> {
        for (index, example) in from_json(&caller.examples)?.iter().enumerate() {
            let Err(refusal) = self.try_example(&caller.name, example, tools, watch) else {
                continue;
            };
            if self.try_example(&caller.name, example, before, watch).is_ok() {
                let during = format!(
                    "example {index} of `{}`, which calls this tool, refuses the change",
                    caller.name
                );
                return Err(ChangeRefusal { during: Some(during), faults: vec![refusal] });
            }
        }
        Ok(())
    }
}

/// The fault of an example with another value than expected.
fn unexpected(expected: &str, found: &str, hint: &str) -> Fault {
    let message = format!("expected {expected}, got {found}");
    fault(FaultCode::Fail, message, Some(hint))
}

/// Whether a value equals the expected one. Spelling does not matter, and a float that is a whole
/// number may be written as an integer.
pub(super) fn is_same(found: &str, expected: &str) -> bool {
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
    found == expected
        || matches!((parse(found), parse(expected)), (Some(a), Some(b)) if is_equal(&a, &b))
}

fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let is_integer = |n: &str| !n.contains(['.', 'e', 'E']);
            let left = a.to_string();
            let right = b.to_string();
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

/// Two different values for a message, with their types if these differ.
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
