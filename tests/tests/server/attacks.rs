//! The attacks of `tests/attacks`, made on the real binary: each comes to what its file says,
//! every id is answered once, and the server stays alive and small. `MCP_PIF_BINARY` names another
//! binary to attack; with `--nocapture` time and memory of each attack are printed.

use super::client::{Client, call, text};
use anyhow::{Context, Result, bail, ensure};
use pif_tests::attack::{Attack, Expect, File, Run, corpus};
use serde_json::{Value, json};
use std::fs;
use std::time::Instant;

/// An attack is judged by what it comes to, however slow the machine is. The files know the caps of a
/// server for small data, which they meet from below and from above.
const PATIENCE: [&str; 8] =
    ["--wall-clock", "300s", "--fuel", "100M", "--max-data", "8MiB", "--memory", "64MiB"];

/// The id of an attack's request, unless it has to be another.
const ID: &str = "attack";

#[test]
#[ignore = "long"]
fn numbers() -> Result<()> {
    attack("numbers")
}

#[test]
fn texts() -> Result<()> {
    attack("texts")
}

#[test]
#[ignore = "long"]
fn nesting() -> Result<()> {
    attack("nesting")
}

#[test]
#[ignore = "long"]
fn width() -> Result<()> {
    attack("width")
}

#[test]
#[ignore = "long"]
fn recursion() -> Result<()> {
    attack("recursion")
}

#[test]
#[ignore = "long"]
fn growth() -> Result<()> {
    attack("growth")
}

#[test]
#[ignore = "long"]
fn caps() -> Result<()> {
    attack("caps")
}

#[test]
#[ignore = "long"]
fn messages() -> Result<()> {
    attack("messages")
}

#[test]
#[ignore = "long"]
fn floods() -> Result<()> {
    attack("floods")
}

/// Every file is made use of above.
#[test]
fn no_file_is_forgotten() -> Result<()> {
    let topics: Vec<String> = corpus()?.into_iter().map(|file| file.topic).collect();
    let known = [
        "caps",
        "floods",
        "growth",
        "messages",
        "nesting",
        "numbers",
        "recursion",
        "texts",
        "width",
    ];
    assert_eq!(topics, known);
    let count: usize = corpus()?.iter().map(|file| file.attacks.len()).sum();
    ensure!(count >= 60, "only {count} attacks");
    Ok(())
}

/// Makes the attacks of a file one after another on one server.
#[expect(clippy::print_stdout, reason = "time and memory of each attack are worth seeing")]
fn attack(topic: &str) -> Result<()> {
    let file = corpus()?.into_iter().find(|file| file.topic == topic).context("no such file")?;
    let own = file.arguments.iter().map(String::as_str);
    let arguments: Vec<&str> = PATIENCE.into_iter().chain(own).collect();
    let mut client = Client::legacy_with(&arguments)?;
    let mut failures = Vec::new();
    for attack in &file.attacks {
        forget_peak(client.process());
        let start = Instant::now();
        let outcome = make(&mut client, attack)
            .and_then(|()| ensure_alive(&mut client))
            .and_then(|()| ensure_small(&client, attack, &file));
        let took = start.elapsed();
        let peak = client.peak_memory().unwrap_or_default() >> 10;
        println!("{topic}: {:5} ms {peak:4} MiB  {}", took.as_millis(), attack.name);
        if let Err(error) = outcome {
            failures.push(format!("{}: {error:#}", attack.name));
        }
    }
    let ending = client.finish()?;
    // What was waited for is not among the rest: an answer there is one too many.
    let extra = ending.rest.iter().find(|message| message.get("method").is_none());
    ensure!(extra.is_none(), "an answer too many: {extra:?}");
    ensure!(ending.status.success(), "the server ends by {}: {}", ending.status, ending.errors);
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// Sends what the attack is made of and looks at each answer.
fn make(client: &mut Client, attack: &Attack) -> Result<()> {
    if let Some(Run { tools, .. }) = &attack.run {
        for tool in tools {
            client.evolve(&tool.name, "", &json!(tool.code.make()))?;
        }
    }
    let (tool, arguments) = match (&attack.run, &attack.check, &attack.call, &attack.line) {
        (Some(run), None, None, None) => ("run", run.arguments()),
        (None, Some(code), None, None) => ("check", format!("{{\"code\":{}}}", json!(code.make()))),
        (None, None, Some(call), None) => (call.tool.as_str(), call.arguments.make()),
        (None, None, None, Some(line)) => {
            client.send(line.make())?;
            let id = match attack.expect {
                Expect::Nameless(_) => Value::Null,
                _ => json!(ID),
            };
            let answer = client.find(|it| it.get("method").is_none() && it["id"] == id)?;
            return judge(attack, &answer);
        }
        _ => bail!("it has to be one of `run`, `check`, `call` and `line`"),
    };
    match attack.times {
        None => {
            let id = client.id();
            client.send(call(&id, tool, &arguments))?;
            judge(attack, &client.answer(&id)?)
        }
        Some(times) => repeat(client, attack, tool, &arguments, times),
    }
}

/// Calls many times, with as many requests under way as the pipes hold.
fn repeat(
    client: &mut Client,
    attack: &Attack,
    tool: &str,
    arguments: &str,
    times: usize,
) -> Result<()> {
    const UNDER_WAY: usize = 64;
    for start in (0..times).step_by(UNDER_WAY) {
        let range = start..times.min(start + UNDER_WAY);
        let mut ids = Vec::new();
        for n in range {
            let id = client.id();
            let n = n.to_string();
            client.send(call(&id, &tool.replace("{i}", &n), &arguments.replace("{i}", &n)))?;
            ids.push(id);
        }
        for id in ids {
            judge(attack, &client.answer(&id)?)?;
        }
    }
    Ok(())
}

fn judge(attack: &Attack, answer: &Value) -> Result<()> {
    let result = &answer["result"];
    let structured = &result["structuredContent"];
    let told = || {
        let told = answer.to_string();
        let end = told.char_indices().nth(400).map_or(told.len(), |(end, _)| end);
        told.get(..end).unwrap_or_default().to_owned()
    };
    let fits = match &attack.expect {
        Expect::Value(value) => {
            let exact = value.to_string();
            let is_exact = structured["exact"].as_str() == Some(exact.as_str());
            structured.get("value").map_or(is_exact, |found| found == value)
        }
        Expect::Truncated(size) => structured["size"] == *size,
        Expect::Fault(codes) => {
            result["isError"] == true && codes.iter().any(|code| structured["code"] == **code)
        }
        Expect::Error(code) | Expect::Nameless(code) => answer["error"]["code"] == *code,
        Expect::Answer(words) => {
            answer.get("error").is_none()
                && result["isError"] != true
                && (words.is_empty() || text(result).is_ok_and(|text| text.contains(words)))
        }
    };
    ensure!(fits, "{:?} was expected, not {}", attack.expect, told());
    let length = answer.to_string().len();
    // Twice the longest result, escaped, and what is said of it.
    ensure!(length < 1_000_000, "an answer of {length} bytes");
    Ok(())
}

fn ensure_alive(client: &mut Client) -> Result<()> {
    let sum = client.text("run", &json!({"code": {"add": [1, 2]}}))?;
    ensure!(sum == "3", "1 + 2 is {sum} now");
    client.ping()
}

fn ensure_small(client: &Client, attack: &Attack, file: &File) -> Result<()> {
    let peak = client.peak_memory()? >> 10;
    let most = attack.rss.unwrap_or(file.rss);
    ensure!(peak <= most, "{peak} MiB of memory, more than {most}");
    Ok(())
}

fn forget_peak(process: u32) {
    // Where that cannot be done the peak is that of all attacks so far.
    let _ = fs::write(format!("/proc/{process}/clear_refs"), "5");
}
