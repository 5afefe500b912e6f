//! The tool `search`: one ranked list of everything, and what stands near.

use super::client::{Client, text};
use super::folder::Folder;
use super::kept::double;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

fn search(client: &mut Client, arguments: &Value) -> Result<Value> {
    let found = client.call("search", arguments)?;
    ensure!(found["isError"] == false, "{found}");
    Ok(found["structuredContent"].clone())
}

/// Kind and place of each result.
fn places(found: &Value) -> Vec<String> {
    let results = found["results"].as_array().into_iter().flatten();
    let word = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    results.map(|it| format!("{} {}", word(it, "kind"), word(it, "place"))).collect()
}

fn result<'a>(found: &'a Value, place: &str) -> Result<&'a Value> {
    let mut results = found["results"].as_array().into_iter().flatten();
    results.find(|it| it["place"] == place).with_context(|| format!("{place}: {found}"))
}

fn fill(client: &mut Client) -> Result<()> {
    client.evolve("invoice_total", "Sums the positions of an invoice", &double())?;
    let calling = json!({"lam": "x", "body": {"app": {"func": {"tool": "invoice_total"}, "arg": {"var": "x"}}}});
    client.evolve("invoice_report", "A report of invoices by month", &calling)?;
    client.evolve("weather", "Forecast of a city", &double())?;
    for (key, value) in [("invoices/rule", "round each invoice"), ("rates", "from the bank")] {
        client.text("memory_store", &json!({"key": key, "value": value, "tags": ["money"]}))?;
    }
    Ok(())
}

#[test]
fn everything_is_in_one_list() -> Result<()> {
    let mut client = Client::legacy()?;
    fill(&mut client)?;
    client.call("session_eval", &json!({"code": "@invoice_total(3) + @weather(1)"}))?;
    client.call("run", &json!({"tool": "invoice_total", "input": 4}))?;
    let found = search(&mut client, &json!({"query": "invoices", "limit": 50}))?;
    let all = places(&found);
    for place in
        ["tool invoice_total", "tool invoice_report", "memory invoices/rule", "session default"]
    {
        ensure!(all.iter().any(|it| it == place), "{place}: {all:?}");
    }
    ensure!(all.iter().any(|it| it.starts_with("journal ")), "{all:?}");
    ensure!(!all.iter().any(|it| it == "tool weather"), "{all:?}");
    let scores: Vec<f64> = found["results"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["score"].as_f64())
        .collect();
    ensure!(scores.is_sorted_by(|a, b| a >= b) && scores.len() == all.len(), "{scores:?}");
    // Forms and the library stand in the same list.
    let found = places(&search(&mut client, &json!({"query": "median", "limit": 50}))?);
    ensure!(found.iter().any(|it| it == "form median"), "{found:?}");
    ensure!(found.iter().any(|it| it.starts_with("library std_")), "{found:?}");
    let few = search(&mut client, &json!({"query": "invoices", "in": ["memory"], "limit": 1}))?;
    assert_eq!(places(&few), ["memory invoices/rule"]);
    let nothing = search(&mut client, &json!({"query": "xylophone", "in": ["tools"]}))?;
    assert_eq!((&nothing["results"], &nothing["total"]), (&json!([]), &json!(0)));
    Ok(())
}

/// What a result says to call can be called as it stands.
#[test]
fn calls_are_ready() -> Result<()> {
    let mut client = Client::legacy()?;
    fill(&mut client)?;
    client.call("session_eval", &json!({"code": "@invoice_total(3)"}))?;
    let found = search(&mut client, &json!({"query": "invoice", "limit": 50}))?;
    let form = search(&mut client, &json!({"query": "std_gcd"}))?;
    let results = [&found, &form].map(|it| it["results"].as_array().cloned().unwrap_or_default());
    let mut called = 0;
    for result in results.iter().flatten() {
        let Some(call) = result["call"].as_str() else { continue };
        let (tool, arguments) = call.split_once(' ').context("a call")?;
        let told = client.call_text(tool, arguments)?;
        ensure!(told["isError"] == false, "{call}: {told}");
        called += 1;
    }
    ensure!(called > 5, "{called} calls");
    Ok(())
}

#[test]
fn neighbors_are_told_when_they_are_asked_for() -> Result<()> {
    let mut client = Client::legacy()?;
    fill(&mut client)?;
    client.call("session_eval", &json!({"code": "@invoice_total(3) + @weather(1)"}))?;
    let plain = search(&mut client, &json!({"query": "invoice total"}))?;
    ensure!(result(&plain, "invoice_total")?.get("neighbors").is_none(), "{plain}");
    let asked = json!({"query": "invoice", "include_neighbors": true, "limit": 50});
    let found = search(&mut client, &asked)?;
    let near = |place: &str| -> Result<Vec<String>> {
        let near = result(&found, place)?["neighbors"].as_array().cloned().unwrap_or_default();
        let told = |it: &Value| format!("{} {}", it["place"], it["relation"]).replace('"', "");
        Ok(near.iter().map(told).collect())
    };
    assert_eq!(near("invoice_total")?, ["invoice_report calls it", "weather used with it"]);
    assert_eq!(near("invoice_report")?, ["invoice_total called by it"]);
    assert_eq!(near("invoices/rule")?, ["rates same tags"]);
    Ok(())
}

#[test]
fn mistakes_are_told() -> Result<()> {
    let mut client = Client::legacy_with(&["--toolsets", "core,state"])?;
    for (arguments, words) in [
        (json!({}), "`query`"),
        (json!({"query": "a", "in": ["tool", "lists"]}), "`in` has no `lists`"),
        (json!({"query": "a", "in": ["sessions"]}), "belongs to the set `sessions`, which is off"),
        (json!({"query": "a", "in": ["upstream"]}), "the set `capabilities`, which is off"),
        (json!({"query": "a", "limit": 0}), "`limit` is out of range"),
    ] {
        let told = client.call("search", &arguments)?;
        ensure!(told["isError"] == true && text(&told)?.contains(words), "{arguments}: {told}");
    }
    Ok(())
}

/// Nothing in a query is syntax, and an empty one finds nothing.
#[test]
fn any_text_is_a_query() -> Result<()> {
    let mut client = Client::legacy()?;
    for query in ["", "\"", "NEAR(a b", "a* OR", "{name body}: x", "\0", "🙂", "-", "';--"] {
        let found = client.call("search", &json!({"query": query}))?;
        ensure!(found["isError"] == false, "{query:?}: {found}");
    }
    let long = "word ".repeat(20_000);
    search(&mut client, &json!({"query": long}))?;
    Ok(())
}

/// A change is found at once, whichever process makes it; what has gone is not.
#[test]
fn changes_are_found_at_once() -> Result<()> {
    let folder = Folder::new()?;
    let place = folder.path().to_str().context("a path in UTF-8")?;
    let start = || Client::legacy_with(&["--data", place]);
    let (mut one, mut other) = (start()?, start()?);
    let query = json!({"query": "zeppelin", "in": ["tools", "memory"]});
    one.evolve("fly", "Steers a zeppelin", &double())?;
    other.text("memory_store", &json!({"key": "note", "value": "zeppelins are slow"}))?;
    for client in [&mut one, &mut other] {
        let found = places(&search(client, &query)?);
        ensure!(found.len() == 2, "{found:?}");
    }
    other.evolve("fly", "Steers a balloon", &double())?;
    one.text("memory_store", &json!({"key": "note", "forget": true}))?;
    for client in [&mut one, &mut other] {
        assert_eq!(places(&search(client, &query)?), [""; 0]);
    }
    Ok(())
}
