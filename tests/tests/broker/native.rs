//! Native capabilities: tools that are records of functions, called as those of other servers are.

use super::shop::{Running, Shop, server};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;

/// A server whose tools count their calls.
fn shop(more: &Value) -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let tools = json!([
        {"name": "price", "annotations": {"readOnlyHint": true},
            "does": {"echo": true, "count": shop.file("price")}},
        {"name": "fails", "does": {"error": {"code": -32000, "message": "closed"}}},
        {"name": "order", "annotations": {"destructiveHint": true}, "does": {}},
    ]);
    let mut server = server(&json!({"tools": tools}));
    server["grants"] = json!({"*": "allow", "order": "deny"});
    let mut config = json!({"mcpServers": {"s": server}});
    for (name, value) in more.as_object().into_iter().flatten() {
        config[name] = value.clone();
    }
    shop.write(&config)?;
    Ok(shop)
}

fn counted(shop: &Shop, file: &str) -> usize {
    fs::read_to_string(shop.file(file)).unwrap_or_default().lines().count()
}

fn evolve(running: &mut Running, name: &str, code: &Value, more: &Value) -> Result<Value> {
    let mut arguments = json!({"name": name, "description": format!("The {name}."), "code": code});
    for (name, value) in more.as_object().into_iter().flatten() {
        arguments[name] = value.clone();
    }
    running.call("evolve", &arguments)
}

fn var(name: &str) -> Value {
    json!({ "var": name })
}

fn of_a(body: &Value) -> Value {
    json!({"lam": "a", "body": body})
}

fn call(tool: &str, args: &Value) -> Value {
    json!({"call": {"tool": tool, "args": args}})
}

fn member(name: &str) -> Value {
    json!({"get": [var("a"), name]})
}

/// Sums, counts, and wraps the tool of a server.
fn cart() -> Value {
    json!({"record": {
        "total": of_a(&json!({"sum": member("items")})),
        "count": of_a(&json!({"length": member("items")})),
        "price": of_a(&json!({"get": [call("s.price", &json!({"record": {"n": member("n")}})), "n"]})),
        "order": of_a(&call("s.order", &json!({"record": {}}))),
        "fails": of_a(&call("s.fails", &json!({"record": {}}))),
        "ratio": of_a(&json!({"div": [1, member("n")]})),
        "function": of_a(&of_a(&var("a"))),
        "again": of_a(&call("cart.again", &var("a"))),
    }})
}

fn items() -> Value {
    json!({"record": {"items": [1, 2, 3.5]}})
}

fn run(running: &mut Running, code: &Value) -> Result<Value> {
    running.call("run", &json!({ "code": code }))
}

fn ensure_replays(running: &mut Running) -> Result<Value> {
    let told = running.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let entry = told["entries"][0].clone();
    let replayed = running.call("replay", &json!({ "entry": entry["entry"] }))?;
    ensure!(replayed["verdict"] == "equal", "{replayed}");
    Ok(entry)
}

fn open(shop: &Shop) -> Result<Running> {
    let mut running = Running::start(shop, &["serve"])?;
    let told = evolve(&mut running, "cart", &cart(), &json!({"capability": true}))?;
    ensure!(told["status"] == "new", "{told}");
    ensure!(told["notes"].to_string().contains("`cart.total`"), "{told}");
    Ok(running)
}

#[test]
fn functions_of_a_record_are_called_by_name() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let told = run(&mut running, &call("cart.total", &items()))?;
    ensure!(told["value"] == 6.5, "{told}");
    let own = told["fuel"].as_u64().context("fuel")?;
    let entry = ensure_replays(&mut running)?;
    ensure!(entry["fuel"] == own, "{entry}, {own}");
    // What runs inside costs fuel.
    let one = run(&mut running, &call("cart.total", &json!({"record": {"items": [1]}})))?;
    ensure!(one["fuel"].as_u64().is_some_and(|fuel| fuel < own), "{one}, {own}");
    let name = json!({"concat": ["cart.", "count"]});
    let told = run(&mut running, &json!({"perform": {"capability": name, "args": items()}}))?;
    ensure!(told["value"] == 3, "{told}");
    let some = [
        ("cart.count", items()),
        ("s.price", json!({"record": {"n": 7}})),
        ("cart.total", items()),
    ];
    let some: Vec<Value> =
        some.iter().map(|(tool, args)| json!({"record": {"tool": tool, "args": args}})).collect();
    let told = run(&mut running, &json!({"calls": [some]}))?;
    let value = |it: Value| json!({"ok": true, "value": it});
    assert_eq!(told["value"], json!([value(3.into()), value(json!({"n": 7})), value(6.5.into())]));
    ensure_replays(&mut running)?;
    // Nothing is lost with the process.
    drop(running);
    let mut running = Running::start(&shop, &["serve"])?;
    ensure!(run(&mut running, &call("cart.total", &items()))?["value"] == 6.5);
    Ok(())
}

#[test]
fn what_is_no_record_of_functions_is_refused() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let is_capability = json!({"capability": true});
    for (name, code, expected) in [
        ("f", of_a(&var("a")), "the value of `f` is of type function"),
        ("n", json!(1), "the value of `n` is of type integer"),
        ("e", json!({"record": {}}), "the value of `e` has no members"),
        (
            "m",
            json!({"record": {"a": of_a(&var("a")), "b": 1}}),
            "has the member `b`, which is of type integer",
        ),
        ("w", json!({"record": {"a b": of_a(&var("a"))}}), "the member `a b` cannot be called"),
        ("s", json!({"record": {"a": of_a(&var("a"))}}), "a server is named `s`"),
        ("d", json!({"record": {"a": {"div": [1, 0]}}}), "`div`"),
    ] {
        let told = evolve(&mut running, name, &code, &is_capability)?;
        let message = told["message"].as_str().with_context(|| told.to_string())?;
        ensure!(message.contains(expected) || told["code"] == "divide-by-zero", "{name}: {told}");
        ensure!(told["hint"].is_string() || name == "d", "{told}");
    }
    let told = running.call("list", &json!({}))?;
    ensure!(told["tools"].as_array().is_none_or(Vec::is_empty), "{told}");
    Ok(())
}

#[test]
fn a_fault_inside_is_the_fault_of_the_run() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let n = json!({"record": {"n": 0}});
    let told = run(&mut running, &call("cart.ratio", &n))?;
    ensure!(told["code"] == "divide-by-zero", "{told}");
    ensure!(told["tool"] == "cart" && told["at"] == "/record/ratio/body", "{told}");
    ensure_replays(&mut running)?;
    let told = run(&mut running, &call("cart.fails", &n))?;
    ensure!(told["upstream"] == json!({"tool": "s.fails", "reason": "rpc-error"}), "{told}");
    ensure_replays(&mut running)?;
    let caught =
        json!({"try": call("cart.ratio", &n), "catch": of_a(&json!({"get": [var("a"), "code"]}))});
    ensure!(run(&mut running, &caught)?["value"] == "divide-by-zero");
    ensure_replays(&mut running)?;
    // A function can take functions, and give one.
    let applied = json!({"app": {"func": call("cart.function", &n), "arg": 7}});
    ensure!(run(&mut running, &applied)?["value"] == 7);
    ensure_replays(&mut running)?;
    Ok(())
}

#[test]
fn what_is_no_function_of_it_is_refused() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let told = run(&mut running, &call("cart.totl", &items()))?;
    ensure!(told["code"] == "unknown-capability", "{told}");
    ensure!(told["hint"] == "did you mean `cart.total`?", "{told}");
    ensure_replays(&mut running)?;
    let raw = json!({"call": {"tool": "cart.total", "args": items(), "options": {"record": {"raw": true}}}});
    let told = run(&mut running, &raw)?;
    ensure!(told["code"] == "malformed", "{told}");
    ensure!(told["hint"] == "it takes a record and no options", "{told}");
    ensure_replays(&mut running)?;
    Ok(())
}

#[test]
fn a_capability_that_calls_itself_runs_out_of_fuel() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let told =
        running.call("run", &json!({"code": call("cart.again", &items()), "fuel": 100_000}))?;
    ensure!(told["code"] == "out-of-fuel", "{told}");
    ensure!(told["calls_made"].is_null(), "{told}");
    ensure_replays(&mut running)?;
    Ok(())
}

#[test]
fn calls_of_servers_inside_count_and_are_not_made_again() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let told = run(&mut running, &call("cart.price", &json!({"record": {"n": 5}})))?;
    ensure!(told["value"] == 5 && counted(&shop, "price") == 1, "{told}");
    ensure_replays(&mut running)?;
    ensure!(counted(&shop, "price") == 1);
    let failing = json!({"div": [call("cart.price", &json!({"record": {"n": 5}})), 0]});
    let told = run(&mut running, &failing)?;
    let made = told["calls_made"].as_array().with_context(|| told.to_string())?;
    let made: Vec<&Value> = made.iter().map(|it| &it["tool"]).collect();
    assert_eq!(made, ["s.price"]);
    // Only the call of the server counts.
    let mut poor = Running::start(&shop, &["serve", "--upstream-calls", "1"])?;
    let price = call("cart.price", &json!({"record": {"n": 5}}));
    ensure!(run(&mut poor, &price)?["value"] == 5);
    let told = run(&mut poor, &json!({"add": [price, price]}))?;
    ensure!(told["message"].to_string().contains("[calls]"), "{told}");
    ensure!(counted(&shop, "price") == 4);
    Ok(())
}

#[test]
fn what_is_denied_inside_is_not_caught() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let caught = json!({"try": call("cart.order", &items()), "catch": of_a(&json!(1))});
    let told = run(&mut running, &caught)?;
    ensure!(told["code"] == "capability-denied", "{told}");
    ensure!(told["message"].to_string().contains("no grant covers `s.order`"), "{told}");
    ensure_replays(&mut running)?;
    Ok(())
}

#[test]
fn a_capability_is_found_and_inspected() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let told = running.call("capabilities", &json!({"query": "cart total"}))?;
    ensure!(told["tools"][0]["name"] == "cart.total", "{told}");
    ensure!(told["tools"][0]["signature"] == "cart.total({…})", "{told}");
    let told = running.call("inspect", &json!({"tool": "cart.total"}))?;
    ensure!(told["description"] == "The cart." && told["call"] == "cart.total({})", "{told}");
    let told = running.call("inspect", &json!({"tool": "cart"}))?;
    ensure!(told["functions"].as_array().is_some_and(|it| it.len() == 8), "{told}");
    let told = running.call("check", &json!({"code": call("cart.price", &items())}))?;
    ensure!(told["needs"].to_string().contains("s.price"), "{told}");
    let told = running.call("describe_capability", &json!({"name": "cart.count"}))?;
    ensure!(told["tools"][0]["name"] == "cart.count", "{told}");
    Ok(())
}

#[test]
fn examples_run_capabilities_unless_they_are_scripted() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let wraps = of_a(&json!({"add": [call("cart.total", &var("a")), 1]}));
    let data = json!({"items": [1, 2]});
    let scripted = json!([{"tool": "cart.total", "value": 10}]);
    let examples = json!([
        {"data": data, "output": 4},
        {"data": data, "answers": scripted, "output": 11},
    ]);
    let told = evolve(&mut running, "more", &wraps, &json!({"examples": examples}))?;
    ensure!(told["status"] == "new", "{told}");
    let inner = of_a(&call("cart.price", &var("a")));
    let examples = json!([{"data": {"n": 3}, "answers": [{"tool": "s.price", "value": {"n": 4}}], "output": 4}]);
    let told = evolve(&mut running, "priced", &inner, &json!({"examples": examples}))?;
    ensure!(told["status"] == "new", "{told}");
    // A change of the capability that breaks a caller is told.
    let zero = json!({"record": {"total": of_a(&json!(0))}});
    let told = evolve(&mut running, "cart", &zero, &json!({"verify_dependents": true}))?;
    ensure!(told["code"] == "fail" && told["message"] == "expected `4`, got `1`", "{told}");
    ensure!(running.call("list", &json!({}))?.to_string().contains("\"more\""));
    Ok(())
}

#[test]
fn an_operator_may_let_capabilities_shadow_servers() -> Result<()> {
    let shop = shop(&json!({"allow_shadowing": true}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let code = json!({"record": {"price": of_a(&json!("mine"))}});
    let told = evolve(&mut running, "s", &code, &json!({"capability": true}))?;
    ensure!(told["status"] == "new", "{told}");
    ensure!(run(&mut running, &call("s.price", &items()))?["value"] == "mine");
    // Without the policy the server answers.
    drop(running);
    let config = fs::read_to_string(shop.file("capabilities.json"))?;
    let mut config: Value = serde_json::from_str(&config)?;
    config["allow_shadowing"] = false.into();
    shop.write(&config)?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = run(&mut running, &call("s.price", &items()))?;
    ensure!(told["value"] == json!({"items": [1, 2, 3.5]}), "{told}");
    Ok(())
}

#[test]
fn a_capability_goes_to_another_store_and_back_to_an_earlier_revision() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = open(&shop)?;
    let wraps = of_a(&call("cart.total", &var("a")));
    evolve(&mut running, "more", &wraps, &json!({}))?;
    let told = running.call("inspect", &json!({"tool": "cart"}))?;
    let revision = told["revision"].as_str().context("a revision")?.to_owned();
    let data = evolve(&mut running, "cart", &json!(1), &json!({"capability": false}))?;
    ensure!(data["status"] == "changed", "{data}");
    let told = run(&mut running, &call("cart.total", &items()))?;
    ensure!(told["code"] == "unknown-capability", "{told}");
    let told = running.call("rollback", &json!({"tool": "cart", "revision": revision}))?;
    ensure!(told["status"] == "changed", "{told}");
    ensure!(run(&mut running, &call("cart.total", &items()))?["value"] == 6.5);
    drop(running);
    let said = shop.say(&["export", "more"])?;
    let file: Value = serde_json::from_str(&said.output)?;
    ensure!(file["tools"][0]["capability"] == true, "{file}");
    let exported = shop.file("exported.json");
    fs::write(&exported, &said.output)?;
    let data = shop.file("elsewhere").display().to_string();
    let exported = exported.display().to_string();
    for _ in 0..2 {
        // The second import changes nothing.
        let said = shop.say(&["import", "--data", &data, &exported])?;
        ensure!(said.ok, "{said:?}");
    }
    let code = call("cart.total", &items()).to_string();
    let said = shop.say(&["run", "--data", &data, &code]);
    ensure!(said.is_ok(), "{said:?}");
    let mut running = Running::start(&shop, &["serve", "--data", &data])?;
    ensure!(run(&mut running, &call("cart.total", &items()))?["value"] == 6.5);
    Ok(())
}
