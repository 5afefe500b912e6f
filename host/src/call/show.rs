//! The result of a call, for people and for scripts that want its text.

use pif_domain::text;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use super::super::print::is_terminal;

/// The texts of a result, one below the other. Anything else is named in brackets. A terminal is not
/// steered by them.
pub(super) fn text(result: &CallToolResult) -> String {
    let text = written(result);
    if is_terminal() { text::visible(&text).into_owned() } else { text }
}

fn written(result: &CallToolResult) -> String {
    match &result.structured_content {
        Some(value) if result.content.is_empty() => value.to_string(),
        _ => result.content.iter().map(block).collect::<Vec<_>>().join("\n"),
    }
}

/// Stands for content that is neither of these.
const OTHER: &str = "[content of another kind]";

/// One block of the content.
fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(it) => it.text.clone(),
        ContentBlock::Image(it) => format!("[image {}]", it.mime_type),
        ContentBlock::Audio(it) => format!("[audio {}]", it.mime_type),
        ContentBlock::ResourceLink(it) => format!("[resource_link {}]", it.uri),
        ContentBlock::Resource(it) => match &it.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            ResourceContents::BlobResourceContents { uri, .. } => format!("[resource {uri}]"),
            _ => OTHER.to_owned(),
        },
        _ => OTHER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_printed() {
        for (result, expected) in [
            (r#"{"content":[{"type":"text","text":"4\u0032"}]}"#, "42"),
            (r#"{"content":[{"type":"text","text":"a"},{"text":"b","type":"text"}]}"#, "a\nb"),
            (r#"{"content":[],"structuredContent":{"a":1.50}}"#, r#"{"a":1.50}"#),
            (r#"{"structuredContent":[1]}"#, "[1]"),
            (r#"{"content":[]}"#, ""),
            (
                r#"{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}"#,
                "[image image/png]",
            ),
            (
                r#"{"content":[{"type":"resource_link","uri":"pif://a","name":"a"}]}"#,
                "[resource_link pif://a]",
            ),
            (
                r#"{"content":[{"type":"resource","resource":{"uri":"pif://a","text":"inner"}}]}"#,
                "inner",
            ),
            (
                r#"{"content":[{"type":"resource","resource":{"uri":"pif://a","blob":"AAAA"}}]}"#,
                "[resource pif://a]",
            ),
        ] {
            let result: CallToolResult = serde_json::from_str(result).expect(result);
            assert_eq!(written(&result), expected);
        }
    }
}
