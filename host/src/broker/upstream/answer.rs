//! The value of a call: structured content, else text that is JSON, else the text, else a list of
//! blocks; nothing is `null`. Numbers stay as they were written.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use super::trouble::Trouble;
use crate::domain::Reason;
use crate::schema::{Refusal, Schema, Stop};

/// How long an answer may be compared with its schema.
const PATIENCE: Duration = Duration::from_millis(200);

/// The JSON text of the value of an answer.
pub(super) fn value(result: CallToolResult, most: usize) -> Result<String, Trouble> {
    let text = text(&result.content);
    if result.is_error == Some(true) {
        let said = text.or_else(|| result.structured_content.map(|it| it.to_string()));
        let said = said.filter(|it| !it.is_empty());
        let said = said.unwrap_or_else(|| "the tool failed and does not say why".to_owned());
        return Err(Trouble::new(Reason::ToolError, said));
    }
    let value = match (result.structured_content, text) {
        (Some(value), _) => value.to_string(),
        (None, Some(text)) => of_text(&text),
        (None, None) if result.content.is_empty() => "null".to_owned(),
        (None, None) => serde_json::to_string(&result.content)
            .map_err(|error| Trouble::new(Reason::BadOutput, error.to_string()))?,
    };
    if value.len() > most {
        let told =
            format!("the answer has {} bytes, more than the {most} that are accepted", value.len());
        return Err(Trouble::new(Reason::TooLarge, told));
    }
    Ok(value)
}

/// The text of an answer that is nothing but text.
fn text(content: &[ContentBlock]) -> Option<String> {
    let texts = content.iter().map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect::<Option<_>>()?;
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn of_text(text: &str) -> String {
    if text.trim().is_empty() {
        return if text.is_empty() { "null".to_owned() } else { Value::from(text).to_string() };
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => value.to_string(),
        Err(_) => Value::from(text).to_string(),
    }
}

/// Compares a value with the schema that the tool promises.
pub(super) fn conforms(schema: &Schema, value: &str) -> Result<(), Trouble> {
    let start = Instant::now();
    let stop: Stop = Arc::new(move || start.elapsed() > PATIENCE);
    match schema.judge(value, &stop) {
        Err(Refusal::Mismatch(mismatches, _)) => {
            let first = mismatches
                .iter()
                .next()
                .map(|it| format!(": at `{}` {}, found {}", it.instance, it.expected, it.found));
            let told = "the answer is not as the tool's schema says";
            Err(Trouble::new(Reason::BadOutput, format!("{told}{}", first.unwrap_or_default())))
        }
        // It conforms, or is too large to be judged and small enough to be used.
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(result: &str) -> Result<String, Trouble> {
        value(serde_json::from_str(result).expect("a result"), 100)
    }

    #[test]
    fn values_are_unwrapped_and_numbers_stay_exact() {
        for (result, expected) in [
            (
                r#"{"content":[],"structuredContent":{"n":12345678901234567890123}}"#,
                r#"{"n":12345678901234567890123}"#,
            ),
            (r#"{"content":[{"type":"text","text":"{\"n\": 1.10}"}]}"#, r#"{"n":1.10}"#),
            (r#"{"content":[{"type":"text","text":"n: 1"}]}"#, r#""n: 1""#),
            (r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#, r#""a\nb""#),
            (r#"{"content":[{"type":"text","text":""}]}"#, "null"),
            (r#"{"content":[]}"#, "null"),
            (r#"{"content":[],"structuredContent":null}"#, "null"),
            (r#"{"content":[],"structuredContent":9007199254740993}"#, "9007199254740993"),
        ] {
            assert_eq!(read(result).as_deref(), Ok(expected), "{result}");
        }
        let image = read(r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}"#);
        assert!(image.is_ok_and(|it| it.starts_with('[') && it.contains("image/png")));
    }

    #[test]
    fn errors_and_sizes_are_reasons() {
        let failed = read(r#"{"content":[{"type":"text","text":"no such repo"}],"isError":true}"#);
        assert_eq!(failed, Err(Trouble::new(Reason::ToolError, "no such repo")));
        let long = format!(r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#, "x".repeat(101));
        assert_eq!(read(&long).map_err(|it| it.reason), Err(Reason::TooLarge));
    }
}
