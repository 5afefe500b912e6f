//! Ways to the server: paths, types, halves of connections, other protocols, and files that change.

use super::client::{self, request};
use super::folder::Folder;
use super::web::{Connection, Web, modern_headers};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

const TYPES: &str =
    "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";

/// A program that ends only by its limits.
const ENDLESS: &str = r#"{"code":{"app":{"func":{"lam":"x","body":{"app":{"func":{"var":"x"},"arg":{"var":"x"}}}},"arg":{"lam":"x","body":{"app":{"func":{"var":"x"},"arg":{"var":"x"}}}}}}}"#;

#[test]
fn ranges_of_types_are_accepted() -> Result<()> {
    let web = Web::start(&[])?;
    let initialize = request(&json!(1), "initialize", &client::initialize());
    let body = client::modern(&json!(2), "tools/list", json!({}))?;
    let modern = modern_headers("", "tools/list", &json!({}));
    let json = "content-type: application/json\r\n";
    for accept in [
        "",
        "accept: */*\r\n",
        "accept: text/*, application/*\r\n",
        "accept: application/*\r\naccept: text/event-stream\r\n",
        "accept: text/html, */*; q=0.1\r\n",
    ] {
        let older = web.connect()?.send("POST", "/mcp", &format!("{json}{accept}"), &initialize)?;
        ensure!(older.status == 200, "{accept}: {}", older.text());
        let newer = format!("{json}{accept}{modern}");
        let newer = web.connect()?.send("POST", "/mcp", &newer, &body)?;
        ensure!(newer.status == 200, "{accept}: {}", newer.text());
    }
    for accept in ["application/json", "*/*, text/event-stream;q=0", "*/*;q=0", "text/html"] {
        let headers = format!("{json}accept: {accept}\r\n");
        let refused = web.connect()?.send("POST", "/mcp", &headers, &initialize)?;
        refused.refusal(406, &json!(1)).with_context(|| accept.to_owned())?;
    }
    Ok(())
}

#[test]
fn the_protocol_is_at_the_path_of_the_public_url() -> Result<()> {
    let initialize = request(&json!(1), "initialize", &client::initialize());
    let tried = |web: &Web, path: &str| -> Result<u16> {
        Ok(web.connect()?.send("POST", path, TYPES, &initialize)?.status)
    };
    let web = Web::start(&[])?;
    ensure!(tried(&web, "/mcp")? == 200 && tried(&web, "/mcp/")? == 200);
    ensure!(tried(&web, "/")? == 404 && tried(&web, "/vault/mcp")? == 404);
    let web = Web::start(&["--public-url", "https://pif.example.com"])?;
    ensure!(tried(&web, "/mcp")? == 200 && tried(&web, "/")? == 200);
    let web = Web::start(&["--public-url", "https://pif.example.com/vault/mcp/"])?;
    ensure!(tried(&web, "/vault/mcp")? == 200 && tried(&web, "/vault/mcp/")? == 200);
    ensure!(tried(&web, "/vault")? == 404);
    let taken = Web::start(&["--public-url", "https://pif.example.com/metrics"]);
    ensure!(taken.is_err_and(|it| it.to_string().contains("something else at this path")));
    Ok(())
}

/// A client may close its half of a connection after its request.
#[test]
fn half_a_connection_is_enough_for_an_answer() -> Result<()> {
    let web = Web::start(&[])?;
    let params = json!({"name": "run", "arguments": {"code": "6 * 7"}});
    let body = client::modern(&json!(1), "tools/call", params.clone())?;
    let modern = format!("{TYPES}{}", modern_headers("", "tools/call", &params));
    let session = web.session("")?;
    let older = format!("{TYPES}{}", session.headers);
    for n in 0..20 {
        let mut health = web.connect()?;
        health.begin("GET", "/health", "", "")?;
        health.stream().shutdown(Shutdown::Write)?;
        ensure!(health.reply()?.status == 200);
        let mut newer = web.connect()?;
        newer.begin("POST", "/mcp", &modern, &body)?;
        newer.stream().shutdown(Shutdown::Write)?;
        ensure!(newer.reply()?.text().contains("42"), "{n}");
        let mut call = web.connect()?;
        call.begin("POST", "/mcp", &older, &client::call(&json!(n), "run", r#"{"code":"6 * 7"}"#))?;
        call.stream().shutdown(Shutdown::Write)?;
        ensure!(call.reply()?.text().contains("42"), "{n}");
    }
    Ok(())
}

#[test]
fn a_body_that_is_told_to_be_too_long_is_refused_at_once() -> Result<()> {
    let web = Web::start(&[])?;
    let long = "content-length: 1099511627776\r\n";
    for more in ["", "expect: 100-continue\r\n"] {
        let start = Instant::now();
        let mut connection = web.connect()?;
        let head = format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\n{TYPES}{long}{more}\r\n");
        connection.write(head.as_bytes())?;
        connection.reply()?.refusal(413, &Value::Null)?;
        // A request that is refused for another reason gets no leave either.
        let mut foreign = web.connect()?;
        let head = format!("POST /mcp HTTP/1.1\r\nhost: evil.example\r\n{TYPES}{long}{more}\r\n");
        foreign.write(head.as_bytes())?;
        foreign.reply()?.refusal(403, &Value::Null)?;
        ensure!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
    // A body within the limit gets leave.
    let body = request(&json!(3), "initialize", &client::initialize());
    let mut connection = web.connect()?;
    let length = body.len();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{TYPES}content-length: {length}\r\nexpect: \
         100-continue\r\n\r\n"
    );
    connection.write(head.as_bytes())?;
    ensure!(connection.head()?.status == 100);
    connection.write(body.as_bytes())?;
    ensure!(connection.reply()?.status == 200);
    Ok(())
}

#[test]
fn a_client_of_another_protocol_is_told() -> Result<()> {
    let web = Web::start(&["--log", "info"])?;
    let mut newer = web.connect()?;
    newer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")?;
    let message = newer.reply()?.refusal(505, &Value::Null)?;
    ensure!(message.contains("HTTP/1.1"), "{message}");
    let mut private = web.connect()?;
    private.write(b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00")?;
    ensure!(private.reply()?.refusal(400, &Value::Null)?.contains("http://"));
    // The log is read by another thread.
    web.wait_for("both reasons", || {
        Ok(web.log().contains("speaks HTTP/1.1") && web.log().contains("no TLS"))
    })
}

/// Copies the certificate and the key to a folder.
fn certificate(folder: &Folder) -> Result<(String, String)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http/tls");
    let copy = |name: &str| -> Result<String> {
        let file = folder.path().join(name);
        fs::copy(fixtures.join(name), &file)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
        file.to_str().map(str::to_owned).context("a path")
    };
    Ok((copy("cert.pem")?, copy("key.pem")?))
}

/// A server with TLS whose log is told; [`Web`] itself speaks none.
fn private(folder: Folder, more: &[&str]) -> Result<Web> {
    let (cert, key) = certificate(&folder)?;
    let mut command = client::command(&folder)?;
    command.args(["serve", "--ephemeral", "--http", "127.0.0.1:0", "--log", "info"]);
    command.args(["--tls-cert", &cert, "--tls-key", &key]).args(more);
    Web::begin(&mut command, folder)
}

#[test]
fn a_key_that_others_can_read_is_refused() -> Result<()> {
    let folder = Folder::new()?;
    let (_, key) = certificate(&folder)?;
    for mode in [0o644, 0o640, 0o604] {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode))?;
        let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
        let output = client::command(&folder)?
            .args(["serve", "--ephemeral", "--http", "127.0.0.1:0", "--tls-cert"])
            .arg(cert)
            .arg("--tls-key")
            .arg(key)
            .output()?;
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success() && told.contains("chmod 600"), "{told}");
        ensure!(told.contains("key.pem"), "{told}");
    }
    Ok(())
}

#[test]
fn certificates_are_read_again() -> Result<()> {
    let web = private(Folder::new()?, &[])?;
    let mut plain = web.connect()?;
    plain.write(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
    let message = plain.reply()?.refusal(400, &Value::Null)?;
    ensure!(message.contains("https://"), "{message}");
    // A certificate with a mistake changes nothing.
    let cert = web.folder().path().join("cert.pem");
    let good = fs::read(&cert)?;
    fs::write(&cert, "nonsense")?;
    web.signal("-HUP")?;
    web.wait_for("the mistake", || Ok(web.log().contains("its former contents stay in force")))?;
    // Programs that renew certificates put another file in its place.
    let next = web.folder().path().join("next.pem");
    fs::write(&next, good)?;
    fs::rename(&next, &cert)?;
    web.signal("-HUP")?;
    web.wait_for("the certificate", || Ok(web.log().contains("key.pem was read again")))
}

#[test]
fn a_socket_is_shared_as_it_is_told() -> Result<()> {
    let group = fs::metadata(Folder::new()?.path())?.gid().to_string();
    for (flags, mode) in [
        (vec![], 0o600),
        (vec!["--socket-group", &group], 0o660),
        (vec!["--socket-mode", "666"], 0o666),
        (vec!["--socket-group", &group, "--socket-mode", "0620"], 0o620),
    ] {
        let folder = Folder::new()?;
        let socket = folder.path().join("pif.sock");
        let mut command = client::command(&folder)?;
        command.args(["serve", "--ephemeral", "--http"]).arg(format!("unix:{}", socket.display()));
        let web = Web::begin(command.args(&flags), folder)?;
        let found = fs::metadata(&socket)?.permissions().mode() & 0o777;
        ensure!(found == mode, "{flags:?}: {found:o}");
        let mut stream = UnixStream::connect(&socket)?;
        stream.write_all(b"GET /health HTTP/1.1\r\nhost: pif\r\nconnection: close\r\n\r\n")?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        ensure!(reply.starts_with("HTTP/1.1 200"), "{reply}");
        drop(web);
    }
    let folder = Folder::new()?;
    for (words, told) in [
        (["127.0.0.1:0", "--socket-mode", "660"], "unix:PATH"),
        (["unix:x", "--socket-mode", "8"], "octal"),
        (["unix:x", "--socket-group", "no-such-group"], "no group"),
    ] {
        let output = client::command(&folder)?.args(["serve", "--http"]).args(words).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success() && said.contains(told), "{words:?}: {said}");
    }
    Ok(())
}

/// Who asks while the server drains is told that it ends.
#[test]
fn a_server_that_ends_says_so() -> Result<()> {
    let mut web = Web::start(&[
        "--wall-clock",
        "3s",
        "--http-drain",
        "30s",
        "--fuel",
        "1000000G",
        "--fuel-ceiling",
        "1000000G",
    ])?;
    let params = json!({"name": "run"});
    let body = client::modern(&json!(1), "tools/call", params.clone())?;
    let arguments = format!("\"params\":{{\"arguments\":{ENDLESS},");
    let body = body.replacen("\"params\":{", &arguments, 1);
    let headers = format!("{TYPES}{}", modern_headers("", "tools/call", &params));
    let mut busy: Connection = web.connect()?;
    busy.begin("POST", "/mcp", &headers, &body)?;
    std::thread::sleep(Duration::from_millis(200));
    web.signal("-TERM")?;
    web.wait_for("the end", || Ok(web.get("/ready", "")?.status == 503))?;
    ensure!(web.get("/health", "")?.status == 200);
    let message = web.post(&modern_headers("", "tools/call", &params), &body)?;
    ensure!(message.refusal(503, &json!(1))?.contains("about to end"));
    ensure!(busy.reply()?.status == 200);
    ensure!(web.wait()?.success(), "{}", web.log());
    Ok(())
}
