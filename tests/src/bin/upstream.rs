//! A server for tests, on standard input and output, that behaves as a script tells it: slow, huge,
//! broken, hostile. The script is its first argument, as JSON:
//!
//! | member | meaning |
//! |---|---|
//! | `name` | what it says of itself |
//! | `modern` | it speaks the stateless protocol too |
//! | `start_ms` | how long it takes before it reads anything |
//! | `errors` | what it writes to standard error first |
//! | `begin` | lines that it writes before anything else |
//! | `ends` | it ends at once |
//! | `grandchild` | a file for the id of a process that it leaves behind, in a session of its own |
//! | `started` | a file that gets a line whenever it starts |
//! | `heard` | a file that gets each line that it reads |
//! | `tools` | its tools, or the name of a file that holds them |
//! | `banner` | what it writes before anything else, without a line break |
//! | `text_ids` | it answers to ids as texts |
//! | `silent` | it does not answer to methods that it does not know |
//! | `fragile` | it ends when it is asked for what it does not know |
//! | `initialize` | its answer to `initialize` |
//! | `list` | its answer to `tools/list` |
//! | `listens` | it tells those who listen when the file of its tools changes |
//!
//! A tool is its definition, and `does`:
//!
//! | member | meaning |
//! |---|---|
//! | `echo` | its arguments are its structured content |
//! | `result` | the result as it is |
//! | `error` | an error of the protocol |
//! | `env` | its environment |
//! | `size` | a text of so many bytes |
//! | `progress` | it tells of progress so often first, every 200 ms |
//! | `sleep_ms` | first it takes this long; others are answered meanwhile |
//! | `line` | a line that it writes instead; `ID` stands for the id |
//! | `latin1` | a line in which each character is a byte |
//! | `endless` | it writes bytes without a line break |
//! | `flood` | so many notifications come before the answer |
//! | `ask` | the method of requests that come in their place |
//! | `nested` | a list in a list, so deep |
//! | `exit` | it ends instead |
//! | `count` | a file that gets a line for each call |
//! | `log` | a file that gets the arguments of each call, on a line |
//! | `while` | a file, and what it does as long as that is there |
//! | `until` | a file that gets a line for each call, a number, and what it does up to so many lines |

use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn main() {
    let script = std::env::args().nth(1).unwrap_or_else(|| "{}".to_owned());
    let script: Value = serde_json::from_str(&script).unwrap_or_else(|_| process::exit(2));
    begin(&script);
    let script = Arc::new(script);
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if let Some(file) = script["heard"].as_str() {
            append(file, &line);
        }
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        // Notifications and answers need none.
        if message.get("id").is_none() || message.get("method").is_none() {
            continue;
        }
        let script = Arc::clone(&script);
        thread::spawn(move || answer(&script, &message));
    }
}

fn begin(script: &Value) {
    if let Some(text) = script["errors"].as_str() {
        let _ = writeln!(io::stderr(), "{text}");
    }
    if let Some(file) = script["started"].as_str() {
        append(file, "started");
    }
    if let Some(file) = script["grandchild"].as_str() {
        let mut child = Command::new("setsid");
        child.args(["sleep", "600"]).stdin(Stdio::null());
        let child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if let Ok(child) = child {
            append(file, &child.id().to_string());
        }
    }
    if script["ends"] == true {
        process::exit(7);
    }
    sleep(&script["start_ms"]);
    if let Some(banner) = script["banner"].as_str() {
        let mut output = io::stdout().lock();
        let _ = output.write_all(banner.as_bytes()).and_then(|()| output.flush());
    }
    for line in script["begin"].as_array().into_iter().flatten() {
        write(line.as_str().unwrap_or_default());
    }
}

fn append(file: &str, line: &str) {
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(file) {
        // At once: whoever is killed leaves a whole line or none.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

fn sleep(milliseconds: &Value) {
    thread::sleep(Duration::from_millis(milliseconds.as_u64().unwrap_or_default()));
}

fn write(line: &str) {
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

fn tools(script: &Value) -> Vec<Value> {
    let read = script["tools"].as_str().and_then(|file| fs::read(file).ok());
    let read = read.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    read.unwrap_or_else(|| script["tools"].clone()).as_array().cloned().unwrap_or_default()
}

fn answer(script: &Value, message: &Value) {
    let (id, params) = (&message["id"], &message["params"]);
    let info = json!({"name": script["name"].as_str().unwrap_or("upstream"), "version": "1"});
    let capabilities = json!({"tools": {"listChanged": true}});
    let is_modern = script["modern"] == true;
    let text_id = Value::from(id.to_string());
    let id = if script["text_ids"] == true { &text_id } else { id };
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" if !script["initialize"].is_null() => script["initialize"].clone(),
        "tools/list" if !script["list"].is_null() => script["list"].clone(),
        "subscriptions/listen" if script["listens"] == true => return listen(script, id),
        "server/discover" if is_modern => json!({"resultType": "complete",
            "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
            "_meta": {"io.modelcontextprotocol/serverInfo": info}, "ttlMs": 0, "cacheScope": "private"}),
        "initialize" => json!({"protocolVersion": params["protocolVersion"],
            "capabilities": capabilities, "serverInfo": info}),
        "ping" => json!({}),
        "tools/list" => {
            let mut tools = tools(script);
            for tool in tools.iter_mut().filter_map(Value::as_object_mut) {
                tool.remove("does");
                tool.entry("inputSchema").or_insert_with(|| json!({"type": "object"}));
            }
            let mut result = json!({"tools": tools});
            if is_modern {
                result["resultType"] = "complete".into();
                result["ttlMs"] = 0.into();
                result["cacheScope"] = "private".into();
            }
            result
        }
        "tools/call" => return call(script, id, params),
        _ if script["fragile"] == true => process::exit(3),
        _ if script["silent"] == true => return,
        method => {
            let error = json!({"code": -32601, "message": format!("no method {method}")});
            return write(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
        }
    };
    write(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

/// Tells whenever the file of its tools is another one.
fn listen(script: &Value, id: &Value) {
    let subscription = json!({"io.modelcontextprotocol/subscriptionId": id});
    let tell = |method: &str, mut params: Value| {
        params["_meta"] = subscription.clone();
        write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    };
    let acknowledged = json!({"notifications": {"toolsListChanged": true}});
    tell("notifications/subscriptions/acknowledged", acknowledged);
    let mut known = tools(script);
    loop {
        thread::sleep(Duration::from_millis(20));
        let now = tools(script);
        if now != known {
            known = now;
            tell("notifications/tools/list_changed", json!({}));
        }
    }
}

/// What comes before an answer.
fn begin_answer(does: &Value, params: &Value) {
    for n in 1..=does["progress"].as_u64().unwrap_or_default() {
        thread::sleep(Duration::from_millis(200));
        let params = json!({"progressToken": params["_meta"]["progressToken"], "progress": n});
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
        write(&message.to_string());
    }
    sleep(&does["sleep_ms"]);
    for n in 0..does["flood"].as_u64().unwrap_or_default() {
        let message = match does["ask"].as_str() {
            Some(method) => json!({"jsonrpc": "2.0", "id": n, "method": method, "params": {}}),
            None => json!({"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "info", "data": "flood"}}),
        };
        write(&message.to_string());
    }
}

/// What a tool does instead, if it does now.
fn instead(does: &Value) -> Option<Value> {
    if let Some([file, other]) = does["while"].as_array().map(Vec::as_slice)
        && Path::new(file.as_str()?).exists()
    {
        return Some(other.clone());
    }
    if let Some([file, most, other]) = does["until"].as_array().map(Vec::as_slice) {
        append(file.as_str()?, "");
        let lines = fs::read_to_string(file.as_str()?).unwrap_or_default().lines().count();
        return (u64::try_from(lines).ok()? <= most.as_u64()?).then(|| other.clone());
    }
    None
}

fn call(script: &Value, id: &Value, params: &Value) {
    let tool = tools(script).into_iter().find(|tool| tool["name"] == params["name"]);
    let does = tool.map(|tool| tool["does"].clone()).unwrap_or_default();
    if let Some(file) = does["count"].as_str() {
        append(file, &params["name"].to_string());
    }
    if let Some(file) = does["log"].as_str() {
        append(file, &params["arguments"].to_string());
    }
    let does = instead(&does).unwrap_or(does);
    begin_answer(&does, params);
    if let Some(depth) = does["nested"].as_u64() {
        let depth = usize::try_from(depth).unwrap_or_default();
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let result = format!(r#"{{"content":[],"structuredContent":{open}{close}}}"#);
        return write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    }
    if does["exit"] == true {
        process::exit(9);
    }
    if does["endless"] == true {
        let mut output = io::stdout().lock();
        let bytes = vec![b'x'; 64 << 10];
        while output.write_all(&bytes).is_ok() {}
        return;
    }
    if let Some(line) = does["latin1"].as_str() {
        let line = line.replace("ID", &id.to_string()) + "\n";
        let bytes: Vec<u8> = line.chars().filter_map(|c| u8::try_from(c).ok()).collect();
        let mut output = io::stdout().lock();
        let _ = output.write_all(&bytes).and_then(|()| output.flush());
        return;
    }
    if let Some(line) = does["line"].as_str() {
        return write(&line.replace("ID", &id.to_string()));
    }
    if does["error"].is_object() {
        return write(&json!({"jsonrpc": "2.0", "id": id, "error": does["error"]}).to_string());
    }
    let text = |text: String| json!({"content": [{"type": "text", "text": text}]});
    let mut result = match &does {
        does if does["echo"] == true => {
            json!({"content": [], "structuredContent": params["arguments"]})
        }
        does if does["env"] == true => {
            let all: serde_json::Map<String, Value> =
                std::env::vars().map(|(name, value)| (name, value.into())).collect();
            json!({"content": [], "structuredContent": all})
        }
        does if does["size"].is_u64() => {
            let size = usize::try_from(does["size"].as_u64().unwrap_or_default());
            text("x".repeat(size.unwrap_or_default()))
        }
        does if does["result"].is_object() => does["result"].clone(),
        _ => text("done".to_owned()),
    };
    if script["modern"] == true {
        result["resultType"] = "complete".into();
    }
    write(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}
