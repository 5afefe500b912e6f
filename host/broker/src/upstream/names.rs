//! Names of members that a parser of JSON takes for its own: in the arguments of a call they are
//! names like others.

use std::borrow::Cow;

use pif_domain::json::rewrite;
use rmcp::model::JsonObject;
use serde_json::Value;

/// The arguments of a call, which are an object. Names that a parser would take for its own are
/// marked; what sends the arguments takes the mark away again.
pub(in super::super) fn object(args: &str) -> Option<JsonObject> {
    let marked = |it: &str| it.starts_with(PRIVATE).then(|| format!("{MARK}{it}"));
    let is_plain = !args.contains("private::") && !args.contains("\\u");
    let args = if is_plain { Cow::Borrowed(args) } else { rewrite(args, marked) };
    match serde_json::from_str(&args) {
        Ok(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// How names begin to which the parser gives a meaning.
const PRIVATE: &str = "$serde_json::private::";

/// What stands before such a name. It belongs to nobody.
const MARK: char = '\u{f8ff}';

/// A message without marks.
pub(super) fn unmarked(message: Vec<u8>) -> Vec<u8> {
    let marked = format!("{MARK}{PRIVATE}");
    match std::str::from_utf8(&message) {
        Ok(text) if text.contains(&marked) => text.replace(&marked, PRIVATE).into_bytes(),
        _ => message,
    }
}
