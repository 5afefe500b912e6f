//! Examples of tools that take several arguments, one after another.

use super::client::Client;
use super::kept::Kept;
use anyhow::{Result, ensure};
use serde_json::{Value, json};

/// A loop with what it has so far as its second argument.
fn sum_to() -> Value {
    json!({"lam": ["n", "so_far"], "body": {"if": {"cond": {"eq": [{"var": "n"}, 0]},
        "then": {"var": "so_far"},
        "else": {"app": {"func": {"self": true},
            "args": [{"sub": [{"var": "n"}, 1]}, {"add": [{"var": "so_far"}, {"var": "n"}]}]}}}}})
}

fn evolve(client: &mut Client, name: &str, code: &Value, examples: &Value) -> Result<Value> {
    let arguments = json!({"name": name, "description": "d", "code": code, "examples": examples});
    client.call("evolve", &arguments)
}

#[test]
fn an_example_gives_all_arguments() -> Result<()> {
    let mut client = Client::legacy()?;
    let examples = json!([{"args": [4, 0], "output": 10}, {"args": [0, 5], "output": 5}]);
    let made = evolve(&mut client, "sum_to", &sum_to(), &examples)?;
    ensure!(made["structuredContent"]["notes"].to_string().contains("2 examples passed"), "{made}");
    let kept = r#"[{"args":[4,0],"output":10},{"args":[0,5],"output":5}]"#;
    let inspected = client.call("inspect", &json!({"tool": "sum_to"}))?;
    ensure!(inspected["structuredContent"]["examples"] == kept, "{inspected}");
    // A call of the tool gives it one, and is told how to give more.
    let called = client.call("sum_to", &json!({"data": 4}))?;
    ensure!(called["structuredContent"]["hint"].to_string().contains("@name(a, b)"), "{called}");
    // They are plain data, whatever they look like, and exact.
    let pair = json!({"lam": ["a", "b"], "body": [{"var": "a"}, {"var": "b"}]});
    let examples = json!([{"args": [{"var": "x"}, "\"7\""], "output": [{"var": "x"}, "\"7\""]},
            {"args": [[2.5], 12_345_678_901_234_567_890_u64], "output": [[2.5], 12_345_678_901_234_567_890_u64]}]);
    let made = evolve(&mut client, "both", &pair, &examples)?;
    ensure!(made["isError"] == false, "{made}");
    // One is enough, and a tool may go on as a continuation.
    let down = json!({"lam": "n", "body": {"if": {"cond": {"eq": [{"var": "n"}, 0]}, "then": "done",
        "else": {"continue": {"input": {"sub": [{"var": "n"}, 1]}}}}}});
    let made = evolve(&mut client, "down", &down, &json!([{"args": [3], "output": "done"}]))?;
    ensure!(made["isError"] == false, "{made}");
    Ok(())
}

#[test]
fn an_example_that_fails_says_where() -> Result<()> {
    let mut client = Client::legacy()?;
    let values = |n: usize| Value::from(vec![1; n]);
    for (example, code, at, words) in [
        (json!({"args": [4, 0], "output": 11}), "fail", "", "expected `11`, got `10`"),
        // What is missing is null.
        (
            json!({"args": [4], "output": 10}),
            "type-mismatch",
            "/body/if/else/app/args/1/add/0",
            "type null",
        ),
        (json!({"data": 4, "output": 10}), "fail", "", "`args`, a list of plain JSON"),
        (json!({"args": [4, 0, 1], "output": 10}), "not-a-function", "", "fewer arguments"),
        (
            json!({"args": [4, "x"], "output": 10}),
            "type-mismatch",
            "/body/if/else/app/args/1/add/0",
            "concat",
        ),
        (json!({"args": [], "output": 10}), "malformed", "", "1 to 64 values"),
        (json!({"args": values(65), "output": 10}), "malformed", "", "1 to 64 values"),
        (json!({"args": 4, "output": 10}), "malformed", "", "must be a list"),
        (json!({"args": [4], "data": 1, "output": 1}), "malformed", "", "both `data` and `args`"),
        (json!({"args": [4, 0]}), "malformed", "", "has no `output`"),
    ] {
        let refused = evolve(&mut client, "sum_to", &sum_to(), &json!([example]))?;
        let fault = &refused["structuredContent"];
        ensure!(fault["code"] == code && fault["at"] == at, "{example}: {fault}");
        ensure!(refused["content"][0]["text"].to_string().contains(words), "{example}: {refused}");
    }
    let twice = r#"{"name":"t","description":"d","code":1,"examples":[{"args":[0,[{"a":1,"a":2}]],"output":1}]}"#;
    let refused = client.call_text("evolve", twice)?;
    ensure!(refused["structuredContent"]["code"] == "duplicate-key", "{refused}");
    Ok(())
}

#[test]
fn a_caller_is_verified_by_them() -> Result<()> {
    let mut client = Client::legacy()?;
    evolve(&mut client, "sum_to", &sum_to(), &json!([{"args": [4, 0], "output": 10}]))?;
    let caller = json!({"lam": ["a", "b"], "body": {"app": {"func": {"tool": "sum_to"},
        "args": [{"add": [{"var": "a"}, {"var": "b"}]}, 0]}}});
    evolve(&mut client, "caller", &caller, &json!([{"args": [2, 2], "output": 10}]))?;
    let change = json!({"name": "sum_to", "description": "d", "code": {"lam": ["n", "s"], "body": 10},
        "verify_dependents": true});
    ensure!(client.call("evolve", &change)?["isError"] == false);
    let change = json!({"name": "sum_to", "description": "d", "code": {"lam": ["n", "s"], "body": 9},
        "examples": [], "verify_dependents": true});
    let refused = client.call("evolve", &change)?;
    let told = refused["content"][0]["text"].to_string();
    ensure!(told.contains("example 0 of `caller`, which calls this tool"), "{refused}");
    Ok(())
}

#[test]
fn they_travel_with_their_tool() -> Result<()> {
    let (from, to) = (Kept::new()?, Kept::new()?);
    let examples = json!([{"args": [4, 0], "output": 10}]);
    from.session(|client| evolve(client, "sum_to", &sum_to(), &examples).map(drop))?;
    let exported = from.prints(&["export", "sum_to"])?;
    ensure!(serde_json::from_str::<Value>(&exported)?["version"] == 1, "{exported}");
    let wrong = exported.replace("\"output\": 10", "\"output\": 9");
    let refused = to.execute(&["import", "-"], &wrong)?;
    ensure!(refused.errors.contains("`sum_to`: example 0 refuses the change"), "{refused:?}");
    let imported = to.execute(&["import", "-"], &exported)?;
    ensure!(imported.code == Some(0), "{imported:?}");
    assert_eq!(to.prints(&["export", "sum_to"])?, exported);
    let again = to.execute(&["import", "-"], &exported)?;
    ensure!(again.output.contains(": unchanged"), "{again:?}");
    Ok(())
}
