//! How the program that solved a task is kept: a ready call of `evolve`, with examples made from what was
//! asked.

use pif_domain::Fault;
use pif_domain::text::line;
use pif_sandbox::Watch;
use pif_store::journal::{Answer, Came, Digest, SentCall};
use pif_store::registry::name::ensure_free;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::assignment::Assignment;
use super::solve::Solution;
use crate::workshop::opening::Workshop;
use crate::workshop::refusal::stored;

/// Characters of a name that is made from a task.
const MOST_NAME: usize = 40;

/// Characters of a description.
const MOST_DESCRIPTION: usize = 300;

/// Bytes of all examples of a ready call.
const MOST_EXAMPLES: usize = 16 << 10;

/// Names that are tried before none is found.
const TRIES: usize = 50;

/// How a program is kept.
#[derive(Debug)]
pub struct Keep {
    /// The arguments of `evolve`.
    pub call: Value,
    /// What to know of them.
    pub note: Option<&'static str>,
}

impl Workshop {
    /// The call that keeps the program of a solved task; None: there is none.
    pub fn keep(
        &self,
        asked: &Assignment,
        solution: &Solution,
        watch: &Watch,
    ) -> Result<Option<Keep>, Fault> {
        let (Ok(value), Some(program)) = (&solution.ending, &solution.program) else {
            return Ok(None);
        };
        let Ok(summary) = self.sandbox.check(program, &watch.again()) else { return Ok(None) };
        let context: Map<String, Value> = asked
            .context
            .as_deref()
            .and_then(|it| serde_json::from_str(it).ok())
            .unwrap_or_default();
        let used: Vec<&String> =
            context.keys().filter(|it| summary.free.contains(*it) && *it != "data").collect();
        let is_function = summary.form == "lam";
        let mut parameters: Vec<&str> = used.iter().map(|it| it.as_str()).collect();
        if asked.data.is_some() && !is_function {
            parameters.push("data");
        }
        let code = match parameters.is_empty() {
            true => program.clone(),
            false => {
                let body = RawValue::from_string(summary.canonical.clone()).ok();
                let names = json!(parameters);
                let Some(body) = body else { return Ok(None) };
                let term = format!("{{\"lam\":{names},\"body\":{body}}}");
                self.notation(&term, self.most_code, watch).unwrap_or(term)
            }
        };
        let calls = self.answered_calls(solution)?;
        let (examples, note) = match calls {
            None => (None, Some("it has no example: what others answered is not in the journal")),
            Some(calls) => {
                let values: Vec<&Value> = used.iter().filter_map(|it| context.get(*it)).collect();
                let examples = examples(asked, value, (&values, calls));
                match examples.to_string().len() > MOST_EXAMPLES {
                    true => (None, Some("it has no example: the data are long")),
                    false => (Some(examples), None),
                }
            }
        };
        let description = line(asked.task.trim(), MOST_DESCRIPTION);
        let Some(name) = self.name_for(&asked.task)? else { return Ok(None) };
        let mut call = json!({"name": name, "description": description, "code": code});
        if let Value::Object(members) = &mut call {
            members.extend(examples.map(|it| ("examples".to_owned(), it)));
            let schema = asked.output_schema.as_deref();
            let schema = schema.and_then(|it| serde_json::from_str::<Value>(it).ok());
            members.extend(schema.map(|it| ("output_schema".to_owned(), it)));
        }
        Ok(Some(Keep { call, note }))
    }

    /// Stages the program of a solved task, if its snapshot is to have it: the snapshot with the name, or
    /// why it was not staged.
    pub fn stage_solution(
        &self,
        asked: &Assignment,
        keep: Option<&Keep>,
        arguments: &str,
        watch: &Watch,
    ) -> Option<Result<(i64, String), String>> {
        let snapshot = asked.snapshot?;
        let keep = keep?;
        let name = keep.call["name"].as_str().unwrap_or_default().to_owned();
        let operation = json!({ "evolve": keep.call }).to_string();
        let staged = self.stage(Some(snapshot), &[operation], arguments, watch);
        Some(staged.map(|_| (snapshot, name)).map_err(|fault| fault.told()))
    }

    /// What the calls of the program came to on the data of the task, as an example has it; None: that is
    /// not in the store.
    fn answered_calls(&self, solution: &Solution) -> Result<Option<Vec<Value>>, Fault> {
        let run = solution.attempts.last().and_then(|it| it.runs.first());
        let Some(run) = run else { return Ok(None) };
        let Some(entry) = self.journal.entry(run.entry).map_err(stored)? else { return Ok(None) };
        let Some(body) = entry.read_body() else { return Ok(None) };
        let text = |digest: &Digest| self.store.text(&digest.sha256).map_err(stored);
        let mut calls = Vec::new();
        for answer in &body.answers {
            let Answer::Calls(made) = answer else { continue };
            for SentCall { asked, outcome, .. } in made {
                let told = match outcome {
                    Came::Unknown => return Ok(None),
                    Came::Failed { reason, message, .. } => {
                        json!({"tool": asked.tool, "reason": reason, "message": message})
                    }
                    Came::Value(digest) => {
                        let Some(text) = text(digest)? else { return Ok(None) };
                        let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
                        json!({"tool": asked.tool, "value": value})
                    }
                };
                calls.push(told);
            }
        }
        Ok(Some(calls))
    }

    /// A free name for what does a task.
    fn name_for(&self, task: &str) -> Result<Option<String>, Fault> {
        let words: Vec<String> = task
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        let mut name = String::new();
        for word in words.iter().skip_while(|it| !it.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            if name.len() + word.len() >= MOST_NAME {
                break;
            }
            name.push_str(if name.is_empty() { "" } else { "_" });
            name.push_str(word);
        }
        if name.is_empty() {
            "solve_task".clone_into(&mut name);
        }
        let tools = self.tools()?;
        for number in 1..=TRIES {
            let name = if number == 1 { name.clone() } else { format!("{name}_{number}") };
            if ensure_free(&name).is_ok() && tools.find(&name)?.is_none() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }
}

/// Examples of what was asked: the answer for the data, and those that whoever asked has given.
fn examples(asked: &Assignment, value: &str, (variables, calls): (&[&Value], Vec<Value>)) -> Value {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let example = |data: Option<&str>, output: &str| {
        let mut example = Map::new();
        let data = data.map(read);
        if !variables.is_empty() {
            let args = variables.iter().copied().cloned().chain(data);
            example.insert("args".to_owned(), args.collect());
        } else if let Some(data) = data {
            example.insert("data".to_owned(), data);
        }
        example.insert("output".to_owned(), read(output));
        example
    };
    let mut first = example(asked.data.as_deref(), value);
    if calls.is_empty() {
        let own = asked.examples.iter().map(|it| example(Some(&it.data), &it.output));
        return std::iter::once(first).chain(own).map(Value::Object).collect();
    }
    // An example calls nobody. Only of the first one it is known what the calls come to.
    first.insert("answers".to_owned(), calls.into());
    Value::Array(vec![Value::Object(first)])
}
