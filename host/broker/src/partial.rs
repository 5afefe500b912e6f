//! Answers of collectors that took a part of a request only.

use serde::Deserialize;
use serde_json::Value;

/// What a collector says that has not taken all of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Partial {
    /// How many spans it did not take.
    pub(super) rejected: u64,
    pub(super) why: String,
}

impl Partial {
    /// Reads an answer. None: the collector took all.
    pub(super) fn read(answer: &[u8]) -> Option<Self> {
        let answer: Answer = serde_json::from_slice(answer).ok()?;
        let Refused { rejected, message } = answer.partial?;
        // An integer of 64 bits is a string there; some write it as a number.
        let rejected = match rejected {
            Some(Value::String(digits)) => digits.parse().unwrap_or(1),
            Some(Value::Number(number)) => number.as_u64().unwrap_or(1),
            _ => 0,
        };
        let why = match message.filter(|message| !message.is_empty()) {
            None => format!("it rejected {rejected} spans"),
            Some(message) => format!("it rejected {rejected} spans: {message}"),
        };
        (rejected > 0).then_some(Self { rejected, why })
    }
}

/// An answer, `ExportTraceServiceResponse` of OTLP in JSON.
#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "partialSuccess")]
    partial: Option<Refused>,
}

#[derive(Deserialize)]
struct Refused {
    #[serde(rename = "rejectedSpans")]
    rejected: Option<Value>,
    #[serde(rename = "errorMessage")]
    message: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_not_taken_is_read() {
        let read = |answer: &str| Partial::read(answer.as_bytes());
        let some = r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}"#;
        let why = "it rejected 3 spans: no".to_owned();
        assert_eq!(read(some), Some(Partial { rejected: 3, why }));
        let why = "it rejected 2 spans".to_owned();
        let number = r#"{"partialSuccess":{"rejectedSpans":2}}"#;
        assert_eq!(read(number), Some(Partial { rejected: 2, why }));
        for whole in ["", "{}", "no JSON", r#"{"partialSuccess":{}}"#, r#"{"partialSuccess":null}"#]
        {
            assert_eq!(read(whole), None, "{whole}");
        }
        let warned = r#"{"partialSuccess":{"rejectedSpans":"0","errorMessage":"soon full"}}"#;
        assert_eq!(read(warned), None);
    }
}
