//! What an answer gives: a value, the whole result, or why there is none.

use super::shop::{Running, Shop, server, server_with};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool(name: &str, result: &Value) -> Value {
    json!({"name": name, "does": {"result": result}})
}

/// The record that a run gives.
fn run(running: &mut Running, code: &str) -> Result<Value> {
    running.call("run", &json!({ "code": code }))
}

#[test]
fn a_text_stays_the_text_that_it_is() -> Result<()> {
    let texts =
        ["12e4567", "1.10", "true", "null", "\"hi\"", " 42\n", "15551234567", "-0", "1e999999", ""];
    let tools: Vec<Value> = (0..)
        .zip(texts)
        .map(|(n, it): (usize, _)| tool(&format!("t{n}"), &json!({"content": [text(it)]})))
        .collect();
    let shop = Shop::of(&tools.into())?;
    let mut running = Running::start(&shop, &["serve"])?;
    let names: Vec<String> = (0..texts.len()).map(|n| format!("s.t{n}()")).collect();
    let told = run(&mut running, &format!("[{}]", names.join(", ")))?;
    assert_eq!(told["value"], json!(texts), "{told}");
    Ok(())
}

#[test]
fn null_in_a_member_is_absence() -> Result<()> {
    let said = json!({"content": [{"type": "text", "text": "made", "annotations": null, "_meta": null}],
        "structuredContent": null, "isError": null, "_meta": null});
    let tools = json!([
        tool("said", &said),
        tool("none", &json!({"content": null})),
        tool("list", &json!({"content": [text("x")], "structuredContent": [1]})),
        {"name": "null", "outputSchema": {"type": ["object", "null"]},
            "does": {"result": {"content": [text("nothing today")], "structuredContent": null}}},
    ]);
    let config = json!({"mcpServers": {"old": server(&json!({"tools": tools})),
        "later": server(&json!({"modern": true, "tools": tools}))}});
    let shop = Shop::new(&config)?;
    let mut running = Running::start(&shop, &["serve"])?;
    for (server, expected) in [
        ("old", json!(["made", null, "x", "nothing today"])),
        ("later", json!(["made", null, [1], null])),
    ] {
        let code = "[X.said(), X.none(), X.list(), call(\"X.null\")]".replace('X', server);
        let told = run(&mut running, &code)?;
        assert_eq!(told["value"], expected, "{told}");
    }
    Ok(())
}

#[test]
fn the_whole_result_can_be_had() -> Result<()> {
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    let strange = json!({"type": "hologram", "depth": 3});
    let more = json!({"content": [text("two orders"), image, strange], "structuredContent": {"n": 2},
        "_meta": {"took": 1.50}});
    let tools = json!([
        tool("more", &more),
        tool("texts", &json!({"content": [text("a"), text("{\"b\": 1}")]})),
        tool("strange", &json!({"content": [strange], "other": [1]})),
    ]);
    let shop = Shop::of(&tools)?;
    let mut running = Running::start(&shop, &["serve"])?;
    let code = r#"
        const whole = call("s.more", {}, {raw: true});
        const many = await Promise.all(["a", "b"].map(x => call("s.more", {}, {raw: true})));
        [call("s.more"), whole.content.map(b => b.type), whole._meta.took, s.more({}, {raw: true}).structuredContent,
            many.length, calls([{tool: "s.more", options: {raw: true}}])[0].value.content[0].text, s.texts(), s.strange()]"#;
    let told = run(&mut running, code)?;
    let expected = json!([{"n": 2}, ["text", "image", "hologram"], 1.5, {"n": 2}, 2, "two orders",
        ["a", {"b": 1}], [strange]]);
    assert_eq!(told["value"], expected, "{told}");
    let raw = shop.say(&["capability", "call", "s.more", "{}", "--raw"])?;
    let raw: Value = serde_json::from_str(&raw.output)?;
    assert_eq!(raw, more);
    // A replay has the same answers, and calls nobody.
    let replayed = running.call("replay", &json!({"entry": 1}))?;
    ensure!(replayed["verdict"] == "equal", "{replayed}");
    Ok(())
}

#[test]
fn a_failure_tells_all_that_the_server_told() -> Result<()> {
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    let tools = json!([
        tool("struct", &json!({"isError": true, "content": [text("failed")], "structuredContent": {"code": 7}})),
        tool("image", &json!({"isError": true, "content": [text("no paper"), image]})),
        tool("json", &json!({"isError": true, "content": [text("{\"code\": 8}")]})),
        tool("silent", &json!({"isError": true, "content": []})),
        {"name": "error", "does": {"error": {"code": -32050, "message": "busy", "data": {"wait": 9}}}},
    ]);
    let shop = Shop::of(&tools)?;
    let mut running = Running::start(&shop, &["serve"])?;
    let code = r#"
        const caught = ["struct", "json", "silent", "error"].map(t => try(perform(`s.${t}`), e => [e.reason, e.value]));
        const made = calls(["struct", "image", "error"].map(t => ({tool: `s.${t}`})));
        [caught, made.map(r => [r.reason, r.message, r.value])]"#;
    let told = run(&mut running, code)?;
    let expected = json!([
        [["tool-error", {"code": 7}], ["tool-error", {"code": 8}], ["tool-error", null], ["rpc-error", {"wait": 9}]],
        [["tool-error", "failed", {"code": 7}], ["tool-error", "no paper", ["no paper", image]],
            ["rpc-error", "busy (code -32050)", {"wait": 9}]],
    ]);
    assert_eq!(told["value"], expected, "{told}");
    Ok(())
}

#[test]
fn an_answer_that_breaks_its_promise_is_given_with_a_warning() -> Result<()> {
    let schema =
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let result = json!({"content": [], "structuredContent": {"n": "one"}});
    let script =
        json!({"tools": [{"name": "lies", "outputSchema": schema, "does": {"result": result}}]});
    let config = json!({"mcpServers": {"s": server(&script),
        "strict": server_with(&script, &json!({"strict": true}))}});
    let shop = Shop::new(&config)?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = run(&mut running, "s.lies()")?;
    let warning = "`s.lies`: the answer is not as the tool's schema says: at `/n`";
    ensure!(told["value"] == json!({"n": "one"}), "{told}");
    ensure!(told["warnings"][0].as_str().is_some_and(|it| it.starts_with(warning)), "{told}");
    let told = shop.complaint("strict.lies", "{}")?;
    ensure!(told.starts_with("bad-output: the answer is not as the tool's schema says"), "{told}");
    Ok(())
}

#[test]
fn names_of_a_parser_are_names() -> Result<()> {
    let names = r#"{"a":{"$serde_json::private::Number":"1e5"},"b":{"$serde_json::private::RawValue":"[]"}}"#;
    let result = format!(r#"{{"content":[],"structuredContent":{names}}}"#);
    let line = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#);
    let shop = Shop::of(&json!([]))?;
    let heard = shop.file("heard");
    let script = json!({"heard": heard, "tools": [{"name": "says", "does": {"line": line}}]});
    shop.write(&json!({"mcpServers": {"s": server(&script)}}))?;
    assert_eq!(shop.value("s.says", names)?, names);
    let heard = std::fs::read_to_string(heard)?;
    ensure!(heard.contains(&format!(r#""arguments":{names}"#)), "{heard}");
    Ok(())
}

#[test]
fn what_is_wrong_with_a_line_is_told_at_once() -> Result<()> {
    let good = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}]}}"#;
    let lines = [
        (good.replace("ID", "\"ID\""), "\"x\""),
        (format!("\u{feff}{good}"), "\"x\""),
        (format!("12:00 INFO {{done}} {good}"), "\"x\""),
        (format!("[{good}]"), "\"x\""),
        (good.replace("\"id\":ID,", "\"id\":ID,\"id\":ID,"), "\"x\""),
        (good.replace("\"x\"", "NaN"), "bad-output: the answer cannot be read"),
        (good.replace("\"x\"", "-Infinity"), "bad-output: the answer cannot be read"),
        (good.replace('x', "a\tb"), "bad-output: the answer cannot be read"),
        (good.replace('x', "\\ud800"), "bad-output: "),
        (good.replace("}]}}", ""), "bad-output: the answer cannot be read"),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}"#.to_owned(),
            "rpc-error: parse (code -32700)",
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse"}}"#.to_owned(),
            "rpc-error: parse (code -32700)",
        ),
    ];
    let tools: Vec<Value> = (0..)
        .zip(&lines)
        .map(|(n, (line, _)): (usize, _)| json!({"name": format!("t{n}"), "does": {"line": line}}))
        .collect();
    let limits = json!({"limits": {"call_timeout": "30s"}});
    let script = json!({ "tools": tools });
    let shop = Shop::new(&json!({"mcpServers": {"s": server_with(&script, &limits)}}))?;
    let start = Instant::now();
    for (n, (line, expected)) in lines.iter().enumerate() {
        let said = shop.say(&["capability", "call", &format!("s.t{n}")])?;
        let told = if said.ok { said.output } else { said.errors.replace("mcp-pif: ", "") };
        ensure!(told.contains(expected), "{line}: {told}");
    }
    ensure!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
    Ok(())
}
