//! Types where the server tells them: `check`, `list`, `inspect`, `evolve`, `tools/list`, `verify`,
//! `analyze`, and `pif.analyze` in programs.

use super::client::Client;
use super::kept::Kept;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The record of a call that succeeds.
fn record(client: &mut Client, tool: &str, arguments: &Value) -> Result<Value> {
    let told = client.call(tool, arguments)?;
    ensure!(told["isError"] != true, "{tool} {arguments}: {told}");
    Ok(told["structuredContent"].clone())
}

fn check(client: &mut Client, code: &str) -> Result<Value> {
    record(client, "check", &json!({ "code": code }))
}

/// The entry of a tool in tools/list.
fn listed(client: &mut Client, name: &str) -> Result<Value> {
    let list = client.request("tools/list", &json!({}))?;
    let tools = list["tools"].as_array().context("tools")?;
    Ok(tools.iter().find(|tool| tool["name"] == name).context("the tool")?.clone())
}

#[test]
fn a_check_tells_the_type_and_where_it_surely_fails() -> Result<()> {
    let mut client = Client::legacy()?;
    let told = check(&mut client, "os => os.filter(o => o.paid).map(o => o.amount).sum()")?;
    assert_eq!(told["type"], "(os: {paid: any, amount: number}[]) => number");
    ensure!(told["fails"].is_null(), "{told}");
    let told = check(&mut client, "x => add(x, \"a\")")?;
    let failure = &told["fails"][0];
    assert_eq!((&failure["code"], &failure["always"]), (&json!("type-mismatch"), &json!(true)));
    assert_eq!((&failure["line"], &failure["column"]), (&json!(1), &json!(13)));
    // The hint is in the notation of the program.
    let hint = failure["hint"].as_str().context("a hint")?;
    ensure!(!hint.contains('{') || hint.contains("${"), "{hint}");
    let text = client.text("check", &json!({"code": "x => add(x, \"a\")"}))?;
    ensure!(text.contains("\ntype: (x: number) => never"), "{text}");
    ensure!(text.contains("\nfails: type-mismatch at line 1, column 13, in every run"), "{text}");
    Ok(())
}

#[test]
fn tools_bring_their_types_and_tell_the_revisions() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("half", "", &json!("x => x / 2"))?;
    client.evolve("quarter", "", &json!("x => @half(@half(x))"))?;
    let told = check(&mut client, "xs => xs.map(x => @quarter(x)).sum()")?;
    assert_eq!(told["type"], "(xs: number[]) => number");
    let revision = record(&mut client, "inspect", &json!({"tool": "quarter"}))?["revision"].clone();
    let revision = revision.as_str().context("a revision")?;
    assert_eq!(told["type_holds_for"], json!({"quarter": revision.get(..12)}));
    // Another `half` is another `quarter`.
    client.evolve("half", "", &json!("t => t.upper()"))?;
    assert_eq!(
        record(&mut client, "inspect", &json!({"tool": "quarter"}))?["type"],
        "(x: text) => text"
    );
    // Tools that call each other in a circle, and a tool that calls itself.
    client.evolve("ping", "", &json!("n => n < 1 ? 0 : @pong(n - 1)"))?;
    client.evolve("pong", "", &json!("n => n < 1 ? 1 : @ping(n - 1)"))?;
    let told = check(&mut client, "@ping(3)")?;
    ensure!(told["type"].is_string() && told["fails"].is_null(), "{told}");
    Ok(())
}

/// The types that a store keeps, by what they hold for.
fn kept_types(kept: &Kept) -> Result<Vec<(String, Value)>> {
    let database = kept.database()?;
    let mut statement =
        database.prepare("SELECT about, told FROM fact WHERE kind = 'type' ORDER BY about")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    rows.map(|row| row.map_err(anyhow::Error::from))
        .map(|row| row.and_then(|(about, told)| Ok((about, serde_json::from_str(&told)?))))
        .collect()
}

#[test]
fn a_store_keeps_types_until_a_callee_or_the_analyst_is_another() -> Result<()> {
    let kept = Kept::new()?;
    let listed = |kept: &Kept| -> Result<Value> {
        let mut told = Value::Null;
        kept.session(|client| {
            let tools = record(client, "list", &json!({"query": "quarter"}))?["tools"].clone();
            let tools = tools.as_array().cloned().unwrap_or_default();
            let found = tools.iter().find(|it| it["name"] == "quarter");
            told = found.context("the tool")?["type"].clone();
            Ok(())
        })?;
        Ok(told)
    };
    kept.session(|client| {
        client.evolve("half", "", &json!("x => x / 2"))?;
        client.evolve("quarter", "", &json!("x => @half(@half(x))"))?;
        Ok(())
    })?;
    assert_eq!(listed(&kept)?, "(x: number) => number");
    let before = kept_types(&kept)?;
    assert_eq!(before.len(), 2, "{before:?}");
    // A server that starts takes what is kept: it tells what stands there, and infers nothing.
    let marked = |from: &str, to: &str| {
        let sql = "UPDATE fact SET told = replace(told, ?1, ?2) WHERE kind = 'type'";
        kept.database()?.execute(sql, [from, to]).map_err(anyhow::Error::from)
    };
    marked("(x: number) => number", r#"(x: number) => \"kept\""#)?;
    assert_eq!(listed(&kept)?, "(x: number) => \"kept\"");
    // Nothing is taken from another analyst, and what it told is told again.
    marked(pif_sandbox::ANALYST_HASH, "another")?;
    assert_eq!(listed(&kept)?, "(x: number) => number");
    assert_eq!(kept_types(&kept)?, before);
    // Nor what holds for another callee.
    kept.session(|client| client.evolve("half", "", &json!("t => t.upper()")).map(drop))?;
    assert_eq!(listed(&kept)?, "(x: text) => text");
    Ok(())
}

#[test]
fn list_and_inspect_show_the_type_in_one_line() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("double", "Doubles a number", &json!("x => x * 2"))?;
    let told = record(&mut client, "list", &json!({}))?;
    assert_eq!(told["tools"][0]["type"], "(x: number) => number");
    let text = client.text("list", &json!({}))?;
    ensure!(text.contains("Doubles a number\n  (x: number) => number\n"), "{text}");
    let text = client.text("inspect", &json!({"tool": "double"}))?;
    ensure!(text.contains("\ntype: (x: number) => number\n"), "{text}");
    let told = record(&mut client, "inspect", &json!({"tool": "std_gcd"}))?;
    ensure!(told["type"].as_str().is_some_and(|it| it.contains("=> integer")), "{told}");
    Ok(())
}

#[test]
fn a_value_that_cannot_meet_its_schema_is_warned_of() -> Result<()> {
    let mut client = Client::legacy()?;
    let mut notes = |code: &str, schema: Value| -> Result<Value> {
        let change = json!({"name": "t", "description": "", "code": code, "output_schema": schema});
        Ok(record(&mut client, "evolve", &change)?["notes"].clone())
    };
    let wants = json!({"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]});
    let told = notes("o => ({total: o.name.upper()})", wants.clone())?;
    let warning = told[0].as_str().context("a warning")?;
    assert_eq!(warning, "warning: /total is of the type text, and `output_schema` wants number");
    ensure!(notes("o => ({total: o.price * 2})", wants.clone())?.is_null());
    ensure!(notes("o => ({total: o.price ?? 2})", wants)?.is_null());
    Ok(())
}

#[test]
fn a_tool_that_equals_another_one_is_told() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("six_times", "", &json!("x => x * 6"))?;
    let mut notes = |code: &str| -> Result<Value> {
        let change = json!({"name": "t", "description": "", "code": code});
        Ok(record(&mut client, "evolve", &change)?["notes"].clone())
    };
    assert_eq!(
        notes("y => { const z = y * 6; return z }")?,
        json!(["warning: the same as `six_times`"])
    );
    ensure!(notes("y => y * 7")?.is_null());
    Ok(())
}

#[test]
fn costs_and_normal_forms_are_told() -> Result<()> {
    let mut client = Client::legacy_with(&["--toolsets", "core,analysis"])?;
    let told = check(&mut client, "xs => xs.map(x => x * 2)")?;
    assert_eq!((&told["cost"]["kind"], &told["cost"]["class"]), (&json!("bound"), &json!("n")));
    assert_eq!(told["cost"]["where"]["n"], "length(data)");
    let mut hash = |code: &str| -> Result<Value> {
        let about = json!({"code": code, "ask": ["normal"]});
        let told = record(&mut client, "analyze", &about)?;
        ensure!(told["type"].is_null() && told["cost"].is_null(), "{told}");
        Ok(told["normal_hash"].clone())
    };
    let first = hash("(a, b) => a + b")?;
    ensure!(first.is_string());
    assert_eq!(first, hash("(x, y) => { const s = x + y; return s }")?);
    Ok(())
}

#[test]
fn a_tool_is_listed_with_what_it_accepts_and_no_call_is_refused_for_it() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve(
        "big",
        "",
        &json!("os => os.filter(o => o.amount > 10).map(o => o.name.upper())"),
    )?;
    let data = listed(&mut client, "big")?["inputSchema"]["properties"]["data"].clone();
    assert_eq!(
        (&data["type"], &data["items"]["properties"]),
        (&json!("array"), &json!({"amount": {"type": "number"}}))
    );
    // No name is looked at.
    let told = record(&mut client, "big", &json!({"data": [{"amount": 1, "name": 7}]}))?;
    assert_eq!(told["value"], json!([]));
    client.evolve("size", "", &json!("t => t.upper()"))?;
    assert_eq!(listed(&mut client, "size")?["inputSchema"]["properties"]["data"]["type"], "string");
    assert_eq!(record(&mut client, "size", &json!({"data": ""}))?["value"], "");
    client.evolve("bill", "", &json!("({price, qty = 1}) => price * qty"))?;
    assert_eq!(record(&mut client, "bill", &json!({"price": 2.5}))?["value"], 2.5);
    let mut client = Client::legacy_with(&["--profile", "debug"])?;
    client.evolve("names", "", &json!("os => os.map(o => ({id: o.id * 2}))"))?;
    let value = listed(&mut client, "names")?["outputSchema"]["properties"]["value"].clone();
    assert_eq!(value["items"]["properties"]["id"]["type"], "number");
    Ok(())
}

#[test]
fn a_verification_compares_types() -> Result<()> {
    let mut client = Client::legacy_with(&["--toolsets", "core,state,staging"])?;
    client.evolve("net", "", &json!("x => x == null ? 0 : x / 2"))?;
    client.evolve("sum", "", &json!("xs => xs.map(x => @net(x)).sum()"))?;
    let mut verify = |code: &str| -> Result<Value> {
        let change = json!({"evolve": {"name": "net", "description": "", "code": code}});
        let staged = record(&mut client, "stage", &json!({"operations": [change]}))?;
        record(&mut client, "verify", &json!({"snapshot": staged["snapshot"]}))
    };
    let told = verify("x => x / 4")?;
    assert_eq!(told["passed"], false);
    let net = &told["tools"][0];
    assert_eq!(net["type"]["after"], "(x: number) => number");
    assert_eq!(net["faults"][0]["code"], "type-narrowed");
    let told = verify("x => x == null ? 0 : add(x, \"a\")")?;
    assert_eq!(
        (&told["passed"], &told["tools"][0]["faults"][0]["code"]),
        (&json!(false), &json!("type-mismatch"))
    );
    let told = verify("x => x == null ? 0 : x / 4")?;
    assert_eq!(told["passed"], true, "{told}");
    Ok(())
}

#[test]
fn a_program_and_a_tool_are_analyzed() -> Result<()> {
    let mut client = Client::legacy_with(&["--toolsets", "core,state,staging,analysis"])?;
    client.evolve("half", "", &json!("x => x / 2"))?;
    let told = record(&mut client, "analyze", &json!({"tool": "half"}))?;
    assert_eq!(
        (&told["type"], &told["output"]),
        (&json!("(x: number) => number"), &json!("number"))
    );
    assert_eq!(told["parameters"], json!([{"name": "x", "type": "number", "accepts": "number"}]));
    assert_eq!(told["needs"], json!({"pure": true, "computed": false, "tools": [], "servers": []}));
    let about = json!({"code": "x => @half(x) + shop.price({x})", "ask": ["needs"]});
    let told = record(&mut client, "analyze", &about)?;
    ensure!(told["type"].is_null(), "{told}");
    assert_eq!(
        (&told["needs"]["tools"], &told["needs"]["servers"]),
        (&json!(["half"]), &json!(["shop.price"]))
    );
    // Within a snapshot.
    let change = json!({"evolve": {"name": "half", "description": "", "code": "t => t.upper()"}});
    let staged = record(&mut client, "stage", &json!({"operations": [change]}))?;
    let within = json!({"tool": "half", "snapshot": staged["snapshot"], "ask": ["type"]});
    assert_eq!(record(&mut client, "analyze", &within)?["type"], "(t: text) => text");
    for wrong in
        [json!({}), json!({"code": "1", "tool": "half"}), json!({"code": "1", "ask": ["cost!"]})]
    {
        assert_eq!(client.fault("analyze", &wrong)?["code"], "malformed");
    }
    assert_eq!(client.fault("analyze", &json!({"tool": "hafl"}))?["code"], "unknown-tool");
    Ok(())
}

#[test]
fn programs_ask_the_analyst() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("half", "", &json!("x => x / 2"))?;
    let code = "call(\"pif.analyze\", {code: quote(x => @half(x) * 3), ask: [\"type\"]}).type";
    let told = record(&mut client, "run", &json!({"code": code}))?;
    assert_eq!(told["value"], "(x: number) => number");
    let text = "call(\"pif.analyze\", {code: \"t => t.upper()\"}).output";
    assert_eq!(record(&mut client, "run", &json!({"code": text}))?["value"], "text");
    let wrong = "try { pif.analyze({cod: 1}) } catch (e) { e.reason }";
    assert_eq!(record(&mut client, "run", &json!({"code": wrong}))?["value"], "tool-error");
    // A tool of it has an example, and reaches nobody.
    let tool = json!({"name": "kind", "description": "", "code": "c => call(\"pif.analyze\", {code: c}).type",
        "examples": [{"data": "x => x * 2", "output": "(x: number) => number"}]});
    record(&mut client, "evolve", &tool)?;
    assert_eq!(listed(&mut client, "kind")?["annotations"]["openWorldHint"], false);
    record(&mut client, "kind", &json!({"data": "() => 1"}))?;
    // The runs have other answers now, and replay as they were.
    client.evolve("half", "", &json!("t => t.upper()"))?;
    let recent = record(&mut client, "journal_recent", &json!({"kind": "run"}))?;
    let entries = recent["entries"].as_array().context("entries")?;
    let mut count = 0;
    for entry in entries.iter().filter(|it| it["kind"] == "run") {
        let told = record(&mut client, "replay", &json!({"entry": entry["entry"]}))?;
        ensure!(told.to_string().contains("equal"), "{told}");
        count += 1;
    }
    ensure!(count >= 4, "{count} runs");
    Ok(())
}

#[test]
fn the_name_of_the_tool_itself_is_reserved() -> Result<()> {
    let mut client = Client::legacy()?;
    let told =
        client.fault("evolve", &json!({"name": "self", "description": "", "code": "x => x"}))?;
    ensure!(
        told["message"].as_str().is_some_and(|it| it.starts_with("`self` is reserved")),
        "{told}"
    );
    Ok(())
}

/// Types that blow up, walk in circles or are deep: a check ends in time and never fails for them.
#[test]
fn a_check_of_hostile_programs_ends() -> Result<()> {
    let mut client = Client::legacy()?;
    let lines = |count: u32, line: &dyn Fn(u32) -> String| (1..count).map(line).collect::<String>();
    let pairs = format!(
        "const p0 = [1, 2]; {} p199",
        lines(200, &|i| format!("const p{i} = [p{0}, p{0}];", i - 1))
    );
    let records = format!(
        "r0 => {{ {} return r99 }}",
        lines(100, &|i| format!("const r{i} = {{...r{0}, a{i}: r{0}, b: r{0}}};", i - 1))
    );
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let lambdas = format!("{}x0", (0..2_000).map(|i| format!("x{i} => ")).collect::<String>());
    let circles = "(x => x(x))(x => x(x))".to_owned();
    let long = format!("data.a{}", " * 2".repeat(50_000));
    let mut longest = Duration::ZERO;
    for (name, code) in [
        ("pairs", pairs),
        ("records", records),
        ("deep", deep),
        ("lambdas", lambdas),
        ("circles", circles),
        ("long", long),
    ] {
        let start = Instant::now();
        let told = client.call("check", &json!({ "code": code }))?;
        longest = longest.max(start.elapsed());
        ensure!(told["isError"] != true, "{name}: {told}");
        ensure!(told.to_string().len() < 500_000, "{name}");
    }
    ensure!(longest < Duration::from_secs(20), "{longest:?}");
    Ok(())
}
