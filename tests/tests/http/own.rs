//! What belongs to a principal: others neither see it nor change it.

use super::client::{self, request, text};
use super::web::{Web, modern_headers};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// The principals that share nothing: each with the scope to run.
const PAIR: [(&str, &str); 2] = [("runner", "other"), ("other", "runner")];

/// A word that appears only in what belongs to one principal.
fn secret(name: &str) -> String {
    format!("secret-of-{name}")
}

fn told(web: &Web, name: &str, tool: &str, arguments: Value) -> Result<String> {
    Ok(web.call(name, tool, &arguments)?.to_string())
}

#[test]
fn the_memory_is_ones_own() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    for (name, _) in PAIR {
        web.call(name, "memory_store", &json!({"key": "k", "value": secret(name), "tags": ["t"]}))?;
        web.call(name, "memory_store", &json!({"key": format!("{name}_key"), "value": 1}))?;
    }
    for (name, other) in PAIR {
        let hidden = secret(other);
        for arguments in [
            json!({"key": "k"}),
            json!({"tags": ["t"]}),
            json!({"query": "secret"}),
            json!({}),
            json!({"key": format!("{other}_ke")}),
        ] {
            let seen = told(&web, name, "memory_retrieve", arguments.clone())?;
            let leaks = seen.contains(&hidden) || seen.contains(&format!("`{other}_key`"));
            ensure!(!leaks, "{arguments}: {seen}");
        }
        ensure!(told(&web, name, "memory_retrieve", json!({"key": "k"}))?.contains(&secret(name)));
    }
    // To forget a key touches only one's own.
    web.call("runner", "memory_store", &json!({"key": "k", "forget": true}))?;
    ensure!(
        told(&web, "other", "memory_retrieve", json!({"key": "k"}))?.contains("secret-of-other")
    );
    ensure!(!told(&web, "runner", "memory_retrieve", json!({"key": "k"}))?.contains("secret-of"));
    Ok(())
}

/// One search looks through everything, and through what is one's own of it.
#[test]
fn searches_find_what_is_ones_own() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    for (name, _) in PAIR {
        let (word, value) = (format!("word_of_{name}"), secret(name));
        web.call(name, "memory_store", &json!({"key": word, "value": value, "tags": ["t"]}))?;
        web.call(name, "run", &json!({"code": format!("\"{value}\"")}))?;
        web.call(name, "session_eval", &json!({"code": format!("const {word} = \"{value}\"; 1")}))?;
    }
    for (name, other) in PAIR {
        for query in ["secret", "word", &secret(other), &format!("word_of_{other}"), "secert"] {
            let arguments = json!({"query": query, "include_neighbors": true, "limit": 50});
            let seen = told(&web, name, "search", arguments)?;
            let leaks = seen.contains(&secret(other)) || seen.contains(&format!("word_of_{other}"));
            ensure!(!leaks, "{name}, {query}: {seen}");
        }
        let own = told(&web, name, "search", json!({"query": "secret", "limit": 50}))?;
        for kind in ["memory", "journal", "session"] {
            ensure!(own.contains(&format!("\"kind\":\"{kind}\"")), "{name}, {kind}: {own}");
        }
    }
    Ok(())
}

#[test]
fn the_journal_is_ones_own() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    let mut entries = Vec::new();
    for (name, _) in PAIR {
        web.call(name, "run", &json!({"code": format!("\"{}\"", secret(name))}))?;
        let recent = web.call(name, "journal_recent", &json!({"limit": 1}))?;
        let entry = &recent["structuredContent"]["entries"][0];
        ensure!(entry["principal"] == name, "{recent}");
        entries.push((name, entry["entry"].as_i64().context("a number")?));
    }
    for (name, other) in PAIR {
        let seen = told(&web, name, "journal_recent", json!({"limit": 100}))?;
        ensure!(seen.contains(&secret(name)) && !seen.contains(&secret(other)), "{seen}");
        let foreign = entries.iter().find(|(owner, _)| *owner == other).context("an entry")?.1;
        let replayed = told(&web, name, "replay", json!({"entry": foreign}))?;
        ensure!(!replayed.contains("equal to the record"), "{replayed}");
        let params = json!({"uri": format!("pif://journal/{foreign}")});
        let body = client::modern(&json!(1), "resources/read", params.clone())?;
        let read = web.post(&modern_headers(name, "resources/read", &params), &body)?;
        ensure!(read.answer()?.get("error").is_some(), "{}", read.text());
        let argument = json!({
            "ref": {"type": "ref/resource", "uri": "pif://journal/{entry}"},
            "argument": {"name": "entry", "value": ""},
        });
        let completed = web.modern(name, "completion/complete", argument)?;
        let values = completed["result"]["completion"]["values"].to_string();
        ensure!(!values.contains(&format!("\"{foreign}\"")), "{values}");
    }
    // Who has the scope `admin` sees all.
    let all = told(&web, "boss", "journal_recent", json!({"limit": 100}))?;
    ensure!(PAIR.iter().all(|(name, _)| all.contains(&secret(name))), "{all}");
    let (_, foreign) = entries[0];
    ensure!(
        told(&web, "boss", "replay", json!({"entry": foreign}))?.contains("equal to the record")
    );
    Ok(())
}

#[test]
fn sessions_are_ones_own() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    let mut names = Vec::new();
    for (name, _) in PAIR {
        let started = web.call(name, "session_start", &json!({"title": secret(name)}))?;
        let session =
            started["structuredContent"]["session"].as_str().context("a name")?.to_owned();
        let value = format!("\"{}\"", secret(name));
        let bind = json!({"session": session, "define": "x", "code": value});
        web.call(name, "session_eval", &bind)?;
        web.call(name, "session_eval", &json!({"define": "y", "code": value}))?;
        web.call(
            name,
            "session_save",
            &json!({"session": session, "name": format!("{name}_state")}),
        )?;
        names.push((name, session));
    }
    for (name, other) in PAIR {
        let foreign = &names.iter().find(|(owner, _)| *owner == other).context("a session")?.1;
        let state = format!("{other}_state");
        for (tool, arguments) in [
            ("session_list", json!({})),
            ("session_inspect", json!({"session": foreign})),
            ("session_inspect", json!({})),
            ("session_eval", json!({"session": foreign, "code": {"var": "x"}})),
            ("session_eval", json!({"code": {"var": "x"}})),
            ("session_forget", json!({"session": foreign, "all": true})),
            ("session_close", json!({"session": foreign})),
            ("session_save", json!({"session": foreign, "name": "mine"})),
            ("session_restore", json!({"name": state})),
            ("session_start", json!({"restore": state})),
            ("session_forget", json!({"saved": state})),
        ] {
            let seen = told(&web, name, tool, arguments.clone())?;
            ensure!(!seen.contains(&secret(other)), "{tool} {arguments}: {seen}");
        }
    }
    // Nothing of it was changed.
    for (name, session) in &names {
        let seen = told(&web, name, "session_inspect", json!({"session": session}))?;
        ensure!(seen.contains("\"x\""), "{seen}");
        ensure!(told(&web, name, "session_list", json!({}))?.contains(&format!("{name}_state")));
    }
    Ok(())
}

/// What the command line says of the store of a server.
fn command(web: &Web, words: &[&str]) -> Result<String> {
    let mut command = client::command(web.folder())?;
    command.args(words).arg("--data").arg(web.folder().path().join("data"));
    let output = command.output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{words:?}: {errors}");
    Ok(String::from_utf8(output.stdout)?)
}

#[test]
fn the_journal_of_one_person_is_shown_to_those_who_may_see_it() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    for (name, _) in PAIR {
        web.call(name, "run", &json!({"code": format!("\"{}\"", secret(name))}))?;
    }
    let of = |who: &str, name: &str| {
        told(&web, who, "journal_recent", json!({"principal": name, "limit": 100}))
    };
    for (name, other) in PAIR {
        let seen = of("boss", name)?;
        ensure!(seen.contains(&secret(name)) && !seen.contains(&secret(other)), "{seen}");
        ensure!(of(name, name)?.contains(&secret(name)));
        let refused = of(name, other)?;
        ensure!(refused.contains("only the scope `admin`"), "{refused}");
        ensure!(!refused.contains(&secret(other)), "{refused}");
        let shown = command(&web, &["journal", "--json", "--principal", name])?;
        ensure!(shown.contains(&secret(name)) && !shown.contains(&secret(other)), "{shown}");
    }
    ensure!(of("boss", "nobody")?.contains("no such entries"));
    ensure!(command(&web, &["journal", "--principal", "nobody"])?.is_empty());
    Ok(())
}

#[test]
fn what_belongs_to_one_person_is_shown_and_erased() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    for (name, _) in PAIR {
        let value = format!("\"{}\"", secret(name));
        web.call(
            name,
            "memory_store",
            &json!({"key": format!("{name}_key"), "value": secret(name)}),
        )?;
        web.call(name, "session_eval", &json!({"define": "x", "code": value}))?;
        web.call(name, "session_save", &json!({"name": format!("{name}_state")}))?;
    }
    web.call("maker", "evolve", &json!({"name": "one", "description": "1", "code": 1}))?;
    let line = "runner: 1 sessions, 1 saved states, 1 keys, 0 runs that wait";
    ensure!(command(&web, &["person", "list"])?.lines().any(|it| it == line));
    let shown = command(&web, &["person", "show", "runner"])?;
    ensure!(shown == "session default\nsaved runner_state\nkey runner_key\n", "{shown}");
    // Sessions of others are reached on the command line.
    ensure!(command(&web, &["session", "list", "--principal", "runner"])?.contains("runner_state"));
    ensure!(command(&web, &["session", "list"])?.is_empty());
    let session = ["session", "show", "x", "--principal", "runner"];
    ensure!(command(&web, &session)?.contains(&secret("runner")));
    ensure!(
        command(&web, &["session", "close", "default", "--principal", "other"])?.contains("closed")
    );
    let erased = command(&web, &["person", "erase", "runner"])?;
    ensure!(erased.starts_with("erased of runner: 2 sessions"), "{erased}");
    ensure!(command(&web, &["person", "show", "runner"])?.is_empty());
    // The server, which has run meanwhile, has nothing of it. Others keep what they have.
    for (name, is_left) in [("runner", false), ("other", true)] {
        let kept = told(&web, name, "memory_retrieve", json!({"key": format!("{name}_key")}))?;
        ensure!(kept.contains(&secret(name)) == is_left, "{kept}");
        let states = told(&web, name, "session_list", json!({}))?;
        ensure!(states.contains(&format!("{name}_state")) == is_left, "{states}");
    }
    let bound = told(&web, "runner", "session_eval", json!({"code": {"var": "x"}}))?;
    ensure!(bound.contains("unbound"), "{bound}");
    // The journal tells of it, and its chain holds.
    ensure!(
        command(&web, &["journal", "--kind", "session", "--tool", "runner"])?.contains("forgotten")
    );
    ensure!(command(&web, &["journal", "verify"])?.contains("each as it was written"));
    Ok(())
}

#[test]
fn tools_are_everybodys() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    let seven = json!({"name": "seven", "description": "seven", "code": 7});
    web.call("maker", "evolve", &seven)?;
    for name in ["runner", "other", "boss"] {
        ensure!(text(&web.call(name, "seven", &json!({}))?)? == "7");
    }
    Ok(())
}

#[test]
fn a_session_of_the_protocol_is_no_key() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    let session = web.session("runner")?;
    let ping = request(&json!(9), "ping", &json!({}));
    let as_other =
        session.headers.replace(&super::web::token("runner"), &super::web::token("other"));
    // Another principal cannot use it, hear it or end it, and is not told that it is there.
    let foreign = web.post(&as_other, &ping)?.refusal(404, &json!(9))?;
    let unknown = as_other.replace(&session.id, "no-such-session");
    let unknown = web.post(&unknown, &ping)?.refusal(404, &json!(9))?;
    ensure!(foreign.replace(&session.id, "S") == unknown.replace("no-such-session", "S"));
    web.connect()?.send("DELETE", "/mcp", &as_other, "")?.refusal(404, &Value::Null)?;
    let listening = format!("accept: text/event-stream\r\n{as_other}");
    web.connect()?.send("GET", "/mcp", &listening, "")?.refusal(404, &Value::Null)?;
    let notice =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    web.post(&as_other, &notice.to_string())?.refusal(404, &Value::Null)?;
    ensure!(session.post(&ping)?.status == 200);
    // Nobody chooses the id of a session.
    let initialize = request(&json!(0), "initialize", &client::initialize());
    let fixed = format!("{}mcp-session-id: fixed\r\n", super::web::authorization("other"));
    let begun = web.post(&fixed, &initialize)?;
    ensure!(begun.status == 200 && begun.headers["mcp-session-id"] != "fixed", "{}", begun.text());
    let taken = format!("{}mcp-session-id: {}\r\n", super::web::authorization("other"), session.id);
    let begun = web.post(&taken, &initialize)?;
    ensure!(begun.headers["mcp-session-id"] != session.id);
    web.post(&fixed, &ping)?.refusal(404, &json!(9))?;
    Ok(())
}
