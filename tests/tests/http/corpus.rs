//! The whole corpus over HTTP: every program gives the bytes that it gives on standard output.

use super::client::{Client, call, initialize, modern, request};
use super::web::{Connection, Web, modern_headers};
use anyhow::{Context, Result, ensure};
use pif::request::{Argument, Source};
use pif_tests::case::{self, Case};
use serde_json::{Value, json};

/// The least number of programs that are compared.
const LEAST: usize = 2_000;

#[test]
#[ignore = "long"]
fn programs_give_the_bytes_that_they_give_on_stdio() -> Result<()> {
    let corpus = case::corpus()?;
    let programs: Vec<String> =
        corpus.iter().flat_map(|file| &file.cases).filter_map(arguments).collect();
    ensure!(programs.len() >= LEAST, "only {} programs", programs.len());
    let mut stdio = Client::start(&[])?;
    stdio.send(request(&json!("init"), "initialize", &initialize()))?;
    stdio.next_line()?;
    let web = Web::start(&[])?;
    let session = web.session("")?;
    let mut older = web.connect()?;
    let mut newer = web.connect()?;
    for (id, arguments) in programs.iter().enumerate() {
        let text = call(&json!(id), "run", arguments);
        stdio.send(&text)?;
        // On a line, characters that some take for its end are escaped.
        let on_stdio = unescaped(&stdio.next_line()?);
        let over_http = older.post(&session.headers, &text)?.raw_answer()?;
        ensure!(over_http == on_stdio, "{arguments}\n  stdio: {on_stdio}\n  HTTP: {over_http}");
        let modern = stateless(&mut newer, id, arguments)?;
        let on_stdio: Value = serde_json::from_str(&on_stdio)?;
        for part in ["content", "structuredContent", "isError"] {
            let (one, other) = (&modern["result"][part], &on_stdio["result"][part]);
            ensure!(one == other, "{arguments}\n  without a session: {one}\n  with one: {other}");
        }
    }
    Ok(())
}

fn unescaped(line: &str) -> String {
    line.replace("\\u2028", "\u{2028}").replace("\\u2029", "\u{2029}").replace("\\u0085", "\u{85}")
}

/// Sends a call of `run` without a session.
fn stateless(connection: &mut Connection, id: usize, arguments: &str) -> Result<Value> {
    let params = json!({"name": "run"});
    let body = modern(&json!(id), "tools/call", params.clone())?;
    // The arguments stay as they are written.
    let with = format!("\"params\":{{\"arguments\":{arguments},");
    let body = body.replacen("\"params\":{", &with, 1);
    let reply = connection.post(&modern_headers("", "tools/call", &params), &body)?;
    reply.answer().with_context(|| reply.text())
}

/// The arguments of a call that runs a case; None for a case that needs more than `run`.
fn arguments(case: &Case) -> Option<String> {
    let program = &case.program;
    let Source::Term(code) = &program.code else { return None };
    if !program.tools.is_empty() || !program.bindings.is_empty() || program.step > 0 {
        return None;
    }
    let mut members = vec![("code", Value::from(code.as_str()).to_string())];
    match &program.argument {
        Argument::None => {}
        Argument::Input(text) => members.push(("input", Value::from(text.as_str()).to_string())),
        Argument::Data(text) => members.push(("data", Value::from(text.as_str()).to_string())),
        Argument::Unapplied => return None,
    }
    if let Some(context) = &program.context {
        members.push(("context", context.clone()));
    }
    members.push(("fuel", case.limits.fuel.min(1_000_000).to_string()));
    let members = members.iter().map(|(name, value)| format!("\"{name}\":{value}"));
    Some(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}
