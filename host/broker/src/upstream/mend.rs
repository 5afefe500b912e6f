//! Results as servers write them, mended: what we do not need may be missing or wrong, and one tool
//! that is wrong takes nothing from the others. What is left out is told.

use pif_domain::text;
use rmcp::model::{
    DiscoverResult, InitializeResult, ListToolsResult, ServerCapabilities, ServerResult, Tool,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

type Members = Map<String, Value>;

/// The version of a server that does not say which it speaks.
const OLDER: &str = "2025-03-26";

/// The result of `initialize`.
pub(super) fn initialized(value: Value) -> Result<ServerResult, String> {
    let mut members = object(value)?;
    let version = members.get("protocolVersion").and_then(Value::as_str);
    if !version.is_some_and(is_version) {
        members.insert("protocolVersion".to_owned(), OLDER.into());
    }
    let info = members.remove("serverInfo").unwrap_or_default();
    members.insert("serverInfo".to_owned(), implementation(&info));
    common(&mut members);
    let read: InitializeResult = read(members.into())?;
    Ok(ServerResult::InitializeResult(read))
}

/// The result of `server/discover`.
pub(super) fn discovered(value: Value) -> Result<ServerResult, String> {
    let mut members = object(value)?;
    common(&mut members);
    members.entry("resultType").or_insert_with(|| "complete".into());
    keep(&mut members, "ttlMs", Value::is_u64);
    keep(&mut members, "cacheScope", |it| it == "public");
    members.entry("ttlMs").or_insert_with(|| 0.into());
    members.entry("cacheScope").or_insert_with(|| "private".into());
    let read: DiscoverResult = read(members.into())?;
    Ok(ServerResult::DiscoverResult(read))
}

/// A page of tools, and what was left out of it.
pub(super) fn tools(value: Value) -> Result<(ServerResult, Vec<String>), String> {
    let mut members = object(value)?;
    let listed = match members.remove("tools") {
        Some(Value::Array(listed)) => listed,
        None | Some(Value::Null) => Vec::new(),
        Some(_) => return Err("`tools` is no list".to_owned()),
    };
    let mut tools = Vec::new();
    let mut remarks = Vec::new();
    for (place, listed) in (1..).zip(listed) {
        match tool(listed, place, &mut remarks) {
            Ok(tool) => tools.push(tool),
            Err(why) => remarks.push(why),
        }
    }
    // A cursor that is no text cannot be sent back: then this is the last page.
    keep(&mut members, "nextCursor", Value::is_string);
    keep(&mut members, "ttlMs", Value::is_u64);
    keep(&mut members, "cacheScope", |it| it == "public" || it == "private");
    keep(&mut members, "resultType", Value::is_string);
    keep(&mut members, "_meta", Value::is_object);
    members.insert("tools".to_owned(), json!([]));
    let mut page: ListToolsResult = read(members.into())?;
    page.tools = tools;
    Ok((ServerResult::ListToolsResult(page), remarks))
}

/// One tool. A member that it can do without is left out if it is wrong.
fn tool(listed: Value, place: usize, remarks: &mut Vec<String>) -> Result<Tool, String> {
    let Value::Object(mut members) = listed else {
        return Err(format!("tool {place} of the list is no object: it is not offered"));
    };
    let Some(name) = members.get("name").and_then(Value::as_str) else {
        return Err(format!("tool {place} of the list has no name: it is not offered"));
    };
    let name = text::quote_one(name);
    if !members.get("inputSchema").is_some_and(Value::is_object) {
        return Err(format!("the tool {name} has no `inputSchema`: it is not offered"));
    }
    let needed = |member: &str| matches!(member, "name" | "inputSchema");
    let is_wrong = |member: &str, value: &Value| {
        let probe = json!({"name": "", "inputSchema": {}, member: value});
        serde_json::from_value::<Tool>(probe).is_err()
    };
    let wrong = members.iter().filter(|(member, value)| !needed(member) && is_wrong(member, value));
    let wrong: Vec<String> = wrong.map(|(member, _)| member.clone()).collect();
    for member in wrong {
        members.remove(&member);
        let member = text::quote_one(&member);
        remarks.push(format!("{member} of the tool {name} is wrong: it is left out"));
    }
    read(members.into()).map_err(|why| format!("the tool {name} is not offered: {why}"))
}

/// What both handshakes have.
fn common(members: &mut Members) {
    let capabilities = members.remove("capabilities").unwrap_or_default();
    members.insert("capabilities".to_owned(), self::capabilities(capabilities));
    keep(members, "instructions", Value::is_string);
    keep(members, "_meta", Value::is_object);
}

/// Capabilities, each of which can be read by itself. Some languages write an empty object as a list.
fn capabilities(value: Value) -> Value {
    let Value::Object(members) = value else { return json!({}) };
    let is_read = |name: &str, value: &Value| {
        serde_json::from_value::<ServerCapabilities>(json!({name: value})).is_ok()
    };
    let mended = members.into_iter().filter_map(|(name, value)| {
        if is_read(&name, &value) {
            return Some((name, value));
        }
        let is_there = !matches!(value, Value::Null | Value::Bool(false));
        is_there.then(|| (name, json!({})))
    });
    Value::Object(mended.collect())
}

/// What a server says of itself.
fn implementation(value: &Value) -> Value {
    let text = |name: &str| match value.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    json!({"name": text("name"), "version": text("version")})
}

/// Whether a text has the form of a version of the protocol: `2025-06-18`.
fn is_version(text: &str) -> bool {
    text.len() == OLDER.len()
        && text.bytes().zip(OLDER.bytes()).all(|(byte, model)| match model {
            b'-' => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Takes a member away that is not as it has to be.
fn keep(members: &mut Members, name: &str, is_right: impl Fn(&Value) -> bool) {
    if members.get(name).is_some_and(|it| !is_right(it)) {
        members.remove(name);
    }
}

fn object(value: Value) -> Result<Members, String> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(format!("the result is {}, no object", text::line(&other.to_string(), 40))),
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_do_not_need_may_be_wrong() {
        let right = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"}});
        for (member, value) in [
            ("capabilities", json!([])),
            ("capabilities", Value::Null),
            ("capabilities", json!({"tools": []})),
            ("capabilities", json!({"tools": true, "logging": [], "experimental": {"x": true}})),
            ("capabilities", json!({"tools": {"listChanged": "yes"}})),
            ("serverInfo", Value::Null),
            ("serverInfo", json!({"name": "s"})),
            ("serverInfo", json!({"name": "s", "version": 2, "icons": 1})),
            ("protocolVersion", json!(20_250_618)),
            ("protocolVersion", json!("latest")),
            ("instructions", json!(7)),
            ("_meta", json!([])),
        ] {
            let mut result = right.clone();
            result[member] = value;
            assert!(initialized(result.clone()).is_ok(), "{result}");
        }
        assert!(initialized(json!([])).is_err());
        assert!(initialized(json!({})).is_ok());
    }

    #[test]
    fn a_tool_that_is_wrong_takes_nothing_from_the_others() {
        let good = json!({"name": "good", "inputSchema": {"type": "object"}});
        for (bad, left) in [
            (json!({"name": "bad"}), 1),
            (json!({"name": "bad", "inputSchema": null}), 1),
            (json!({"name": "bad", "inputSchema": true}), 1),
            (json!({"inputSchema": {}}), 1),
            (json!("bad"), 1),
            (json!({"name": "bad", "inputSchema": {}, "annotations": []}), 2),
            (json!({"name": "bad", "inputSchema": {}, "title": 7, "outputSchema": true}), 2),
        ] {
            let page = json!({"tools": [bad, good], "nextCursor": 2});
            let (result, remarks) = tools(page).expect("a page");
            let ServerResult::ListToolsResult(page) = result else { panic!("{bad}") };
            assert_eq!(page.tools.len(), left, "{bad}");
            assert!(!remarks.is_empty() && page.next_cursor.is_none(), "{bad}: {remarks:?}");
        }
    }
}
