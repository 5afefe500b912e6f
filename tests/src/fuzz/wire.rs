//! Bytes at the transport of a server in this process: whatever the lines are, each request is
//! answered once, and nothing but messages is written.

mod oracle;

use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use oracle::Expected;
use pif_sandbox::Sandbox;
use pif_server::config::Config;
use pif_server::mcp::serve_streams;
use pif_server::workshop::Workshop;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

/// Bytes of the longest line that is read, and levels of nesting in arguments: so few that most
/// inputs can exceed them.
pub(crate) const LINE: usize = 4000;
pub(crate) const NESTING: usize = 16;

const FLAGS: [&str; 18] = [
    "--ephemeral",
    "--no-cache",
    "--fuel=20k",
    "--fuel-ceiling=100k",
    "--depth=1k",
    "--depth-ceiling=2k",
    "--memory=1MiB",
    "--memory-ceiling=2MiB",
    "--wall-clock=60s",
    "--max-result=1k",
    "--max-line=4000",
    "--max-code=2000",
    "--max-data=2000",
    "--max-nesting=16",
    "--concurrency=2",
    "--queue=8",
    "--patience=60s",
    "--listed=4",
];

/// A first byte that stands for the beginning of a session, which takes a mutation too much luck.
pub(super) const BEGUN: u8 = b'+';
const BEGINNING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"fuzz","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
);

/// When a server that has not come to an end is taken to be stuck.
const PATIENCE: Duration = Duration::from_mins(2);

/// Serves the lines and compares the answers with what each line asks for.
pub fn check(bytes: &[u8]) -> Result<()> {
    let input = match bytes.split_first() {
        Some((&BEGUN, rest)) => [BEGINNING.as_bytes(), rest].concat(),
        _ => bytes.to_vec(),
    };
    let expected = Expected::of(&input);
    let output = serve(input)?;
    let shown = String::from_utf8_lossy(&output);
    let answers = answers(&output).with_context(|| format!("the output:\n{shown}"))?;
    expected.compare(&answers).with_context(|| format!("{expected:#?}\nthe output:\n{shown}"))
}

/// What is kept between inputs.
struct Stage {
    runtime: Runtime,
    sandbox: Arc<Sandbox>,
    config: Config,
}

impl Stage {
    fn set() -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_time().build()?;
        let config = Config::from_flags(&FLAGS)?;
        let sandbox = Sandbox::open(None, config.values.size(pif_domain::Limit::Concurrency))?;
        Ok(Self { runtime, sandbox: Arc::new(sandbox), config })
    }

    fn get() -> Result<&'static Self> {
        static STAGE: OnceLock<Result<Stage, String>> = OnceLock::new();
        let stage = STAGE.get_or_init(|| Self::set().map_err(|error| format!("{error:#}")));
        stage.as_ref().map_err(|error| anyhow::anyhow!("{error}"))
    }
}

/// What a server says to this input.
fn serve(input: Vec<u8>) -> Result<Vec<u8>> {
    let Stage { runtime, sandbox, config } = Stage::get()?;
    let output = Output::default();
    let workshop = Workshop::open(config, Arc::clone(sandbox))?;
    let serving = serve_streams(config.clone(), workshop, Cursor::new(input), output.clone());
    runtime.block_on(async {
        let served = tokio::time::timeout(PATIENCE, serving).await;
        served.context("the server does not come to an end")?.context("the session failed")
    })?;
    Ok(output.take())
}

/// A standard output that can be looked at.
#[derive(Clone, Debug, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How many answers there are to each id, as JSON text, and to none.
pub(crate) type Answers = BTreeMap<Option<String>, usize>;

fn answers(output: &[u8]) -> Result<Answers> {
    let mut answers = Answers::new();
    let Some(lines) = output.strip_suffix(b"\n") else {
        ensure!(output.is_empty(), "the last line has no end");
        return Ok(answers);
    };
    for line in lines.split(|byte| *byte == b'\n') {
        let message = message(line)?;
        examine(&message).with_context(|| message.to_string())?;
        if message.get("method").is_none() {
            *answers.entry(message.get("id").map(Value::to_string)).or_insert(0) += 1;
        }
    }
    Ok(answers)
}

/// Whether JSON text is an integer as it is written plainly.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = text == "0" || !digits.starts_with('0');
    is_plain && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A message that was written. An id may hold half of a surrogate pair, which no text can: it is read
/// as it is spelled.
fn message(line: &[u8]) -> Result<Value> {
    serde_json::from_slice(line).or_else(|_| {
        let spelled = String::from_utf8(line.to_vec())?.replace("\\ud", "\\\\ud");
        Ok(serde_json::from_str(&spelled)?)
    })
}

/// A message is a notification, a result or an error.
fn examine(message: &Value) -> Result<()> {
    ensure!(message["jsonrpc"] == "2.0", "not JSON-RPC");
    let (id, has) = (message.get("id"), |member| message.get(member).is_some());
    match (has("method"), has("result"), has("error")) {
        (true, false, false) => {
            ensure!(message["method"].is_string() && id.is_none(), "no notification");
        }
        (false, true, false) => ensure!(id.is_some(), "a result of nothing"),
        (false, false, true) => {
            let error = &message["error"];
            ensure!(error["code"].is_i64() && error["message"].is_string(), "no error");
        }
        _ => bail!("neither notification nor result nor error"),
    }
    let is_integer = |id: &Value| id.is_number() && is_integer(&id.to_string());
    ensure!(id.is_none_or(|id| is_integer(id) || id.is_string()), "an id that is none");
    Ok(())
}
