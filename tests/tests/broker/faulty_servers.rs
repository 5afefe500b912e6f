//! Servers on pipes as they are: slow, older, strange in what we do not need. What they offer is used,
//! and what is left out of it is told.

use super::client::{Client, request};
use super::shop::{Running, Shop, server, server_with, until};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

const TOOLS: &str = r#"[{"name": "echo", "does": {"echo": true}}]"#;

fn tools() -> Value {
    serde_json::from_str(TOOLS).unwrap_or_default()
}

/// A shop with one server, and how long a first call of it takes.
fn first_call(script: &Value) -> Result<(Shop, Duration)> {
    let mut script = script.clone();
    script["tools"] = tools();
    let shop = Shop::new(&json!({"mcpServers": {"s": server(&script)}}))?;
    // The binary may have to be built first.
    shop.command(&[])?;
    let start = Instant::now();
    ensure!(shop.value("s.echo", r#"{"a":1}"#)? == r#"{"a":1}"#, "{script}");
    Ok((shop, start.elapsed()))
}

#[test]
fn a_server_says_something_before_its_first_message() -> Result<()> {
    for banner in ["\u{feff}", "Server ready on {stdio} ", "[info] listening… "] {
        let (_, time) = first_call(&json!({"banner": banner}))?;
        ensure!(time < Duration::from_millis(2_500), "{banner}: {time:?}");
    }
    let (_, time) = first_call(&json!({"text_ids": true}))?;
    ensure!(time < Duration::from_millis(2_500), "{time:?}");
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_server_that_takes_long_to_start_is_waited_for() -> Result<()> {
    // Longer than it may keep silent about the newer era.
    first_call(&json!({"start_ms": 3_500}))?;
    let (shop, _) = first_call(&json!({"start_ms": 3_500, "modern": true, "initialize": 7}))?;
    let start = Instant::now();
    shop.value("s.echo", "{}")?;
    ensure!(start.elapsed() < Duration::from_millis(6_500), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn that_a_server_is_silent_about_the_newer_era_is_remembered() -> Result<()> {
    let (shop, time) = first_call(&json!({"silent": true}))?;
    ensure!(time > Duration::from_millis(2_500), "{time:?}");
    let start = Instant::now();
    shop.value("s.echo", "{}")?;
    ensure!(start.elapsed() < Duration::from_millis(2_500), "{:?}", start.elapsed());
    // Another server may come by its name.
    let script = json!({"tools": tools(), "modern": true, "initialize": 7});
    shop.write(&json!({"mcpServers": {"s": server(&script)}}))?;
    shop.value("s.echo", "{}")?;
    shop.write(&json!({"mcpServers": {"s": server(&json!({"tools": tools()}))}}))?;
    shop.value("s.echo", "{}")?;
    Ok(())
}

#[test]
fn a_server_that_ends_when_it_is_asked_for_the_newer_era_is_started_again() -> Result<()> {
    let (shop, _) = first_call(&json!({"fragile": true}))?;
    // It is known now, and started once.
    let started = shop.file("started");
    let script = json!({"fragile": true, "tools": tools(), "started": started});
    shop.write(&json!({"mcpServers": {"s": server(&script)}}))?;
    shop.value("s.echo", "{}")?;
    assert_eq!(fs::read_to_string(&started)?.lines().count(), 1);
    Ok(())
}

#[test]
fn a_handshake_may_be_strange_in_what_nobody_needs() -> Result<()> {
    let info = json!({"name": "s", "version": "1"});
    for result in [
        json!({"protocolVersion": "2025-06-18", "capabilities": [], "serverInfo": info}),
        json!({"protocolVersion": "2025-06-18", "serverInfo": info}),
        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": true}, "serverInfo": {"name": "s"}}),
        json!({"protocolVersion": 2025, "capabilities": {"tools": [], "experimental": {"x": true}}}),
    ] {
        first_call(&json!({"initialize": result}))?;
    }
    Ok(())
}

#[test]
fn a_tool_that_is_wrong_takes_nothing_from_the_others() -> Result<()> {
    let good = json!({"name": "echo", "inputSchema": {"type": "object"}});
    let bad = json!({"name": "bad", "inputSchema": true});
    let odd = json!({"name": "odd", "inputSchema": {"type": "object"}, "annotations": []});
    let list = json!({"tools": [bad, good, odd, 7], "nextCursor": 7});
    let script = json!({"tools": tools(), "list": list});
    let shop = Shop::new(&json!({"mcpServers": {"s": server(&script)}}))?;
    ensure!(shop.value("s.echo", "{}")? == "{}");
    let said = shop.say(&["capability", "test", "s"])?;
    ensure!(said.ok && said.output.contains("s: 2 tools"), "{said:?}");
    for told in
        ["the tool `bad` has no `inputSchema`", "`annotations` of the tool `odd`", "tool 4 "]
    {
        ensure!(said.errors.contains(told), "{told}: {said:?}");
    }
    Ok(())
}

#[test]
fn an_answer_that_cannot_be_read_ends_the_call_at_once() -> Result<()> {
    let result = r#""result":{"content":[{"type":"text","text":"done"}]}"#;
    let line = |text: &str| json!({"line": text.replace("RESULT", result)});
    let cases = [
        (
            line(
                r#"{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"a":NaN},"content":[]}}"#,
            ),
            false,
        ),
        (
            line(
                r#"{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"a":Infinity},"content":[]}}"#,
            ),
            false,
        ),
        (
            line(
                "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\tb\"}]}}",
            ),
            false,
        ),
        (line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#), false),
        (line(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#), false),
        (line(r#"{"jsonrpc":"2.0","id":ID}"#), false),
        (line(r#"{"jsonrpc":"2.0","id":ID,"id":ID,RESULT}"#), true),
        (line(r#"{"jsonrpc":"2.0","id":"ID",RESULT}"#), true),
        (line(r#"{"jsonrpc":"2.0","id":ID.0,RESULT}"#), true),
        (line("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":ID,RESULT}"), true),
        (line(r#"12:00 {info} done {"jsonrpc":"2.0","id":ID,RESULT}"#), true),
        (line(r#"{"jsonrpc":"2.0","id":ID,RESULT} trailing"#), true),
        (
            line(
                r#"[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},{"jsonrpc":"2.0","id":ID,RESULT}]"#,
            ),
            true,
        ),
        (
            json!({"latin1": "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"é\"}]}}"}),
            true,
        ),
    ];
    let named = (0..).zip(&cases);
    let tools: Vec<Value> = named
        .map(|(n, (does, _)): (usize, _)| json!({"name": format!("t{n}"), "does": does}))
        .collect();
    let shop = Shop::of(&tools.into())?;
    let mut running = Running::start(&shop, &[])?;
    for (n, (does, is_read)) in cases.iter().enumerate() {
        let start = Instant::now();
        let code = format!("try {{s.t{n}({{}}); 1}} catch (e) {{e.reason}}");
        let told = running.call("run", &json!({"code": code}))?;
        ensure!((told["value"] == 1) == *is_read, "{does}: {told}");
        ensure!(
            told["value"] != "timeout" && start.elapsed() < Duration::from_secs(3),
            "{does}: {told}"
        );
    }
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_server_that_hangs_keeps_no_other_from_starting() -> Result<()> {
    let hangs = json!({"start_ms": 100_000});
    let mut servers: serde_json::Map<String, Value> =
        (0..4).map(|n| (format!("h{n}"), server(&hangs))).collect();
    servers.insert("z".to_owned(), server(&json!({"tools": tools()})));
    let shop = Shop::new(&json!({"mcpServers": servers}))?;
    let mut running = Running::start(&shop, &["--upstream-wall-clock", "20s"])?;
    running.send("tools/call", &json!({"name": "capabilities", "arguments": {}}))?;
    running.receive()?;
    let told = running.call("run", &json!({"code": "z.echo({a: 1})"}))?;
    ensure!(told["value"] == json!({"a": 1}), "{told}");
    Ok(())
}

#[test]
fn one_bad_entry_stops_nobody_else() -> Result<()> {
    let well = server(&json!({"tools": tools()}));
    let mut shop = Shop::new(&json!({"mcpServers": {
        "well": well,
        "My_Server": well,
        "older": {"type": "sse", "url": "https://x.test/sse"},
        "strange": server_with(&json!({"tools": tools()}), &json!({"zzz": 1})),
        "misspelt": {"comand": "x"},
        "blanks": {"command": "npx -y x"},
        "unset": {"command": "x", "env": {"A": "${PIF_NO_SUCH_VARIABLE}"}},
        "poor": {"command": "x", "env": {"A": "${MISSING}"}, "grants": "allow"},
        "off": {"command": "x", "env": {"A": "${PIF_NO_SUCH_VARIABLE}"}, "disabled": true},
    }, "secrets": {"MISSING": {"env": "PIF_NO_SUCH_SECRET"}, "bad name": {"env": "X"}}, "inputs": []}))?;
    shop.set("PIF_TEST_SETTING", "info");
    for name in ["well", "My_Server", "strange"] {
        ensure!(shop.value(&format!("{name}.echo"), "{}")? == "{}", "{name}");
    }
    let told = shop.complaint("poor.t", "{}")?;
    ensure!(told.contains("no variable `PIF_NO_SUCH_SECRET`"), "{told}");
    for name in ["misspelt", "unset", "older"] {
        let told = shop.complaint(&format!("{name}.t"), "{}")?;
        ensure!(told.starts_with("unavailable: the configuration is wrong: "), "{name}: {told}");
    }
    let said = shop.say(&["capability", "list"])?;
    for told in [
        "/mcpServers/older/type",
        "/mcpServers/misspelt",
        "/mcpServers/strange/zzz",
        "/inputs",
        "/mcpServers/unset/env/A",
        "/secrets/bad name",
        "\"command\": \"npx\", \"args\": [\"-y\",\"x\"]",
    ] {
        ensure!(said.errors.contains(told), "{told}: {said:?}");
    }
    ensure!(!said.errors.contains("/mcpServers/off"), "{said:?}");
    Ok(())
}

#[test]
fn variables_are_settings_everywhere() -> Result<()> {
    let script = json!({"tools": [{"name": "env", "does": {"env": true}}]}).to_string();
    let mut shop = Shop::new(&json!({"mcpServers": {"s": {
        "command": "${PIF_TEST_PROGRAM}", "args": ["${PIF_TEST_SCRIPT}"],
        "env": {"LEVEL": "${PIF_TEST_LEVEL:-info}", "NAME": "${env:PIF_TEST_NAME}"}, "grants": "allow"}}}))?;
    shop.set("PIF_TEST_PROGRAM", env!("CARGO_BIN_EXE_upstream"));
    shop.set("PIF_TEST_SCRIPT", &script);
    shop.set("PIF_TEST_NAME", "Ada");
    let told: Value = serde_json::from_str(&shop.value("s.env", "{}")?)?;
    ensure!(told["LEVEL"] == "info" && told["NAME"] == "Ada", "{told}");
    Ok(())
}

#[test]
fn a_call_may_take_as_long_as_the_file_of_another_client_says() -> Result<()> {
    let tools = json!([{"name": "slow", "does": {"sleep_ms": 5_500}}]);
    let server = server_with(&json!({"tools": tools}), &json!({"timeout": 120_000}));
    let long = server_with(&json!({"tools": tools}), &json!({"limits": {"call_timeout": "2h"}}));
    let shop = Shop::new(&json!({"mcpServers": {"s": server, "long": long}}))?;
    shop.value("s.slow", "{}")?;
    let said = shop.say(&["capability", "list"])?;
    ensure!(said.errors.contains("/mcpServers/long: a call takes 3600s at most"), "{said:?}");
    Ok(())
}

/// A shop whose server has its tools in a file.
fn pinned(tools: &Value, more: &Value) -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let file = shop.file("tools.json");
    fs::write(&file, tools.to_string())?;
    let mut script = json!({"tools": file});
    for (name, value) in more.as_object().into_iter().flatten() {
        script[name] = value.clone();
    }
    shop.write(&json!({"mcpServers": {"s": server(&script)}}))?;
    Ok(shop)
}

fn tool(description: &str, required: &[&str]) -> Value {
    json!([{"name": "echo", "description": description, "does": {"echo": true},
        "inputSchema": {"type": "object", "required": required,
            "properties": {"a": {"type": ["integer", "null"]}, "b": {"enum": [1, 2]}}}}])
}

const ARGUMENTS: &str = r#"{"a":1,"b":2}"#;

#[test]
fn grants_may_be_written_after_a_server_was_listed() -> Result<()> {
    let shop = Shop::new(&json!({"mcpServers": {}}))?;
    let mut entry = server(&json!({"tools": tools()}));
    entry["grants"] = json!({});
    shop.write(&json!({"mcpServers": {"s": entry}}))?;
    ensure!(shop.say(&["capability", "list"])?.output.contains("s.echo"));
    entry["grants"] = json!("allow");
    shop.write(&json!({"mcpServers": {"s": entry}}))?;
    ensure!(shop.value("s.echo", "{}")? == "{}");
    Ok(())
}

#[test]
fn a_definition_that_comes_back_is_approved_again() -> Result<()> {
    let shop = pinned(&tool("first", &["a", "b"]), &json!({}))?;
    shop.value("s.echo", ARGUMENTS)?;
    // The same sets in another order.
    fs::write(shop.file("tools.json"), tool("first", &["b", "a"]).to_string())?;
    shop.value("s.echo", ARGUMENTS)?;
    fs::write(shop.file("tools.json"), tool("second", &["a", "b"]).to_string())?;
    ensure!(shop.say(&["capability", "list"])?.ok);
    let told = shop.complaint("s.echo", ARGUMENTS)?;
    ensure!(told.starts_with("capability-denied") || told.contains("no longer"), "{told}");
    let told = shop.complaint("s.echo", ARGUMENTS)?;
    ensure!(told.starts_with("capability-denied"), "{told}");
    fs::write(shop.file("tools.json"), tool("first", &["a", "b"]).to_string())?;
    shop.value("s.echo", ARGUMENTS)?;
    Ok(())
}

#[test]
fn a_server_of_the_newer_era_tells_of_its_tools() -> Result<()> {
    let shop = pinned(&tool("first", &["a"]), &json!({"modern": true, "listens": true}))?;
    let mut running = Running::start(&shop, &[])?;
    let code = json!({"code": "s.echo({a: 1})"});
    let told = running.call("run", &code)?;
    ensure!(told["value"] == json!({"a": 1}), "{told}");
    fs::write(shop.file("tools.json"), tool("second", &["a"]).to_string())?;
    let start = Instant::now();
    until("the change is noticed", || {
        running.call("run", &code).is_ok_and(|told| told["value"].is_null())
    })?;
    ensure!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn a_list_shows_what_a_server_offers_now() -> Result<()> {
    for modern in [false, true] {
        let shop = pinned(&tool("first", &["a"]), &json!({"modern": modern}))?;
        let mut running = Running::start(&shop, &[])?;
        running.call("run", &json!({"code": "s.echo({a: 1})"}))?;
        fs::write(shop.file("tools.json"), tool("second", &["a"]).to_string())?;
        running.call("capabilities", &json!({}))?;
        let told = running.call("run", &json!({"code": "s.echo({a: 1})"}))?;
        ensure!(told["value"].is_null(), "{told}");
    }
    Ok(())
}

#[test]
fn runs_that_wait_leave_their_places_to_others() -> Result<()> {
    let tools = json!([{"name": "slow", "does": {"sleep_ms": 3_000}}]);
    let many = json!({"limits": {"at_once": 64}});
    let entry = server_with(&json!({"tools": tools}), &many);
    let shop = Shop::new(&json!({"mcpServers": {"s": entry}}))?;
    let mut client = Client::of(&mut shop.command(&["serve", "--concurrency", "2"])?)?;
    client.initialize()?;
    let run = |client: &mut Client, code: &str| -> Result<Value> {
        let id = client.id();
        let params = json!({"name": "run", "arguments": {"code": code}});
        client.send(request(&id, "tools/call", &params))?;
        Ok(id)
    };
    let listed = run(&mut client, "1")?;
    client.answer(&listed)?;
    for _ in 0..20 {
        run(&mut client, "s.slow({})")?;
    }
    let start = Instant::now();
    let id = run(&mut client, "1 + 1")?;
    let told = client.answer(&id)?;
    ensure!(told["result"]["structuredContent"]["value"] == 2, "{told}");
    ensure!(start.elapsed() < Duration::from_millis(2_500), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn progress_extends_the_time_of_a_call_where_the_file_says_so() -> Result<()> {
    let tools = json!([
        {"name": "busy", "does": {"progress": 6}},
        {"name": "stuck", "does": {"progress": 1, "sleep_ms": 5_000}},
    ]);
    let script = json!({"tools": tools});
    let times = json!({"limits": {"call_timeout": "700ms"}});
    let extended = json!({"limits": {"call_timeout": "700ms", "progress": true}});
    let shop = Shop::new(&json!({"mcpServers": {
        "plain": server_with(&script, &times), "more": server_with(&script, &extended)}}))?;
    ensure!(shop.complaint("plain.busy", "{}")?.starts_with("timeout: "));
    ensure!(shop.value("more.busy", "{}")?.contains("done"));
    ensure!(shop.complaint("more.stuck", "{}")?.starts_with("timeout: "));
    Ok(())
}

#[test]
fn a_program_that_is_not_there_is_told() -> Result<()> {
    let entry = json!({"command": "pif-no-such-program", "grants": "allow"});
    let words = "one\ntwo: 404 Not Found\nthree\nfour";
    let script = json!({"ends": true, "errors": words});
    let shop = Shop::new(&json!({"mcpServers": {"s": entry, "e": server(&script)}}))?;
    let told = shop.complaint("s.t", "{}")?;
    ensure!(told.starts_with("unavailable: it cannot be started: pif-no-such-program: "), "{told}");
    let told = shop.complaint("e.t", "{}")?;
    ensure!(told.contains("its last words: two: 404 Not Found / three / four"), "{told}");
    Ok(())
}
