//! What programs and their authors do wrong, told so that it can be put right.

use super::client::{Client, text};
use super::text::{OMEGA, identity};
use anyhow::{Result, ensure};
use serde_json::{Value, json};

#[test]
fn a_fault_is_a_result_with_a_flat_record() -> Result<()> {
    let mut client = Client::legacy()?;
    let result = client.call("run", &json!({"code": {"add": [1, "a"]}}))?;
    assert_eq!(result["isError"], true);
    let fault = &result["structuredContent"];
    assert_eq!((&fault["code"], &fault["at"]), (&json!("type-mismatch"), &json!("/add/1")));
    assert!(fault["message"].is_string() && fault["hint"].is_string() && fault["fuel"].is_u64());
    let told = text(&result)?;
    for part in ["type-mismatch", "/add/1", "concat"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    Ok(())
}

#[test]
fn a_fault_in_a_tool_names_it() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve(
        "inner",
        "Adds badly",
        &json!({"lam": "x", "body": {"add": [{"var": "x"}, 1]}}),
    )?;
    let inner = json!({"app": {"func": {"tool": "inner"}, "arg": {"var": "x"}}});
    let outer = json!({"lam": "x", "body": {"add": [inner, 1]}});
    client.evolve("outer", "Calls the other", &outer)?;
    for (tool, arguments) in
        [("run", json!({"tool": "outer", "input": "text"})), ("outer", json!({"input": "text"}))]
    {
        let fault = client.fault(tool, &arguments)?;
        assert_eq!(fault["code"], "type-mismatch");
        assert_eq!((&fault["tool"], &fault["at"]), (&json!("inner"), &json!("/body/add/0")));
        assert_eq!(fault["calls"], json!(["outer", "inner"]), "{fault}");
    }
    Ok(())
}

/// A model calls a tool by its bare name.
#[test]
fn the_name_of_a_tool_without_its_sign_is_explained() -> Result<()> {
    let mut client = Client::legacy()?;
    let double = json!({"name": "double", "description": "Doubles", "code": "x => x * 2"});
    client.call("evolve", &double)?;
    let quad = |examples: Value| {
        let code = "x => double(double(x))";
        json!({"name": "quad", "description": "Twice", "code": code, "examples": examples})
    };
    for (tool, arguments) in [
        ("run", json!({"code": "double(5)"})),
        ("run", json!({"code": {"app": {"func": {"var": "double"}, "arg": 5}}})),
        ("run", json!({"code": "[1, 2].map(double)"})),
        ("run", json!({"code": "std_index_by([])"})),
        ("session_eval", json!({"code": "double(5)"})),
        ("evolve", quad(json!([{"input": 3, "output": 12}]))),
    ] {
        let fault = client.fault(tool, &arguments)?;
        let name = if arguments["code"] == "std_index_by([])" { "std_index_by" } else { "double" };
        let hint = fault["hint"].as_str().unwrap_or_default();
        let expected = format!("`{name}` is a tool: write @{name}(x)");
        ensure!(fault["code"] == "unbound" && hint.contains(&expected), "{fault}");
    }
    let told = client.call("evolve", &quad(json!([])))?;
    ensure!(text(&told)?.contains("`double` is a tool: write @double(x)"), "{told}");
    Ok(())
}

/// The code of a tool is shown in the notation, and so is what to write.
#[test]
fn hints_of_a_tool_are_in_the_notation() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("odd", "Is wrong", &json!({"lam": "x", "body": {"var": "unknown"}}))?;
    let fault = client.fault("odd", &json!({"input": 1}))?;
    let hint = fault["hint"].as_str().unwrap_or_default();
    ensure!(fault["caret"].is_string() && hint.contains("const x = 1"), "{fault}");
    Ok(())
}

#[test]
fn every_refusal_names_its_code_and_says_what_to_do() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("double", "Doubles", &json!({"mul": [{"var": "x"}, 2]}))?;
    let deep = json!({"add": [1, {"add": [1, 2]}]});
    for (arguments, code, words) in [
        (json!({}), "malformed", "nothing to run"),
        (json!({"cod": 1}), "malformed", "did you mean `code`?"),
        (json!({"code": 1, "tool": "double"}), "malformed", "both given"),
        (json!({"code": 1, "input": 1, "data": 1}), "malformed", "both given"),
        (json!({"code": {"var": "y"}}), "unbound", "`y`"),
        (json!({"code": {"ad": [1, 2]}}), "unknown-form", "`add`"),
        (json!({"code": {"div": [1, 0]}}), "divide-by-zero", "zero"),
        (json!({"code": {"head": []}}), "empty-list", "empty"),
        (json!({"code": {"app": {"func": 1, "arg": 2}}}), "not-a-function", "function"),
        (json!({"code": {"continue": {"input": 1}}}), "outside-tool", "tool"),
        (json!({"code": "[1,2"}), "unparsable", "`[` of line 1, column 1 is not closed"),
        (json!({"code": " \n{\"add\":[1,}"}), "unparsable", "line 2 column 11"),
        (json!({"code": "\"abc"}), "unparsable", "line 1"),
        (json!({"code": "-x"}), "unbound", "`x`"),
        (json!({"code": "5 apples"}), "unparsable", "at line 1, column 3"),
        (json!({"code": "five apples"}), "unparsable", "between `five` and `apples`"),
        (json!({"code": "doubel"}), "unknown-tool", "did you mean `double`?"),
        (json!({"tool": "doubel"}), "unknown-tool", "did you mean `double`?"),
        (json!({"code": {"code_of": "doubel"}}), "unknown-tool", "did you mean `double`?"),
        (json!({"tool": "double", "context": {}}), "malformed", "`context`"),
        (json!({"code": 1, "context": []}), "malformed", "`context`"),
        (json!({"code": {"add": [1, 2]}, "fuel": 2}), "out-of-fuel", "fuel"),
        (json!({"code": 1, "fuel": "many"}), "malformed", "`fuel`"),
        (json!({"code": 1, "fuel": 10_000_000_001_u64}), "malformed", "10000000000 at most"),
        (json!({"code": deep, "depth": 1}), "too-deep", "depth"),
        (json!({"code": 1, "depth": 4_000_001}), "malformed", "4000000 at most"),
        (json!({"code": 1, "memory": "513MiB"}), "malformed", "536870912 at most"),
        (json!({"code": 1, "step": u64::MAX}), "malformed", "`step`"),
        (json!({"code": 1, "max_steps": 1_000_001}), "malformed", "1000000 at most"),
        (
            json!({"code": {"perform": {"capability": "net", "args": null}}}),
            "capability-denied",
            "net",
        ),
    ] {
        let result = client.call("run", &arguments)?;
        ensure!(result["isError"] == true, "{arguments}: {result}");
        ensure!(result["structuredContent"]["code"] == code, "{arguments}: {result}");
        ensure!(text(&result)?.contains(words), "{arguments}: {result}");
    }
    Ok(())
}

#[test]
fn arguments_that_json_writers_make_by_mistake() -> Result<()> {
    let mut client = Client::legacy()?;
    for (arguments, code) in [
        (r#"{"code":1,"code":2}"#, "malformed"),
        (r#"{"code":{"add":[1,2],"add":[3,4]}}"#, "duplicate-key"),
        (r#"{"code":"\ud800"}"#, "malformed"),
        (r#"{"code":{"lam":"x","body":{"var":"x"}},"data":{"a":1,"a":2}}"#, "duplicate-key"),
        (r#"{"code":{"lam":"x","body":{"var":"x"}},"data":1.0e999}"#, "not-finite"),
        (r#"{"code":1,"context":{"x":[{"a":1,"a":2}]}}"#, "duplicate-key"),
    ] {
        let result = client.call_text("run", arguments)?;
        ensure!(result["isError"] == true, "{arguments}: {result}");
        ensure!(result["structuredContent"]["code"] == code, "{arguments}: {result}");
    }
    Ok(())
}

/// Text that begins as JSON and is none is never taken for a name, nor for a tool that is a text.
#[test]
fn code_that_was_meant_as_json_makes_no_tool() -> Result<()> {
    let mut client = Client::legacy()?;
    for code in ["{\"lam\":\"x\",\"body\":1", " [1,2", "\"abc", "5 apples"] {
        let arguments = json!({"name": "broken", "description": "Is none", "code": code});
        let fault = client.fault("evolve", &arguments)?;
        ensure!(fault["code"] == "unparsable", "{code}: {fault}");
        let fault = client.fault("check", &json!({"code": code}))?;
        ensure!(fault["code"] == "unparsable", "{code}: {fault}");
    }
    let place = client.call_text(
        "run",
        r#"{"code":{"lam":"x","body":{"var":"x"}},"data":{"a":[0,{"k":1,"k":2}]}}"#,
    )?;
    ensure!(place["structuredContent"]["at"] == "/data/a/1", "{place}");
    Ok(())
}

#[test]
fn limits_may_be_raised_and_lowered() -> Result<()> {
    let mut client = Client::legacy_with(&["--wall-clock", "1h"])?;
    let mut endless: Value = serde_json::from_str(&OMEGA)?;
    for fuel in [1_000, 20_000_000] {
        endless["fuel"] = json!(fuel);
        let fault = client.fault("run", &endless)?;
        assert_eq!((&fault["code"], &fault["fuel"]), (&json!("out-of-fuel"), &json!(fuel)));
    }
    // Three numbers to a pair of brackets are far more than a mebibyte of live data.
    let data: Vec<[u32; 3]> = (0..100_000).map(|n| [n, n, n]).collect();
    let length = json!({"lam": "l", "body": {"length": {"var": "l"}}});
    let mut arguments = json!({"code": length, "data": data});
    assert_eq!(client.text("run", &arguments)?, "100000");
    arguments["memory"] = json!("1MiB");
    assert_eq!(client.fault("run", &arguments)?["code"], "too-large");
    Ok(())
}

#[test]
fn the_clock_stops_what_fuel_does_not() -> Result<()> {
    let own = ["--wall-clock", "50ms", "--fuel", "1000000G", "--fuel-ceiling", "1000000G"];
    let mut client = Client::legacy_with(&own)?;
    let endless: Value = serde_json::from_str(&OMEGA)?;
    assert_eq!(client.fault("run", &endless)?["code"], "timeout");
    assert_eq!(client.text("run", &json!({"code": {"add": [1, 2]}}))?, "3");
    Ok(())
}

#[test]
fn texts_over_their_caps_are_refused() -> Result<()> {
    let mut client = Client::legacy_with(&["--max-code", "100", "--max-data", "200"])?;
    let long = "x".repeat(200);
    for (tool, arguments) in [
        ("run", json!({"code": format!("\"{long}\"")})),
        ("check", json!({"code": [long]})),
        ("run", json!({"code": identity(), "data": [long]})),
        ("run", json!({"code": identity(), "input": [long]})),
        ("run", json!({"code": 1, "context": {"x": long}})),
        ("evolve", json!({"name": "long", "description": "", "code": [long]})),
    ] {
        assert_eq!(client.fault(tool, &arguments)?["code"], "too-large", "{tool} {arguments}");
    }
    Ok(())
}

#[test]
fn names_that_mislead_are_refused() -> Result<()> {
    let mut client = Client::legacy()?;
    let long = "a".repeat(65);
    for name in [
        "",
        "1st",
        "two words",
        "a.b",
        "tool\n",
        "ünï",
        "rսn",
        "evo\u{200b}lve",
        long.as_str(),
        "run",
        "Run",
        "e-v-o-l-v-e",
        "LIST",
        "server-info",
        "memory-store",
        "execute_tool",
        "_run_",
    ] {
        let fault =
            client.fault("evolve", &json!({"name": name, "description": "d", "code": 1}))?;
        assert_eq!(fault["code"], "malformed", "{name:?}");
    }
    assert_eq!(client.call("server_info", &json!({}))?["structuredContent"]["tools"], 0);
    Ok(())
}

#[test]
fn descriptions_that_hide_something_are_refused() -> Result<()> {
    let mut client = Client::legacy()?;
    let long = "d".repeat(1_001);
    for description in [
        "bell\u{7}",
        "nul\0",
        "escape\u{1b}[2J",
        "right\u{202e}to left",
        "isolate\u{2066}d",
        "zero\u{200b}width",
        "joined\u{200d}",
        "tagged\u{e0041}",
        "marked\u{feff}",
        "c1\u{9b}31m",
        long.as_str(),
    ] {
        let arguments = json!({"name": "harmless", "description": description, "code": 1});
        let fault = client.fault("evolve", &arguments)?;
        assert_eq!(fault["code"], "malformed", "{description:?}");
    }
    assert_eq!(client.call("server_info", &json!({}))?["structuredContent"]["tools"], 0);
    client.evolve("harmless", "Größe in m², 日本語, two\nlines", &json!(1)).map(drop)
}

#[test]
fn an_example_that_fails_refuses_the_change() -> Result<()> {
    let mut client = Client::legacy()?;
    let double = |output: Value| {
        json!({
            "name": "double", "description": "Doubles", "code": {"mul": [{"var": "x"}, 2]},
            "examples": [{"input": 1, "output": 2}, {"data": 21, "output": output}],
        })
    };
    let result = client.call("evolve", &double(json!(43)))?;
    assert_eq!(result["isError"], true);
    let told = text(&result)?;
    assert!(told.contains("example 1") && told.contains("expected `43`, got `42`"), "{told}");
    for (output, told) in [
        (json!("42"), "expected `\"42\"` (string), got `42` (integer)"),
        (json!([42]), "expected `[42]` (list), got `42` (integer)"),
        (json!(null), "expected `null` (null), got `42` (integer)"),
        (json!(42.5), "expected `42.5` (float), got `42` (integer)"),
    ] {
        let result = client.call("evolve", &double(output))?;
        assert!(text(&result)?.contains(told), "{told}: {result}");
    }
    assert_eq!(client.fault("run", &json!({"tool": "double"}))?["code"], "unknown-tool");
    assert!(client.text("evolve", &double(json!(42)))?.contains("2 examples passed"));
    Ok(())
}

#[test]
fn a_change_of_another_revision_is_refused() -> Result<()> {
    let mut client = Client::legacy()?;
    let change = |code: u32, expected: Option<&str>| json!({"name": "one", "description": "d", "code": code, "expected_revision": expected});
    let first = client.call("evolve", &change(1, None))?;
    let first = first["structuredContent"]["revision"].as_str().unwrap_or_default().to_owned();
    let second = client.call("evolve", &change(2, Some(&first[..12])))?;
    assert_eq!(second["structuredContent"]["status"], "changed");
    assert_eq!(second["structuredContent"]["previous"], first);
    let fault = client.fault("evolve", &change(3, Some(&first)))?;
    assert_eq!(fault["code"], "malformed");
    assert_eq!(client.text("run", &json!({"tool": "one"}))?, "2");
    Ok(())
}

#[test]
fn check_tells_of_a_term_or_its_faults() -> Result<()> {
    let mut client = Client::legacy()?;
    let code = json!({"lam": "x", "body": {"add": [{"var": "z"}, {"app": {"func": {"tool": "t"}, "arg": 1}}]}});
    let checked = client.call("check", &json!({"code": code}))?;
    let summary = &checked["structuredContent"];
    assert_eq!((&summary["free"], &summary["tools"]), (&json!(["z"]), &json!(["t"])));
    assert_eq!(summary["form"], "lam");
    assert_eq!(summary["revision"].as_str().map(str::len), Some(64));
    let faults = client.fault("check", &json!({"code": [{"lam": 1}, {"add": [1]}]}))?;
    assert_eq!(faults["faults"].as_array().map(Vec::len), Some(2), "{faults}");
    Ok(())
}

#[test]
fn a_fault_shows_what_stands_at_its_place() -> Result<()> {
    let mut client = Client::legacy()?;
    let result =
        client.call("run", &json!({"code": {"add": [1, {"concat": ["a\u{200b}", "b"]}]}}))?;
    let excerpt = r#"{"concat":["a\u200b","b"]}"#;
    assert_eq!(result["structuredContent"]["excerpt"], excerpt);
    let lines = ["type-mismatch: ", &format!("at /add/1: {excerpt}"), "hint: "];
    let told = text(&result)?;
    let told: Vec<&str> = told.lines().collect();
    ensure!(told.len() == 3 && told.iter().zip(lines).all(|(a, b)| a.starts_with(b)), "{told:?}");
    let code = json!({"lam": "x", "body": {"add": [{"var": "x"}, {"get": [{"var": "x"}, "k"]}]}});
    client.evolve("inner", "Adds badly", &code)?;
    let fault = client.fault("run", &json!({"tool": "inner", "data": 1}))?;
    assert_eq!((&fault["tool"], &fault["excerpt"]), (&json!("inner"), &json!(r#"{"var":"x"}"#)));
    let data = json!({"code": {"lam": "x", "body": 1}, "input": [{"head": []}]});
    assert_eq!(client.fault("run", &data)?["excerpt"], r#"{"head":[]}"#);
    let replayed = client.call("replay", &json!({"entry": 2}))?;
    ensure!(replayed["isError"] != true, "{replayed}");
    Ok(())
}

#[test]
fn check_notes_what_is_likely_a_mistake() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("double", "Doubles", &json!({"mul": [{"var": "x"}, 2]}))?;
    client.evolve("gone", "Is retired", &json!(1))?;
    client.text("rollback", &json!({"tool": "gone", "retire": true}))?;
    client.evolve("actor", "Acts", &json!({"perform": {"capability": "c", "args": null}}))?;
    client.evolve("caller", "Calls", &json!({"tool": "actor"}))?;
    let code = json!({"lam": "x", "body": [{"add": ["x", 1]}, {"let": [["f", {"tool": "gone"}]],
        "in": [{"var": "f"}, {"code_of": "gone"}, {"tool": "doubel"}, {"tool": "double@0000"}]}]});
    let result = client.call("check", &json!({"code": code}))?;
    let summary = &result["structuredContent"];
    let notes: Vec<[&str; 4]> = summary["notes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|note| {
            ["code", "at", "excerpt", "hint"].map(|it| note[it].as_str().unwrap_or_default())
        })
        .collect();
    let spelt = r#"the variable is written {"var": "x"}"#;
    assert_eq!(
        notes,
        [
            ["likely-mistake", "/body/0/add/0", r#""x""#, spelt],
            ["unknown-tool", "/body/1/in/2", r#"{"tool":"doubel"}"#, "did you mean `double`?"],
            [
                "unknown-tool",
                "/body/1/in/3",
                r#"{"tool":"double@0000"}"#,
                "`inspect` shows its revisions"
            ],
            ["unknown-tool", "/body/1/let/0/1", r#"{"tool":"gone"}"#, "`rollback` restores it"],
        ]
    );
    ensure!(result["isError"] != true && summary["pure"] == true, "{result}");
    ensure!(text(&result)?.contains("note: likely-mistake at /body/0/add/0: "), "{result}");
    ensure!(text(&result)?.contains("note: unknown-tool at /body/1/in/2: there is"), "{result}");
    for (tool, pure) in [("double", true), ("actor", false), ("caller", false)] {
        let checked = client.call("check", &json!({"code": {"tool": tool}}))?;
        ensure!(checked["structuredContent"]["pure"] == pure, "{tool}: {checked}");
    }
    let faults = client.fault("check", &json!({"code": [{"+": 1}, {"lam": 1}, {"add": [1]}]}))?;
    assert_eq!(faults["faults"].as_array().map(Vec::len), Some(3), "{faults}");
    Ok(())
}

#[test]
fn a_server_survives_what_its_programs_do() -> Result<()> {
    let mut client = Client::legacy_with(&["--wall-clock", "1h", "--fuel", "100M"])?;
    let growing = json!({"lam": "x", "body": {"app": {
        "func": {"var": "x"},
        "arg": {"lam": "y", "body": {"app": {"func": {"var": "x"}, "arg": {"var": "y"}}}},
    }}});
    for arguments in [
        serde_json::from_str::<Value>(&OMEGA)?,
        json!({"code": {"app": {"func": growing, "arg": growing}}}),
        json!({"code": "[".repeat(1_000_000)}),
        json!({"code": format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000))}),
        json!({"code": {"quote": {"eval": 1}}, "input": "9".repeat(1_000_000)}),
    ] {
        client.call("run", &arguments)?;
        assert_eq!(client.text("run", &json!({"code": {"add": [1, 2]}}))?, "3");
    }
    Ok(())
}

/// Code as other languages write it is told of in the words of this one.
#[test]
fn code_that_is_no_json_is_answered_by_what_to_write() -> Result<()> {
    let mut client = Client::legacy()?;
    for (code, hint) in [
        ("lambda x: x + 1", "x => x + 1"),
        ("(add 1 2)", "a comma or an operator"),
        ("{'add': [1, 2]}", "use double quotes"),
    ] {
        for tool in ["run", "check"] {
            let fault = client.fault(tool, &json!({"code": code}))?;
            let told = fault["hint"].as_str().or_else(|| fault["faults"][0]["hint"].as_str());
            ensure!(told.is_some_and(|told| told.contains(hint)), "{tool} {code}: {fault}");
        }
    }
    Ok(())
}
