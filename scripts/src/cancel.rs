//! How long a cancelled run goes on. The server has one place to run in; a run is started in it and
//! cancelled, and the next call waits for that place. What is measured is the time from the
//! cancellation to the answer of that call, less what such a call takes by itself.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Settings under which nothing ends by itself.
const SETTINGS: [&str; 13] = [
    "--ephemeral",
    "--concurrency",
    "1",
    "--patience",
    "1h",
    "--wall-clock",
    "1h",
    "--fuel",
    "1000000G",
    "--fuel-ceiling",
    "1000000G",
    "--memory",
    "512MiB",
];

/// How long a run goes on before it is cancelled, one after the other.
const HEAD_STARTS: [u64; 5] = [0, 1, 3, 7, 20];

/// Measures; the argument is the number of cancellations of each kind of run.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let times: usize = arguments.first().map_or(Ok(300), |n| n.parse())?;
    let mut server = Server::start()?;
    let code = json!({"lam": "x", "body": {"continue": {"input": {"var": "x"}}}});
    server
        .call("evolve", &json!({"name": "endless", "description": "Never ends", "code": code}))?;
    let mut alone = (0..times).map(|_| server.next_call()).collect::<Result<Vec<_>>>()?;
    alone.sort();
    println!("{times} cancellations of each kind, milliseconds until the place is free\n");
    println!("run                             median     p99   worst");
    tell("(a call by itself)", &alone);
    let mut worst = Duration::ZERO;
    for (name, arguments) in kinds()? {
        let mut late = Vec::new();
        for round in 0..times {
            late.push(server.cancel(&arguments, HEAD_STARTS[round % HEAD_STARTS.len()])?);
        }
        late.sort();
        worst = worst.max(late.last().copied().unwrap_or_default());
        tell(name, &late);
    }
    server.finish()?;
    ensure!(worst < Duration::from_millis(50), "the worst is {worst:?}, more than 50 ms");
    Ok(())
}

fn tell(name: &str, sorted: &[Duration]) {
    let at = |share: usize| {
        let index = (sorted.len() * share / 100).min(sorted.len().saturating_sub(1));
        sorted.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    println!("{name:30} {:7.2} {:7.2} {:7.2}", at(50), at(99), at(100));
}

/// Runs that do not end, each at something else.
fn kinds() -> Result<Vec<(&'static str, Value)>> {
    let call = |f: Value, arg: Value| json!({"app": {"func": f, "arg": arg}});
    let var = |name: &str| json!({"var": name});
    let twice = json!({"lam": "x", "body": call(var("x"), var("x"))});
    // go go state = go go (step state): what is live grows or not, as the step has it.
    let again = |step: Value| {
        let rest = json!({"app": {"func": var("go"), "args": [var("go"), step]}});
        let go = json!({"lam": ["go", "s"], "body": rest});
        move |start: Value| {
            json!({"code": {"let": {"go": go},
            "in": {"app": {"func": {"var": "go"}, "args": [{"var": "go"}, start]}}}})
        }
    };
    let cons = json!({"cons": {"head": 1, "tail": var("s")}});
    let square = json!({"mod": [{"mul": [var("s"), var("s")]}, 7_919]});
    let large: Value = serde_json::from_str(&"9".repeat(20_000))?;
    let product = json!({"fst": {"pair": [var("s"), {"mul": [var("s"), var("s")]}]}});
    let nested = format!("[{}1]", "[1,2,3],".repeat(400_000));
    Ok(vec![
        ("a loop", json!({"code": call(twice.clone(), twice)})),
        ("a loop with arithmetic", again(square)(json!(3))),
        ("a list that grows", again(cons)(json!([]))),
        ("products of 20,000 digits", again(product)(large)),
        (
            "a continuation, step by step",
            json!({"tool": "endless", "input": 0, "max_steps": 1_000_000}),
        ),
        ("reading 3 MB of code", json!({"code": nested})),
    ])
}

/// A server with one place, and the pipes to it.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Server {
    fn start() -> Result<Self> {
        let mut command = Command::new(crate::clients::server()?.1);
        command.args(SETTINGS).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("the server does not start")?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let mut server = Self { child, input, output, last_id: 0 };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "cancel", "version": "1"}});
        let id = server.request("initialize", &params)?;
        server.answer(id)?;
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}").and_then(|()| self.input.flush()).context("it is gone")
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// The next answer, which must be the one to this request: nothing else may be on its way.
    fn answer(&mut self, id: u64) -> Result<Value> {
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server closed its output");
            let message: Value = serde_json::from_str(&line)?;
            if message.get("method").is_none() {
                ensure!(message["id"] == id, "expected the answer to {id}: {message}");
                return Ok(message);
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let id = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        self.answer(id)
    }

    fn next_call(&mut self) -> Result<Duration> {
        let start = Instant::now();
        let answer = self.call("run", &json!({"code": {"add": [40, 2]}}))?;
        ensure!(answer["result"]["structuredContent"]["value"] == 42, "{answer}");
        Ok(start.elapsed())
    }

    /// Starts a run, cancels it so many milliseconds later, and waits for its place.
    fn cancel(&mut self, arguments: &Value, head_start: u64) -> Result<Duration> {
        let id = self.request("tools/call", &json!({"name": "run", "arguments": arguments}))?;
        thread::sleep(Duration::from_millis(head_start));
        let params = json!({"requestId": id});
        let notice =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        let start = Instant::now();
        self.send(&notice)?;
        self.next_call()?;
        Ok(start.elapsed())
    }

    fn finish(self) -> Result<()> {
        let Self { mut child, input, .. } = self;
        drop(input);
        ensure!(child.wait()?.success(), "the server fails");
        Ok(())
    }
}
