//! Secrets reach the servers that they are for, and show nowhere else.

use super::shop::{Shop, server_with};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

const TOKEN: &str = "ghp_abcdefghijklmnop";

fn shop() -> Result<Shop> {
    let tools = json!([
        {"name": "env", "does": {"env": true}},
        {"name": "echo", "does": {"echo": true}},
        {"name": "fails", "does": {"result": {"isError": true, "content": [{"type": "text", "text": format!("bad token {TOKEN}")}]}}},
    ]);
    let more = json!({"env": {"AUTH": "Bearer ${GITHUB}", "API_KEY": "plain-in-the-file", "LEVEL": "${LEVEL}", "OTHER": "${OTHER:-none}"}});
    let server =
        server_with(&json!({"tools": tools, "errors": format!("starting with {TOKEN}")}), &more);
    let mut shop = Shop::new(
        &json!({"mcpServers": {"s": server}, "secrets": {"GITHUB": {"env": "GITHUB_TOKEN"}}}),
    )?;
    shop.set("GITHUB_TOKEN", TOKEN);
    shop.set("LEVEL", "info");
    shop.set("UNRELATED", "not for servers");
    Ok(shop)
}

#[test]
fn a_server_gets_its_own_environment_and_answers_do_not_show_it() -> Result<()> {
    let shop = shop()?;
    let all: Value = serde_json::from_str(&shop.value("s.env", "{}")?)?;
    assert_eq!(all["AUTH"], "Bearer [GITHUB]");
    assert_eq!(all["API_KEY"], "plain-in-the-file");
    assert_eq!(all["LEVEL"], "info");
    assert_eq!(all["OTHER"], "none");
    ensure!(all.get("UNRELATED").is_none() && all.get("GITHUB_TOKEN").is_none(), "{all}");
    ensure!(all.get("PATH").is_some() && all.get("MCP_PIF_DATA").is_none(), "{all}");
    let echoed = shop.value("s.echo", &json!({"a": TOKEN}).to_string())?;
    assert_eq!(echoed, r#"{"a":"[GITHUB]"}"#);
    assert_eq!(shop.complaint("s.fails", "{}")?, "tool-error: bad token [GITHUB]");
    Ok(())
}

#[test]
fn secrets_show_in_no_message_and_no_file() -> Result<()> {
    let mut shop = shop()?;
    shop.set("RUST_LOG", "trace");
    for words in [
        &["capability", "list"][..],
        &["capability", "test", "s"],
        &["capability", "call", "s.env"],
        &["capability", "call", "s.fails"],
    ] {
        let said = shop.say(words)?;
        ensure!(
            !said.output.contains(TOKEN) && !said.errors.contains(TOKEN),
            "{words:?}: {said:?}"
        );
    }
    for file in fs::read_dir(shop.file("data"))? {
        let file = file?.path();
        if file.is_dir() {
            continue;
        }
        ensure!(!String::from_utf8_lossy(&fs::read(&file)?).contains(TOKEN), "{}", file.display());
    }
    Ok(())
}

#[test]
fn the_server_has_no_secret_in_its_environment() -> Result<()> {
    let shop = shop()?;
    let mut server =
        shop.command(&["serve"])?.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let read = || fs::read_to_string(format!("/proc/{}/cmdline", server.id())).unwrap_or_default();
    let again = super::shop::until("the server has started again", || read().contains("--broker"));
    let environment = fs::read(format!("/proc/{}/environ", server.id()));
    server.kill()?;
    server.wait()?;
    again?;
    let environment = String::from_utf8_lossy(&environment?).into_owned();
    ensure!(environment.contains("UNRELATED") && !environment.contains(TOKEN), "{environment}");
    Ok(())
}

#[test]
fn files_that_others_can_write_or_read_are_refused() -> Result<()> {
    let shop = shop()?;
    let config = shop.file("capabilities.json");
    fs::set_permissions(&config, fs::Permissions::from_mode(0o666))?;
    let said = shop.say(&["capability", "list"])?;
    ensure!(
        said.errors.ends_with("capabilities.json: others can write it: chmod go-w it"),
        "{said:?}"
    );
    let secret = shop.file("token");
    fs::write(&secret, TOKEN)?;
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o644))?;
    shop.write(&json!({"mcpServers": {}, "secrets": {"A": {"file": "token"}}}))?;
    let said = shop.say(&["capability", "list"])?;
    ensure!(said.errors.ends_with("others can read it: chmod 600 it"), "{said:?}");
    shop.write(&json!({"mcpServers": {}, "secrets": {"A": {"env": "NOBODY_SETS_IT"}}}))?;
    let said = shop.say(&["capability", "list"])?;
    ensure!(
        said.errors.ends_with("/secrets/A: the environment has no variable `NOBODY_SETS_IT`"),
        "{said:?}"
    );
    Ok(())
}

#[test]
fn a_secret_is_hidden_however_it_is_spelled() -> Result<()> {
    let secret = "sk-live-abc/def+ghi==\"\u{fc}";
    // `user:` and the secret, as of `Authorization: Basic`.
    let coded = "dXNlcjpzay1saXZlLWFiYy9kZWYrZ2hpPT0iw7w=";
    let said = [
        secret.to_owned(),
        secret.replace('/', "\\/").replace('"', "\\\""),
        secret.replace('"', "\\\"").replace('\u{fc}', "\\u00fc"),
        "sk-live-abc%2Fdef%2Bghi%3D%3D%22%C3%BC".to_owned(),
        format!("Basic {coded}"),
    ];
    let said: Vec<String> = said.iter().map(|it| format!("x {it} y")).collect();
    let result = |it: &Value| json!({"result": {"content": [], "structuredContent": it}});
    let number = "8675309123";
    let tools = json!([
        {"name": "said", "does": result(&json!({"all": said, secret: true}))},
        {"name": "number", "does": result(&json!({"m": format!("token {number}"), "n": 8_675_309_123_u64, "done": true, "none": null}))},
        {"name": "text", "does": {"result": {"content": [{"type": "text", "text": format!("token is {number} ok")}]}}},
        {"name": "fails", "does": {"result": {"isError": true, "content": [], "structuredContent": {"t": secret}}}},
    ]);
    let more = json!({"env": {"A": "${A}", "B": "${B}"}});
    let mut shop =
        Shop::new(&json!({"mcpServers": {"s": server_with(&json!({"tools": tools}), &more)},
        "secrets": {"A": {"env": "A"}, "B": {"env": "B"}}}))?;
    (shop.set("A", secret), shop.set("B", number));
    let told: Value = serde_json::from_str(&shop.value("s.said", "{}")?)?;
    let hidden = ["x [A] y", "x [A] y", "x [A] y", "x [A] y", "x Basic [A] y"];
    assert_eq!(told, json!({"all": hidden, "[A]": true}));
    let told: Value = serde_json::from_str(&shop.value("s.number", "{}")?)?;
    assert_eq!(told, json!({"m": "token [B]", "n": 8_675_309_123_u64, "done": true, "none": null}));
    assert_eq!(shop.value("s.text", "{}")?, "\"token is [B] ok\"");
    let told = shop.complaint("s.fails", "{}")?;
    ensure!(told.contains("[A]") && !told.contains("sk-live"), "{told}");
    // The log spells texts as programs do.
    shop.set("RUST_LOG", "trace");
    let said = shop.say(&["capability", "call", "s.said"])?;
    ensure!(!said.errors.contains("sk-live") && !said.errors.contains(coded), "{}", said.errors);
    Ok(())
}

#[test]
fn what_is_found_everywhere_is_refused_as_a_secret() -> Result<()> {
    let script = json!({"tools": [{"name": "echo", "does": {"echo": true}}]});
    let needs = json!({"env": {"A": "${A}"}});
    let mut shop = Shop::new(&json!({"mcpServers": {
        "s": server_with(&script, &needs), "other": server_with(&script, &json!({}))},
        "secrets": {"A": {"env": "A_SECRET"}}}))?;
    for text in ["true", "null", "info", "localhost", "password", "12345"] {
        shop.set("A_SECRET", text);
        let told = shop.complaint("s.echo", "{}")?;
        let is_told = told.starts_with("unavailable: ")
            && told.contains("/secrets/A: it ")
            && told.contains("a setting that is no secret");
        ensure!(is_told && !told.contains(&format!("`{text}`")), "{text}: {told}");
        // It is in no answer of others.
        let args = json!({"a": text}).to_string();
        ensure!(shop.value("other.echo", &args)? == args, "{text}");
    }
    let said = shop.say(&["capability", "list"])?;
    ensure!(said.errors.contains("the server `s` is off: /secrets/A: it "), "{said:?}");
    Ok(())
}
