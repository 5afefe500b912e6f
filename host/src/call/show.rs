//! The result of a call, for people and for scripts that want its text.

use anyhow::{Context as _, Result, bail};
use pif_domain::json::{Members, text_in};
use pif_domain::text;
use serde_json::value::RawValue;

use super::super::print::is_terminal;

/// Whether the tool has failed. Refuses results that are not the last word.
pub(super) fn is_error(result: &str) -> Result<bool> {
    let members = read(result)?;
    match members.raw("resultType").and_then(text_in).as_deref() {
        None | Some("complete") => Ok(members.raw("isError") == Some("true")),
        Some("input_required") => bail!("the tool asks for input, which a script cannot give"),
        Some(other) => bail!("the server answers with a `{}`", text::line(other, text::MOST_NAME)),
    }
}

/// The texts of a result, one below the other. Anything else is named in brackets. A terminal is not
/// steered by them.
pub(super) fn text(result: &str) -> Result<String> {
    let text = written(result)?;
    Ok(if is_terminal() { text::visible(&text).into_owned() } else { text })
}

fn written(result: &str) -> Result<String> {
    let members = read(result)?;
    let content: Vec<&RawValue> = match members.raw("content") {
        Some(raw) => serde_json::from_str(raw).context("`content` of the result is no list")?,
        None => Vec::new(),
    };
    if content.is_empty() {
        return Ok(members.raw("structuredContent").unwrap_or_default().to_owned());
    }
    let parts: Result<Vec<String>> = content.iter().map(|item| part(item.get())).collect();
    Ok(parts?.join("\n"))
}

fn read(result: &str) -> Result<Members<'_>> {
    Members::parse(result).context("the result is not an object")
}

/// One item of the content.
fn part(json: &str) -> Result<String> {
    let item = Members::parse(json).context("an item of the content is not an object")?;
    let string = |members: &Members<'_>, name| members.raw(name).and_then(text_in);
    let kind = string(&item, "type").unwrap_or_default();
    let inner = item.raw("resource").and_then(|raw| Members::parse(raw).ok());
    let text = match &inner {
        Some(resource) => string(resource, "text"),
        None => string(&item, "text").filter(|_| kind == "text"),
    };
    let named = || {
        let of = |name| string(&item, name).or_else(|| string(inner.as_ref()?, name));
        let details = ["uri", "mimeType"].into_iter().filter_map(of);
        let words: Vec<String> = std::iter::once(kind.clone()).chain(details).collect();
        format!("[{}]", words.join(" "))
    };
    Ok(text.unwrap_or_else(named))
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
            assert_eq!(written(result).expect(result), expected);
        }
        assert!(written(r#"{"content":1}"#).is_err());
        assert!(written(r#"{"content":["a"]}"#).is_err());
    }

    #[test]
    fn results_that_are_not_the_last_word_are_refused() {
        assert!(is_error(r#"{"isError": true}"#).expect("a result"));
        assert!(is_error(r#"{"isError":true,"resultType":"complete"}"#).expect("a result"));
        assert!(!is_error(r#"{"isError":false}"#).expect("a result"));
        assert!(!is_error("{}").expect("a result"));
        for result in [r#"{"resultType":"input_required"}"#, r#"{"resultType":"task"}"#, "[]"] {
            assert!(is_error(result).is_err(), "{result}");
        }
    }
}
