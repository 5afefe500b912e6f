//! The corpus `tests/hostile/http.json`: servers reached by HTTP that mean harm. Each costs its own calls
//! only, sends nobody elsewhere, and learns no more than its own secret.

use super::shop::{Shop, server};
use anyhow::{Context, Result, ensure};
use pif_tests::server::endpoint::{self, Request};
use serde::Deserialize;
use serde_json::json;
use std::fs;
use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    #[serde(rename = "note")]
    _note: String,
    servers: Vec<Harmful>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Harmful {
    name: String,
    head: String,
    #[serde(default)]
    body: Body,
    told: String,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Body {
    Text(String),
    Long { repeat: String, times: usize },
}

impl Default for Body {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// A server that answers every request with the same bytes.
struct Listening {
    address: String,
    requests: Arc<AtomicUsize>,
}

impl Listening {
    fn start(head: String, body: Body) -> Result<Self> {
        let requests = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&requests);
        let address = endpoint::listen(move |connection| {
            // A client that is gone needs no answer.
            let _ = answer(connection, &head, &body, &seen);
        })?;
        Ok(Self { address: format!("http://{address}"), requests })
    }
}

/// Reads one request and answers it. Whoever asked may be gone before the end.
fn answer(connection: &TcpStream, head: &str, body: &Body, seen: &AtomicUsize) -> Option<()> {
    Request::read(&mut BufReader::new(connection))?;
    seen.fetch_add(1, Ordering::Relaxed);
    let mut writer = connection;
    writer.write_all(head.as_bytes()).ok()?;
    match body {
        Body::Text(text) => writer.write_all(text.as_bytes()).ok(),
        Body::Long { repeat, times } => {
            let some = repeat.repeat(1_000);
            (0..times / 1_000).try_for_each(|_| writer.write_all(some.as_bytes()).ok())
        }
    }
}

impl Harmful {
    fn check(&self) -> Result<()> {
        let away = Listening::start("HTTP/1.1 200 OK\r\n\r\n".to_owned(), Body::default())?;
        let head = self.head.replace("AWAY", &away.address);
        let harmful = Listening::start(head, self.body.clone())?;
        let mut shop = Shop::new(&json!({
            "mcpServers": {
                "s": {"url": format!("{}/mcp", harmful.address), "headers": {"X-Key": "${KEY}"},
                    "grants": "allow"},
                "well": server(&json!({"tools": [{"name": "echo", "does": {"echo": true}}]})),
            },
            "secrets": {"KEY": {"env": "SHOP_KEY"}},
        }))?;
        shop.set("SHOP_KEY", "open-sesame-4711");
        let said = shop.say(&["capability", "call", "s.t", "{}"])?;
        let all = format!("{}{}", said.output, said.errors);
        let is_hidden =
            |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        ensure!(!all.contains(is_hidden) && !all.contains("4711"), "{all:?}");
        let complaint = said.errors.lines().find_map(|line| line.strip_prefix("mcp-pif: "));
        ensure!(complaint.is_some_and(|it| it.starts_with(&self.told)), "{said:?}");
        ensure!(!said.ok && harmful.requests.load(Ordering::Relaxed) > 0, "{said:?}");
        ensure!(away.requests.load(Ordering::Relaxed) == 0, "somebody was sent away");
        assert_eq!(shop.value("well.echo", r#"{"a":1}"#)?, r#"{"a":1}"#);
        Ok(())
    }
}

#[test]
fn a_harmful_address_costs_its_own_calls_only() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile/http.json");
    let corpus: Corpus = serde_json::from_str(&fs::read_to_string(path)?)?;
    ensure!(corpus.servers.len() > 10, "{}", corpus.servers.len());
    let mut wrong = Vec::new();
    for harmful in &corpus.servers {
        if let Err(error) = harmful.check().context(harmful.name.clone()) {
            wrong.push(format!("{error:#}"));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
