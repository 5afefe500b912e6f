//! Reads the answer to a call: its value, or the reason why it has none. The answer stays text, so its
//! numbers stay as they were written, and no name of a member means anything to a parser of ours.
//!
//! The value is the structured content; else the value of the only block; else the list of the
//! values of all blocks; without any it is `null`. The value of a text is the text, or what it holds
//! where it is JSON from a `{` or a `[` to its end. The value of another block is the block.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pif_domain::json::{Members, can_be_value, compact, text_in};
use pif_domain::{Reason, Remarks};
use pif_schema::{Refusal, Schema, Stop};
use serde_json::Value;
use serde_json::value::RawValue;

use super::trouble::Trouble;

/// How long an answer may be compared with its schema.
const PATIENCE: Duration = Duration::from_millis(200);

/// How an answer is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerRules<'a> {
    /// Whether the value is the whole result.
    pub(super) is_raw: bool,
    /// Bytes of the value.
    pub(super) most: usize,
    /// What the tool promises.
    pub(super) schema: Option<&'a Schema>,
    /// Whether an answer that breaks the promise has no value.
    pub(super) is_strict: bool,
}

/// The parts of a result. A member that is null is absent, except where null is a value.
struct Parts<'a> {
    blocks: Vec<&'a str>,
    structured: Option<&'a str>,
    is_error: bool,
    /// Whether other members say something.
    says_more: bool,
}

/// Gives the JSON text of the value, and what the answer holds beside it.
pub(super) fn read(result: &str, reading: AnswerRules<'_>) -> Result<(String, Remarks), Trouble> {
    let parts = parts(result, reading)?;
    let mut value = value_of(&parts)?;
    let whole = compact(result);
    if parts.is_error {
        let told = if reading.is_raw { whole } else { value };
        return Err(failed(&parts, told, reading.most));
    }
    let mut beside = Remarks::default();
    if let Some(told) = reading.schema.and_then(|schema| differs(schema, &value)) {
        if reading.is_strict {
            return Err(Trouble::new(Reason::BadOutput, told));
        }
        beside.warning = Some(told);
    }
    if reading.is_raw {
        value = whole;
    } else if leaves_out(&parts, &value) && whole.len() <= reading.most {
        beside.whole = Some(whole);
    }
    if value.len() > reading.most {
        let bytes = value.len();
        let most = reading.most;
        let message =
            format!("the answer has {bytes} bytes, more than the {most} that are accepted");
        return Err(Trouble::new(Reason::TooLarge, message));
    }
    if !can_be_value(&value) {
        let told = "the answer holds a number or a text that no value can have";
        return Err(Trouble::new(Reason::BadOutput, told));
    }
    Ok((value, beside))
}

fn unreadable(told: &str) -> Trouble {
    Trouble::new(Reason::BadOutput, format!("the answer is no result of a call: {told}"))
}

fn parts<'a>(result: &'a str, reading: AnswerRules<'_>) -> Result<Parts<'a>, Trouble> {
    let members = Members::parse(result).map_err(|_| unreadable("it is no object"))?;
    // Of members of one name the last counts.
    let raw = |name: &str| members.iter().filter(|it| it.0 == name).last().map(|it| it.1);
    let there = |name: &str| raw(name).filter(|it| *it != "null");
    match there("resultType").and_then(text_in).as_deref() {
        None | Some("complete") => {}
        Some("input_required") => {
            let message = "the tool asks for input, which nobody can give here";
            return Err(Trouble::new(Reason::ToolError, message));
        }
        Some(_) => return Err(unreadable("it is a task, which was not asked for")),
    }
    let known = ["content", "structuredContent", "isError", "resultType"];
    let says_more = members.iter().any(|(name, it)| it != "null" && !known.contains(&name));
    let is_result = known.iter().any(|name| raw(name).is_some());
    if !is_result && members.iter().any(|(name, _)| name != "_meta") {
        return Err(unreadable("it has no `content`"));
    }
    let blocks: Vec<&RawValue> = match there("content") {
        None => Vec::new(),
        Some(content) => {
            serde_json::from_str(content).map_err(|_| unreadable("its `content` is no list"))?
        }
    };
    let blocks: Vec<&str> = blocks.into_iter().map(RawValue::get).collect();
    // Results since 2026-07-28 tell their type, and their structured content is any value. Null is
    // one too, unless that would hide another text.
    let is_modern = there("resultType").is_some();
    let null_counts = || is_modern && (reading.schema.is_some() || has_only_null(&blocks));
    let structured = raw("structuredContent").filter(|it| match it.bytes().next() {
        Some(b'{') => true,
        Some(b'n') => null_counts(),
        _ => is_modern || blocks.is_empty(),
    });
    let is_error = there("isError") == Some("true");
    Ok(Parts { blocks, structured, is_error, says_more })
}

fn has_only_null(blocks: &[&str]) -> bool {
    let is_null = |block: &&str| text_of(block).ok().flatten().is_some_and(|it| it == "null");
    blocks.iter().all(is_null)
}

/// The text of a block of text; None: it is another block.
fn text_of(block: &str) -> Result<Option<String>, Trouble> {
    let Ok(members) = Members::parse(block) else { return Ok(None) };
    if members.raw("type").and_then(text_in).as_deref() != Some("text") {
        return Ok(None);
    }
    let text = members.raw("text").and_then(text_in);
    text.map(Some).ok_or_else(|| unreadable("a block of text has no `text`"))
}

fn value_of(parts: &Parts<'_>) -> Result<String, Trouble> {
    if let Some(structured) = parts.structured {
        return Ok(compact(structured));
    }
    let mut values = Vec::with_capacity(parts.blocks.len());
    let mut is_text = false;
    for block in &parts.blocks {
        let text = text_of(block)?;
        is_text = text.is_some();
        values.push(text.map_or_else(|| compact(block), |text| of_text(&text)));
    }
    Ok(match values.as_slice() {
        [] => "null".to_owned(),
        [only] if is_text => only.clone(),
        values => format!("[{}]", values.join(",")),
    })
}

fn of_text(text: &str) -> String {
    let is_json = text.starts_with(['{', '['])
        && serde_json::from_str::<&RawValue>(text).is_ok()
        && can_be_value(text);
    if is_json { compact(text) } else { Value::from(text).to_string() }
}

/// Whether the value tells less than the answer.
fn leaves_out(parts: &Parts<'_>, value: &str) -> bool {
    let is_plain = |block: &&str| Members::parse(block).is_ok_and(|it| it.iter().count() == 2);
    let is_said =
        |block: &&str| text_of(block).ok().flatten().is_some_and(|it| of_text(&it) == value);
    let is_whole = match parts.structured {
        Some(_) => parts.blocks.iter().all(|it| is_plain(it) && is_said(it)),
        None => parts.blocks.iter().all(|it| is_plain(it) || !matches!(text_of(it), Ok(Some(_)))),
    };
    parts.says_more || !is_whole
}

/// Why a call has no value whose tool says that it failed. `told` is the JSON text of what it says.
fn failed(parts: &Parts<'_>, told: String, most: usize) -> Trouble {
    let texts = parts.blocks.iter().filter_map(|block| text_of(block).ok().flatten());
    let said = texts.filter(|it| !it.trim().is_empty()).collect::<Vec<_>>().join("\n");
    let is_nothing = told == "null" || told == "\"\"";
    let said = match (said.is_empty(), is_nothing) {
        (false, _) => said,
        (true, false) if parts.structured.is_some() => told.clone(),
        (true, _) => "the tool failed and does not say why".to_owned(),
    };
    let fits = !is_nothing && told.len() <= most && can_be_value(&told);
    Trouble { value: fits.then_some(told), ..Trouble::new(Reason::ToolError, said) }
}

/// How a value differs from what the tool promises.
fn differs(schema: &Schema, value: &str) -> Option<String> {
    let start = Instant::now();
    let stop: Stop = Arc::new(move || start.elapsed() > PATIENCE);
    // What is too large to be judged is small enough to be used.
    let Err(Refusal::Mismatch(mismatches, _)) = schema.judge(value, &stop) else { return None };
    let first = mismatches
        .iter()
        .next()
        .map(|it| format!(": at `{}` {}, found {}", it.instance, it.expected, it.found));
    let told = "the answer is not as the tool's schema says";
    Some(format!("{told}{}", first.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: AnswerRules<'_> =
        AnswerRules { is_raw: false, most: 200, schema: None, is_strict: false };

    fn texts(texts: &[&str]) -> String {
        let blocks: Vec<Value> =
            texts.iter().map(|it| serde_json::json!({"type": "text", "text": it})).collect();
        serde_json::json!({ "content": blocks }).to_string()
    }

    #[test]
    fn a_text_is_what_it_is_unless_it_is_json_that_nests() {
        for (text, expected) in [
            ("{\"n\": 1.10}", "{\"n\":1.10}"),
            ("[1, 2]\n", "[1,2]"),
            ("12e4567", "\"12e4567\""),
            ("1.10", "\"1.10\""),
            ("true", "\"true\""),
            ("null", "\"null\""),
            ("  42\n", "\"  42\\n\""),
            ("", "\"\""),
            ("{\"a\": NaN}", "\"{\\\"a\\\": NaN}\""),
            ("[1e999999]", "\"[1e999999]\""),
        ] {
            let value = read(&texts(&[text]), OLD).map(|it| it.0);
            assert_eq!(value.as_deref(), Ok(expected), "{text}");
        }
        let several = read(&texts(&["a", "{\"b\":1}"]), OLD).map(|it| it.0);
        assert_eq!(several.as_deref(), Ok("[\"a\",{\"b\":1}]"));
    }

    #[test]
    fn null_is_absence_except_where_it_is_a_value() {
        let said = r#"{"content":[{"type":"text","text":"made","annotations":null}],"structuredContent":null,"isError":null,"_meta":null}"#;
        let null = r#"{"content":[{"type":"text","text":"null"}],"structuredContent":null}"#;
        let list = r#"{"content":[{"type":"text","text":"x"}],"structuredContent":[1]}"#;
        for (text, old, modern) in
            [(said, "\"made\"", "\"made\""), (null, "\"null\"", "null"), (list, "\"x\"", "[1]")]
        {
            assert_eq!(read(text, OLD).map(|it| it.0).as_deref(), Ok(old), "{text}");
            let text = text.replacen('{', r#"{"resultType":"complete","#, 1);
            assert_eq!(read(&text, OLD).map(|it| it.0).as_deref(), Ok(modern), "{text}");
        }
        assert_eq!(read(r#"{"content":null}"#, OLD).map(|it| it.0).as_deref(), Ok("null"));
    }

    #[test]
    fn what_a_value_leaves_out_stands_beside() {
        let same =
            r#"{"content":[{"type":"text","text":"{\"a\": 1}"}],"structuredContent":{"a":1}}"#;
        assert_eq!(read(same, OLD), Ok(("{\"a\":1}".to_owned(), Remarks::default())));
        let more = r#"{"content":[{"type":"x","y":1}],"structuredContent":{}}"#;
        let (value, beside) = read(more, OLD).expect("a value");
        assert_eq!((value.as_str(), beside.whole.as_deref()), ("{}", Some(more)));
        let raw = read(more, AnswerRules { is_raw: true, ..OLD }).expect("a value");
        assert_eq!(raw, (more.to_owned(), Remarks::default()));
    }

    #[test]
    fn errors_and_sizes_are_reasons() {
        let error = r#"{"content":[{"type":"text","text":"failed"}],"isError":true,"structuredContent":{"code":7}}"#;
        let failed = read(error, OLD).expect_err("an error");
        assert_eq!((failed.reason, failed.message.as_str()), (Reason::ToolError, "failed"));
        assert_eq!(failed.value.as_deref(), Some("{\"code\":7}"));
        let long = read(&texts(&["x".repeat(201).as_str()]), OLD);
        assert_eq!(long.map_err(|it| it.reason), Err(Reason::TooLarge));
        for wrong in
            ["7", r#"{"tools":[]}"#, r#"{"content":"x"}"#, r#"{"content":[{"type":"text"}]}"#]
        {
            assert_eq!(read(wrong, OLD).map_err(|it| it.reason), Err(Reason::BadOutput), "{wrong}");
        }
    }
}
