//! Beginnings that go wrong, methods that there are not, and ids of every kind.

use super::client::{Client, call, initialize, request};
use super::text::{FOREVER, OMEGA};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

fn message(answer: &Value) -> Result<&str> {
    answer["error"]["message"].as_str().with_context(|| format!("no error: {answer}"))
}

#[test]
fn a_malformed_initialize_names_what_is_wrong_with_it() -> Result<()> {
    let with = |name: &str, value: Value| {
        let mut params = initialize();
        params[name] = value;
        Some(params)
    };
    let without = |name: &str| {
        let mut params = initialize();
        params.as_object_mut()?.remove(name);
        Some(params)
    };
    let mut client = Client::start(&[])?;
    for (params, words) in [
        (None, "`params` is missing"),
        (Some(json!([])), "`params` must be an object"),
        (without("capabilities"), "`params.capabilities` is missing"),
        (with("capabilities", json!([])), "`params.capabilities` must be an object"),
        (with("capabilities", json!(null)), "`params.capabilities` must be an object"),
        (
            with("capabilities", json!({"roots": {}, "sampling": true})),
            "`params.capabilities.sampling`",
        ),
        (without("clientInfo"), "`params.clientInfo` is missing"),
        (with("clientInfo", json!([])), "`params.clientInfo` must be an object"),
        (with("clientInfo", json!({"name": "x"})), "`params.clientInfo.version` is missing"),
        (
            with("clientInfo", json!({"name": 1, "version": "1"})),
            "`params.clientInfo.name` must be a string",
        ),
        (without("protocolVersion"), "`params.protocolVersion` is missing"),
        (with("protocolVersion", json!(20_251_125)), "`params.protocolVersion` must be a string"),
    ] {
        let id = client.id();
        let mut line = json!({"jsonrpc": "2.0", "id": id, "method": "initialize"});
        if let Some(params) = params {
            line["params"] = params;
        }
        client.send(line.to_string())?;
        let answer = client.answer(&id)?;
        ensure!(message(&answer)?.contains(words), "{line}: {answer}");
        ensure!(!message(&answer)?.contains("_meta"), "{line}: {answer}");
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    for method in ["tools/list", "tools/call", "resources/list", "resources/templates/list"] {
        let id = client.id();
        client.send(request(&id, method, &json!({"name": "run"})))?;
        let answer = client.answer(&id)?;
        let told = format!("`{method}` came before `initialize`");
        ensure!(message(&answer)?.starts_with(&told), "{answer}");
    }
    client.initialize().map(drop)
}

#[test]
fn unknown_methods_are_answered_with_a_sentence() -> Result<()> {
    let mut client = Client::legacy()?;
    for method in [
        "prompts/list",
        "prompts/get",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "tasks/list",
        "nothing",
    ] {
        let params = json!({"name": "x", "level": "info", "uri": "pif://language"});
        let id = client.id();
        client.send(request(&id, method, &params))?;
        let answer = client.answer(&id)?;
        if answer["error"]["code"] == -32601 {
            assert_eq!(message(&answer)?, format!("there is no method `{method}`"));
        } else {
            ensure!(message(&answer)?.contains(' '), "{answer}");
        }
    }
    Ok(())
}

#[test]
fn every_list_checks_its_cursor() -> Result<()> {
    let mut client = Client::legacy()?;
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        let id = client.id();
        client.send(request(&id, method, &json!({"cursor": "nonsense"})))?;
        let answer = client.answer(&id)?;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        client.request(method, &json!({"cursor": ""}))?;
    }
    Ok(())
}

/// Every answer to `line`, which has this id, echoes it as it was sent.
fn ensure_echoed(client: &mut Client, line: &str, id: &str) -> Result<()> {
    client.send(line)?;
    let answer = client.next_line()?;
    let echoed = format!(r#"{{"jsonrpc":"2.0","id":{id},"#);
    ensure!(answer.starts_with(&echoed), "{line}: {answer}");
    Ok(())
}

#[test]
fn ids_are_echoed_as_they_were_sent() -> Result<()> {
    let mut client = Client::legacy()?;
    for id in [
        "0",
        "-5",
        "9223372036854775807",
        "-9223372036854775808",
        r#""123456789012345678901234567890""#,
        r#""\u0000""#,
    ] {
        let params = |method: &str, params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
        };
        for line in [
            params("ping", "{}"),
            params("tools/list", "{}"),
            params("tools/call", r#"{"name":"run","arguments":{"code":1}}"#),
            params("tools/call", r#"{"name":"nothing"}"#),
            params("nothing", "{}"),
            params("tools/call", "1"),
            format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"ping"}}"#),
        ] {
            ensure_echoed(&mut client, &line, id)?;
        }
    }
    Ok(())
}

#[test]
fn a_request_with_a_text_as_its_id_can_be_cancelled() -> Result<()> {
    const ID: &str = "\"12345678901234567890\"";
    let mut client = Client::legacy_with(FOREVER)?;
    client.send(call(&json!(0), "run", &OMEGA).replacen(":0,", &format!(":{ID},"), 1))?;
    client.send(format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{ID}}}}}"#
    ))?;
    // Its id belongs to nobody any more, and its answer is not sent.
    client.ping()?;
    assert!(client.try_find(|message| message["id"] == "12345678901234567890").is_none());
    Ok(())
}
