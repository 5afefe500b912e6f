//! Programs of JavaScript on the machine, and on node, which says what they give.

use anyhow::{Context, Result};
use pif::limits::Limits;
use pif::machine::Machine;
use pif::request::{Answer, Argument, Call, Outcome, Program, Refusal, Source, Step};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Answers of tools: of each tool the arguments, the value, and what it fails with.
pub type Answers = BTreeMap<String, Vec<Vec<Value>>>;

/// What came of a program: its value, or why it was refused.
pub type Came = Result<Value, String>;

/// Runs a program on the machine.
pub fn run(code: &str, data: &Value, answers: &Answers) -> Result<Came> {
    let program = Program {
        code: Source::Term(code.to_owned()),
        argument: Argument::Data(data.to_string()),
        ..Program::term("")
    };
    let limits = Limits { fuel: 500_000_000, ..crate::case::LIMITS };
    let told = |fault: &pif::fault::Fault| {
        let hint = fault.hint.as_ref().map(ToString::to_string).unwrap_or_default();
        Err(format!("{}: {} [{hint}]", fault.code.name(), fault.message))
    };
    let mut machine = match Machine::start(program, limits) {
        Ok(machine) => machine,
        Err(fault) => return Ok(told(&fault)),
    };
    let mut answer = Answer::None;
    loop {
        answer = match machine.resume(answer, u64::MAX) {
            Step::Done(done) => return Ok(Ok(serde_json::from_str(&done.json)?)),
            Step::Continuation(..) => return Ok(Err("a continuation".to_owned())),
            Step::Failed(fault) => return Ok(told(&fault)),
            Step::Perform(calls) => answered(answers, &calls.calls)?,
            Step::Wait(wait) => Answer::Waited(wait.millis),
            Step::Paused | Step::Enter(_) | Step::Leave(_) => Answer::None,
            Step::Lookup(_) | Step::Recall(_) => Answer::Source(None),
        };
    }
}

/// Answers calls from what is known.
fn answered(answers: &Answers, calls: &[Call]) -> Result<Answer> {
    let mut outcomes = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let Some(known) = answers.get(&call.tool) else {
            return Ok(Answer::Refused(Refusal {
                index: u32::try_from(index)?,
                code: pif::fault::Code::UnknownCapability,
                message: format!("there is no tool {}", call.tool),
                hint: None,
            }));
        };
        let given: Value = serde_json::from_str(&call.args)?;
        let is_meant =
            |answer: &&Vec<Value>| answer.first().is_some_and(|args| equal(args, &given));
        let found = known.iter().find(is_meant);
        let found = found.with_context(|| format!("no answer for {}", call.args))?;
        outcomes.push(match found.get(2).and_then(Value::as_str) {
            Some(message) => Outcome::Failed {
                reason: "tool-error".to_owned(),
                message: message.to_owned(),
                value: None,
            },
            None => Outcome::Value(found.get(1).cloned().unwrap_or_default().to_string()),
        });
    }
    Ok(Answer::Outcomes(outcomes))
}

/// Whether two values are equal: numbers by what they are, records without regard to order.
#[must_use]
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.to_string(), b.to_string());
            let is_whole =
                |text: &str| text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
            if is_whole(&a) && is_whole(&b) {
                return a == b || (a == "-0" && b == "0");
            }
            a.parse::<f64>().ok() == b.parse::<f64>().ok()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// A node that evaluates programs, one after another.
#[derive(Debug)]
pub struct Node {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Node {
    /// Starts `node`, which must be on the path.
    pub fn start() -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("javascript/node.mjs");
        let mut child = Command::new("node")
            .arg(script)
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("node cannot be started")?;
        let input = child.stdin.take().context("node has no input")?;
        let output = BufReader::new(child.stdout.take().context("node has no output")?);
        Ok(Self { child, input, output })
    }

    /// The value of a program, or nothing if it has none.
    pub fn value(&mut self, code: &str, data: &Value) -> Result<Option<Value>> {
        let line = serde_json::json!({"code": code, "data": data});
        writeln!(self.input, "{line}")?;
        self.input.flush()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        let answer: Value = serde_json::from_str(&answer).context("node answers no JSON")?;
        Ok(answer.get("value").cloned())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It ends by itself when its input does.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
