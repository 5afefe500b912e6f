//! Prompts for a model: the language in the fewest words, the task, the data as a sample, the tools.
//! Text of others stands between marks.

use pif_domain::{Message, Speaker};
use serde_json::{Map, Value};

use super::account::account;
use super::assignment::Assignment;
use super::marks::{MEANING, marked};
use super::sample::{MOST, cut, described};
use crate::workshop::reference::{CALLING, DIFFERENCES};

/// The beginning of a conversation about a task.
pub(super) fn opening(asked: &Assignment) -> Vec<Message> {
    let system = Message { role: Speaker::System, content: rules(asked) };
    vec![system, Message { role: Speaker::User, content: wish(asked) }]
}

/// A task as one text, which the model that called can answer itself.
#[must_use]
pub fn question(asked: &Assignment) -> String {
    opening(asked).into_iter().map(|it| it.content).collect::<Vec<_>>().join("\n\n")
}

/// The conversation after a program that failed.
pub(super) fn again(asked: &Assignment, program: Option<&str>, fault: &Value) -> Vec<Message> {
    let mut messages = opening(asked);
    if let Some(program) = program {
        let content = format!("```js\n{program}\n```");
        messages.push(Message { role: Speaker::Assistant, content });
    }
    let told = marked(&account(fault));
    let content = format!("It failed:\n{told}\nWrite the whole program again.");
    messages.push(Message { role: Speaker::User, content });
    messages
}

fn rules(asked: &Assignment) -> String {
    let form = match asked.data {
        Some(_) => "It is a function of the data: data => …",
        None => "Its value is the answer.",
    };
    let mut parts = vec![
        "You write one program that solves a task exactly, in a small JavaScript.".to_owned(),
        DIFFERENCES.to_owned(),
    ];
    if !asked.tools.is_empty() {
        parts.push("Programs use the workshop's own tools as functions: @name(x).".to_owned());
    }
    if !asked.upstream.is_empty() {
        parts.push(format!("{CALLING}."));
        if !asked.allow_writes {
            parts.push("Call only tools that read: others are refused.".to_owned());
        }
    }
    parts
        .push(format!("Answer with the program alone, in one block between ```js and ```. {form}"));
    parts.push(MEANING.to_owned());
    parts.join("\n")
}

fn wish(asked: &Assignment) -> String {
    let mut parts = vec![format!("Task: {}", asked.task.trim())];
    if let Some(background) = &asked.background {
        parts.push(format!("What there is to know:\n{}", marked(background)));
    }
    if let Some(data) = &asked.data {
        parts.push(format!("The data:\n{}", marked(&described(data))));
    }
    let context: Map<String, Value> =
        asked.context.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
    if !context.is_empty() {
        let line =
            |(name, value): (&String, &Value)| format!("{name}: {}", described(&value.to_string()));
        let lines: Vec<String> = context.iter().map(line).collect();
        let list = cut(&lines.join("\n"), MOST);
        parts.push(format!("Variables of the program:\n{}", marked(&list)));
    }
    if let Some(schema) = &asked.output_schema {
        parts.push(format!("The JSON Schema of the answer:\n{}", marked(schema)));
    }
    if !asked.examples.is_empty() {
        let told = asked.examples.iter().map(|it| format!("{} gives {}", it.data, it.output));
        let told = told.collect::<Vec<_>>().join("\n");
        let told = cut(&told, MOST);
        parts.push(format!("For other data:\n{}", marked(&told)));
    }
    for (title, lines) in
        [("Tools of the workshop", &asked.tools), ("Tools of other servers", &asked.upstream)]
    {
        if !lines.is_empty() {
            parts.push(format!("{title}:\n{}", marked(&lines.join("\n"))));
        }
    }
    parts.join("\n\n")
}
