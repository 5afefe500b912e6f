//! The figures of a server, as `/metrics` gives them.

use anyhow::{Context, Result, ensure};
use pif_server::mcp::METRICS_TYPE;
use serde_json::json;

use super::shop::Shop;

/// The value of a line.
fn value(text: &str, line: &str) -> Result<f64> {
    let rest = text.lines().find_map(|it| it.strip_prefix(line)?.strip_prefix(' '));
    Ok(rest.with_context(|| format!("no {line} in {text}"))?.parse()?)
}

#[test]
fn metrics_have_the_names_of_the_conventions() -> Result<()> {
    ensure!(METRICS_TYPE.starts_with("text/plain; version=0.0.4"), "{METRICS_TYPE}");
    let shop = Shop::open(&["--concurrency", "2"])?;
    let (mut peer, session) = shop.greet()?;
    for id in 1..=3 {
        peer.run(id, &json!("1 + 1"))?;
        peer.value(id)?;
    }
    peer.run(4, &json!("1 / 0"))?;
    peer.answer(4)?;
    let text = shop.metrics();
    let of = |error: &str| {
        format!("mcp_method_name=\"tools/call\",gen_ai_tool_name=\"run\",error_type=\"{error}\"")
    };
    let operations = "mcp_server_operation_duration_seconds";
    for (line, expected) in [
        (format!("{operations}_count{{{}}}", of("")), 3.0),
        (format!("{operations}_count{{{}}}", of("tool_error")), 1.0),
        ("mcp_pif_run_fuel_count{gen_ai_tool_name=\"run\"}".to_owned(), 4.0),
        ("mcp_pif_run_memory_bytes_count{gen_ai_tool_name=\"run\"}".to_owned(), 4.0),
        ("mcp_pif_queue_wait_seconds_count".to_owned(), 4.0),
        ("mcp_pif_instances_total".to_owned(), 4.0),
        ("mcp_pif_faults_total{code=\"divide-by-zero\"}".to_owned(), 1.0),
        ("mcp_pif_runs_places".to_owned(), 2.0),
        ("mcp_pif_runs_active".to_owned(), 0.0),
        ("mcp_pif_sessions".to_owned(), 1.0),
        ("mcp_server_session_duration_seconds_count".to_owned(), 0.0),
    ] {
        ensure!((value(&text, &line)? - expected).abs() < 0.5, "{line} is not {expected}: {text}");
    }
    let sum = value(&text, &format!("{operations}_sum{{{}}}", of("")))?;
    ensure!(0.0 < sum && sum < 60.0, "{sum}");
    ensure!(text.contains(&format!("# TYPE {operations} histogram\n")), "{text}");
    peer.end_input()?;
    ensure!(shop.ended(session)?);
    let text = shop.metrics();
    ensure!((value(&text, "mcp_server_session_duration_seconds_count")? - 1.0).abs() < 0.5);
    ensure!(value(&text, "mcp_pif_sessions")?.abs() < 0.5, "{text}");
    Ok(())
}

/// A client can neither invent series without end nor a line of its own.
#[test]
fn names_from_outside_are_bounded() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, _session) = shop.greet()?;
    for id in 1..=50 {
        peer.call(id, &format!("gone\n{id}"), &json!({}))?;
        peer.find(|it| it["id"] == id)?;
    }
    let text = shop.metrics();
    ensure!(text.contains("gen_ai_tool_name=\"_unknown\"") && !text.contains("gone"), "{text}");
    Ok(())
}
