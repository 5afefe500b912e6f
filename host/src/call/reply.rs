//! The answer to a request, as JSON-RPC has it. The result stays the text that the server wrote.

use pif_domain::json::{Members, text_in};

/// What a server says to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// The request was done.
    Result(String),
    /// The request was refused.
    Refused {
        /// The number of the error.
        code: i64,
        /// Its message.
        message: String,
    },
    /// The body is no answer of JSON-RPC. Its beginning may tell a reader something.
    Strange(String),
}

impl Reply {
    /// Reads a message. Returns `None` for a message that answers another request, or none. A server
    /// that cannot read the request does not know its id.
    pub(super) fn read(json: &str, id: u32) -> Option<Self> {
        let members = Members::parse(json).ok().filter(|it| !it.has("method"))?;
        if let Some(error) = members.raw("error") {
            let error = Members::parse(error).ok()?;
            let code = error.raw("code").and_then(|raw| raw.parse().ok()).unwrap_or_default();
            let message = error.raw("message").and_then(text_in).unwrap_or_default();
            return Some(Self::Refused { code, message });
        }
        let is_own = members.raw("id").is_some_and(|raw| raw == id.to_string());
        members.raw("result").filter(|_| is_own).map(|raw| Self::Result(raw.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_stays_as_it_was_written() {
        let result = r#"{"content" : [ {"type":"text","text":"\u00e9"}], "n": 1.0e400}"#;
        let message = format!(r#" {{"jsonrpc":"2.0","id":2, "result": {result} }}"#);
        assert_eq!(Reply::read(&message, 2), Some(Reply::Result(result.to_owned())));
        assert_eq!(Reply::read(&message, 1), None);
    }

    #[test]
    fn errors_are_answers_whatever_their_id() {
        let refused = |message: &str| Reply::Refused { code: -32_600, message: message.to_owned() };
        for id in ["2", "null", "\"server-error\""] {
            let json = format!(r#"{{"id":{id},"error":{{"code":-32600,"message":"no"}}}}"#);
            assert_eq!(Reply::read(&json, 2), Some(refused("no")));
        }
        assert_eq!(Reply::read(r#"{"error":{"code":-32600}}"#, 2), Some(refused("")));
    }

    #[test]
    fn other_messages_are_no_answers() {
        for json in [
            "",
            "<html>",
            "[]",
            r#"{"method":"notifications/progress","params":{}}"#,
            r#"{"id":2,"method":"ping"}"#,
            r#"{"id":2}"#,
            r#"{"id":"2","result":{}}"#,
        ] {
            assert_eq!(Reply::read(json, 2), None, "{json}");
        }
    }
}
