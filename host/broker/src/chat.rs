//! Asks an endpoint to go on with a conversation: a model answers with text.

use std::time::{Duration, Instant};

use pif_domain::{Completion, Message, Reason, Thinking, estimated_tokens};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::sleep;

use super::config::{self, Error, Secrets};
use super::endpoint::{Endpoint, Trouble};

/// Bytes of an answer.
const MOST_ANSWER: usize = 4 << 20;

/// Bytes of the text in it: no program is longer.
const MOST_TEXT: usize = 256 << 10;

/// Requests that are sent for one answer, if the endpoint is busy.
const MOST_TRIES: u32 = 10;

/// The first pause before a busy endpoint is asked again that does not say how long. Each next one is
/// twice as long.
const PAUSE: Duration = Duration::from_secs(1);

/// Where the endpoint is below an address that does not name it.
const PATH: [&str; 3] = ["v1", "chat", "completions"];

/// The endpoint.
#[derive(Debug)]
pub(super) struct Chat(Endpoint);

#[derive(Serialize)]
struct RequestBody<'a> {
    model: &'a str,
    messages: &'a [Message],
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<Thinking>,
    stream: bool,
}

#[derive(Deserialize)]
struct ResponseBody {
    #[serde(default)]
    model: Option<String>,
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Value,
}

#[derive(Deserialize)]
struct Usage {
    total_tokens: u64,
}

impl Chat {
    /// Asks this endpoint.
    pub(super) fn open(told: &config::Endpoint, secrets: &Secrets) -> Result<Self, Error> {
        Endpoint::open(told, secrets, ("/models/default", &PATH)).map(Self)
    }

    /// The next message of a conversation, within this time. A busy endpoint is asked again.
    pub(super) async fn complete(
        &self,
        messages: &[Message],
        thinking: Option<Thinking>,
        within: Duration,
    ) -> Result<Completion, Trouble> {
        let asked = RequestBody {
            model: &self.0.model,
            messages,
            reasoning_effort: thinking,
            stream: false,
        };
        let body = serde_json::to_string(&asked)
            .map_err(|error| Trouble::new(Reason::BadInput, error.to_string()))?;
        let until = Instant::now() + within;
        let mut pause = PAUSE;
        let mut tries = 0;
        let answer = loop {
            let left = until.saturating_duration_since(Instant::now());
            let trouble = match self.0.post(body.clone(), left, MOST_ANSWER).await {
                Ok(answer) => break answer,
                Err(trouble) => trouble,
            };
            tries += 1;
            let wait = trouble.after.unwrap_or(pause);
            let left = until.saturating_duration_since(Instant::now());
            if trouble.reason != Reason::RateLimited || tries == MOST_TRIES || wait >= left {
                return Err(trouble);
            }
            pause *= 2;
            sleep(wait).await;
        };
        let read = read(&answer)?;
        let asked: usize = messages.iter().map(|it| it.content.len()).sum();
        Ok(Completion {
            tokens: read.tokens.unwrap_or_else(|| estimated_tokens(asked + read.text.len())),
            model: read.model.unwrap_or_else(|| self.0.model.clone()),
            text: read.text,
        })
    }
}

/// What an answer holds.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    text: String,
    model: Option<String>,
    tokens: Option<u64>,
}

fn read(answer: &[u8]) -> Result<Read, Trouble> {
    let none = || Trouble::new(Reason::BadOutput, "its answer holds no message");
    let answered: ResponseBody = serde_json::from_slice(answer).map_err(|_| none())?;
    let said = answered.choices.into_iter().next().ok_or_else(none)?.message;
    let text = text(said.content).ok_or_else(none)?;
    if text.len() > MOST_TEXT {
        return Err(Trouble::new(Reason::TooLarge, "its answer is too long"));
    }
    let tokens = answered.usage.map(|it| it.total_tokens);
    let model = answered.model.map(|it| pif_domain::text::line(&it, pif_domain::text::MOST_NAME));
    Ok(Read { text, model: model.filter(|it| !it.is_empty()), tokens })
}

/// A text, or the texts among the parts of a message.
fn text(content: Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            Some(texts.collect::<String>()).filter(|text| !text.is_empty())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_message() {
        let answer = |text: &str| read(text.as_bytes()).map_err(|it| it.message);
        let whole =
            r#"{"model":"m","choices":[{"message":{"content":"a"}}],"usage":{"total_tokens":3}}"#;
        let expected = Read { text: "a".into(), model: Some("m".into()), tokens: Some(3) };
        assert_eq!(answer(whole), Ok(expected));
        let parts =
            r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}"#;
        assert_eq!(answer(parts), Ok(Read { text: "ab".into(), model: None, tokens: None }));
        for text in
            ["", "{}", "null", r#"{"choices":[]}"#, r#"{"choices":[{"message":{"content":null}}]}"#]
        {
            assert_eq!(answer(text), Err("its answer holds no message".to_owned()), "{text}");
        }
        let long = format!(
            r#"{{"choices":[{{"message":{{"content":"{}"}}}}]}}"#,
            "x".repeat(MOST_TEXT + 1)
        );
        assert_eq!(answer(&long), Err("its answer is too long".to_owned()));
    }
}
