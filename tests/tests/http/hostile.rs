//! Bytes that are no request, or that two readers would take for different ones.

use super::client;
use super::web::{Web, modern_headers};
use anyhow::{Result, ensure};
use serde_json::json;

/// Heads that must not be served, and after which the connection ends.
const SMUGGLED: [&str; 12] = [
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5, 6\r\n\r\nhello",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: +5\r\n\r\nhello",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999999999999999\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nhost : localhost\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\n continued: x\r\n\r\n",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\nx\0y: z\r\n\r\n",
    "POST http://evil.example/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n",
];

#[test]
fn smuggled_requests_are_not_served() -> Result<()> {
    let web = Web::start(&[])?;
    for head in SMUGGLED {
        let mut connection = web.connect()?;
        // What follows would be another request.
        connection.write(head.as_bytes())?;
        connection.write(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
        let first = connection.reply().map(|reply| reply.status);
        ensure!(!matches!(first, Ok(200..400)), "{head:?}: {first:?}");
        if matches!(first, Ok(403)) {
            // It was one whole request, for another host.
            continue;
        }
        let second = connection.reply().map(|reply| reply.status);
        ensure!(second.is_err(), "{head:?}: another request was read: {second:?}");
    }
    ensure!(web.get("/health", "")?.status == 200);
    Ok(())
}

#[test]
fn noise_ends_only_its_connection() -> Result<()> {
    let web = Web::start(&[])?;
    let long = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(200_000));
    let many = format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(500));
    for noise in [
        "\0\0\0\0",
        "\r\n\r\n\r\n\r\n",
        "hello\r\n\r\n",
        "GET /health\r\n\r\n",
        "GET /health HTTP/9.9\r\nhost: localhost\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}",
        &long,
        &many,
    ] {
        let mut connection = web.connect()?;
        // The server may have closed it already.
        let _ = connection.write(noise.as_bytes());
        let _ = connection.stream().shutdown(std::net::Shutdown::Write);
        let status = connection.reply().map(|reply| reply.status);
        ensure!(!matches!(status, Ok(200)), "{:?}: {status:?}", &noise[..noise.len().min(40)]);
    }
    ensure!(web.get("/health", "")?.status == 200);
    Ok(())
}

#[test]
fn requests_in_a_row_are_answered_in_a_row() -> Result<()> {
    let web = Web::start(&[])?;
    let mut connection = web.connect()?;
    for id in 0..20 {
        let params = json!({"name": "run", "arguments": {"code": {"add": [id, 1]}}});
        let body = client::modern(&json!(id), "tools/call", params.clone())?;
        let headers = format!(
            "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n{}",
            modern_headers("", "tools/call", &params)
        );
        connection.begin("POST", "/mcp", &headers, &body)?;
    }
    for id in 0..20 {
        let answer = connection.reply()?.answer()?;
        ensure!(answer["id"] == id, "{answer}");
        ensure!(answer["result"]["structuredContent"]["value"] == id + 1, "{answer}");
    }
    Ok(())
}
