//! The three profiles of replies: what each tells, and how much.

use super::client::{Client, text};
use super::text::identity;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

fn server(profile: &str) -> Result<Client> {
    Client::legacy_with(&["--profile", profile])
}

/// A call of each built-in tool and of an evolved one, ending well and badly.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        (
            "evolve",
            json!({"name": "double", "description": "Doubles", "code": {"mul": [{"var": "x"}, 2]}}),
        ),
        ("evolve", json!({"name": "double", "description": "Doubles", "code": {"mul": [1]}})),
        ("run", json!({"code": {"trace": ["sum", {"add": [1, 3], "sub": [1, 1]}]}, "trace": true})),
        ("run", json!({"code": {"add": [1, "a"]}})),
        ("double", json!({"input": 21})),
        ("double", json!({"input": "x"})),
        ("check", json!({"code": {"add": [{"var": "x"}, 1]}})),
        ("list", json!({})),
        ("help", json!({"form": "fold"})),
        ("server_info", json!({})),
    ]
}

/// Who advertises no schema need not send structured content, and this profile does neither.
#[test]
fn slim_is_text_and_nothing_else() -> Result<()> {
    let mut client = server("slim")?;
    for (tool, arguments) in calls() {
        let result = client.call(tool, &arguments)?;
        ensure!(result.get("structuredContent").is_none(), "{tool} {arguments}: {result}");
        ensure!(!text(&result)?.is_empty(), "{tool} {arguments}: {result}");
    }
    let list = client.request("tools/list", &json!({}))?;
    for tool in list["tools"].as_array().context("tools")? {
        ensure!(tool.get("outputSchema").is_none(), "{tool}");
    }
    Ok(())
}

/// Nothing that a model needs stands in structured content alone.
#[test]
fn slim_tells_all_that_matters_in_its_text() -> Result<()> {
    let mut client = server("slim")?;
    for index in 0..60 {
        client.evolve(&format!("tool{index}"), "A tool", &json!(index))?;
    }
    let all = |result: &Value| -> String {
        let content = result["content"].as_array().cloned().unwrap_or_default();
        content.iter().filter_map(|it| it["text"].as_str()).collect::<Vec<_>>().join("\n")
    };
    for (tool, arguments, words) in [
        (
            "run",
            json!({"code": {"trace": ["sum", {"add": [1, 3], "sub": [1, 1]}]}}),
            "warnings: ignored-key at /trace/1",
        ),
        (
            "run",
            json!({"code": {"trace": ["sum", {"add": [1, 3], "sub": [1, 1]}]}}),
            "trace: sum: 4",
        ),
        ("run", json!({"code": {"add": [1, 2]}, "trace": true}), "evaluation: "),
        ("run", json!({"code": {"add": [1, "a"]}}), "type-mismatch"),
        ("run", json!({"code": {"add": [1, "a"]}}), "at /add/1"),
        ("run", json!({"code": {"add": [1, 2]}, "fuel": 2}), "[fuel: 2 of 2]"),
        (
            "run",
            json!({"code": identity(), "data": "x".repeat(20_001)}),
            "20001 characters, more than the 20000",
        ),
        ("list", json!({}), "next_cursor: after:"),
        (
            "server_info",
            json!({}),
            "wasmtime_fuel 10000000000 (--wasmtime-fuel, internal) + 5000 for each fuel_unit + 64 for each memory_byte",
        ),
        ("evolve", json!({"name": "one", "description": "d", "code": 1}), "revision "),
        ("check", json!({"code": {"var": "y"}}), "free variables: `y`"),
    ] {
        let told = all(&client.call(tool, &arguments)?);
        ensure!(told.contains(words), "{tool} {arguments}: {words} is not in {told}");
    }
    let wide = client.call("run", &json!({"code": {"mul": [9_007_199_254_740_993_u64, 3]}}))?;
    ensure!(all(&wide) == "27021597764222979", "the value alone, exactly: {wide}");
    Ok(())
}

/// What the tools send is what their schemas in the profile say.
#[test]
fn structured_is_the_default() -> Result<()> {
    let (mut default, mut asked) = (Client::legacy()?, server("structured")?);
    for (tool, arguments) in calls() {
        let (one, other) = (default.call(tool, &arguments)?, asked.call(tool, &arguments)?);
        // Each of them keeps its state elsewhere.
        ensure!(tool == "server_info" || one == other, "{tool}: {one} and {other}");
        ensure!(one["structuredContent"].is_object(), "{tool}: {one}");
        for member in ["usage", "limits", "elapsed_ms"] {
            ensure!(
                tool == "server_info" || one["structuredContent"].get(member).is_none(),
                "{one}"
            );
        }
    }
    let info = default.call("server_info", &json!({}))?;
    ensure!(info["structuredContent"]["profile"] == "structured", "{info}");
    Ok(())
}

#[test]
fn debug_tells_usage_limits_time_and_revision() -> Result<()> {
    let mut client = server("debug")?;
    client.evolve("double", "Doubles", &json!({"mul": [{"var": "x"}, 2]}))?;
    let hash = |text: &mut Client, code: &Value| -> Result<Value> {
        Ok(text.call("check", &json!({"code": code}))?["structuredContent"]["revision"].clone())
    };
    let term = json!({"add": [1, 2]});
    let double = json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}});
    let (of_term, of_tool) = (hash(&mut client, &term)?, hash(&mut client, &double)?);
    for (tool, arguments, revision, fuel) in [
        ("run", json!({"code": term}), &of_term, 3),
        ("run", json!({"tool": "double", "input": 4, "fuel": 1_000}), &of_tool, 5),
        ("double", json!({"input": 4}), &of_tool, 5),
        ("double", json!({"input": "x"}), &of_tool, 4),
    ] {
        let result = client.call(tool, &arguments)?;
        let record = &result["structuredContent"];
        ensure!(record["revision"] == *revision, "{arguments}: {result}");
        ensure!(record["usage"]["fuel"] == record["fuel"], "{result}");
        ensure!(record["fuel"].as_u64() >= Some(fuel), "{result}");
        for peak in ["peak_memory", "peak_depth"] {
            ensure!(record["usage"][peak].is_u64(), "{result}");
        }
        let allowed = arguments["fuel"].as_u64().unwrap_or(2_000_000_000);
        ensure!(record["limits"]["fuel"] == allowed, "{result}");
        ensure!(record["limits"]["result"] == 200_000, "{result}");
        ensure!(record["elapsed_ms"].is_u64() && record["steps"] == 0, "{result}");
        ensure!(record["warnings"] == json!([]) && record["trace"] == json!([]), "{result}");
    }
    Ok(())
}

/// Each profile shows as much as it says, and a flag overrules all of them.
#[test]
fn every_profile_has_caps_of_its_own() -> Result<()> {
    for (profile, most, lines) in
        [("slim", 20_000, 20), ("structured", 50_000, 100), ("debug", 200_000, 1_000)]
    {
        let mut client = server(profile)?;
        for (length, is_shown) in [(most, true), (most + 1, false)] {
            let data = "x".repeat(length);
            let result = client.call("run", &json!({"code": identity(), "data": data}))?;
            ensure!((text(&result)? == data) == is_shown, "{profile}: {length}");
        }
        let sums: Vec<Value> = (0..1_000).map(|n| json!({"add": [n, 1]})).collect();
        let steps = json!({"code": sums, "trace": true});
        let result = client.call("run", &steps)?;
        let told = match result["structuredContent"]["evaluation"].as_array() {
            Some(steps) => steps.len(),
            None => result["content"][1]["text"].as_str().unwrap_or_default().lines().count(),
        };
        ensure!(told == lines, "{profile}: {told} steps");
    }
    let mut client = Client::legacy_with(&["--profile", "debug", "--max-result", "10"])?;
    let result = client.call("run", &json!({"code": identity(), "data": "x".repeat(11)}))?;
    ensure!(result["structuredContent"]["truncated"] == true, "{result}");
    Ok(())
}

/// Some clients show the text, others the record: neither hides a warning, beside a fault either.
#[test]
fn every_profile_warns_in_its_text_and_in_its_record() -> Result<()> {
    let hidden = json!({"map": [
        {"lam": "s", "body": {"try": {"parse_int": {"var": "s"}}, "catch": {"lam": "e", "body": 0}}},
        ["a", "b"],
    ]});
    for profile in ["slim", "structured", "debug"] {
        let mut client = server(profile)?;
        for (code, first, words) in [
            (json!({"length": ["hello"]}), "1", "warnings: likely-mistake at /length: "),
            (hidden.clone(), "[0,0]", "warnings: likely-mistake at /map/0/body: `try` caught"),
            (
                json!({"div": [1, 0], "by": 2}),
                "divide-by-zero: ",
                "warnings: ignored-key at : `by`",
            ),
        ] {
            let result = client.call("run", &json!({"code": code}))?;
            let block = |at: usize| result["content"][at]["text"].as_str().unwrap_or_default();
            ensure!(block(0).starts_with(first) && !block(0).contains("likely"), "{result}");
            ensure!(block(1).starts_with(words), "{profile}: {result}");
            let line = block(1).lines().next().and_then(|line| line.strip_prefix("warnings: "));
            let record = &result["structuredContent"]["warnings"][0];
            ensure!(profile == "slim" || line == record.as_str(), "{profile}: {result}");
        }
        let checked = client.call("check", &json!({"code": {"length": ["hello"]}}))?;
        ensure!(text(&checked)?.contains("note: likely-mistake at /length: "), "{checked}");
    }
    Ok(())
}
