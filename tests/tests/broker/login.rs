//! Logins at servers that want one: got in a browser, kept by the broker, renewed, and shown nowhere.

use super::authorization::{Guarded, Told, browse, form};
use super::shop::{Running, Said, Shop, until};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

/// The beginning of what a call says that needs a login.
pub(super) const NEEDED: &str = "needs-login: needs login: run `mcp-pif capability login s`";

/// All tokens of the scripted server have this in them.
pub(super) const SECRET: &str = "SECRETSECRET";

pub(super) fn shop(guarded: &Guarded) -> Result<Shop> {
    let server = json!({"url": guarded.url(), "grants": "allow"});
    Shop::new(&json!({"mcpServers": {"s": server}}))
}

/// A login that waits for the browser.
pub(super) struct Login {
    child: Child,
    output: BufReader<ChildStdout>,
    /// Where the browser has to go.
    pub(super) url: String,
}

impl Login {
    pub(super) fn begin(shop: &Shop, words: &[&str]) -> Result<Self> {
        let mut command = shop.command(&[&["capability", "login", "s"], words].concat())?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let mut output = BufReader::new(child.stdout.take().context("no output")?);
        let mut url = String::new();
        output.read_line(&mut url)?;
        if !url.starts_with("http") {
            let mut errors = String::new();
            child.stderr.take().context("no errors")?.read_to_string(&mut errors)?;
            anyhow::bail!("{url}{errors}");
        }
        Ok(Self { child, output, url: url.trim_end().to_owned() })
    }

    /// Waits for its end.
    pub(super) fn end(mut self) -> Result<Said> {
        let (mut output, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut output)?;
        self.child.stderr.take().context("no errors")?.read_to_string(&mut errors)?;
        Ok(Said { ok: self.child.wait()?.success(), output, errors })
    }
}

impl Drop for Login {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn log_in(shop: &Shop) -> Result<()> {
    let login = Login::begin(shop, &["--no-browser"])?;
    let page = browse(&login.url)?;
    ensure!(page.contains("You may close this page"), "{page}");
    let said = login.end()?;
    ensure!(said.ok && said.output.starts_with("s: logged in by "), "{said:?}");
    ensure!(!format!("{said:?}").contains(SECRET), "{said:?}");
    Ok(())
}

/// Changes the login that is kept.
fn edit(shop: &Shop, change: impl FnOnce(&mut Value)) -> Result<()> {
    let file = shop.file("logins/s.json");
    let mut login: Value = serde_json::from_slice(&fs::read(&file)?)?;
    change(&mut login);
    Ok(fs::write(file, login.to_string())?)
}

pub(super) fn call(server: &mut Running) -> Result<Value> {
    let run = json!({"code": "try {s.who({})} catch (e) {[e.reason, e.message]}"});
    Ok(server.call("run", &run)?["value"].clone())
}

#[test]
fn a_login_gets_a_token_by_the_browser() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    ensure!(shop.complaint("s.who", "{}")? == NEEDED);
    let told = shop.say(&["capability", "test", "s"])?;
    ensure!(
        !told.ok && told.errors.contains("needs login: run `mcp-pif capability login s`"),
        "{told:?}"
    );
    let told = shop.say(&["capability", "list", "--json"])?;
    ensure!(
        told.errors.contains(r#"{"reason":"needs-login","message":"s: needs login"#),
        "{told:?}"
    );
    log_in(&shop)?;
    // What was asked in the browser.
    {
        let state = guarded.state();
        let client = state.registered.first().context("no client")?;
        assert_eq!(client["token_endpoint_auth_method"], "none");
        let (form, authorization) = state.exchanges.first().context("no token")?;
        assert_eq!(authorization, "");
        assert_eq!(client["redirect_uris"], json!([form["redirect_uri"]]));
        assert_eq!(client["scope"], "read offline_access");
        assert_eq!(form["resource"], guarded.url());
    }
    assert_eq!(shop.value("s.who", "{}")?, r#""you are [login of s]""#);
    assert_eq!(guarded.state().calls, 1);
    let mode = |name: &str| -> Result<u32> {
        Ok(fs::metadata(shop.file(name))?.permissions().mode() & 0o777)
    };
    assert_eq!((mode("logins")?, mode("logins/s.json")?), (0o700, 0o600));
    Ok(())
}

#[test]
fn a_browser_is_opened_where_there_is_one() -> Result<()> {
    let guarded = Guarded::start()?;
    let mut shop = shop(&guarded)?;
    let folder = shop.file("bin");
    fs::create_dir(&folder)?;
    let (opener, seen) = (folder.join("xdg-open"), shop.file("opened"));
    fs::write(&opener, format!("#!/bin/sh\necho \"$1\" > {}\n", seen.display()))?;
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755))?;
    let path = std::env::var("PATH").unwrap_or_default();
    shop.set("PATH", &format!("{}:{path}", folder.display()));
    let login = Login::begin(&shop, &["--scope", "one  two"])?;
    until("the browser opens", || {
        fs::read_to_string(&seen).is_ok_and(|it| it.trim_end() == login.url)
    })?;
    let query = form(login.url.split_once('?').context("a query")?.1);
    assert_eq!(query["scope"], "one two");
    browse(&login.url)?;
    let said = login.end()?;
    ensure!(said.ok && said.output.contains("for one two; the login is renewed"), "{said:?}");
    Ok(())
}

#[test]
fn a_client_of_the_file_is_not_registered() -> Result<()> {
    let guarded = Guarded::start()?;
    let oauth = json!({"client_id": "own", "client_secret": "${SHOP}", "scopes": "read"});
    let server = json!({"url": guarded.url(), "grants": "allow", "oauth": oauth});
    let config = json!({"mcpServers": {"s": server}, "secrets": {"SHOP": {"env": "SHOP_SECRET"}}});
    let mut shop = Shop::new(&config)?;
    shop.set("SHOP_SECRET", "whisper-of-the-shop");
    log_in(&shop)?;
    ensure!(guarded.state().registered.is_empty());
    let basic = "Basic b3duOndoaXNwZXItb2YtdGhlLXNob3A=";
    ensure!(guarded.state().exchanges.iter().all(|(_, by)| by == basic));
    // The secret stays where it was, and renews as well.
    ensure!(!fs::read_to_string(shop.file("logins/s.json"))?.contains("whisper"));
    edit(&shop, |login| login["tokens"]["ends"] = 1.into())?;
    shop.value("s.who", "{}")?;
    assert_eq!(guarded.renewals(), 1);
    ensure!(guarded.state().exchanges.iter().all(|(_, by)| by == basic));
    Ok(())
}

#[test]
fn a_token_is_renewed_when_it_ends_or_is_refused() -> Result<()> {
    let guarded = Guarded::start()?;
    guarded.state().lasts = Some(3600);
    let shop = shop(&guarded)?;
    log_in(&shop)?;
    let mut server = Running::start(&shop, &[])?;
    let known = "you are [login of s]";
    assert_eq!(call(&mut server)?, known);
    assert_eq!(guarded.renewals(), 0);
    edit(&shop, |login| login["tokens"]["ends"] = 1.into())?;
    assert_eq!(call(&mut server)?, known);
    assert_eq!(guarded.renewals(), 1);
    // The server forgets it: the call goes out once more, and is made once.
    guarded.forget_access();
    let before = guarded.state().calls;
    assert_eq!(call(&mut server)?, known);
    assert_eq!((guarded.renewals(), guarded.state().calls), (2, before + 1));
    Ok(())
}

#[test]
fn processes_that_renew_at_once_lose_no_token() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    log_in(&shop)?;
    guarded.state().slow = Duration::from_millis(300);
    edit(&shop, |login| login["tokens"]["ends"] = 1.into())?;
    let answers: Vec<Result<String>> = thread::scope(|scope| {
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(|| shop.value("s.who", "{}"))).collect();
        calls.into_iter().map(|it| it.join().expect("an answer")).collect()
    });
    for answer in answers {
        assert_eq!(answer?, r#""you are [login of s]""#);
    }
    assert_eq!(guarded.renewals(), 1);
    Ok(())
}

#[test]
fn a_renewal_goes_on_when_nobody_waits_for_it() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    let limits = json!({"call_timeout": "300ms"});
    let server = json!({"url": guarded.url(), "grants": "allow", "limits": limits});
    shop.write(&json!({"mcpServers": {"s": server}}))?;
    log_in(&shop)?;
    let mut server = Running::start(&shop, &[])?;
    assert_eq!(call(&mut server)?, "you are [login of s]");
    guarded.state().slow = Duration::from_secs(1);
    edit(&shop, |login| login["tokens"]["ends"] = 1.into())?;
    assert_eq!(call(&mut server)?[0], "timeout");
    // Its answer is the only copy of the next tokens.
    let has_next =
        || fs::read_to_string(shop.file("logins/s.json")).is_ok_and(|it| it.contains("access-2"));
    until("the next tokens are kept", has_next)?;
    assert_eq!(call(&mut server)?, "you are [login of s]");
    assert_eq!(guarded.renewals(), 1);
    Ok(())
}

#[test]
fn a_renewal_that_is_refused_needs_a_login() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    log_in(&shop)?;
    let mut server = Running::start(&shop, &[])?;
    assert_eq!(call(&mut server)?, "you are [login of s]");
    guarded.state().is_over = true;
    guarded.forget_access();
    let needed =
        json!(["needs-login", format!("`s.who` failed ({}", NEEDED.replacen(": ", "): ", 1))]);
    assert_eq!(call(&mut server)?, needed);
    assert_eq!(call(&mut server)?, needed);
    // It is asked for once: the answer is kept, and lists know it without asking anybody.
    assert_eq!(guarded.renewals(), 1);
    let told = shop.say(&["capability", "list"])?;
    ensure!(told.errors.contains("s: needs login: run `mcp-pif capability login s`"), "{told:?}");
    // The broker sees the next login at once.
    guarded.state().is_over = false;
    log_in(&shop)?;
    assert_eq!(call(&mut server)?, "you are [login of s]");
    Ok(())
}

#[test]
fn a_login_waits_for_the_browser_as_long_as_it_may() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    let said = Login::begin(&shop, &["--no-browser", "--wait", "100ms"])?.end()?;
    ensure!(!said.ok && said.errors.contains("nobody came back from the browser"), "{said:?}");
    Ok(())
}

#[test]
fn a_login_that_allows_too_little_says_what_it_needs() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    log_in(&shop)?;
    guarded.change(|asked| {
        let headers =
            "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"write read\"\r\n";
        let told = Told { status: 403, headers: headers.to_owned(), body: String::new() };
        asked.body.contains("tools/call").then_some(told)
    });
    let told = "the login allows too little: run `mcp-pif capability login s --scope 'read offline_access write'`";
    assert_eq!(shop.complaint("s.who", "{}")?, format!("auth: {told}"));
    Ok(())
}

#[test]
fn a_logout_gives_the_tokens_back() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    log_in(&shop)?;
    let mut server = Running::start(&shop, &[])?;
    assert_eq!(call(&mut server)?, "you are [login of s]");
    let said = shop.say(&["capability", "logout", "s"])?;
    ensure!(said.ok && said.output == "s: logged out", "{said:?}");
    let returned = guarded.state().returned.clone();
    assert_eq!(returned, ["refresh-1-SECRETSECRET", "access-1-SECRETSECRET"]);
    ensure!(!shop.file("logins/s.json").exists());
    assert_eq!(call(&mut server)?[0], "needs-login");
    let said = shop.say(&["capability", "logout", "s"])?;
    ensure!(said.ok && said.output == "s: there was no login", "{said:?}");
    Ok(())
}

#[test]
fn no_token_shows_anywhere() -> Result<()> {
    let guarded = Guarded::start()?;
    let mut shop = shop(&guarded)?;
    shop.set("RUST_LOG", "trace");
    let login = Login::begin(&shop, &["--no-browser"])?;
    browse(&login.url)?;
    let mut said = vec![login.end()?];
    said.push(shop.say(&["capability", "call", "s.who", "--debug"])?);
    said.push(shop.say(&["run", "s.who({})"])?);
    // The authorization server quotes what it was sent.
    guarded.state().is_over = true;
    guarded.forget_access();
    said.push(shop.say(&["capability", "test", "s", "--debug"])?);
    said.push(shop.say(&["run", "s.who({})"])?);
    let told = format!("{said:?}");
    ensure!(told.contains("[login of s]") && told.contains("needs login"), "{told}");
    for secret in [SECRET, "code-0-of-this-login"] {
        ensure!(!told.contains(secret), "{secret}: {told}");
    }
    for file in fs::read_dir(shop.file("data"))? {
        let text = fs::read(file?.path())?;
        ensure!(!String::from_utf8_lossy(&text).contains(SECRET));
    }
    Ok(())
}
