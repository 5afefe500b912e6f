//! Access tokens of an authorization server. `issuer.json` holds its keys and tokens that it signed.

use super::client;
use super::folder::Folder;
use super::web::{Reply, Web, modern_headers, token, token_line};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const ISSUER: &str = "https://login.example.com";
const URL: &str = "https://pif.example.com/mcp";
const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

fn corpus() -> Result<Value> {
    Ok(serde_json::from_str(include_str!("issuer.json"))?)
}

fn write(folder: &Folder, keys: &Value) -> Result<String> {
    let file = folder.path().join("jwks.json");
    fs::write(&file, keys.to_string())?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
    file.to_str().map(str::to_owned).context("a path")
}

/// A server that accepts tokens of the issuer, with more flags.
fn start(more: &[&str]) -> Result<Web> {
    let folder = Folder::new()?;
    let keys = write(&folder, &corpus()?["first"])?;
    let words = ["--issuer", ISSUER, "--jwks", &keys, "--public-url", URL];
    Web::start_in(folder, &[&words[..], more].concat())
}

/// Calls a tool with a token; without one if it is empty.
fn call(web: &Web, token: &str, tool: &str, arguments: &Value) -> Result<Reply> {
    let params = json!({"name": tool, "arguments": arguments});
    let mut headers = modern_headers("", "tools/call", &params);
    if !token.is_empty() {
        headers = format!("{headers}authorization: Bearer {token}\r\n");
    }
    web.post(&headers, &client::modern(&json!(1), "tools/call", params)?)
}

/// Expects the value of a run.
fn runs(web: &Web, token: &str) -> Result<()> {
    let reply = call(web, token, "run", &json!({"code": "1 + 1"}))?;
    ensure!(reply.status == 200, "{} {}", reply.status, reply.text());
    ensure!(reply.answer()?["result"]["content"][0]["text"] == "2", "{}", reply.text());
    Ok(())
}

/// Expects a refusal with such a challenge. Without a token that is accepted the body is not read, so
/// the id is null.
fn refused(reply: &Reply, status: u16, id: &Value, challenge: &str) -> Result<()> {
    reply.refusal(status, id)?;
    let found = reply.headers.get("www-authenticate").context("no challenge")?;
    let expected =
        format!(r#"Bearer resource_metadata="https://pif.example.com{METADATA}", {challenge}"#);
    ensure!(*found == expected, "{found}");
    Ok(())
}

#[test]
fn a_client_is_led_to_the_issuer() -> Result<()> {
    let web = start(&[])?;
    refused(&call(&web, "", "list", &json!({}))?, 401, &Value::Null, r#"scope="run""#)?;
    let reply = web.get(METADATA, "")?;
    ensure!(reply.status == 200 && reply.headers["content-type"] == "application/json");
    let expected = json!({
        "resource": URL,
        "authorization_servers": [ISSUER],
        "scopes_supported": ["read", "run", "evolve", "admin"],
        "bearer_methods_supported": ["header"],
    });
    assert_eq!(reply.answer()?, expected);
    // The host of the public URL is one of the server's.
    let list = client::request(&json!(1), "tools/list", &json!({}));
    ensure!(web.post("host: pif.example.com\r\n", &list)?.status == 401);
    ensure!(web.post("host: evil.example.com\r\n", &list)?.status == 403);
    // The document is for everybody, and for the pages of every site.
    for headers in ["host: evil.example.com\r\n", "origin: https://claude.ai\r\n"] {
        let reply = web.get(METADATA, headers)?;
        ensure!(reply.status == 200, "{headers}: {}", reply.text());
        ensure!(reply.headers["access-control-allow-origin"] == "*");
    }
    let asks =
        "origin: https://claude.ai\r\naccess-control-request-headers: mcp-protocol-version\r\n";
    let asked = web.connect()?.send("OPTIONS", METADATA, asks, "")?;
    ensure!(asked.status == 204 && asked.headers["access-control-allow-origin"] == "*");
    ensure!(asked.headers["access-control-allow-headers"] == "mcp-protocol-version");
    // Without an issuer there are no metadata.
    ensure!(Web::start(&[])?.get(METADATA, "")?.status == 404);
    Ok(())
}

#[test]
fn a_token_of_the_issuer_is_a_principal() -> Result<()> {
    let (web, corpus) = (start(&[])?, corpus()?);
    let token = |name: &str| corpus["tokens"][name].as_str().context(name.to_owned());
    runs(&web, token("ana")?)?;
    let tool = json!({"name": "two", "description": "2", "code": "2"});
    let step = r#"scope="evolve", error="insufficient_scope""#;
    refused(&call(&web, token("ana")?, "evolve", &tool)?, 403, &json!(1), step)?;
    ensure!(call(&web, token("bob")?, "evolve", &tool)?.status == 200);
    // Each has a memory of their own.
    let stored = json!({"key": "k", "value": 1});
    ensure!(call(&web, token("ana")?, "memory_store", &stored)?.status == 200);
    let found = |name: &str| -> Result<String> {
        let reply = call(&web, token(name)?, "memory_retrieve", &json!({"key": "k"}))?;
        Ok(reply.answer()?["result"]["isError"].to_string())
    };
    ensure!(found("ana")? == "false" && found("bob")? == "true");
    Ok(())
}

#[test]
fn other_tokens_are_refused() -> Result<()> {
    let (web, corpus) = (start(&[])?, corpus()?);
    let token = |name: &str| corpus["tokens"][name].as_str().context(name.to_owned());
    let invalid = r#"scope="run", error="invalid_token""#;
    let good = token("ana")?;
    let (signed, _) = good.rsplit_once('.').context("a signature")?;
    let unsigned = format!("{signed}.");
    let wrong =
        ["expired", "elsewhere", "second"].map(token).into_iter().collect::<Result<Vec<_>>>()?;
    // More often than wrong tokens of a file may come.
    for token in wrong.into_iter().chain([unsigned.as_str(), "a.b.c", signed]).cycle().take(20) {
        refused(&call(&web, token, "list", &json!({}))?, 401, &Value::Null, invalid)?;
    }
    let bare = r#"scope="run", error="insufficient_scope""#;
    refused(&call(&web, token("nobody")?, "list", &json!({}))?, 403, &Value::Null, bare)?;
    runs(&web, good)?;
    Ok(())
}

#[test]
fn the_log_says_why_a_token_is_refused() -> Result<()> {
    let (web, corpus) = (start(&["--log", "info"])?, corpus()?);
    let expired = corpus["tokens"]["expired"].as_str().context("a token")?;
    call(&web, expired, "list", &json!({}))?;
    web.wait_for("the reason", || Ok(web.log().contains("the token has expired")))?;
    ensure!(!web.log().contains(expired), "{}", web.log());
    let nobody = corpus["tokens"]["nobody"].as_str().context("a token")?;
    call(&web, nobody, "list", &json!({}))?;
    web.wait_for("the scopes", || Ok(web.log().contains("has no scope of this server but `")))?;
    call(&web, &"x".repeat(40), "list", &json!({}))?;
    web.wait_for("what it is not", || Ok(web.log().contains("no JWT of the issuer")))?;
    let elsewhere = corpus["tokens"]["elsewhere"].as_str().context("a token")?;
    call(&web, elsewhere, "list", &json!({}))?;
    web.wait_for("the audience", || Ok(web.log().contains("give --audience")))
}

#[test]
fn keys_are_read_anew() -> Result<()> {
    let (web, corpus) = (start(&["--log", "info"])?, corpus()?);
    let token = |name: &str| corpus["tokens"][name].as_str().context(name.to_owned());
    let (first, second) = (token("ana")?, token("second")?);
    // A file with a mistake changes nothing.
    write(web.folder(), &json!({"keys": []}))?;
    web.signal("-HUP")?;
    web.wait_for("the mistake", || Ok(web.log().contains("its former contents stay in force")))?;
    runs(&web, first)?;
    write(web.folder(), &corpus["second"])?;
    web.signal("-HUP")?;
    web.wait_for("the new key", || {
        Ok(call(&web, second, "run", &json!({"code": "1"}))?.status == 200)
    })?;
    ensure!(call(&web, first, "list", &json!({}))?.status == 401);
    Ok(())
}

/// Issuers have names of their own for the server and its scopes.
#[test]
fn settings_say_what_words_of_an_issuer_mean() -> Result<()> {
    let corpus = corpus()?;
    let token = |name: &str| corpus["tokens"][name].as_str().context(name.to_owned());
    let start = |more: &[&str]| -> Result<Web> {
        let folder = Folder::new()?;
        let keys = write(&folder, &corpus["third"])?;
        let words = ["--issuer", ISSUER, "--jwks", &keys, "--public-url", URL, "--log", "info"];
        Web::start_in(folder, &[&words[..], more].concat())
    };
    let status = |web: &Web, name: &str| -> Result<u16> {
        Ok(call(web, token(name)?, "run", &json!({"code": 1}))?.status)
    };
    let plain = start(&[])?;
    for (name, expected) in
        [("entra", 401), ("program", 401), ("permissions", 403), ("list", 200), ("slash", 200)]
    {
        ensure!(status(&plain, name)? == expected, "{name}: {}", status(&plain, name)?);
    }
    plain.wait_for("the words", || Ok(plain.log().contains("but `openid pif:run`")))?;
    let guid = "6f1d0bde-4c3e-4c55-9f0a-2f6d2a1c7e11";
    let web = start(&[
        "--audience",
        guid,
        "--scope-map",
        "api://pif/run=run",
        "--role-map",
        "Pif.Maker=evolve",
        "--role-map",
        "pif:run=run",
    ])?;
    for name in ["entra", "program", "permissions", "list", "slash"] {
        ensure!(status(&web, name)? == 200, "{name}: {}", web.log());
    }
    let tool = json!({"name": "two", "description": "2", "code": "2"});
    ensure!(call(&web, token("program")?, "evolve", &tool)?.status == 200);
    ensure!(call(&web, token("entra")?, "evolve", &tool)?.status == 403);
    // Clients ask for the words of the issuer.
    let metadata = web.get(METADATA, "")?.answer()?;
    ensure!(metadata["scopes_supported"] == json!(["api://pif/run"]), "{metadata}");
    refused(&call(&web, "", "list", &json!({}))?, 401, &Value::Null, r#"scope="api://pif/run""#)?;
    for wrong in ["run", "x=walk", "=run"] {
        let told = start(&["--scope-map", wrong]).err().context(wrong.to_owned())?.to_string();
        ensure!(told.contains("write WORD=SCOPE"), "{told}");
    }
    Ok(())
}

/// A subject of the issuer is nobody of the file, whatever its name.
#[test]
fn tokens_of_a_file_count_beside_those_of_the_issuer() -> Result<()> {
    let folder = Folder::new()?;
    let file = folder.path().join("tokens");
    fs::write(&file, token_line("ana", "run"))?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
    let web = start(&["--tokens", file.to_str().context("a path")?])?;
    let corpus = corpus()?;
    let issued = corpus["tokens"]["ana"].as_str().context("a token")?;
    runs(&web, issued)?;
    runs(&web, &token("ana"))?;
    let stored = json!({"key": "k", "value": 1});
    ensure!(call(&web, issued, "memory_store", &stored)?.status == 200);
    let reply = call(&web, &token("ana"), "memory_retrieve", &json!({"key": "k"}))?;
    ensure!(reply.answer()?["result"]["isError"] == true, "{}", reply.text());
    Ok(())
}

#[test]
fn an_issuer_needs_keys_and_a_url() -> Result<()> {
    let folder = Folder::new()?;
    let good = write(&folder, &corpus()?["first"])?;
    let told = |words: &[&str]| -> Result<String> {
        let mut command = client::command(&folder)?;
        command.args(["serve", "--ephemeral", "--http", "127.0.0.1:0"]).args(words);
        let output = command.output()?;
        ensure!(!output.status.success(), "{words:?}");
        Ok(String::from_utf8(output.stderr)?)
    };
    for (words, expected) in [
        (&["--issuer", ISSUER][..], "--jwks"),
        (&["--issuer", ISSUER, "--jwks", &good], "--public-url"),
        (&["--issuer", "http://a", "--jwks", &good, "--public-url", URL], "is no issuer"),
        (&["--issuer", ISSUER, "--jwks", &good, "--public-url", "http://a"], "is no public URL"),
        (&["--issuer", ISSUER, "--jwks", "nowhere", "--public-url", URL], "nowhere"),
    ] {
        let told = told(words)?;
        ensure!(told.contains(expected), "{words:?}: {told}");
    }
    fs::set_permissions(Path::new(&good), fs::Permissions::from_mode(0o666))?;
    let open = told(&["--issuer", ISSUER, "--jwks", &good, "--public-url", URL])?;
    ensure!(open.contains("others can write it"), "{open}");
    write(&folder, &json!({"keys": [{"kty": "oct", "k": "AAAA"}]}))?;
    let none = told(&["--issuer", ISSUER, "--jwks", &good, "--public-url", URL])?;
    ensure!(none.contains("it is a private key"), "{none}");
    Ok(())
}
