//! How a model finds the tools of other servers.

use super::shop::{Running, Shop, server, server_with};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::Instant;

fn search(name: &str, does: &Value) -> Value {
    json!({"name": name, "description": "Looks for things.", "annotations": {"readOnlyHint": true},
        "inputSchema": {"type": "object", "required": ["query"], "properties": {"query": {"type": "string"}}},
        "does": does})
}

fn names(told: &Value) -> Vec<&str> {
    let tools = told["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn tools_are_listed_searched_and_inspected() -> Result<()> {
    let github = json!([
        search("search_issues", &json!({})),
        {"name": "create_issue", "description": "Opens an issue."},
        {"name": "secret_door", "description": "Nobody may know of it."},
    ]);
    let grants = json!({"grants": {"*": "read", "secret*": "deny"}});
    let time = json!([{"name": "now", "description": "The time."}]);
    let shop = Shop::new(&json!({"mcpServers": {
        "github": server_with(&json!({"tools": github}), &grants),
        "time": server(&json!({"tools": time})),
    }}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let all = running.call("capabilities", &json!({}))?;
    assert_eq!(names(&all), ["github.search_issues", "github.create_issue", "time.now"]);
    assert_eq!(all["tools"][0]["signature"], "github.search_issues({query: text})");
    let found = running.call("capabilities", &json!({"query": "issue", "detail": "names"}))?;
    assert_eq!(
        found["tools"],
        json!([{"name": "github.create_issue"}, {"name": "github.search_issues"}])
    );
    let one = running.call("capabilities", &json!({"upstream": "time"}))?;
    assert_eq!(names(&one), ["time.now"]);
    for (tool, arguments) in [
        ("capabilities", json!({"tool": "github.search_issues"})),
        ("inspect", json!({"tool": "github.search_issues"})),
    ] {
        let told = running.call(tool, &arguments)?;
        let told = told["tools"].get(0).unwrap_or(&told);
        assert_eq!(told["input_schema"]["required"], json!(["query"]), "{told}");
        assert_eq!(
            (&told["class"], &told["grant"], &told["pin"]),
            (&json!("read"), &json!("read"), &json!("approved"))
        );
        assert_eq!(told["call"], r#"github.search_issues({query: "…"})"#);
    }
    let unknown = running.call("inspect", &json!({"tool": "github.serch_issues"}))?;
    assert_eq!(unknown["code"], "unknown-capability");
    assert_eq!(unknown["hint"], "did you mean `github.search_issues`?");
    Ok(())
}

#[test]
fn many_tools_are_shown_in_part() -> Result<()> {
    let tools: Vec<Value> = (0..400)
        .map(|n| json!({"name": format!("tool_number_{n:03}"), "description": if n == 7 { "Zebra." } else { "Other." }}))
        .collect();
    let shop = Shop::of(&tools.into())?;
    let mut running = Running::start(&shop, &["serve"])?;
    let all = running.call("capabilities", &json!({}))?;
    assert_eq!((names(&all).len(), &all["truncated"]), (20, &json!(380)));
    let found = running.call("capabilities", &json!({"query": "zebra"}))?;
    assert_eq!(names(&found), ["s.tool_number_007"]);
    Ok(())
}

#[test]
fn no_server_hides_another_one() -> Result<()> {
    let many = |count: usize| -> Value {
        let tool = |n: usize| {
            let reads = json!({"readOnlyHint": n == count - 1});
            json!({"name": format!("tool_number_{n:03}"), "description": "Does what its name says, and no more than that.", "annotations": reads})
        };
        (0..count).map(tool).collect()
    };
    let shop = Shop::new(&json!({"mcpServers": {
        "a": server(&json!({"tools": many(150)})),
        "b": server(&json!({"tools": many(2)})),
        "c": server(&json!({"tools": many(60)})),
    }}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let all = running.call("capabilities", &json!({}))?;
    let shown = names(&all);
    let of = |id: &str| shown.iter().filter(|name| name.starts_with(id)).count();
    assert_eq!([of("a."), of("b."), of("c.")], [9, 2, 9], "{all}");
    ensure!(shown[0] == "a.tool_number_149", "those that read come first: {all}");
    assert_eq!(
        (&all["servers"], &all["truncated"]),
        (&json!({"a": 150, "b": 2, "c": 60}), &json!(192))
    );
    let one = running.call("capabilities", &json!({"upstream": "c"}))?;
    ensure!(names(&one).iter().all(|name| name.starts_with("c.")), "{one}");
    Ok(())
}

#[test]
fn one_question_goes_to_all_that_search() -> Result<()> {
    let failing = json!({"error": {"code": -32000, "message": "no index"}});
    let config = json!({"mcpServers": {
        "a": server(&json!({"tools": [search("search", &json!({"echo": true})), {"name": "delete_search"}]})),
        "b": server(&json!({"tools": [search("find_things", &failing)]})),
    }});
    let shop = Shop::new(&config)?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = running.call("ukr_search", &json!({"query": "ada"}))?;
    assert_eq!(
        told["results"],
        json!([
            {"source": "a.search", "ok": true, "value": {"query": "ada"}},
            {"source": "b.find_things", "ok": false, "reason": "rpc-error", "message": "no index (code -32000)"},
        ])
    );
    Ok(())
}

#[test]
fn calls_at_once_are_bounded() -> Result<()> {
    let tools: Vec<Value> =
        (0..4).map(|n| search(&format!("search_{n}"), &json!({"sleep_ms": 300}))).collect();
    let time = |at_once: u64| -> Result<u128> {
        let limits = json!({"limits": {"at_once": at_once}});
        let shop = Shop::new(
            &json!({"mcpServers": {"s": server_with(&json!({"tools": tools}), &limits)}}),
        )?;
        let mut running = Running::start(&shop, &["serve"])?;
        running.call("capabilities", &json!({}))?;
        let start = Instant::now();
        let told = running.call("ukr_search", &json!({"query": "x"}))?;
        let results = told["results"].as_array().context("no results")?;
        ensure!(results.len() == 4 && results.iter().all(|it| it["ok"] == true), "{told}");
        Ok(start.elapsed().as_millis())
    };
    let (one, all) = (time(1)?, time(4)?);
    ensure!(one >= 1_200 && all < 1_200, "{one} ms one after the other, {all} ms at once");
    Ok(())
}

#[test]
fn without_servers_nothing_is_offered() -> Result<()> {
    let shop = Shop::of(&json!([]))?;
    std::fs::remove_file(shop.file("capabilities.json"))?;
    let mut command = shop.command(&["capability", "list"])?;
    command.env_remove("MCP_PIF_CAPABILITIES");
    let said = String::from_utf8(command.output()?.stderr)?;
    ensure!(said.contains("no servers are configured"), "{said}");
    Ok(())
}
