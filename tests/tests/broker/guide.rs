//! The guide to calls of other servers: its programs run, and its figures are measured.

use super::registry_servers::node;
use super::shop::{Running, Shop, server};
use anyhow::{Context, Result, ensure};
use pif_tests::tell;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

fn page() -> Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/docs/capabilities.md");
    Ok(fs::read_to_string(path)?)
}

/// The program on the page that holds this.
fn program(sign: &str) -> Result<String> {
    let page = page()?;
    let mut blocks = page.split("```js\n").skip(1).filter_map(|it| it.split("```").next());
    Ok(blocks.find(|it| it.contains(sign)).with_context(|| sign.to_owned())?.to_owned())
}

#[test]
fn the_first_program_asks_two_servers_at_once() -> Result<()> {
    let issues: Vec<u32> = (0..128).collect();
    let found = json!({"content": [], "structuredContent": {"issues": issues}});
    let github = json!({"tools": [{"name": "search_issues", "does": {"result": found}}]});
    let jira = json!({"tools": [{"name": "search", "does": {"sleep_ms": 20_000}}]});
    let mut jira = server(&jira);
    jira["limits"] = json!({"call_timeout": "200ms"});
    let shop = Shop::new(&json!({"mcpServers": {"github": server(&github), "jira": jira}}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = running.call("run", &json!({"code": program("github.search_issues")?}))?;
    ensure!(told["value"] == json!([128, "timeout"]), "{told}");
    ensure!(page()?.contains("`[128, \"timeout\"]`"));
    Ok(())
}

/// Customers, their regions, and the months of a year.
const CUSTOMERS: usize = 40;
const REGIONS: [&str; 4] = ["north", "east", "south", "west"];
const MONTHS: usize = 12;
const ORDERS: usize = 400;

/// A file of orders, and what they add to the sum of each region.
fn orders(month: usize, sums: &mut [(usize, usize); 4]) -> Result<String> {
    let mut text = "id,customer,item,total\n".to_owned();
    for n in 0..ORDERS {
        let (customer, total) = ((n * 7 + month * 3) % CUSTOMERS, (n * 31 + month * 17) % 500);
        writeln!(text, "{month}-{n},customer {customer},item {},{total}", n % 97)?;
        let sum = sums.get_mut(customer % REGIONS.len()).context("a region")?;
        *sum = (sum.0 + 1, sum.1 + total);
    }
    Ok(text)
}

/// The bytes of all answers of other servers in the last entry of the journal.
fn fetched(shop: &Shop) -> Result<u64> {
    let said = shop.say(&["journal", "export"])?;
    let last = said.output.lines().last().with_context(|| said.errors.clone())?;
    let mut bytes = 0;
    let entry: Value = serde_json::from_str(last)?;
    add_bytes(&entry, &mut bytes);
    Ok(bytes)
}

fn add_bytes(value: &Value, bytes: &mut u64) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if name == "value" {
                    *bytes += member["bytes"].as_u64().unwrap_or_default();
                }
                add_bytes(member, bytes);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|it| add_bytes(it, bytes)),
        _ => {}
    }
}

/// Two servers from their registry: one reads files, one remembers. The page tells how many bytes they
/// answer, and how many of them reach the model.
#[test]
#[ignore = "needs npm"]
fn the_worked_example_reduces_what_it_fetches() -> Result<()> {
    let Some(commands) = node()? else { return Ok(()) };
    let shop = Shop::new(&json!({"mcpServers": {}}))?;
    let folder = shop.file("orders");
    fs::create_dir(&folder)?;
    let mut sums = [(0, 0); 4];
    for month in 1..=MONTHS {
        fs::write(folder.join(format!("2026-{month:02}.csv")), orders(month, &mut sums)?)?;
    }
    let command = |name: &str| commands.join(name).display().to_string();
    shop.write(&json!({"mcpServers": {
        "files": {"command": command("mcp-server-filesystem"), "args": [folder], "grants": "read"},
        "memory": {"command": command("mcp-server-memory"), "grants": "allow",
            "env": {"MEMORY_FILE_PATH": shop.file("memory.json").display().to_string()}},
    }}))?;
    let entities: Vec<Value> = (0..CUSTOMERS)
        .map(|n| {
            json!({"name": format!("customer {n}"), "entityType": "customer",
                "observations": [REGIONS.get(n % REGIONS.len())]})
        })
        .collect();
    shop.value("memory.create_entities", &json!({ "entities": entities }).to_string())?;
    let mut running = Running::start(&shop, &["serve"])?;
    let code = program("files.search_files")?;
    let request = json!({"name": "run", "arguments": {"code": code, "data": folder}});
    let answer = running.ask("tools/call", &request)?["result"].clone();
    let mut expected: Vec<Value> = (REGIONS.iter().zip(sums))
        .map(
            |(region, (orders, total))| json!({"region": region, "orders": orders, "total": total}),
        )
        .collect();
    expected.sort_by_key(|it| std::cmp::Reverse(it["total"].as_u64()));
    ensure!(answer["structuredContent"]["value"] == json!(expected), "{answer}");
    let text = answer["content"][0]["text"].as_str().context("a text")?;
    drop(running);
    let fetched = fetched(&shop)?;
    tell(&format!("{fetched} bytes fetched, {} to the model", text.len()));
    let told = format!("answer {} kB, and {} bytes reach the model", fetched / 1_000, text.len());
    // A line of the page may end anywhere.
    let page = page()?.split_whitespace().collect::<Vec<_>>().join(" ");
    ensure!(page.contains(&told), "the page tells other figures: {told}");
    Ok(())
}
