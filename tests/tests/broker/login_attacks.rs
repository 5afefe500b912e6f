//! Logins that do not come about: metadata that leads astray, browsers that bring something else, tokens
//! that somebody else would get.

use super::authorization::{Asked, Guarded, Told, browse, form, get};
use super::login::{Login, NEEDED, SECRET, call, log_in, shop};
use super::shop::{Running, Shop};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;
use std::time::Duration;

#[test]
fn what_the_browser_brings_has_to_be_the_answer() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    let begin = || -> Result<(Login, String, String)> {
        let login = Login::begin(&shop, &["--no-browser"])?;
        let query = form(login.url.split_once('?').context("a query")?.1);
        Ok((login, query["redirect_uri"].clone(), query["state"].clone()))
    };
    // The answer to another login changes nothing.
    let (login, back, state) = begin()?;
    for strange in ["?code=c&state=other", "?code=c", "", &format!("?code=c&state={state}&state=x")]
    {
        let (status, _, page) = get(&format!("{back}{strange}"))?;
        ensure!(status == 400 && page.contains("no answer to a login"), "{strange}: {page}");
    }
    ensure!(get(&back.replace("/callback", "/"))?.0 == 404);
    browse(&login.url)?;
    let said = login.end()?;
    ensure!(said.ok, "{said:?}");
    for (brought, told) in [
        (
            "error=access_denied&error_description=not%20today&iss=ISSUER",
            "refuses: access_denied (not today)",
        ),
        ("code=c&iss=https%3A%2F%2Fother.test", "says that it is `https://other.test`"),
        ("code=c", "says that it is `nobody`"),
        ("code=forged&iss=ISSUER", "the token endpoint refuses: invalid_grant"),
    ] {
        let (login, back, state) = begin()?;
        let brought = brought.replace("ISSUER", &guarded.origin);
        get(&format!("{back}?{brought}&state={state}"))?;
        let said = login.end()?;
        ensure!(!said.ok && said.errors.contains(told), "{brought}: {said:?}");
    }
    // The login that there was is still there.
    shop.value("s.who", "{}")?;
    Ok(())
}

/// Changes a document on its way.
fn instead(guarded: &Guarded, path: &'static str, told: Told) {
    guarded.change(move |asked: &Asked| (asked.path == path).then(|| told.clone()));
}

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const ISSUER: &str = "/.well-known/oauth-authorization-server";

/// What a login says that cannot begin.
fn refused(shop: &Shop) -> Result<String> {
    let login = Login::begin(shop, &["--no-browser"]);
    Ok(login.err().context("it began")?.to_string())
}

#[test]
fn hostile_metadata_is_refused() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    let private = json!("http://10.0.0.1/x");
    let away = "without `https` it must be on this machine";
    for (path, member, value, expected) in [
        (RESOURCE, "resource", json!("https://bank.test/mcp"), "is for `https://bank.test/mcp`"),
        (RESOURCE, "authorization_servers", json!([private]), away),
        (RESOURCE, "authorization_servers", json!([]), "does not say where"),
        (ISSUER, "issuer", json!("https://bank.test"), "says that it is `https://bank.test`"),
        (ISSUER, "token_endpoint", private.clone(), away),
        (ISSUER, "token_endpoint", json!("https://169.254.169.254/"), "private network"),
        (ISSUER, "authorization_endpoint", json!("file:///etc/passwd"), "neither `https` nor"),
        (ISSUER, "registration_endpoint", private, "the registration endpoint has the address"),
        (ISSUER, "registration_endpoint", Value::Null, "\"oauth\": {\"client_id\""),
        (ISSUER, "code_challenge_methods_supported", json!(["plain"]), "does not support PKCE"),
    ] {
        let mut document = if path == ISSUER { guarded.issuer() } else { guarded.resource() };
        document[member] = value;
        instead(&guarded, path, Told::json(200, &document));
        let refused = refused(&shop)?;
        ensure!(refused.contains(expected), "{expected}: {refused}");
    }
    Ok(())
}

#[test]
fn answers_that_are_no_metadata_are_refused() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    let huge = Told::json(200, &json!({"resource": "x".repeat(300_000)}));
    let page = Told { status: 200, headers: String::new(), body: "<p>".to_owned() };
    let headers = "Location: http://10.0.0.1/x\r\n".to_owned();
    let away = Told { status: 302, headers, body: String::new() };
    let error = Told::json(400, &json!({"error": "invalid_redirect_uri"}));
    for (path, told, expected) in [
        (RESOURCE, &huge, "sent more than 262144 bytes"),
        (RESOURCE, &page, "sent what cannot be read"),
        (ISSUER, &huge, "sent more than 262144 bytes"),
        (ISSUER, &page, "sent what cannot be read"),
        (ISSUER, &away, "does not say where"),
        ("/register", &error, "refuses: invalid_redirect_uri"),
    ] {
        instead(&guarded, path, told.clone());
        let refused = refused(&shop)?;
        ensure!(refused.contains(expected), "{expected}: {refused}");
    }
    Ok(())
}

#[test]
#[ignore = "long"]
fn metadata_that_never_comes_ends_the_login() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    guarded.change(|asked| {
        if asked.path == ISSUER {
            thread::sleep(Duration::from_secs(30));
        }
        None
    });
    let told = refused(&shop)?;
    ensure!(told.contains("did not answer within 10s"), "{told}");
    Ok(())
}

#[test]
fn a_server_of_the_older_kind_is_its_own_authorization_server() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    // It says nothing with its refusal, and has no metadata of its own.
    guarded.change(|asked| {
        let told = |status| Some(Told { status, headers: String::new(), body: String::new() });
        match asked.path.as_str() {
            "/mcp" if asked.authorization.is_empty() => told(401),
            RESOURCE => told(404),
            _ => None,
        }
    });
    let told = shop.complaint("s.who", "{}")?;
    let hint = "if it has a login, run `mcp-pif capability login s`";
    ensure!(told.starts_with("auth: ") && told.contains(hint), "{told}");
    // It is left alone for a while, unless somebody logs in.
    let mut server = Running::start(&shop, &[])?;
    assert_eq!(call(&mut server)?[0], "auth");
    log_in(&shop)?;
    assert_eq!(call(&mut server)?, "you are [login of s]");
    // One that wants nothing has no login either.
    guarded.change(|asked| {
        let told = |status| Some(Told { status, headers: String::new(), body: String::new() });
        told(if asked.path == "/mcp" { 200 } else { 404 })
    });
    let told = refused(&shop)?;
    ensure!(told.contains("the server answers without a login"), "{told}");
    Ok(())
}

#[test]
fn a_token_goes_to_its_own_server_only() -> Result<()> {
    let (guarded, other) = (Guarded::start()?, Guarded::start()?);
    let shop = shop(&guarded)?;
    log_in(&shop)?;
    shop.value("s.who", "{}")?;
    // The address is that of another server by now.
    let config = |more: Value| json!({"mcpServers": {"s": more}});
    shop.write(&config(json!({"url": other.url(), "grants": "allow"})))?;
    other.change(|asked| {
        let has_token = asked.authorization.contains(SECRET);
        has_token.then(|| panic!("it got a token"))
    });
    ensure!(shop.complaint("s.who", "{}")? == NEEDED);
    // Others that have no login are told so.
    for (server, expected) in [
        (json!({"command": "true"}), "has no `url`"),
        (
            json!({"url": guarded.url(), "headers": {"authorization": "Bearer x"}}),
            "has a header `Authorization`",
        ),
        (json!({"url": "ftp://x"}), "the server `s` is off"),
    ] {
        shop.write(&config(server))?;
        let told = shop.say(&["capability", "login", "s"])?;
        ensure!(!told.ok && told.errors.contains(expected), "{expected}: {told:?}");
    }
    let told = shop.say(&["capability", "login", "t"])?;
    ensure!(!told.ok && told.errors.contains("there is no server `t`"), "{told:?}");
    Ok(())
}

#[test]
fn a_login_that_others_can_read_is_not_used() -> Result<()> {
    let guarded = Guarded::start()?;
    let shop = shop(&guarded)?;
    log_in(&shop)?;
    fs::set_permissions(shop.file("logins/s.json"), fs::Permissions::from_mode(0o644))?;
    let told = shop.complaint("s.who", "{}")?;
    ensure!(
        told.starts_with("auth: the login cannot be used") && told.contains("chmod 600"),
        "{told}"
    );
    Ok(())
}
