//! Output schemas: a value that does not conform is absent, whoever asked for it to, and no schema
//! and no value can make the server work for long, fetch anything or fall over.

use super::client::Client;
use super::kept::Kept;
use super::text::FOREVER;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Runs a value against a schema.
fn judge(client: &mut Client, value: &Value, schema: &Value) -> Result<Value> {
    client.call(
        "run",
        &json!({"code": {"var": "v"}, "context": {"v": value}, "output_schema": schema}),
    )
}

/// The record of a call that was refused by this code, without a value.
fn refused<'a>(answer: &'a Value, code: &str) -> Result<&'a Value> {
    let record = &answer["structuredContent"];
    ensure!(answer["isError"] == true && record["code"] == code, "not {code}: {answer}");
    ensure!(record.get("value").is_none() && record.get("exact").is_none(), "{record}");
    Ok(record)
}

fn total() -> Value {
    json!({"type": "object", "properties": {"total": {"type": "integer", "minimum": 0}}, "required": ["total"]})
}

fn evolve(client: &mut Client, body: &Value, more: &Value) -> Result<Value> {
    let mut arguments =
        json!({"name": "sum_up", "description": "Sums up", "code": {"lam": "x", "body": body}});
    let (Value::Object(all), Value::Object(more)) = (&mut arguments, more.clone()) else {
        anyhow::bail!("no objects");
    };
    all.extend(more);
    client.call("evolve", &arguments)
}

fn record_of(x: &Value) -> Value {
    json!({"record": {"total": x}})
}

#[test]
fn a_value_conforms_or_is_absent() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    let fine = judge(&mut client, &json!({"total": 3}), &total())?;
    ensure!(fine["isError"] != true && fine["structuredContent"]["value"]["total"] == 3, "{fine}");
    let wrong = judge(&mut client, &json!({"total": "many", "x": [1]}), &total())?;
    let record = refused(&wrong, "schema-mismatch")?;
    for (member, expected) in [
        ("instance", "/total"),
        ("expected", "an integer"),
        ("found", "\"many\""),
        ("schema_at", "/properties/total/type"),
        ("at", ""),
    ] {
        assert_eq!(record[member], expected, "{record}");
    }
    let message = record["message"].as_str().context("a message")?;
    ensure!(message.contains("at /total expected an integer, found \"many\""), "{message}");
    // A schema may be sent as its text, and may be true or false.
    for (schema, is_error) in
        [(json!(total().to_string()), true), (json!(true), false), (json!(false), true)]
    {
        let answer = judge(&mut client, &json!({}), &schema)?;
        assert_eq!(answer["isError"] == true, is_error, "{answer}");
    }
    // Several mismatches are told together, the first as the fault's own members.
    let items = json!({"items": {"type": "string"}});
    let answer = judge(&mut client, &json!([1, "a", 2, 3, 4]), &items)?;
    let record = refused(&answer, "schema-mismatch")?;
    assert_eq!(record["mismatches"].as_array().map(Vec::len), Some(3), "{record}");
    assert_eq!(record["instance"], record["mismatches"][0]["instance"]);
    ensure!(record["message"].as_str().is_some_and(|it| it.ends_with("and 1 more")), "{record}");
    // What is too long to show is compared all the same.
    let long =
        json!({"code": {"range": [0, 60_000]}, "output_schema": {"items": {"maximum": 59_998}}});
    let answer = client.call("run", &long)?;
    assert_eq!(refused(&answer, "schema-mismatch")?["instance"], "/59999");
    let long =
        json!({"code": {"range": [0, 60_000]}, "output_schema": {"items": {"maximum": 59_999}}});
    let answer = client.call("run", &long)?;
    assert_eq!(answer["structuredContent"]["truncated"], true, "{answer}");
    // A fault of the program stays what it was.
    let fault = client.call("run", &json!({"code": {"div": [1, 0]}, "output_schema": total()}))?;
    refused(&fault, "divide-by-zero").map(drop)
}

/// Integers of any size are compared exactly, which floats are not.
#[test]
fn numbers_are_exact() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    let big = "123456789012345678901234567891";
    for (schema, conforms) in [
        (r#"{"type":"integer"}"#, true),
        (r#"{"minimum":123456789012345678901234567891}"#, true),
        (r#"{"minimum":123456789012345678901234567892}"#, false),
        (r#"{"exclusiveMaximum":123456789012345678901234567892}"#, true),
        (r#"{"multipleOf":123456789012345678901234567891}"#, true),
        (r#"{"multipleOf":2}"#, false),
        (r#"{"const":123456789012345678901234567890}"#, false),
        (r#"{"enum":[1,123456789012345678901234567891]}"#, true),
    ] {
        let answer =
            client.call_text("run", &format!(r#"{{"code":{big},"output_schema":{schema}}}"#))?;
        assert_eq!(answer["isError"] != true, conforms, "{schema}: {answer}");
    }
    Ok(())
}

#[test]
fn a_schema_that_is_none_is_refused_by_its_place() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    for (schema, at, words) in [
        (json!({"properties": {"a": {"type": "objekt"}}}), "/properties/a/type", "objekt"),
        (json!([1]), "", "an object, or true or false"),
        (json!(7), "", "an object, or true or false"),
        (json!({"$ref": "https://evil.example/x.json"}), "/$ref", "`https://evil.example/x.json`"),
        (
            json!({"items": {"$dynamicRef": "file:///etc/passwd"}}),
            "/items/$dynamicRef",
            "`file:///etc/passwd`",
        ),
        (json!({"$ref": "#/$defs/none"}), "/$ref", "`#/$defs/none`"),
        (json!({"const": {"type": "x"}, "$ref": "#/const"}), "/$ref", "where there is no schema"),
        (json!({"$schema": "http://json-schema.org/draft-07/schema#"}), "/$schema", "draft-07"),
        (json!({"$defs": {"a": {"$id": "https://a.example/"}}}), "/$defs/a/$id", "`$id`"),
        (json!({"$ref": "#"}), "", "by way of itself"),
        (json!({"pattern": "^(?!a)"}), "/pattern", "looks ahead"),
        (json!({"pattern": "(?<=a)b"}), "/pattern", "looks behind"),
        (json!({"patternProperties": {"(a)\\1": {}}}), "/patternProperties/(a)\\1", "refers back"),
        (json!({"pattern": "("}), "/pattern", "no pattern"),
        (json!({"pattern": "(a{1000}){1000}"}), "/pattern", "too large"),
        (json!({"title": "safe\u{202e}gpj.exe"}), "/title", "U+202E"),
        (
            json!({"properties": {"a": {"description": "a\u{200b}b"}}}),
            "/properties/a/description",
            "U+200B",
        ),
        (json!({"$comment": "\u{7}"}), "/$comment", "U+0007"),
        (json!({"enum": ["x".repeat(70_000)]}), "", "more than 65536"),
    ] {
        let arguments = json!({"code": {"div": [1, 0]}, "output_schema": schema});
        let answer = client.call("run", &arguments)?;
        let record = refused(&answer, "invalid-schema")?;
        assert_eq!(record["at"], format!("/output_schema{at}"), "{record}");
        ensure!(record["message"].as_str().is_some_and(|it| it.contains(words)), "{record}");
        assert_eq!(record["fuel"], 0, "nothing has run");
        let answer = evolve(&mut client, &json!(1), &json!({"output_schema": schema}))?;
        refused(&answer, "invalid-schema")?;
    }
    Ok(())
}

/// Each of these ends, most of them at once, and the server goes on.
#[test]
fn hostile_schemas_and_values_end() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let list = json!({"$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}}, "$ref": "#/$defs/l"});
    let nest = |levels: u32| {
        json!({"code": {"app": {"func": {"app": {"func": {"lam": "f", "body": {"app": {"func": {"var": "f"}, "arg": {"var": "f"}}}},
        "arg": {"lam": "f", "body": {"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 1]}, "then": [], "else":
            [{"app": {"func": {"app": {"func": {"var": "f"}, "arg": {"var": "f"}}}, "arg": {"sub": [{"var": "n"}, 1]}}}]}}}}}}, "arg": levels}},
        "output_schema": list})
    };
    let answer = client.call("run", &nest(100_000))?;
    let record = refused(&answer, "too-deep")?;
    assert_eq!(record["limit"], json!({"name": "schema_depth", "used": 100_000, "limit": 1_000}));
    let answer = client.call("run", &nest(1_000))?;
    assert_eq!(answer["structuredContent"]["exact"], deep(1_000), "{answer}");
    // Doubled by each of thirty references; and by each level of the value.
    let mut doubled = json!({"$ref": "#/$defs/a0", "$defs": {"a30": {}}});
    for n in 0..30 {
        let next = json!({"$ref": format!("#/$defs/a{}", n + 1)});
        doubled["$defs"][format!("a{n}")] = json!({"allOf": [next, next]});
    }
    let answer = judge(&mut client, &json!(1), &doubled)?;
    ensure!(
        refused(&answer, "invalid-schema")?["message"].to_string().contains("4096"),
        "{answer}"
    );
    let mut closed = json!({"properties": {"a": {}}, "unevaluatedProperties": false});
    for _ in 0..30 {
        closed = json!({"allOf": [closed], "unevaluatedProperties": false});
    }
    let answer = judge(&mut client, &json!({"a": 1}), &closed)?;
    assert_eq!(refused(&answer, "too-large")?["limit"]["name"], "schema_work", "{answer}");
    let either =
        |name: &str| json!({"properties": {"x": {"$ref": "#/$defs/a"}}, "required": [name]});
    let tree = json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [either("q"), either("r")]}}});
    let value = (0..60).fold(json!(1), |value, _| json!({"x": value}));
    let answer = judge(&mut client, &value, &tree)?;
    refused(&answer, "schema-mismatch")?;
    assert_eq!(client.text("run", &json!({"code": {"add": [1, 2]}}))?, "3");
    Ok(())
}

#[test]
fn hostile_patterns_numbers_and_lists_end() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    // A pattern that makes others go back for ever; numbers that are alike as floats.
    let text = format!("{}!", "a".repeat(100_000));
    let answer = judge(&mut client, &json!(text), &json!({"pattern": "^(a+)+$"}))?;
    let found = refused(&answer, "schema-mismatch")?["found"].as_str().context("found")?;
    ensure!(found.chars().count() <= 201, "{found}");
    let alike = json!({"map": [{"lam": "i", "body": {"add": [{"var": "i"}, {"mul": [1_000_000_007_000_000_007_u64, 1_000_000_007_000_000_007_u64]}]}}, {"range": [0, 20_000]}]});
    let answer = client.call("run", &json!({"code": {"length": alike}, "output_schema": true}))?;
    ensure!(answer["isError"] != true, "{answer}");
    let answer =
        client.call("run", &json!({"code": alike, "output_schema": {"uniqueItems": true}}))?;
    assert_eq!(answer["structuredContent"]["truncated"], true, "{answer}");
    // A huge list of alternatives, asked for each item; a mismatch that keeps much of the schema.
    let many: Vec<u32> = (0..9_000).collect();
    let answer = client.call(
        "run",
        &json!({"code": {"range": [9_000, 29_000]}, "output_schema": {"items": {"enum": many}}}),
    )?;
    assert_eq!(refused(&answer, "schema-mismatch")?["instance"], "/0");
    let not = json!({"not": {"allOf": vec![json!({"not": {"type": "string"}}); 1_500]}});
    let answer = client
        .call("run", &json!({"code": {"range": [0, 20_000]}, "output_schema": {"items": not}}))?;
    refused(&answer, "schema-mismatch")?;
    // More parts than are looked at.
    let answer = client.call(
        "run",
        &json!({"memory": "512MiB", "code": {"range": [0, 2_100_000]}, "output_schema": {"type": "array"}}),
    )?;
    assert_eq!(refused(&answer, "too-large")?["limit"]["name"], "schema_parts", "{answer}");
    #[cfg(target_os = "linux")]
    ensure_small(&client)?;
    assert_eq!(client.text("run", &json!({"code": {"add": [1, 2]}}))?, "3");
    Ok(())
}

/// What the server took at its highest point.
#[cfg(target_os = "linux")]
fn ensure_small(client: &Client) -> Result<()> {
    let kib = client.peak_memory()?;
    ensure!(kib < 1 << 20, "the server took {kib} KiB");
    Ok(())
}

#[test]
fn a_tool_keeps_its_schema() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    let x = json!({"var": "x"});
    // An example that is right but does not conform refuses the change.
    let wrong =
        json!({"output_schema": total(), "examples": [{"data": -1, "output": {"total": -1}}]});
    let answer = evolve(&mut client, &record_of(&x), &wrong)?;
    ensure!(refused(&answer, "schema-mismatch")?["instance"] == "/total", "{answer}");
    let right =
        json!({"output_schema": total(), "examples": [{"data": 1, "output": {"total": 1}}]});
    let made = evolve(&mut client, &record_of(&x), &right)?;
    let first = made["structuredContent"]["revision"].as_str().context("a revision")?.to_owned();
    // Directly, by `run`, by the older name; and with a schema of the caller's as well.
    let data = |n: i64| json!({"data": n});
    let calls = [
        ("sum_up", data(-5)),
        ("run", json!({"tool": "sum_up", "data": -5})),
        ("run", json!({"tool": format!("sum_up@{}", &first[..10]), "data": -5})),
        ("run", json!({"tool": "sum_up", "data": -5, "output_schema": {"type": "object"}})),
        ("run", json!({"tool": "sum_up", "data": 5, "output_schema": {"type": "array"}})),
        ("execute-tool", json!({"tool-name": "sum_up", "arguments": data(-5)})),
    ];
    for (tool, arguments) in &calls {
        let answer = client.call(tool, arguments)?;
        let record = refused(&answer, "schema-mismatch")?;
        ensure!(record["tool"].as_str().is_some_and(|it| it.starts_with("sum_up")), "{record}");
    }
    assert_eq!(client.call("sum_up", &data(5))?["structuredContent"]["value"]["total"], 5);
    // A term that calls it is not the tool.
    let calls = json!({"code": {"app": {"func": {"tool": "sum_up"}, "arg": -5}}});
    ensure!(client.call("run", &calls)?["isError"] != true, "only its own values are compared");
    // The schema is no part of the term, is told where the tool is, and stays until it is taken away.
    let inspected = client.call("inspect", &json!({"tool": "sum_up"}))?;
    let kept: Value = serde_json::from_str(
        inspected["structuredContent"]["output_schema"].as_str().context("a schema")?,
    )?;
    assert_eq!(kept, total());
    let read = client.request("resources/read", &json!({"uri": "pif://tool/sum_up"}))?;
    let read: Value = serde_json::from_str(read["contents"][0]["text"].as_str().context("text")?)?;
    assert_eq!(read["output_schema"], total());
    let again = evolve(&mut client, &record_of(&json!({"mul": [x, 2]})), &json!({}))?;
    ensure!(again.to_string().contains("the tool keeps its output schema"), "{again}");
    refused(&client.call("sum_up", &data(-5))?, "schema-mismatch")?;
    let without = evolve(&mut client, &record_of(&x), &json!({"output_schema": true}))?;
    assert_eq!(
        without["structuredContent"]["revision"],
        first.as_str(),
        "the same term: {without}"
    );
    assert_eq!(client.call("sum_up", &data(-5))?["structuredContent"]["value"]["total"], -5);
    let other =
        evolve(&mut client, &json!({"head": [x]}), &json!({"output_schema": {"type": "integer"}}))?;
    ensure!(other["isError"] != true, "{other}");
    refused(&client.call("sum_up", &json!({"data": "text"}))?, "schema-mismatch")?;
    // Back to the first term, with what was said of it last: no schema.
    client.call("rollback", &json!({"tool": "sum_up", "revision": first}))?;
    assert_eq!(client.call("sum_up", &data(-5))?["structuredContent"]["value"]["total"], -5);
    let schema = json!({"output_schema": {"const": 1}, "examples": []});
    let second = evolve(&mut client, &json!(2), &schema)?;
    let second = second["structuredContent"]["revision"].clone();
    client.call("rollback", &json!({"tool": "sum_up", "revision": first}))?;
    client.call("rollback", &json!({"tool": "sum_up", "revision": second}))?;
    refused(&client.call("sum_up", &data(1))?, "schema-mismatch").map(drop)
}

/// A continuation is no value: what it leads to is compared.
#[test]
fn the_value_at_the_end_of_continuations_is_compared() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    let x = json!({"var": "x"});
    let down = json!({"if": {"cond": {"lte": [x, 0]}, "then": "done", "else": {"continue": {"input": {"sub": [x, 1]}}}}});
    evolve(&mut client, &down, &json!({"output_schema": {"type": "integer"}}))?;
    let first = client.call("sum_up", &json!({"input": 3}))?;
    assert_eq!(first["structuredContent"]["kind"], "continuation", "{first}");
    refused(&client.call("sum_up", &json!({"input": 3, "max_steps": 9}))?, "schema-mismatch")?;
    refused(&client.call("sum_up", &json!({"input": 0}))?, "schema-mismatch")?;
    // The term that begins it is none of the tool's, the last step is.
    let starts = json!({"code": {"app": {"func": {"tool": "sum_up"}, "arg": 3}}, "max_steps": 9});
    refused(&client.call("run", &starts)?, "schema-mismatch").map(drop)
}

#[test]
fn replays_compare_with_the_schema_of_then() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        let x = json!({"var": "x"});
        evolve(client, &record_of(&x), &json!({"output_schema": total()}))?;
        for n in [1, -1] {
            client.call("sum_up", &json!({"data": n}))?;
            client.call("run", &json!({"code": n, "output_schema": {"minimum": 0}}))?;
        }
        client.call("run", &json!({"code": 1, "output_schema": {"type": "x"}}))?;
        evolve(client, &record_of(&x), &json!({"output_schema": {"const": 7}}))?;
        let recent = client.call("journal_recent", &json!({"kind": "run"}))?.to_string();
        ensure!(
            recent.contains("schema-mismatch") && recent.contains("invalid-schema"),
            "{recent}"
        );
        Ok(())
    })?;
    let replayed = kept.prints(&["replay", "--all"])?;
    ensure!(replayed.contains("5 equal"), "{replayed}");
    Ok(())
}

#[test]
fn schemas_travel_with_tools() -> Result<()> {
    let (from, to) = (Kept::new()?, Kept::new()?);
    from.session(|client| {
        let more =
            json!({"output_schema": total(), "examples": [{"data": 1, "output": {"total": 1}}]});
        evolve(client, &record_of(&json!({"var": "x"})), &more).map(drop)
    })?;
    let exported = from.prints(&["export", "sum_up"])?;
    let file: Value = serde_json::from_str(&exported)?;
    assert_eq!((&file["version"], &file["tools"][0]["output_schema"]), (&json!(1), &total()));
    ensure!(to.execute(&["import", "-"], &exported)?.code == Some(0), "it is taken");
    assert_eq!(to.prints(&["export", "sum_up"])?, exported);
    ensure!(to.execute(&["import", "-"], &exported)?.output.contains("unchanged"), "it is there");
    to.session(|client| {
        refused(&client.call("sum_up", &json!({"data": -1}))?, "schema-mismatch").map(drop)
    })?;
    for (what, schema, code) in [
        ("another schema", json!({"type": "object"}), "another output schema"),
        ("no schema", json!({"$ref": "http://evil.example/"}), "invalid-schema"),
        ("one that its example does not fit", json!({"type": "array"}), "schema-mismatch"),
    ] {
        let mut file = file.clone();
        file["tools"][0]["output_schema"] = schema;
        let flags: &[&str] = if code == "schema-mismatch" {
            &["import", "-", "--replace"]
        } else {
            &["import", "-"]
        };
        let done = to.execute(flags, &file.to_string())?;
        ensure!(done.code == Some(1) && done.errors.contains(code), "{what}: {done:?}");
    }
    Ok(())
}

#[test]
fn the_command_line_compares_too() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        evolve(client, &record_of(&json!({"var": "x"})), &json!({"output_schema": total()}))
            .map(drop)
    })?;
    for (arguments, code, words) in [
        (&["run", "[1,2]", "--output-schema", r#"{"items":{"type":"integer"}}"#][..], 0, "[1,2]"),
        (&["run", "[1,2]", "--output-schema", r#"{"maxItems":1}"#], 1, "at most 1 items"),
        (&["run", "1", "--output-schema", r#"{"$ref":"x.json"}"#], 1, "invalid-schema"),
        (&["run", "sum_up", "1"], 0, r#"{"total":1}"#),
        (&["run", "sum_up", "--", "-1"], 1, "of the tool `sum_up`: at /total expected at least 0"),
    ] {
        let printed = kept.execute_behind(arguments)?;
        let told = format!("{}{}", printed.output, printed.errors);
        ensure!(printed.code == Some(code) && told.contains(words), "{arguments:?}: {printed:?}");
        ensure!(code == 0 || printed.output.is_empty(), "{arguments:?}: {printed:?}");
    }
    Ok(())
}
