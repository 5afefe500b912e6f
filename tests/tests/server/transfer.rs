//! Tools from one store to another: all of them or none, and nothing but what was exported.

use super::client::Client;
use super::kept::{Kept, double};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

fn call(tool: &str, argument: &Value) -> Value {
    json!({"app": {"func": {"tool": tool}, "arg": argument}})
}

/// A function of `x` with this body.
fn of_x(body: &Value) -> Value {
    json!({"lam": "x", "body": body})
}

fn evolve(client: &mut Client, name: &str, code: &Value, examples: &Value) -> Result<String> {
    let arguments = json!({"name": name, "description": format!("The {name}"), "code": code, "examples": examples});
    let result = client.call("evolve", &arguments)?;
    let revision = result["structuredContent"]["revision"].as_str();
    Ok(revision.with_context(|| result.to_string())?.to_owned())
}

/// A store with `quadruple`, which calls `double`; `pinned`, which calls an earlier `double`; two
/// tools that call each other; and one that needs nobody.
fn workshop() -> Result<Kept> {
    let kept = Kept::new()?;
    kept.session(|client| {
        let adds = of_x(&json!({"add": [{"var": "x"}, {"var": "x"}]}));
        let early = evolve(client, "double", &adds, &json!([{"data": 4, "output": 8}]))?;
        evolve(client, "double", &double(), &json!([{"input": 21, "output": 42}]))?;
        let twice = call("double", &call("double", &json!({"var": "x"})));
        evolve(client, "quadruple", &of_x(&twice), &json!([{"input": 5, "output": 20}]))?;
        let pinned = call(&format!("double@{}", &early[..10]), &json!({"var": "x"}));
        evolve(client, "pinned", &of_x(&pinned), &json!([]))?;
        let countdown = |other: &str| {
            of_x(&json!({"if": {"cond": {"lte": [{"var": "x"}, 0]}, "then": null,
                "else": call(other, &json!({"sub": [{"var": "x"}, 1]}))}}))
        };
        evolve(client, "even", &countdown("odd"), &json!([]))?;
        evolve(client, "odd", &countdown("even"), &json!([{"input": 7, "output": null}]))?;
        let text = json!("a text, \"quoted\" \u{202e}").to_string();
        evolve(client, "alone", &json!(text), &json!([])).map(drop)
    })?;
    Ok(kept)
}

fn names(exported: &str) -> Result<Vec<String>> {
    let file: Value = serde_json::from_str(exported)?;
    let tools = file["tools"].as_array().context("tools")?;
    let name = |tool: &Value| {
        let mark = if tool["pinned"] == true { "@" } else { "" };
        Some(format!("{}{mark}", tool["name"].as_str()?))
    };
    Ok(tools.iter().filter_map(name).collect())
}

#[test]
fn a_tool_comes_with_all_that_it_depends_on() -> Result<()> {
    let from = workshop()?;
    for (asked, expected) in [
        (&["double"][..], &["double"][..]),
        (&["quadruple"], &["double", "quadruple"]),
        (&["pinned"], &["double@", "pinned"]),
        (&["pinned", "quadruple"], &["double@", "double", "pinned", "quadruple"]),
        (&["odd"], &["even", "odd"]),
        (&["alone", "alone"], &["alone"]),
    ] {
        let exported = from.prints(&[&["export"], asked].concat())?;
        assert_eq!(names(&exported)?, expected, "{asked:?}");
        // The same tools give the same text, however they are asked for.
        let mut others = asked.to_vec();
        others.reverse();
        assert_eq!(from.prints(&[&["export"], &others[..]].concat())?, exported);
        let file: Value = serde_json::from_str(&exported)?;
        assert_eq!((&file["format"], &file["version"]), (&json!("mcp-pif export"), &json!(1)));
    }
    let errors = from.complains(&["export", "doubel"])?;
    ensure!(errors.contains("did you mean `double`?"), "{errors}");
    Ok(())
}

#[test]
fn what_was_exported_here_runs_there() -> Result<()> {
    let (from, to) = (workshop()?, Kept::new()?);
    let asked = ["export", "pinned", "quadruple", "odd", "alone"];
    let exported = from.prints(&asked)?;
    let printed = to.execute(&["import", "-"], &exported)?;
    ensure!(printed.code == Some(0) && printed.errors.is_empty(), "{printed:?}");
    let told: Vec<&str> =
        printed.output.lines().map(|line| line.split(" (").next().unwrap_or(line)).collect();
    ensure!(
        told.len() == 7 && told[0] == "alone: new" && told[1].starts_with("double@"),
        "{told:?}"
    );
    to.session(|client| {
        assert_eq!(client.text("run", &json!({"tool": "quadruple", "input": 5}))?, "20");
        assert_eq!(client.text("run", &json!({"tool": "pinned", "input": 5}))?, "10");
        assert_eq!(client.text("odd", &json!({"input": 9}))?, "null");
        let inspected = client.call("inspect", &json!({"tool": "double"}))?;
        let record = &inspected["structuredContent"];
        assert_eq!(record["description"], "The double");
        assert_eq!(record["examples"], r#"[{"input":21,"output":42}]"#);
        Ok(())
    })?;
    // It goes on from there as it came, and coming again it changes nothing.
    assert_eq!(to.prints(&asked)?, exported);
    let again = to.execute(&["import", "-"], &exported)?;
    ensure!(again.code == Some(0) && again.output.lines().count() == 7, "{again:?}");
    for line in again.output.lines() {
        ensure!(line.contains("unchanged") || line.contains("in its history already"), "{line}");
    }
    let imports = to.prints(&["journal", "--kind", "import", "--limit", "100"])?;
    ensure!(imports.lines().count() == 14, "{imports}");
    ensure!(imports.lines().skip(7).all(|line| line.ends_with(": unchanged")), "{imports}");
    to.prints(&["journal", "verify"]).map(drop)
}

/// However the file is spaced, it is the same file.
#[test]
fn a_file_may_be_written_otherwise() -> Result<()> {
    let (from, to) = (workshop()?, Kept::new()?);
    let exported = from.prints(&["export", "quadruple"])?;
    let file: Value = serde_json::from_str(&exported)?;
    to.execute(&["import", "-"], &exported)?;
    for text in [file.to_string(), serde_json::to_string_pretty(&file)?] {
        let printed = to.execute(&["import", "-"], &text)?;
        ensure!(printed.output.lines().all(|line| line.contains(": unchanged")), "{printed:?}");
    }
    Ok(())
}

/// A file that says otherwise in one place: refused with a reason, and nothing is changed.
#[test]
fn a_file_that_was_altered_is_refused() -> Result<()> {
    let from = workshop()?;
    let exported = from.prints(&["export", "quadruple", "alone"])?;
    let hash = serde_json::from_str::<Value>(&exported)?["tools"][1]["sha256"].to_string();
    for (what, with, words) in [
        (
            r#"{"mul":[{"var":"x"},2]}"#,
            r#"{"mul":[{"var":"x"},3]}"#,
            "the term of `double` has the hash",
        ),
        (
            r#"{"mul":[{"var":"x"},2]}"#,
            r#"{"mul":[{"var":"x"}]}"#,
            "the term of `double` is refused",
        ),
        (hash.as_str(), "\"\"", "the term of `double` has the hash"),
        ("\"name\": \"double\"", "\"name\": \"run\"", "too close to the built-in `run`"),
        ("\"name\": \"alone\"", "\"name\": \"Double\"", "`double` looks like the tool `Double`"),
        ("\"name\": \"double\"", "\"name\": \"quadruple\"", "the file holds `quadruple` twice"),
        ("\"name\": \"double\"", "\"name\": \"do uble\"", "cannot name a tool"),
        ("The double", "The\\u202edouble", "invisible character"),
        ("\"output\": 42", "\"output\": 43", "`double`: example 0 refuses the change"),
        ("\"output\": 20", "\"output\": 21", "`quadruple`: example 0 refuses the change"),
        ("\"output\": 42", "\"outcome\": 42", "unknown field `outcome`"),
        ("\"input\": 21,", "\"input\": 21, \"data\": 21,", "has both `input` and `data`"),
        ("mcp-pif export", "mcp-pif toys", "the format of the file is `mcp-pif toys`"),
        ("\"version\": 1", "\"version\": 8", "the file has version 8"),
        ("\"tools\": [", "\"tool\": [", "unknown field `tool`"),
        ("\"tools\": [", "\"tools\": [[", "cannot be read"),
    ] {
        let to = Kept::new()?;
        let altered = exported.replace(what, with);
        ensure!(altered != exported, "{what} is not in {exported}");
        let printed = to.execute(&["import", "-"], &altered)?;
        ensure!(printed.code == Some(1) && printed.output.is_empty(), "{with}: {printed:?}");
        ensure!(printed.errors.contains(words), "{with}: {printed:?}");
        ensure!(printed.errors.ends_with("nothing was imported\n"), "{with}: {printed:?}");
        to.session(|client| {
            assert_eq!(client.call("list", &json!({}))?["structuredContent"]["total"], 0);
            Ok(())
        })?;
        let journal = to.prints(&["journal"])?;
        ensure!(journal.lines().count() == 1 && journal.contains(" import"), "{with}: {journal}");
    }
    Ok(())
}

#[test]
fn a_tool_that_is_here_is_changed_only_on_demand() -> Result<()> {
    let (from, to) = (workshop()?, Kept::new()?);
    let triple = of_x(&json!({"mul": [{"var": "x"}, 3]}));
    to.session(|client| {
        evolve(client, "double", &triple, &json!([]))?;
        let calls = of_x(&call("double", &json!({"var": "x"})));
        evolve(client, "caller", &calls, &json!([{"input": 1, "output": 3}])).map(drop)
    })?;
    let run = |tool: &str| to.execute_behind(&["run", tool, "5"]).map(|printed| printed.output);
    let exported = from.prints(&["export", "pinned", "quadruple"])?;
    let printed = to.execute(&["import", "-"], &exported)?;
    ensure!(printed.code == Some(1), "{printed:?}");
    ensure!(printed.errors.contains("`double` is here already, at the revision"), "{printed:?}");
    assert_eq!(run("double")?, "15\n");
    // What is only needed as a revision changes nothing of what is here.
    let pinned = from.prints(&["export", "pinned"])?;
    let printed = to.execute(&["import", "-"], &pinned)?;
    ensure!(
        printed.output.starts_with("double@") && printed.output.contains(": added as a revision\n"),
        "{printed:?}"
    );
    assert_eq!((run("double")?.as_str(), run("pinned")?.as_str()), ("15\n", "10\n"));
    let printed = to.execute(&["import", "--replace", "-"], &exported)?;
    ensure!(printed.code == Some(0), "{printed:?}");
    ensure!(printed.output.contains("double: changed (revision "), "{printed:?}");
    ensure!(printed.errors.contains("examples of `caller` no longer pass"), "{printed:?}");
    assert_eq!((run("double")?.as_str(), run("quadruple")?.as_str()), ("10\n", "20\n"));
    // Another description counts too.
    let described = exported.replace("The double", "Another double");
    let printed = to.execute(&["import", "-"], &described)?;
    ensure!(
        printed.errors.contains(
            "with another description, other examples or properties, or another output schema"
        ),
        "{printed:?}"
    );
    let printed = to.execute(&["import", "--replace", "-"], &described)?;
    ensure!(printed.output.contains("double: description changed"), "{printed:?}");
    Ok(())
}

/// A store takes no terms that its server would not take.
#[test]
fn a_term_that_is_too_long_is_refused() -> Result<()> {
    let (from, to) = (workshop()?, Kept::new()?);
    let exported = from.prints(&["export", "quadruple"])?;
    let printed = to.execute(&["import", "-", "--max-code", "20"], &exported)?;
    ensure!(printed.errors.starts_with("too-large: `double` has "), "{printed:?}");
    ensure!(printed.errors.ends_with("nothing was imported\n"), "{printed:?}");
    Ok(())
}

/// A tool that a term names and that is not there is told, and stops nobody.
#[test]
fn what_is_missing_is_told() -> Result<()> {
    let (from, to) = (Kept::new()?, Kept::new()?);
    from.session(|client| {
        evolve(client, "caller", &of_x(&call("nobody", &json!({"var": "x"}))), &json!([])).map(drop)
    })?;
    let printed = from.execute(&["export", "caller"], "")?;
    assert_eq!(printed.errors, "warning: `caller` names the tool `nobody`, which does not exist\n");
    let imported = to.execute(&["import", "-"], &printed.output)?;
    assert_eq!(imported.errors, "warning: `caller` names `nobody`, which does not exist\n");
    ensure!(imported.code == Some(0) && imported.output.starts_with("caller: new"), "{imported:?}");
    Ok(())
}

/// A server that is at work hears of it.
#[test]
fn a_server_sees_what_is_imported() -> Result<()> {
    let (from, to) = (workshop()?, Kept::new()?);
    let exported = from.prints(&["export", "quadruple"])?;
    to.session(|client| {
        let printed = to.execute(&["import", "-"], &exported)?;
        ensure!(printed.code == Some(0), "{printed:?}");
        client.notification("notifications/tools/list_changed")?;
        assert_eq!(client.text("quadruple", &json!({"input": 2}))?, "8");
        Ok(())
    })
}

/// An example may expect null; it does so still after the registry has kept it.
#[test]
fn an_example_that_expects_null_is_kept() -> Result<()> {
    let mut client = Client::legacy()?;
    let null = of_x(&json!(null));
    evolve(&mut client, "null", &null, &json!([{"input": null, "output": null}]))?;
    let changed = client
        .text("evolve", &json!({"name": "null", "description": "d", "code": of_x(&json!(1))}))?;
    ensure!(changed.contains("1 of its 1 examples failed"), "{changed}");
    Ok(())
}
