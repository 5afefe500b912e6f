//! `mcp-pif call`: the real binary calls itself, and servers that know the older protocol only or are
//! none at all.

use super::client;
use super::folder::Folder;
use super::strange::{Answer, Strange};
use super::web::{self, Web};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

/// How a call ended, and what it wrote.
#[derive(Debug)]
struct Ending {
    code: i32,
    out: String,
    errors: String,
}

/// A command line of `mcp-pif call`.
struct Call {
    command: Command,
    input: String,
    _folder: Folder,
}

impl Call {
    fn new(words: &[&str]) -> Result<Self> {
        let folder = Folder::new()?;
        let mut command = client::command(&folder)?;
        command.arg("call").args(words).current_dir(folder.path());
        Ok(Self { command, input: String::new(), _folder: folder })
    }

    fn with(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self
    }

    fn reading(mut self, input: &str) -> Self {
        input.clone_into(&mut self.input);
        self
    }

    fn end(mut self) -> Result<Ending> {
        let piped = self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.stderr(Stdio::piped()).spawn()?;
        child.stdin.take().context("no input")?.write_all(self.input.as_bytes())?;
        let output = child.wait_with_output()?;
        Ok(Ending {
            code: output.status.code().context("a signal")?,
            out: String::from_utf8(output.stdout)?,
            errors: String::from_utf8(output.stderr)?,
        })
    }
}

/// Expects a call to end well and to print this.
fn prints(call: Call, expected: &str) -> Result<()> {
    let ending = call.end()?;
    ensure!(ending.code == 0 && ending.out == expected, "{expected:?}: {ending:?}");
    ensure!(ending.errors.is_empty(), "{ending:?}");
    Ok(())
}

/// Expects a call to fail and to say this.
fn fails(call: Call, expected: &str) -> Result<()> {
    let ending = call.end()?;
    ensure!(ending.code == 1 && ending.out.is_empty(), "{expected:?}: {ending:?}");
    ensure!(ending.errors.contains(expected), "{expected:?}: {ending:?}");
    Ok(())
}

fn url(web: &Web) -> String {
    format!("http://{}/mcp", web.address)
}

#[test]
fn the_text_of_the_result_is_printed() -> Result<()> {
    let web = Web::start(&[])?;
    let url = url(&web);
    let code = r#"{"code": "123456789012345678901234567890 + 1"}"#;
    prints(Call::new(&[&url, "run", code])?, "123456789012345678901234567891\n")?;
    prints(Call::new(&[&url, "run", "-"])?.reading(code), "123456789012345678901234567891\n")?;
    let bare = format!("http://{}", web.address);
    prints(Call::new(&[&bare, "run", code])?, "123456789012345678901234567891\n")?;
    let file = web.folder().path().join("arguments.json");
    fs::write(&file, r#"{"code": "\"ä\\nb\""}"#)?;
    let at = format!("@{}", file.display());
    prints(Call::new(&[&url, "run", &at])?, "ä\nb\n")?;
    // Without arguments they are an empty object.
    let ending = Call::new(&[&url, "list"])?.end()?;
    ensure!(ending.code == 0 && ending.out.contains("built in: evolve"), "{ending:?}");
    Ok(())
}

#[test]
fn the_whole_result_is_printed() -> Result<()> {
    let web = Web::start(&[])?;
    for (code, status) in [("[1.50, \"é\\u00e9\"]", 0), ("x = 1", 1)] {
        let arguments = json!({"code": code});
        let params = json!({"name": "run", "arguments": arguments});
        let headers = web::modern_headers("", "tools/call", &params);
        let body = client::modern(&json!(1), "tools/call", params.clone())?;
        let sent = web.post(&headers, &body)?.answer()?;
        let ending = Call::new(&[&url(&web), "run", &arguments.to_string(), "--json"])?.end()?;
        ensure!(ending.code == status && ending.errors.is_empty(), "{ending:?}");
        let result: Value = serde_json::from_str(&ending.out)?;
        // Numbers are equal if their digits are.
        ensure!(sent["result"] == result, "{sent}\n{result}");
        ensure!(result["isError"] == (status == 1), "{result}");
        ensure!(result["content"][0]["type"] == "text", "{result}");
    }
    Ok(())
}

#[test]
fn a_tool_that_fails_fails_the_command() -> Result<()> {
    let web = Web::start(&[])?;
    let url = url(&web);
    fails(Call::new(&[&url, "run", r#"{"code": "x = 1"}"#])?, "malformed: `x` is no variable")?;
    fails(Call::new(&[&url, "nosuch"])?, "unknown tool `nosuch`")?;
    fails(Call::new(&[&url, "größe"])?, "unknown tool `größe`")?;
    Ok(())
}

#[test]
fn a_wrong_command_line_is_told_from_a_failure() -> Result<()> {
    for words in [
        &["http://127.0.0.1:1"][..],
        &["ftp://127.0.0.1", "run"],
        &["http://127.0.0.1:1", "run", "[1]"],
        &["http://127.0.0.1:1", "run", "{"],
        &["http://127.0.0.1:1", "run", "{}", "{}"],
        &["http://127.0.0.1:1", "run", "--timeout", "soon"],
    ] {
        let ending = Call::new(words)?.end()?;
        ensure!(ending.code == 2 && ending.out.is_empty(), "{words:?}: {ending:?}");
    }
    Ok(())
}

#[test]
fn a_token_comes_from_a_file_or_the_environment() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    let url = url(&web);
    let run = [url.as_str(), "run", r#"{"code": "1 + 1"}"#];
    fails(Call::new(&run)?, "wants a token: use --token-file FILE, or set MCP_PIF_TOKEN")?;
    fails(Call::new(&run)?.with("MCP_PIF_TOKEN", &web::token("nobody")), "does not accept")?;
    prints(Call::new(&run)?.with("MCP_PIF_TOKEN", &web::token("runner")), "2\n")?;
    let file = web.folder().path().join("token");
    fs::write(&file, format!("{}\n", web::token("runner")))?;
    let file = file.to_str().context("a path")?;
    let by_file = [&run[..], &["--token-file", file]].concat();
    // The file comes first.
    prints(Call::new(&by_file)?.with("MCP_PIF_TOKEN", &web::token("nobody")), "2\n")?;
    let evolve = json!({"name": "two", "description": "2", "code": "2"}).to_string();
    let evolve = [url.as_str(), "evolve", &evolve, "--token-file", file];
    fails(Call::new(&evolve)?, "it needs the scope `evolve`")?;
    fs::write(file, "two words")?;
    fails(Call::new(&by_file)?, "holds no token")?;
    fails(Call::new(&[&run[..], &["--token-file", "nowhere"]].concat())?, "cannot read nowhere")
}

/// A server at some other place than a port without TLS. It is killed when this is dropped.
struct Server(Child);

impl Server {
    /// Starts it. Gives the place that it tells, once it serves there.
    fn start(folder: &Folder, words: &[&str]) -> Result<(Self, String)> {
        let mut server = client::command(folder)?;
        server.args(["serve", "--ephemeral", "--http"]).args(words).stdin(Stdio::null());
        let mut server = Self(server.stderr(Stdio::piped()).spawn()?);
        let mut line = String::new();
        let errors = server.0.stderr.take().context("no standard error")?;
        let mut errors = BufReader::new(errors);
        errors.read_line(&mut line)?;
        thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        let (_, place) = line.trim().split_once(" serves at ").context(line.clone())?;
        Ok((server, place.to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_socket_is_called_by_its_path() -> Result<()> {
    let folder = Folder::new()?;
    let place = format!("unix:{}", folder.path().join("pif.sock").display());
    let run = [place.as_str(), "run", r#"{"code": "1 + 1"}"#];
    fails(Call::new(&run)?, "there is no such socket")?;
    let (server, told) = Server::start(&folder, &[&place])?;
    ensure!(told == place, "{told}");
    prints(Call::new(&run)?, "2\n")?;
    drop(server);
    // Nobody listens at what is left of it.
    fails(Call::new(&run)?, "nobody listens there")
}

/// The certificate of the folder `tls` is for this machine, from an authority that nobody knows.
#[test]
fn a_server_with_tls_needs_an_authority_that_is_known() -> Result<()> {
    let folder = Folder::new()?;
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http/tls");
    let file = |name: &str| fixtures.join(name).to_str().map(str::to_owned).context("a path");
    let key = folder.path().join("key.pem");
    fs::copy(file("key.pem")?, &key)?;
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600))?;
    let (cert, key) = (file("cert.pem")?, key.to_str().context("a path")?);
    let words = ["127.0.0.1:0", "--tls-cert", &cert, "--tls-key", key];
    let (_server, url) = Server::start(&folder, &words)?;
    let run = [url.as_str(), "run", r#"{"code": "1 + 1"}"#];
    let known = file("authority.pem")?;
    prints(Call::new(&run)?.with("SSL_CERT_FILE", &known), "2\n")?;
    fails(Call::new(&run)?, "set SSL_CERT_FILE to its certificate")?;
    // The name must be one of the certificate's.
    let other = url.replace("127.0.0.1", "127.0.0.2");
    let other = Call::new(&[&other, "list"])?.with("SSL_CERT_FILE", &known).end()?;
    ensure!(other.code == 1, "{other:?}");
    let bare = url.replace("https://", "http://");
    let bare = Call::new(&[&bare, "list"])?.end()?;
    ensure!(bare.code == 1 && bare.errors.contains(&url[8..]), "{bare:?}");
    Ok(())
}

#[test]
fn a_server_that_is_not_there_is_told() -> Result<()> {
    let web = Web::start(&[])?;
    let other = format!("http://{}/other", web.address);
    fails(Call::new(&[&other, "run"])?, "there is nothing at `/other`")?;
    let tls = format!("https://{}/mcp", web.address);
    fails(Call::new(&[&tls, "run"])?, "does not speak TLS: write http://")?;
    let url = url(&web);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let silent = format!("http://{}/mcp", listener.local_addr()?);
    fails(Call::new(&[&silent, "list", "--timeout", "100ms"])?, "does not answer in time")?;
    drop(web);
    fails(Call::new(&[&url, "list"])?, "nobody listens there: start `mcp-pif serve --http")
}

const RESULT: &str =
    r#"{"content":[{"type":"text","text":"done"}],"structuredContent":{"n":1.50e+400}}"#;

/// Answers as servers before 2026-07-28 do.
fn older(method: &str, head: &str, body: &Value) -> Answer {
    let has = |header: &str| head.to_lowercase().contains(header);
    let id = body["id"].clone();
    let plain = |status, text: &str| Answer::new(status, "text/plain", text);
    match (method, body["method"].as_str()) {
        ("POST", Some("initialize")) => {
            let version = body["params"]["protocolVersion"].clone();
            let result = json!({"protocolVersion": version, "capabilities": {"tools": {}},
                "serverInfo": {"name": "older", "version": "1"}});
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
            Answer::new(200, "application/json", &answer).with("Mcp-Session-Id: s-1")
        }
        _ if !has("mcp-session-id: s-1") => plain(400, "Bad Request: no session"),
        _ if !has("mcp-protocol-version: 2025-11-25") => plain(400, "Bad Request: no version"),
        ("POST", Some("notifications/initialized")) => plain(202, ""),
        ("POST", Some("tools/call")) => {
            let other = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
            let events = format!(
                "id: 0\ndata:\n\ndata: {other}\n\nevent: message\ndata: {{\"jsonrpc\":\"2.0\",\ndata: \"id\":{id},\
                 \"result\":{RESULT}}}\n\n"
            );
            Answer::new(200, "text/event-stream; charset=utf-8", &events)
        }
        ("DELETE", _) => plain(200, ""),
        _ => plain(405, ""),
    }
}

#[test]
fn a_server_of_the_older_era_gets_a_session() -> Result<()> {
    let server = Strange::start(older)?;
    let url = server.url();
    prints(Call::new(&[&url, "work", r#"{"n": 1.50}"#, "--json"])?, &format!("{RESULT}\n"))?;
    let seen = server.seen();
    let methods: Vec<&str> = seen.iter().map(|it| it.name.as_str()).collect();
    let expected =
        ["server/discover", "initialize", "notifications/initialized", "tools/call", "DELETE"];
    // A stream may be asked for at any time.
    let others: Vec<&str> = methods.iter().copied().filter(|it| *it != "GET").collect();
    ensure!(others == expected, "{methods:?}");
    let call = seen.iter().find(|it| it.name == "tools/call").context("no call")?;
    ensure!(call.body.contains(r#""arguments":{"n":1.50}"#), "{call:?}");
    prints(Call::new(&[&url, "work"])?, "done\n")
}

/// A server of the newer era that answers calls so. `ID` in the answer is the id of the request.
fn newer(status: u16, answer: &str) -> Result<Strange> {
    const DISCOVERED: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}"#;
    let answer = answer.to_owned();
    Strange::start(move |_, _, body| {
        let (status, answer) = match body["method"].as_str() {
            Some("server/discover") => (200, DISCOVERED),
            _ => (status, answer.as_str()),
        };
        Answer::new(status, "application/json", &answer.replace("ID", &body["id"].to_string()))
    })
}

#[test]
fn a_call_is_not_made_twice() -> Result<()> {
    for (status, answer) in [
        (200, r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool"}}"#),
        (400, r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32020,"message":"another name"}}"#),
        (400, r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32022,"message":"another version"}}"#),
        (404, "gone"),
        (500, "it broke"),
        (503, "busy"),
        (401, ""),
        (403, ""),
    ] {
        let server = newer(status, answer)?;
        let ending = Call::new(&[&server.url(), "work"])?.end()?;
        let calls = server.seen().iter().filter(|it| it.name == "tools/call").count();
        ensure!(ending.code == 1 && calls == 1, "{status}: {ending:?}");
    }
    Ok(())
}

#[test]
fn other_answers_say_what_to_do() -> Result<()> {
    for (answer, told) in [
        (Answer::new(200, "text/html", "<html>Welcome</html>"), "is no MCP server"),
        (Answer::new(404, "text/html", "Not Found"), "look at the path"),
        (Answer::new(307, "text/html", "").with("Location: https://b/mcp"), "HTTP 307"),
        (Answer::new(429, "text/html", "").with("Retry-After: 7"), "try again in 7 seconds"),
        (Answer::new(413, "text/html", ""), "HTTP 413"),
        (Answer::new(403, "text/html", ""), "HTTP 403"),
        (
            Answer::new(401, "text/html", "")
                .with(r#"WWW-Authenticate: Bearer resource_metadata="https://b/.well-known/x""#),
            "https://b/.well-known/x",
        ),
        (Answer::new(500, "text/plain", "it broke"), "the status 500"),
        // A server may steer no terminal.
        (Answer::new(404, "text/plain", "a\u{1b}[31mb"), "a\\u001b[31mb"),
    ] {
        let server = Strange::start(move |_, _, _| answer.clone())?;
        fails(Call::new(&[&server.url(), "work"])?, told)?;
    }
    let wants = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}}"#;
    fails(Call::new(&[&newer(200, wants)?.url(), "work"])?, "asks for input")
}
