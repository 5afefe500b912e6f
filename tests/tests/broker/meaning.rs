//! Searches by meaning: a scripted endpoint for embeddings, what it is sent, and what a search does when it
//! is slow, broken or rude.

use super::client::{Client, text};
use super::folder::Folder;
use super::shop::Shop;
use anyhow::{Context, Result, ensure};
use pif_tests::sdk::environment;
use pif_tests::server::binary::target;
use pif_tests::server::endpoint::{self, Request};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const KEY: &str = "models-key-4711";

/// What the endpoint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// It gives vectors.
    Tells,
    Garbage,
    Hangs,
    Refuses,
    IsBusy,
}

/// Texts about rain look one way, texts about money another, and all others a third one.
fn vector(text: &str, numbers: usize) -> Vec<f32> {
    let has = |words: &[&str]| words.iter().any(|word| text.to_lowercase().contains(word));
    let mut vector = vec![0.0; numbers];
    let place = match () {
        () if has(&["umbrella", "wet", "precipitation"]) => 0,
        () if has(&["budget", "funds"]) => 1,
        () => 2,
    };
    vector[place] = 1.0;
    vector
}

#[derive(Default)]
struct Seen(Mutex<Vec<(String, Value)>>);

struct Endpoint {
    address: String,
    seen: Arc<Seen>,
    numbers: Arc<AtomicUsize>,
}

impl Endpoint {
    fn start(does: Does) -> Result<Self> {
        let seen = Arc::<Seen>::default();
        let numbers = Arc::new(AtomicUsize::new(3));
        let own = (Arc::clone(&seen), Arc::clone(&numbers));
        let address = endpoint::listen(move |connection| serve(connection, does, &own.0, &own.1))?;
        Ok(Self { address: format!("http://{address}/v1"), seen, numbers })
    }

    /// The texts that it was sent.
    fn texts(&self) -> Vec<String> {
        let seen = self.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = seen.iter().flat_map(|(_, body)| body["input"].as_array().cloned());
        texts.flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
    }
}

fn serve(connection: &TcpStream, does: Does, seen: &Seen, numbers: &AtomicUsize) {
    endpoint::exchange(connection, |Request { head, body }| {
        let body: Value = serde_json::from_slice(&body).ok()?;
        let texts = body["input"].as_array()?.clone();
        seen.0.lock().unwrap_or_else(PoisonError::into_inner).push((head, body));
        let numbers = numbers.load(Ordering::SeqCst);
        let row = |(index, text): (usize, &Value)| {
            let vector = vector(text.as_str().unwrap_or_default(), numbers);
            json!({"index": index, "embedding": vector})
        };
        let (status, answer) = match does {
            Does::Tells => {
                let rows: Vec<Value> = texts.iter().enumerate().map(row).collect();
                ("200 OK", json!({"object": "list", "data": rows}).to_string())
            }
            Does::Garbage => ("200 OK", r#"{"data":[{"index":0,"embedding":["x"]}]}"#.to_owned()),
            Does::Refuses => ("401 Unauthorized", "{}".to_owned()),
            Does::IsBusy => ("429 Too Many Requests\r\nretry-after: 7", "{}".to_owned()),
            Does::Hangs => {
                thread::sleep(Duration::from_secs(30));
                return None;
            }
        };
        Some(endpoint::response(status, answer.as_bytes()))
    });
}

fn shop(endpoint: &Endpoint) -> Result<Shop> {
    shop_of(&endpoint.address)
}

fn shop_of(address: &str) -> Result<Shop> {
    let mut shop = Shop::new(&json!({
        "mcpServers": {},
        "secrets": {"MODELS": {"env": "MODELS_KEY"}},
        "embeddings": {
            "url": address, "model": "m", "key": "MODELS", "headers": {"X-Team": "pif"}
        },
    }))?;
    shop.set("MODELS_KEY", KEY);
    Ok(shop)
}

fn start(shop: &Shop) -> Result<Client> {
    let mut client = Client::of(&mut shop.command(&["serve"])?)?;
    client.initialize()?;
    Ok(client)
}

fn fill(client: &mut Client) -> Result<()> {
    client.evolve("take_along", "Whether somebody gets wet outside", &json!(1))?;
    client.evolve("left_over", "What remains of the budget", &json!(2))?;
    client.evolve("other", "Something else", &json!(3))?;
    client
        .text("memory_store", &json!({"key": "hint", "value": "an umbrella stands by the door"}))?;
    Ok(())
}

fn places(found: &Value) -> Vec<&str> {
    let results = found["structuredContent"]["results"].as_array();
    results.into_iter().flatten().filter_map(|it| it["place"].as_str()).collect()
}

#[test]
fn what_means_nearly_the_same_is_found_without_its_words() -> Result<()> {
    let endpoint = Endpoint::start(Does::Tells)?;
    let shop = shop(&endpoint)?;
    let mut client = start(&shop)?;
    fill(&mut client)?;
    ensure!(endpoint.texts().is_empty(), "nothing is sent before a search");
    client.call("session_eval", &json!({"code": "const hidden = \"of the session\"; hidden"}))?;
    client.call("run", &json!({"code": "\"of the journal\".length"}))?;
    let found = client.call("search", &json!({"query": "precipitation"}))?;
    ensure!(found["structuredContent"]["model"] == "m", "{found}");
    ensure!(places(&found)[..2].contains(&"take_along"), "{found}");
    ensure!(places(&found)[..2].contains(&"hint"), "{found}");
    // Words and meaning together are better than one of them.
    let both = client.call("search", &json!({"query": "budget funds", "in": ["tools"]}))?;
    assert_eq!(places(&both).first(), Some(&"left_over"), "{both}");
    let texts = endpoint.texts();
    ensure!(texts.iter().any(|it| it.starts_with("take_along: ")), "{texts:?}");
    ensure!(texts.iter().any(|it| it.starts_with("hint: ")), "{texts:?}");
    ensure!(
        texts.iter().all(|it| !it.contains("of the journal") && !it.contains("of the session"))
    );
    // Each text once.
    assert_eq!(texts.iter().filter(|it| it.starts_with("take_along: ")).count(), 1);
    let heads = endpoint.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
    let (head, body) = heads.first().context("a request")?;
    let head = head.to_ascii_lowercase();
    ensure!(head.starts_with("post /v1/embeddings "), "{head}");
    ensure!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
    ensure!(head.contains("x-team: pif") && body["model"] == "m", "{head}");
    ensure!(!found.to_string().contains(KEY));
    Ok(())
}

/// What a model told is kept, until the text changes or the model tells vectors of another length.
#[test]
fn meanings_outlive_a_server_and_follow_the_texts() -> Result<()> {
    let endpoint = Endpoint::start(Does::Tells)?;
    let shop = shop(&endpoint)?;
    let mut client = start(&shop)?;
    fill(&mut client)?;
    client.call("search", &json!({"query": "precipitation"}))?;
    ensure!(client.finish()?.status.success());
    let before = endpoint.texts().len();
    let mut client = start(&shop)?;
    let found = client.call("search", &json!({"query": "precipitation"}))?;
    ensure!(places(&found).contains(&"take_along"), "{found}");
    assert_eq!(endpoint.texts().len(), before + 1, "the query alone");
    client.evolve("take_along", "Whether the funds suffice", &json!(1))?;
    let found = client.call("search", &json!({"query": "precipitation", "in": ["tools"]}))?;
    ensure!(!places(&found).contains(&"take_along"), "{found}");
    assert_eq!(endpoint.texts().len(), before + 3, "the query and the tool");
    endpoint.numbers.store(5, Ordering::SeqCst);
    let found = client.call("search", &json!({"query": "funds"}))?;
    ensure!(places(&found)[..2].contains(&"left_over"), "{found}");
    assert_eq!(endpoint.texts().len(), before + 8, "the query and all texts");
    Ok(())
}

#[test]
fn without_an_answer_words_find_what_they_find() -> Result<()> {
    for (does, why) in [
        (Does::Garbage, "its answer holds no vectors"),
        (Does::Refuses, "it refuses the key (401)"),
        (Does::IsBusy, "it takes no more requests now (429); try again in 7 s"),
        (Does::Hangs, "it did not answer in time"),
    ] {
        let endpoint = Endpoint::start(does)?;
        let shop = shop(&endpoint)?;
        let mut client = start(&shop)?;
        fill(&mut client)?;
        let begun = Instant::now();
        let found =
            client.call("search", &json!({"query": "budget", "in": ["tools", "memory"]}))?;
        ensure!(begun.elapsed() < Duration::from_secs(15), "{does:?}: {:?}", begun.elapsed());
        assert_eq!(places(&found), ["left_over"], "{does:?}");
        let told = text(&found)?;
        ensure!(
            told.contains(&format!("by words alone: the endpoint for embeddings: {why}")),
            "{told}"
        );
        ensure!(found["structuredContent"].get("model").is_none(), "{found}");
    }
    Ok(())
}

#[test]
fn nothing_is_sent_where_nobody_asks_for_it() -> Result<()> {
    let endpoint = Endpoint::start(Does::Tells)?;
    let shop = shop(&endpoint)?;
    let mut client = start(&shop)?;
    fill(&mut client)?;
    client.call("search", &json!({"query": "umbrella", "in": ["forms", "journal", "library"]}))?;
    client.call("list", &json!({"query": "umbrella"}))?;
    client.call("memory_retrieve", &json!({"context": "umbrella"}))?;
    assert_eq!(endpoint.texts(), [""; 0]);
    shop.write(&json!({"mcpServers": {}}))?;
    let mut client = start(&shop)?;
    let found = client.call("search", &json!({"query": "umbrella"}))?;
    ensure!(places(&found).contains(&"hint"), "{found}");
    assert_eq!(endpoint.texts(), [""; 0]);
    Ok(())
}

/// A process that ends with the test.
struct Real(Child);

impl Drop for Real {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A model that was trained finds tools whose words no question has.
#[test]
#[ignore = "needs the package wordllama from a package index, which brings a model of 16 MB"]
fn a_real_model_finds_what_words_do_not() -> Result<()> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/embeddings");
    let wanted = own.join("requirements.txt");
    let python = environment::python(&target()?, "embeddings-python", &wanted)?;
    let folder = Folder::new()?;
    let mut command = Command::new(python);
    command.arg(own.join("embed.py")).arg(folder.path()).stdout(Stdio::piped());
    let mut real = Real(command.spawn()?);
    let mut port = String::new();
    let output = real.0.stdout.take().context("an output")?;
    BufReader::new(output).read_line(&mut port)?;
    let shop = shop_of(&format!("http://127.0.0.1:{}/v1", port.trim()))?;
    let mut client = start(&shop)?;
    for (name, description) in [
        ("split_bill", "Divides a restaurant bill fairly between guests"),
        ("forecast", "Tells how warm it will be outside tomorrow"),
        ("spell", "Checks the letters of words for mistakes"),
        ("route", "Finds the shortest way between two towns"),
    ] {
        client.evolve(name, description, &json!(1))?;
    }
    for (query, expected) in [
        ("sharing money with friends after dinner", "split_bill"),
        ("weather report", "forecast"),
        ("orthography errors", "spell"),
        ("driving directions on a map", "route"),
    ] {
        let found = client.call("search", &json!({"query": query, "in": ["tools"]}))?;
        assert_eq!(places(&found).first(), Some(&expected), "{query}: {found}");
    }
    Ok(())
}
