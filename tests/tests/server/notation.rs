//! Programs in the notation: wherever code is taken, wherever programs are shown, and in faults.

use super::client::Client;
use super::kept::Kept;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// A program in both notations, and its argument.
fn programs() -> [(&'static str, Value, Value); 5] {
    let x = json!({"var": "x"});
    [
        ("x => x * 2", json!({"lam": "x", "body": {"mul": [x, 2]}}), json!({"data": 21})),
        (
            "data.map(x => x * 2).sum()",
            json!({"sum": {"map": [{"lam": "x", "body": {"mul": [x, 2]}}, {"var": "data"}]}}),
            json!({"data": [1, 2, 3]}),
        ),
        (
            "n ** 2 - 1",
            json!({"sub": [{"pow": [{"var": "n"}, 2]}, 1]}),
            json!({"context": {"n": 7}}),
        ),
        (
            "const y = 5; y > 3 ? 'more' : 'less'",
            json!({"let": [["y", 5]], "in": {"if": {"cond": {"gt": [{"var": "y"}, 3]}, "then": "more", "else": "less"}}}),
            json!({}),
        ),
        ("[1, 2.5, 'a', null, true]", json!([1, 2.5, "a", null, true]), json!({})),
    ]
}

fn with_code(code: &Value, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    arguments["code"] = code.clone();
    arguments
}

#[test]
fn either_notation_gives_an_equal_value_for_equal_fuel() -> Result<()> {
    let mut client = Client::legacy()?;
    for (text, term, arguments) in programs() {
        let run = |client: &mut Client, code: &Value| -> Result<[Value; 4]> {
            let ran = client.call("run", &with_code(code, &arguments))?;
            ensure!(ran["isError"] == false, "{code}: {ran}");
            let checked = client.call("check", &json!({"code": code}))?;
            let (ran, checked) = (&ran["structuredContent"], &checked["structuredContent"]);
            ensure!(checked["revision"].is_string(), "{code}: {checked}");
            let of = [&ran["value"], &ran["fuel"], &checked["revision"], &checked["notation"]];
            Ok(of.map(Value::clone))
        };
        let written = run(&mut client, &json!(text))?;
        assert_eq!(run(&mut client, &term)?, written, "{text}");
        assert_eq!(run(&mut client, &json!(term.to_string()))?, written, "{text}");
        // What is shown is read again.
        assert_eq!(run(&mut client, &written[3])?, written, "{text}");
    }
    Ok(())
}

#[test]
fn a_tool_made_by_the_notation_is_shown_in_it() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        let arguments = json!({"name": "double", "description": "Doubles", "code": "x=>x*2",
            "examples": [{"input": 21, "output": 42}]});
        let made = client.call("evolve", &arguments)?;
        ensure!(made["isError"] == false, "{made}");
        let arguments = json!({"name": "quadruple", "description": "Doubles twice",
            "code": {"lam": "x", "body": {"app": {"func": {"tool": "double"}, "arg":
                {"app": {"func": {"tool": "double"}, "arg": {"var": "x"}}}}}}});
        ensure!(client.call("evolve", &arguments)?["isError"] == false);
        assert_eq!(client.text("run", &json!({"code": "@quadruple(@double(2))"}))?, "16");

        let inspected = client.call("inspect", &json!({"tool": "double"}))?;
        let record = &inspected["structuredContent"];
        assert_eq!(record["notation"], "x => x * 2");
        assert_eq!(record["source"], r#"{"body":{"mul":[{"var":"x"},2]},"lam":"x"}"#);
        let short = made["structuredContent"]["revision"].as_str().unwrap_or("none");
        ensure!(record["revision"].as_str().is_some_and(|it| it.starts_with(short)), "{record}");
        let told = client.text("inspect", &json!({"tool": "quadruple"}))?;
        ensure!(told.contains("\nnotation: x => @double(@double(x))\n"), "{told}");

        let listed = client.call("list", &json!({}))?;
        assert_eq!(listed["structuredContent"]["tools"][0]["notation"], "x => x * 2");
        let library = client.call("list", &json!({"query": "std_"}))?;
        let shelf = library["structuredContent"]["tools"].as_array().context("tools")?;
        ensure!(shelf.iter().any(|tool| tool["notation"].is_string()), "{library}");

        let recent = client.call("journal_recent", &json!({"kind": "evolve"}))?;
        let entries = &recent["structuredContent"]["entries"];
        // A program that was written in the notation stands in the request as it was.
        assert_eq!(entries[0]["notation"], "x => @double(@double(x))", "{recent}");
        ensure!(entries[1]["notation"].is_null(), "{recent}");
        Ok(())
    })?;
    let file: Value = serde_json::from_str(&kept.prints(&["export", "quadruple"])?)?;
    assert_eq!(file["version"], 1);
    let shown = |index: usize| file["tools"][index]["notation"].clone();
    assert_eq!([shown(0), shown(1)], ["x => x * 2", "x => @double(@double(x))"]);
    // Nobody reads it: the term is what counts.
    let other = Kept::new()?;
    let altered = file.to_string().replace("x => x * 2", "x => x * 3");
    let printed = other.execute(&["import", "-"], &altered)?;
    ensure!(printed.code == Some(0), "{printed:?}");
    other.session(|client| {
        assert_eq!(client.text("run", &json!({"tool": "quadruple", "input": 3}))?, "12");
        Ok(())
    })
}

/// What others write, the words of a hint, and the column that it is about.
const MISTAKES: [(&str, &str, u64); 8] = [
    ("data as list", "leave the type out", 6),
    ("not data", "!a", 1),
    ("lambda x: x + 1", "x => x + 1", 1),
    ("[x for x in data]", "xs.map", 4),
    ("x = 1", "let x = 0", 1),
    ("data[1:2]", "slice", 7),
    ("1 < 2 < 3", "&&", 7),
    ("new Date()", "data.now", 1),
];

#[test]
fn a_wrong_spelling_is_answered_with_its_place_and_the_right_one() -> Result<()> {
    let mut client = Client::legacy()?;
    for (code, words, column) in MISTAKES {
        for tool in ["run", "check"] {
            let mut arguments = json!({"code": code});
            if tool == "run" {
                arguments["data"] = json!([1, 2]);
            }
            let refused = client.call(tool, &arguments)?;
            let fault = &refused["structuredContent"];
            ensure!(refused["isError"] == true, "{tool} {code}: {refused}");
            ensure!(fault["hint"].as_str().is_some_and(|it| it.contains(words)), "{code}: {fault}");
            assert_eq!((&fault["line"], &fault["column"]), (&json!(1), &json!(column)), "{code}");
            let caret = format!("{code}\n{}^", " ".repeat(usize::try_from(column - 1)?));
            assert_eq!(fault["caret"], caret, "{code}");
            let told = refused["content"][0]["text"].as_str().context("a text")?;
            ensure!(
                told.contains(&format!("at line 1, column {column}\n{caret}\nhint: ")),
                "{told}"
            );
        }
    }
    Ok(())
}

#[test]
fn a_fault_of_a_run_has_its_line_and_the_caret() -> Result<()> {
    let mut client = Client::legacy()?;
    let code = "const rows = data;\nrows.map(r =>\n  r.price * 2)";
    let refused = client.call("run", &json!({"code": code, "data": [{"cost": 1}]}))?;
    let fault = &refused["structuredContent"];
    assert_eq!((&fault["code"], &fault["line"]), (&json!("missing-key"), &json!(3)), "{refused}");
    ensure!(
        fault["caret"].as_str().is_some_and(|it| it.starts_with("  r.price * 2)\n  ")),
        "{fault}"
    );
    // The pointer into the term stands beside it.
    ensure!(
        fault["at"].as_str().is_some_and(|it| it.starts_with("/in/map/0/body/mul/0")),
        "{fault}"
    );
    // Nothing that a line hides gets into a reply.
    let refused = client.call("run", &json!({"code": "'\u{202e}' + nobody"}))?;
    ensure!(!refused.to_string().contains('\u{202e}'), "{refused}");
    Ok(())
}

#[test]
fn names_of_tools_go_before_programs() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("data", "A tool", &json!({"lam": "x", "body": 7}))?;
    assert_eq!(client.text("run", &json!({"code": "data", "data": 1}))?, "7");
    assert_eq!(client.text("run", &json!({"code": "(data)", "data": 1}))?, "1");
    let refused = client.call("run", &json!({"code": "dat"}))?;
    ensure!(refused["structuredContent"]["hint"] == "did you mean `data`?", "{refused}");
    Ok(())
}

#[test]
fn help_shows_the_notation_first() -> Result<()> {
    let mut client = Client::legacy()?;
    let told = client.text("help", &json!({"form": "map"}))?;
    let (notation, json) = (told.find(".map(").context("notation")?, told.find("as JSON"));
    ensure!(json.is_some_and(|json| notation < json), "{told}");
    ensure!(told.contains(": <T, U>(list: T[], f: (x: T) => U) => U[]\n"), "{told}");
    let record = client.call("help", &json!({"category": "lists"}))?;
    let forms = record["structuredContent"]["forms"].as_array().context("forms")?;
    for form in forms {
        let notation = form["notation"].as_str().context("a notation")?;
        ensure!(form["type"].is_string(), "{form}");
        let value = client.call("run", &json!({"code": notation}))?;
        ensure!(value["isError"] == false, "{form}: {value}");
    }
    Ok(())
}
