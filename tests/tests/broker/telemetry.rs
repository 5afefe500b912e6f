//! Traces at a collector: what arrives there, and that nothing waits for it.

use super::client::{Client, Ending, modern, request};
use super::collector::{Collector, Does, TAKEN};
use super::folder::Folder;
use super::processes::{kill, parts};
use super::shop::{Shop, server, until};
use anyhow::{Context, Result, ensure};
use pif_tests::server::web::{Web, modern_headers};
use serde_json::{Value, json};
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const TOKEN: &str = "collector-token-4711";

/// A shop whose traces go to an address.
fn shop(address: &str) -> Result<Shop> {
    let tools = json!([{"name": "slow", "does": {"sleep_ms": 40, "echo": true}}]);
    let headers = json!({"Authorization": "Bearer ${KEY}", "X-Team": "pif"});
    let mut shop = Shop::new(&json!({
        "mcpServers": {"s": server(&json!({ "tools": tools }))},
        "secrets": {"KEY": {"env": "COLLECTOR_KEY"}},
        "telemetry": {"otlp": address, "headers": headers},
    }))?;
    shop.set("COLLECTOR_KEY", TOKEN);
    Ok(shop)
}

fn start(shop: &Shop, words: &[&str]) -> Result<Client> {
    let mut client = Client::of(&mut shop.command(&[&["serve"], words].concat())?)?;
    client.initialize()?;
    Ok(client)
}

/// Runs a program as a part of the caller's trace.
fn run_in(client: &mut Client, parent: &str, code: &str) -> Result<Value> {
    let id = client.id();
    let meta = json!({ "traceparent": parent });
    let params = json!({"name": "run", "arguments": {"code": code}, "_meta": meta});
    client.send(request(&id, "tools/call", &params))?;
    client.answer(&id)
}

/// Ends a server that has gone well, and gives what it has logged.
fn finish(client: Client) -> Result<String> {
    let Ending { status, errors, .. } = client.finish()?;
    ensure!(status.success(), "{errors}");
    Ok(errors)
}

fn warnings(log: &str) -> usize {
    log.matches("the collector did not get traces").count()
}

#[test]
fn spans_arrive_with_their_parents_and_secrets_stay_hidden() -> Result<()> {
    let collector = Collector::new()?;
    let mut shop = shop(&collector.address)?;
    shop.set("RUST_LOG", "trace");
    let mut client = start(&shop, &[])?;
    let sampled = format!("00-{TRACE}-{PARENT}-01");
    run_in(&mut client, &sampled, "call(\"s.slow\", {n: 1}).n")?;
    // Who does not record the caller does not record the call.
    run_in(&mut client, &format!("00-{TRACE}-{PARENT}-00"), "1")?;
    client.fault("run", &json!({"code": "1 / 0"}))?;
    let calls = collector.wait(2)?;
    let log = finish(client)?;
    ensure!(calls.len() == 2 && collector.calls()?.len() == 2, "{calls:?}");
    let [first, second] = calls.as_slice() else { anyhow::bail!("{calls:?}") };
    let (root, children) = first.split_first().context("a call")?;
    ensure!(root["traceId"] == TRACE && root["parentSpanId"] == PARENT, "{root}");
    ensure!(root["name"] == "tools/call run" && root["kind"] == 2, "{root}");
    let find = |name: &str| {
        let found = children.iter().find(|it| it["name"] == name);
        found.with_context(|| format!("no {name} in {children:?}"))
    };
    for name in ["admission", "instance", "run", "journal"] {
        ensure!(find(name)?["parentSpanId"] == root["spanId"], "{children:?}");
    }
    let theirs = find("tools/call slow")?;
    ensure!(theirs["parentSpanId"] == find("run")?["spanId"] && theirs["kind"] == 3, "{theirs}");
    ensure!(children.iter().all(|it| it["traceId"] == TRACE), "{children:?}");
    let mut ids: Vec<String> = first.iter().map(|it| it["spanId"].to_string()).collect();
    ids.sort();
    ids.dedup();
    ensure!(ids.len() == first.len(), "{first:?}");
    let failed = second.first().context("a call")?;
    ensure!(failed["status"]["message"] == "divide-by-zero", "{failed}");
    ensure!(failed["traceId"] != TRACE && failed["parentSpanId"].is_null(), "{failed}");
    for request in collector.requests() {
        let head = request.head.to_ascii_lowercase();
        ensure!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
        ensure!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
        ensure!(head.contains("\r\nx-team: pif\r\n"), "{head}");
        ensure!(head.contains(&format!("\r\nauthorization: bearer {TOKEN}\r\n")), "{head}");
        ensure!(!request.body.contains(TOKEN), "{}", request.body);
    }
    ensure!(!log.contains(TOKEN) && warnings(&log) == 0, "{log}");
    Ok(())
}

#[test]
fn the_last_spans_arrive_when_the_server_ends() -> Result<()> {
    let collector = Collector::new()?;
    let shop = shop(&collector.address)?;
    let mut client = start(&shop, &[])?;
    for n in 0..200 {
        client.text("run", &json!({"code": format!("{n} + 1")}))?;
    }
    finish(client)?;
    ensure!(collector.calls()?.len() == 200, "{}", collector.calls()?.len());
    // Calls of a moment go together.
    ensure!(collector.requests().len() < 100, "{}", collector.requests().len());
    Ok(())
}

#[test]
fn a_policy_says_what_a_collector_gets() -> Result<()> {
    for (policy, has_digest, has_payload) in
        [("none", false, false), ("summary", true, false), ("full", true, true)]
    {
        let collector = Collector::new()?;
        let shop = shop(&collector.address)?;
        // Summary is the default.
        let words: &[&str] = if policy == "summary" { &[] } else { &["--trace-payloads", policy] };
        let mut client = start(&shop, words)?;
        let code = "call(\"s.slow\", {name: \"Mallory\"}).name";
        ensure!(client.text("run", &json!({ "code": code }))?.contains("Mallory"));
        finish(client)?;
        let sent: String = collector.requests().into_iter().map(|it| it.body).collect();
        ensure!(!sent.is_empty(), "{policy}");
        assert_eq!(sent.contains("mcp_pif.arguments.sha256"), has_digest, "{policy}: {sent}");
        assert_eq!(sent.contains("mcp_pif.result.size"), has_digest, "{policy}: {sent}");
        assert_eq!(sent.contains("Mallory"), has_payload, "{policy}: {sent}");
        assert_eq!(sent.contains("gen_ai.tool.call.result"), has_payload, "{policy}: {sent}");
    }
    Ok(())
}

#[test]
fn files_and_the_collector_get_equal_spans() -> Result<()> {
    let (collector, folder) = (Collector::new()?, Folder::new()?);
    let shop = shop(&collector.address)?;
    let traces = folder.path().to_str().context("UTF-8")?;
    let mut client = start(&shop, &["--trace-dir", traces])?;
    client.text("run", &json!({"code": "call(\"s.slow\", {n: 1}).n"}))?;
    client.text("run", &json!({"code": "2"}))?;
    finish(client)?;
    let file = fs::read_dir(folder.path())?.next().context("a file")??;
    let mut written = Vec::new();
    for line in fs::read_to_string(file.path())?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let spans = line["resourceSpans"][0]["scopeSpans"][0]["spans"].clone();
        written.push(spans.as_array().context("spans")?.clone());
    }
    ensure!(written.len() == 2, "{written:?}");
    assert_eq!(written, collector.calls()?);
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_collector_that_hangs_delays_no_call() -> Result<()> {
    let collector = Collector::start(Does::Hangs)?;
    let shop = shop(&collector.address)?;
    let mut client = start(&shop, &[])?;
    let (began, mut longest) = (Instant::now(), Duration::ZERO);
    // Each of these calls is a text of its own.
    while began.elapsed() < Duration::from_secs(3) {
        let call = Instant::now();
        assert_eq!(client.text("run", &json!({"code": "call(\"s.slow\", {n: 1}).n"}))?, "1");
        longest = longest.max(call.elapsed());
        sleep(Duration::from_millis(150));
    }
    ensure!(longest < Duration::from_secs(2), "{longest:?}");
    // Two requests wait for their answers, and all else waits for these.
    ensure!(collector.connections() == 2, "{}", collector.connections());
    until("requests are given up", || collector.connections() > 2)?;
    ensure!(began.elapsed() > Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(client.text("run", &json!({"code": "call(\"s.slow\", {n: 2}).n"}))?, "2");
    let ends = Instant::now();
    let log = finish(client)?;
    ensure!(ends.elapsed() < Duration::from_secs(8), "{:?}", ends.elapsed());
    ensure!(log.contains("it did not answer in time"), "{log}");
    // One while it works, and one when it ends.
    assert_eq!(warnings(&log), 2, "{log}");
    Ok(())
}

#[test]
fn a_collector_that_fails_is_told_of_once_and_loses_nothing_else() -> Result<()> {
    let away = Collector::new()?;
    let moved: &'static str = format!(
        "307 Temporary Redirect\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
        away.address
    )
    .leak();
    let moved: &'static [&'static str] = vec![moved].leak();
    for (does, why) in [
        (Does::Answers(&["500 Oops\r\ncontent-length: 0\r\n\r\n"]), "it answered 500"),
        // The longest pause is half a minute: nobody waits for this one.
        (
            Does::Answers(&["503 Later\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n"]),
            "it answered 503",
        ),
        (Does::Answers(&["nonsense\r\n\r\n"]), ""),
        (Does::Answers(moved), "it answered 307"),
        (Does::Closes, ""),
    ] {
        let collector = Collector::start(does)?;
        let mut shop = shop(&collector.address)?;
        shop.set("RUST_LOG", "trace");
        let mut client = start(&shop, &[])?;
        for round in 1..=3 {
            let code = format!("call(\"s.slow\", {{n: {round}}}).n");
            assert_eq!(client.text("run", &json!({ "code": code }))?, round.to_string());
            until("a request comes", || collector.requests().len() >= round)?;
        }
        sleep(Duration::from_millis(300));
        // Nothing is tried again.
        assert_eq!(collector.requests().len(), 3, "{why}");
        let entries = client.text("journal_recent", &json!({}))?;
        assert_eq!(entries.lines().filter(|line| line.contains("run")).count(), 3, "{entries}");
        let log = finish(client)?;
        ensure!(log.contains(why) && !log.contains(TOKEN), "{log}");
        assert_eq!(warnings(&log), 2, "{why}: {log}");
    }
    assert_eq!(away.connections(), 0);
    Ok(())
}

#[test]
fn a_collector_that_is_not_there_costs_traces_only() -> Result<()> {
    let shop = shop("http://127.0.0.1:1/v1/traces")?;
    let mut client = start(&shop, &[])?;
    assert_eq!(client.text("run", &json!({"code": "call(\"s.slow\", {n: 1}).n"}))?, "1");
    let log = finish(client)?;
    ensure!(log.contains("onnection refused") && warnings(&log) == 1, "{log}");
    Ok(())
}

#[test]
fn a_collector_that_is_busy_is_asked_once_more() -> Result<()> {
    const LATER: &str = "503 Later\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";
    for (answers, lost) in [(&[LATER, TAKEN] as &[&str], 0), (&[LATER, LATER], 1)] {
        let collector = Collector::start(Does::Answers(answers))?;
        let shop = shop(&collector.address)?;
        let mut client = start(&shop, &[])?;
        client.text("run", &json!({"code": "1"}))?;
        until("it is asked again", || collector.requests().len() == 2)?;
        sleep(Duration::from_millis(1_500));
        let log = finish(client)?;
        let requests = collector.requests();
        ensure!(requests.len() == 2, "{}", requests.len());
        assert_eq!(requests[0].body, requests[1].body);
        assert_eq!(warnings(&log), lost, "{log}");
    }
    Ok(())
}

#[test]
fn nothing_is_sent_that_was_not_asked_for() -> Result<()> {
    let collector = Collector::new()?;
    let mut shop = shop(&collector.address)?;
    let config = fs::read_to_string(shop.file("capabilities.json"))?;
    // Others configure exporters by variables.
    shop.set("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.address);
    shop.set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &collector.address);
    let mut without: Value = serde_json::from_str(&config)?;
    without.as_object_mut().context("an object")?.remove("telemetry");
    shop.write(&without)?;
    let mut client = start(&shop, &[])?;
    assert_eq!(client.text("run", &json!({"code": "call(\"s.slow\", {n: 1}).n"}))?, "1");
    finish(client)?;
    assert_eq!(collector.connections(), 0);
    // Only a server sends traces: replays and what people run by hand do not.
    shop.write(&serde_json::from_str(&config)?)?;
    let replayed = shop.say(&["replay", "--all"])?;
    ensure!(replayed.ok, "{replayed:?}");
    ensure!(shop.say(&["run", "call(\"s.slow\", {n: 41}).n + 1"])?.output.contains("42"));
    ensure!(shop.say(&["capability", "call", "s.slow", "{}"])?.ok);
    assert_eq!(collector.connections(), 0);
    let mut client = start(&shop, &[])?;
    client.text("run", &json!({"code": "1"}))?;
    finish(client)?;
    assert_eq!(collector.connections(), 1);
    Ok(())
}

#[test]
fn a_broker_that_was_lost_sends_again() -> Result<()> {
    let collector = Collector::new()?;
    let shop = shop(&collector.address)?;
    let mut client = start(&shop, &[])?;
    client.text("run", &json!({"code": "1"}))?;
    collector.wait(1)?;
    kill(*parts(&shop, "work").first().context("no worker")?)?;
    until("it sends again", || {
        let ran = client.text("run", &json!({"code": "2"}));
        sleep(Duration::from_millis(100));
        ran.is_ok() && collector.calls().is_ok_and(|calls| calls.len() > 1)
    })?;
    finish(client)?;
    Ok(())
}

#[test]
fn a_broker_that_starts_again_without_collector_gets_no_traces() -> Result<()> {
    let collector = Collector::new()?;
    let shop = shop(&collector.address)?;
    let mut client = start(&shop, &[])?;
    client.text("run", &json!({"code": "1"}))?;
    collector.wait(1)?;
    let tools = json!([{"name": "echo", "does": {"echo": true}}]);
    shop.write(&json!({"mcpServers": {"s": server(&json!({ "tools": tools }))}}))?;
    kill(*parts(&shop, "work").first().context("no worker")?)?;
    // Traces that such a broker gets would end it for good.
    until("its servers are called again", || {
        let ran = client.text("run", &json!({"code": "call(\"s.echo\", {n: 7}).n"}));
        ran.is_ok_and(|it| it == "7")
    })?;
    sleep(Duration::from_millis(300));
    assert_eq!(client.text("run", &json!({"code": "call(\"s.echo\", {n: 8}).n"}))?, "8");
    finish(client)?;
    Ok(())
}

/// A server over HTTP counts what a collector did not take, whole or in part.
#[test]
fn what_a_collector_rejects_is_told_and_counted() -> Result<()> {
    const PART: &str = "200 OK\r\ncontent-length: 65\r\n\r\n\
        {\"partialSuccess\":{\"rejectedSpans\":\"3\",\"errorMessage\":\"no room\"}}";
    for (answer, why) in [
        (PART, "it rejected 3 spans: no room"),
        ("400 Bad Request\r\ncontent-length: 0\r\n\r\n", "it answered 400"),
    ] {
        let collector = Collector::start(Does::Answers(vec![answer].leak()))?;
        let shop = shop(&collector.address)?;
        let mut command = shop.command(&["serve", "--http", "127.0.0.1:0"])?;
        let web = Web::of(&mut command, Folder::new()?)?;
        let sampled = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
        let params = json!({"name": "run", "arguments": {"code": "1 + 1"}});
        let headers = format!("{sampled}{}", modern_headers("", "tools/call", &params));
        let body = modern(&json!(1), "tools/call", params)?;
        ensure!(web.post(&headers, &body)?.status == 200);
        // A proxy names the caller's span in a header.
        let call = collector.wait(1)?.pop().context("a call")?;
        ensure!(call[0]["traceId"] == TRACE && call[0]["parentSpanId"] == PARENT, "{call:?}");
        web.wait_for("the reason", || Ok(web.log().contains(why)))?;
        let dropped = || {
            let text = web.get("/metrics", "")?.text();
            Ok(text.lines().any(|line| line == "mcp_pif_traces_dropped_total 1"))
        };
        web.wait_for("the count", dropped)?;
    }
    Ok(())
}
