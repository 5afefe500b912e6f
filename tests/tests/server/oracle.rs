//! The recorded answers of the original MCP-PIF server against the real one: its calls as lines, its
//! tools as tools of one registry.

use super::client::{Client, result};
use anyhow::{Context, Result, ensure};
use pif_tests::oracle::{Divergences, Members, Recorded, Reply, cases, divergences};
use serde_json::Value;

/// What the original did not bound, as high as it goes.
const LIMITS: &[&str] =
    &["--fuel", "1G", "--max-nesting", "100000", "--max-result", "2M", "--wall-clock", "1h"];

/// The call that is refused there and has a value here: `evolve` makes a function of a term with
/// one free variable, which is the server's doing and not the evaluator's.
const MADE_A_FUNCTION: (&str, &str) = ("docs.readme/016", "42");

/// The call of a tool with the name `self`, which `evolve` refuses here.
const NAMED_SELF: (&str, &str) = ("code_of/015", "outside-tool");

/// Calls that are on their way at once.
const PIPELINED: usize = 64;

#[test]
#[ignore = "long"]
fn the_server_answers_as_the_original_did() -> Result<()> {
    let (divergences, cases) = (divergences()?, cases()?);
    let mut client = Client::legacy_with(LIMITS)?;
    let (changing, pure): (Vec<Recorded>, Vec<Recorded>) = cases.into_iter().partition(is_change);
    let mut wrong = Vec::new();
    for cases in pure.chunks(PIPELINED) {
        let ids = cases.iter().map(|case| send(&mut client, case)).collect::<Result<Vec<_>>>()?;
        for (case, id) in cases.iter().zip(ids) {
            wrong.extend(judge(
                case,
                &client.answer(&id).with_context(|| case.id.clone())?,
                &divergences,
            ));
        }
    }
    for case in &changing {
        for arguments in &case.setup {
            // A refusal shows in what the call gives.
            client.call_text("evolve", &serde_json::to_string(arguments)?)?;
        }
        let id = send(&mut client, case)?;
        let answer = client.answer(&id).with_context(|| case.id.clone())?;
        if case.id == MADE_A_FUNCTION.0 {
            ensure!(reply(&answer)?.as_deref() == Some(MADE_A_FUNCTION.1), "{answer}");
        } else if case.id == NAMED_SELF.0 {
            let code = &answer["result"]["structuredContent"]["code"];
            ensure!(code == NAMED_SELF.1, "{answer}");
        } else {
            wrong.extend(judge(case, &answer, &divergences));
        }
        retire(&mut client, case)?;
    }
    ensure!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

/// Sends a recorded call as it is, and gives its id.
fn send(client: &mut Client, case: &Recorded) -> Result<Value> {
    let (id, params) = (client.id(), serde_json::to_string(&case.call)?);
    client.send(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#
    ))?;
    Ok(id)
}

fn is_change(case: &Recorded) -> bool {
    let is_evolve = case.call.get("name").is_some_and(|name| name.get() == r#""evolve""#);
    is_evolve || !case.setup.is_empty()
}

fn judge(case: &Recorded, answer: &Value, divergences: &Divergences) -> Option<String> {
    let error = case.judge(&reply(answer), divergences).err()?;
    Some(format!("{}: {error:#}", case.id))
}

/// What an answer says: the value of a run, nothing of a change, or a refusal.
fn reply(answer: &Value) -> Reply {
    let result = result(answer)?;
    let record = &result["structuredContent"];
    ensure!(result["isError"] == false, "{record}");
    if let Some(exact) = record["exact"].as_str() {
        return Ok(Some(exact.to_owned()));
    }
    if record.get("revision").is_some() {
        return Ok(None);
    }
    let value = record.get("value").with_context(|| format!("no value: {result}"))?;
    Ok(Some(value.to_string()))
}

/// Hides the tools that a case has made from the next one.
fn retire(client: &mut Client, case: &Recorded) -> Result<()> {
    let own = case.call.get("arguments").map(|it| it.get());
    let own: Option<Members> = own.and_then(|it| serde_json::from_str(it).ok());
    for arguments in case.setup.iter().chain(&own) {
        let Some(name) = arguments.get("name") else { continue };
        client.call_text("rollback", &format!(r#"{{"tool":{},"retire":true}}"#, name.get()))?;
    }
    Ok(())
}
