//! A scripted model: an endpoint that answers conversations as a test says, and remembers them.

use super::client::Client;
use super::shop::Shop;
use anyhow::{Context, Result};
use pif_tests::server::endpoint::{self, Request};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The key of the endpoint.
pub(super) const KEY: &str = "models-key-4711";

/// The tokens of each answer.
pub(super) const TOKENS: u64 = 450;

/// What the model does with a conversation.
#[derive(Debug, Clone)]
pub(super) enum Says {
    /// It answers with this text.
    Text(String),
    /// It answers with what is no message.
    Garbage,
    /// Its answer has so many bytes.
    Huge(usize),
    /// It takes so long.
    Slow(Duration),
    /// It answers with this status, and headers behind it.
    Status(&'static str),
    /// The connection ends in the middle of the answer.
    Cut,
}

/// A program as models write it.
pub(super) fn program(code: &str) -> Says {
    Says::Text(format!("Here it is:\n```js\n{code}\n```"))
}

type Heard = Arc<Mutex<Vec<(String, Value)>>>;

/// The endpoint. Its last answer comes again and again.
pub(super) struct Model {
    pub(super) address: String,
    heard: Heard,
}

impl Model {
    pub(super) fn start(script: &[Says]) -> Result<Self> {
        let heard = Heard::default();
        let own = Arc::clone(&heard);
        let script = script.to_vec();
        let address = endpoint::listen(move |connection| serve(connection, &script, &own))?;
        Ok(Self { address: format!("http://{address}/v1"), heard })
    }

    /// What it was sent: the head and the body of each request.
    pub(super) fn heard(&self) -> Vec<(String, Value)> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The messages of each conversation as one text.
    pub(super) fn prompts(&self) -> Vec<String> {
        let text = |(_, body): (String, Value)| {
            let messages = body["messages"].as_array().cloned().unwrap_or_default();
            let texts = messages.iter().filter_map(|it| it["content"].as_str().map(str::to_owned));
            texts.collect::<Vec<_>>().join("\n")
        };
        self.heard().into_iter().map(text).collect()
    }

    /// The members of a configuration that name this model.
    pub(super) fn config(&self, servers: &Value) -> Value {
        json!({
            "mcpServers": servers,
            "secrets": {"MODELS": {"env": "MODELS_KEY"}},
            "models": {"default": {
                "url": self.address, "model": "m", "key": "MODELS", "headers": {"X-Team": "pif"}
            }},
        })
    }

    /// A shop with this model and these servers.
    pub(super) fn shop(&self, servers: &Value) -> Result<Shop> {
        let mut shop = Shop::new(&self.config(servers))?;
        shop.set("MODELS_KEY", KEY);
        Ok(shop)
    }
}

fn serve(connection: &TcpStream, script: &[Says], heard: &Heard) {
    endpoint::exchange(connection, |Request { head, body }| {
        let body: Value = serde_json::from_slice(&body).ok()?;
        let mut all = heard.lock().unwrap_or_else(PoisonError::into_inner);
        let says = script.get(all.len()).or(script.last())?.clone();
        all.push((head, body));
        drop(all);
        let whole = |text: &str| {
            let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}});
            json!({"model": "m-1", "choices": [choice], "usage": {"total_tokens": TOKENS}})
                .to_string()
        };
        let (status, answer) = match says {
            Says::Text(text) => ("200 OK", whole(&text)),
            Says::Garbage => ("200 OK", "<html>what?</html>".to_owned()),
            Says::Huge(bytes) => ("200 OK", whole(&"x".repeat(bytes))),
            Says::Slow(time) => {
                thread::sleep(time);
                ("200 OK", whole("1"))
            }
            Says::Status(status) => (status, "{}".to_owned()),
            Says::Cut => {
                let mut writer = connection;
                write!(writer, "HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{{\"choi").ok()?;
                connection.shutdown(Shutdown::Both).ok()?;
                return None;
            }
        };
        Some(endpoint::response(status, answer.as_bytes()))
    });
}

/// A server with tasks.
pub(super) fn serve_tasks(shop: &Shop, flags: &[&str]) -> Result<Client> {
    let sets = "core,state,sessions,capabilities,work,staging";
    let words = [&["serve", "--toolsets", sets], flags].concat();
    let mut client = Client::of(&mut shop.command(&words)?)?;
    client.initialize()?;
    Ok(client)
}

/// The record of a task that is solved.
pub(super) fn solved(client: &mut Client, arguments: &Value) -> Result<Value> {
    let told = client.call("task", arguments)?;
    anyhow::ensure!(told["isError"] == false, "{told}");
    told.get("structuredContent").cloned().context("a record")
}
