//! The world of the tests: what it answers to a call depends on nothing but the call. The answers
//! stand in `world.json`; whatever is not there is denied.

use pif_guest::fault::Code;
use pif_guest::request::{Call, Outcome, Refusal};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What there is to say to a call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, untagged)]
enum Line {
    /// Its own arguments.
    Echo { echo: bool },
    /// A value.
    Value { value: Value },
    /// A text that may be no JSON.
    Text { text: String },
    /// No value.
    Failed { reason: String, message: String, told: Option<Value> },
    /// It is not sent.
    Refused { code: String, message: String, hint: Option<String> },
}

static LINES: LazyLock<BTreeMap<String, Line>> = LazyLock::new(|| {
    // Without it everything is denied, and no case passes.
    serde_json::from_str(include_str!("../world.json")).unwrap_or_default()
});

/// What comes of calls, or why none is sent.
pub fn answer(calls: &[Call]) -> Result<Vec<Outcome>, Refusal> {
    if let Some(refusal) = (0..).zip(calls).find_map(|(index, call)| refuse(index, call)) {
        return Err(refusal);
    }
    Ok(calls.iter().map(outcome).collect())
}

fn refuse(index: u32, call: &Call) -> Option<Refusal> {
    match LINES.get(&call.tool) {
        None => Some(Refusal { index, ..Refusal::denied(&call.tool) }),
        Some(Line::Refused { code, message, hint }) => {
            let code = Code::ALL.into_iter().find(|known| known.name() == code);
            let code = code.unwrap_or(Code::Internal);
            Some(Refusal {
                index,
                code,
                message: message.clone(),
                hint: hint.clone().map(Into::into),
            })
        }
        Some(_) => None,
    }
}

fn outcome(call: &Call) -> Outcome {
    match LINES.get(&call.tool) {
        Some(Line::Value { value }) if call.is_raw => {
            Outcome::Value(serde_json::json!({"structuredContent": value}).to_string())
        }
        Some(Line::Value { value }) => Outcome::Value(value.to_string()),
        Some(Line::Text { text }) => Outcome::Value(text.clone()),
        Some(Line::Failed { reason, message, told }) => Outcome::Failed {
            reason: reason.clone(),
            message: message.clone(),
            value: told.as_ref().map(Value::to_string),
        },
        Some(Line::Echo { echo: true }) => Outcome::Value(call.args.clone()),
        Some(Line::Echo { .. } | Line::Refused { .. }) | None => Outcome::Value("null".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::LINES;

    #[test]
    fn the_answers_can_be_read() {
        assert!(LINES.contains_key("test.null"));
    }
}
