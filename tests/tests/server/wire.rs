//! Lines that are no requests the server can serve. Each is answered as the table says, by one
//! message and no other, and the session goes on.

use super::client::Client;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// A line and the answer it gets.
struct Row {
    name: &'static str,
    line: Vec<u8>,
    answer: Answer,
}

enum Answer {
    /// An error with this id or none, this code, and these words in its message.
    Error(Option<Value>, i32, &'static str),
    /// A result with this id.
    Result(Value),
    Nothing,
}

const PARSE: i32 = -32700;
const INVALID: i32 = -32600;
const UNKNOWN_METHOD: i32 = -32601;
const PARAMS: i32 = -32602;

/// Longer than the longest line that is read.
const OVERLONG: usize = (16 << 20) + 1;

fn error(
    name: &'static str,
    line: impl Into<Vec<u8>>,
    id: impl Into<Option<Value>>,
    code: i32,
    words: &'static str,
) -> Row {
    Row { name, line: line.into(), answer: Answer::Error(id.into(), code, words) }
}

fn result(name: &'static str, line: impl Into<Vec<u8>>, id: Value) -> Row {
    Row { name, line: line.into(), answer: Answer::Result(id) }
}

fn ignored(name: &'static str, line: impl Into<Vec<u8>>) -> Row {
    Row { name, line: line.into(), answer: Answer::Nothing }
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

/// Lines whose answer has nothing to do with a session.
fn lines() -> Vec<Row> {
    [texts(), messages(), lengths(), calls(), oddities()].into_iter().flatten().collect()
}

/// Lines that are no JSON, or no object.
fn texts() -> Vec<Row> {
    vec![
        error("text", "hello", None, PARSE, "not JSON"),
        error("a scalar", "5", None, INVALID, "must be a JSON object"),
        error(
            "JSON that ends too soon",
            r#"{"jsonrpc":"2.0","id":1,"method":"#,
            None,
            PARSE,
            "not JSON",
        ),
        error(
            "bad UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\xff\"}",
            None,
            PARSE,
            "not UTF-8",
        ),
        error("a batch", r#"[{"jsonrpc":"2.0","id":3,"method":"ping"}]"#, None, INVALID, "batch"),
        error("an empty batch", "[]", None, INVALID, "batch"),
    ]
}

/// Objects that are no messages.
fn messages() -> Vec<Row> {
    vec![
        error("id null", r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None, INVALID, "`id`"),
        error("id 1.5", r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, None, INVALID, "`id`"),
        error("id 1e20", r#"{"jsonrpc":"2.0","id":1e20,"method":"ping"}"#, None, INVALID, "`id`"),
        error(
            "an id beyond 64 bits",
            r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#,
            None,
            INVALID,
            "`id`",
        ),
        error(
            "an id with half a surrogate pair",
            r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#,
            None,
            INVALID,
            "`id`",
        ),
        error("id {}", r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, None, INVALID, "`id`"),
        error(
            "JSON-RPC 1.0",
            r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#,
            json!(4),
            INVALID,
            "jsonrpc",
        ),
        error("no version", r#"{"id":5,"method":"ping"}"#, json!(5), INVALID, "jsonrpc"),
        error("no method", r#"{"jsonrpc":"2.0","id":6}"#, json!(6), INVALID, "`method` is missing"),
        error(
            "a method that is no string",
            r#"{"jsonrpc":"2.0","id":7,"method":8}"#,
            json!(7),
            INVALID,
            "`method` must be a string",
        ),
        error(
            "a member twice",
            r#"{"jsonrpc":"2.0","id":8,"method":"ping","method":"tools/list"}"#,
            json!(8),
            INVALID,
            "two members `method`",
        ),
    ]
}

/// Lines that are too long or nested too deep.
fn lengths() -> Vec<Row> {
    vec![
        error(
            "an over-long line",
            format!(r#"{{"jsonrpc":"2.0","id":9,"x":"{}"}}"#, "x".repeat(OVERLONG)),
            None,
            INVALID,
            "longer than 16777216 bytes",
        ),
        error("an over-long line of text", "x".repeat(OVERLONG), None, INVALID, "longer than"),
        error(
            "nesting after the id",
            run(10, &nested(5_000)),
            json!(10),
            INVALID,
            "pass the term as a string",
        ),
        error(
            "nesting before the id",
            format!(
                r#"{{"params":{{"arguments":{{"code":{}}},"name":"run"}},"method":"tools/call","jsonrpc":"2.0","id":"deep"}}"#,
                nested(5_000)
            ),
            json!("deep"),
            INVALID,
            "pass the term as a string",
        ),
    ]
}

/// Calls of another shape than calls have.
fn calls() -> Vec<Row> {
    vec![
        error("no params", call(11, ""), json!(11), PARAMS, "`params` is missing"),
        error("params a list", call(12, r#","params":[]"#), json!(12), PARAMS, "must be an object"),
        error("no name", call(13, r#","params":{"arguments":{}}"#), json!(13), PARAMS, "`name`"),
        error(
            "a name that is no string",
            call(14, r#","params":{"name":5}"#),
            json!(14),
            PARAMS,
            "`name` must be a string",
        ),
        error(
            "arguments a list",
            call(15, r#","params":{"name":"run","arguments":[1]}"#),
            json!(15),
            PARAMS,
            "`arguments` must be an object",
        ),
        error(
            "arguments a text that holds no object",
            call(16, r#","params":{"name":"run","arguments":"[1]"}"#),
            json!(16),
            PARAMS,
            "`arguments` must be an object",
        ),
        error(
            "arguments twice",
            call(17, r#","params":{"name":"run","arguments":{},"arguments":{}}"#),
            json!(17),
            PARAMS,
            "two members `arguments`",
        ),
    ]
}

/// What needs no answer, and what is answered although it looks odd.
fn oddities() -> Vec<Row> {
    vec![
        ignored("an empty line", ""),
        ignored("blanks", " \t "),
        ignored("a notification", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        ignored("an unknown notification", r#"{"jsonrpc":"2.0","method":"notifications/x"}"#),
        ignored("a response to nothing", r#"{"jsonrpc":"2.0","id":5,"result":{}}"#),
        ignored(
            "a cancellation of nothing",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        ),
        result(
            "a carriage return",
            b"{\"jsonrpc\":\"2.0\",\"id\":18,\"method\":\"ping\"}\r",
            json!(18),
        ),
        result(
            "a byte order mark",
            b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":19,\"method\":\"ping\"}",
            json!(19),
        ),
        result("a negative id", r#"{"jsonrpc":"2.0","id":-1,"method":"ping"}"#, json!(-1)),
        result("an empty id", r#"{"jsonrpc":"2.0","id":"","method":"ping"}"#, json!("")),
    ]
}

/// Requests of a session.
fn requests() -> Vec<Row> {
    let request = |id: u32, rest: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#);
    vec![
        error(
            "an unknown method",
            request(30, r#""method":"tools/run""#),
            json!(30),
            UNKNOWN_METHOD,
            "tools/run",
        ),
        error(
            "a capability that is not declared",
            request(31, r#""method":"prompts/list""#),
            json!(31),
            UNKNOWN_METHOD,
            "prompts/list",
        ),
        error(
            "an unknown tool",
            call(32, r#","params":{"name":"evolv","arguments":{}}"#),
            json!(32),
            PARAMS,
            "did you mean `evolve`?",
        ),
        error(
            "params of another shape",
            request(33, r#""method":"tools/list","params":[1]"#),
            json!(33),
            PARAMS,
            "tools/list",
        ),
        error(
            "an unknown cursor",
            request(34, r#""method":"tools/list","params":{"cursor":"zzz"}"#),
            json!(34),
            PARAMS,
            "cursor",
        ),
        error(
            "discover without _meta",
            request(35, r#""method":"server/discover""#),
            json!(35),
            PARAMS,
            "server/discover",
        ),
    ]
}

/// Calls that are written in an unusual way, and done.
fn unusual_calls() -> Vec<Row> {
    vec![
        result("as deep as allowed", run(36, &nested(999)), json!(36)),
        result(
            "arguments null",
            call(37, r#","params":{"name":"list","arguments":null}"#),
            json!(37),
        ),
        result(
            "arguments a text that holds an object",
            call(40, r#","params":{"name":"list","arguments":"{\"query\":\"a\"}"}"#),
            json!(40),
        ),
        result("no arguments", call(38, r#","params":{"name":"list"}"#), json!(38)),
        result(
            "an escaped member name",
            call(39, r#","params":{"n\u0061me":"list","\u0061rguments":{}}"#),
            json!(39),
        ),
    ]
}

fn call(id: u32, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"{params}}}"#)
}

fn run(id: u32, code: &str) -> String {
    call(id, &format!(r#","params":{{"name":"run","arguments":{{"code":{code}}}}}"#))
}

/// Sends the lines of a table one by one.
fn drive(client: &mut Client, rows: &[Row]) -> Result<()> {
    for row in rows {
        client.send(&row.line)?;
        if let Answer::Nothing = row.answer {
            // Any answer would come before that of the ping.
            client.send(r#"{"jsonrpc":"2.0","id":"ignored","method":"ping"}"#)?;
        }
        let answer = client.next_message().context(row.name)?;
        let expected = match &row.answer {
            Answer::Error(id, code, words) => {
                let message = answer["error"]["message"].as_str().unwrap_or_default();
                answer.get("id") == id.as_ref()
                    && answer["error"]["code"] == *code
                    && message.contains(words)
            }
            Answer::Result(id) => answer.get("result").is_some() && answer["id"] == *id,
            Answer::Nothing => answer["id"] == "ignored",
        };
        ensure!(expected, "{}: {answer}", row.name);
    }
    Ok(())
}

/// Drives a table and sees that the server has nothing more to say, and nothing to complain of.
fn drive_to_end(mut client: Client, rows: &[Row]) -> Result<()> {
    drive(&mut client, rows)?;
    let ending = client.finish()?;
    assert!(ending.status.success(), "{ending:?}");
    assert!(ending.rest.is_empty(), "more answers than lines: {:?}", ending.rest);
    assert_eq!(ending.errors, "");
    Ok(())
}

#[test]
fn lines_are_answered_in_a_session() -> Result<()> {
    drive_to_end(Client::legacy()?, &lines())
}

#[test]
fn lines_are_answered_before_any_session() -> Result<()> {
    drive_to_end(Client::start(&[])?, &lines())
}

#[test]
fn requests_are_answered() -> Result<()> {
    let mut rows = requests();
    rows.extend(unusual_calls());
    drive_to_end(Client::legacy()?, &rows)
}

#[test]
fn a_session_can_begin_after_faulty_lines() -> Result<()> {
    let mut client = Client::start(&[])?;
    drive(&mut client, &lines())?;
    client.initialize()?;
    assert_eq!(client.text("run", &json!({"code": {"add": [1, 2]}}))?, "3");
    Ok(())
}

#[test]
fn the_last_line_needs_no_end() -> Result<()> {
    let mut client = Client::legacy()?;
    client.send_raw(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#)?;
    let ending = client.finish()?;
    assert!(ending.status.success(), "{ending:?}");
    assert_eq!(ending.rest, [json!({"jsonrpc": "2.0", "id": "last", "result": {}})]);
    Ok(())
}

#[test]
fn lines_come_in_any_pieces() -> Result<()> {
    let mut client = Client::legacy()?;
    for byte in b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n" {
        client.send_raw(&[*byte])?;
    }
    assert_eq!(client.next_message()?["id"], 1);
    let ping = |id: u32| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
    client.send_raw([ping(2), ping(3), ping(4)].concat().as_bytes())?;
    for id in 2..5 {
        client.answer(&json!(id))?;
    }
    Ok(())
}

#[test]
fn a_line_just_within_the_cap_is_read() -> Result<()> {
    let mut client = Client::legacy_with(&["--max-line", "1000"])?;
    let ping = |length: usize| {
        let start = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""#;
        format!("{start}{}\"}}}}", "x".repeat(length - start.len() - 3))
    };
    let rows = [
        result("1,000 bytes", ping(1_000), json!(1)),
        error("1,001 bytes", ping(1_001), None, INVALID, "longer than 1000 bytes"),
    ];
    drive(&mut client, &rows)
}
