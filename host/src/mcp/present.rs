//! How much of a reply a client gets: text alone, text and a small record, or all there is.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use super::tool::ToolResult;
use crate::config::Profile;
use crate::render::{Record, Refusal, Reply};

/// Members of records that no tool's text tells. They follow it: some clients show nothing but text.
const UNTOLD: [&str; 6] = ["warnings", "trace", "evaluation", "steps", "next_cursor", "tags"];

/// The result of a call as the profile has it.
pub(super) fn present(result: ToolResult, profile: Profile) -> CallToolResult {
    let (text, structured, asides, is_error) = match result {
        Ok(Reply { text, structured, asides }) => (text, structured, asides, false),
        Err(Refusal { text, structured, asides }) => (text, structured, asides, true),
    };
    // The first block is the value alone, or the fault.
    let mut content = vec![ContentBlock::text(text)];
    let lines = [asides, untold(&structured)].concat();
    if !lines.is_empty() {
        content.push(ContentBlock::text(lines.join("\n")));
    }
    let mut result =
        if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    // Only a tool without an output schema may do without: in this profile none has one.
    result.structured_content = (profile != Profile::Slim).then_some(Value::Object(structured));
    result
}

/// What the text alone would leave out.
fn untold(structured: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for name in UNTOLD {
        let name_or_line = |value: &Value| match value {
            Value::String(line) => format!("{name}: {line}"),
            value => format!("{name}: {value}"),
        };
        match structured.get(name) {
            Some(Value::Array(values)) => lines.extend(values.iter().map(name_or_line)),
            Some(value) if value != 0 => lines.push(name_or_line(value)),
            _ => {}
        }
    }
    lines
}
