//! Resources, their templates and completions, in both eras of the protocol.

use anyhow::{Context, Result, ensure};
use pif_server::workshop::library;
use serde_json::{Value, json};

use super::client::{Client, modern, request};

const CHANGED: &str = "notifications/resources/list_changed";

#[derive(Clone, Copy, PartialEq)]
enum Era {
    Legacy,
    Modern,
}

/// A client of an era.
struct Session(Client, Era);

impl Session {
    fn both() -> Result<[Self; 2]> {
        let modern = Client::start(&[])?;
        Ok([Self(Client::legacy()?, Era::Legacy), Self(modern, Era::Modern)])
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        match self.1 {
            Era::Legacy => self.0.request(method, &params),
            Era::Modern => self.0.modern(method, params),
        }
    }

    fn error(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.0.id();
        let line = match self.1 {
            Era::Legacy => request(&id, method, &params),
            Era::Modern => modern(&id, method, params)?,
        };
        self.0.send(line)?;
        let answer = self.0.answer(&id)?;
        answer.get("error").cloned().with_context(|| format!("no error: {answer}"))
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments}))?;
        ensure!(result["isError"] == false, "{tool}: {result}");
        Ok(result["structuredContent"].clone())
    }

    /// Makes or changes a tool, and returns its whole revision.
    fn evolve(&mut self, name: &str, code: &Value) -> Result<String> {
        let arguments = json!({"name": name, "description": format!("Is {name}"), "code": code});
        let made = self.call("evolve", &arguments)?;
        let found = self.call("inspect", &json!({"tool": name}))?;
        let revision = found["revision"].as_str().context("a revision")?;
        let short = made["revision"].as_str().context("a revision")?;
        ensure!(revision.starts_with(short), "{made} is not {found}");
        Ok(revision.to_owned())
    }

    /// The text of a resource and its kind.
    fn read(&mut self, uri: &str) -> Result<(String, String)> {
        let result = self.ask("resources/read", json!({ "uri": uri }))?;
        ensure!(result.get("ttlMs").is_some() == (self.1 == Era::Modern), "{result}");
        let [contents] = result["contents"].as_array().context("contents")?.as_slice() else {
            anyhow::bail!("not one: {result}");
        };
        ensure!(contents["uri"] == uri, "{contents}");
        let text = |member: &str| contents[member].as_str().map(str::to_owned).context("text");
        Ok((text("text")?, text("mimeType")?))
    }

    fn read_json(&mut self, uri: &str) -> Result<Value> {
        let (text, kind) = self.read(uri)?;
        ensure!(kind == "application/json", "{uri}: {kind}");
        Ok(serde_json::from_str(&text)?)
    }
}

#[test]
fn the_language_is_a_resource() -> Result<()> {
    for mut session in Session::both()? {
        let (text, kind) = session.read("pif://language")?;
        assert_eq!(kind, "text/markdown");
        ensure!(
            text.starts_with("# ") && text.contains("{\"fold\": [f, init, list]}"),
            "{text:.90}"
        );
        let list = session.ask("resources/list", json!({}))?;
        assert_eq!(list["resources"][0]["uri"], "pif://language");
        assert_eq!(list["resources"][0]["size"], text.len());
    }
    Ok(())
}

#[test]
fn tools_are_resources_at_all_their_revisions() -> Result<()> {
    for mut session in Session::both()? {
        let code = json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}});
        let first = session.evolve("double", &code)?;
        let second = session.evolve("double", &json!({"add": [123_456_789_012_345_678_u64, 1]}))?;
        let now = session.read_json("pif://tool/double")?;
        assert_eq!(now["code"], json!({"add": [123_456_789_012_345_678_u64, 1]}));
        assert_eq!(
            [&now["name"], &now["revision"], &now["description"], &now["examples"]],
            [&json!("double"), &json!(second), &json!("Is double"), &json!([])]
        );
        for pinned in [first.clone(), first[..8].to_owned(), first.to_uppercase()] {
            let then = session.read_json(&format!("pif://tool/double@{pinned}"))?;
            assert_eq!((&then["code"], &then["revision"]), (&code, &json!(first)), "{pinned}");
        }
        let escaped = session.read_json(&format!("pif://tool/double%40{first}"))?;
        assert_eq!(escaped["revision"], json!(first));
        let list = session.ask("resources/list", json!({}))?;
        let listed = &list["resources"][1];
        assert_eq!([&listed["uri"], &listed["name"]], ["pif://tool/double", "double"]);
        ensure!(listed["description"].to_string().contains("(evolved, "), "{listed}");
    }
    Ok(())
}

#[test]
fn entries_of_the_journal_are_resources() -> Result<()> {
    for mut session in Session::both()? {
        session.evolve("one", &json!(1))?;
        session.call("run", &json!({"tool": "one"}))?;
        let made = session.read_json("pif://journal/1")?;
        assert_eq!([&made["kind"], &made["subject"], &made["ending"]], ["evolve", "one", "new"]);
        let run = session.read_json("pif://journal/2")?;
        assert_eq!(
            (&run["entry"], &run["kind"], &run["fuel"]),
            (&json!(2), &json!("run"), &json!(1))
        );
        assert_eq!(run["body"]["outcome"]["value"], "1");
        assert_eq!(run["hash"].as_str().map(str::len), Some(64));
    }
    Ok(())
}

#[test]
fn what_is_no_resource_is_told_by_name() -> Result<()> {
    for mut session in Session::both()? {
        let hash = session.evolve("double", &json!(2))?;
        let wrong =
            format!("pif://tool/double@{}", hash.replace(|c: char| c.is_alphanumeric(), "0"));
        for (uri, words) in [
            ("pif://language/", "pif://tool/{name}"),
            ("", "pif://journal/{entry}"),
            ("file:///etc/passwd", "`file:///etc/passwd`"),
            ("pif://tool/", "no tool has that name"),
            ("pif://tool/doubel", "did you mean `pif://tool/double`?"),
            ("pif://tool/double@", "first 8 digits"),
            ("pif://tool/double@12", "first 8 digits"),
            (&wrong, "has no such revision"),
            (&wrong.replace("double", "unheard"), "no tool has that name"),
            ("pif://tool/../journal/1", "no tool has that name"),
            ("pif://journal/", "entries have numbers"),
            ("pif://journal/x", "entries have numbers"),
            ("pif://journal/+1", "entries have numbers"),
            ("pif://journal/-1", "entries have numbers"),
            ("pif://journal/99999999999999999999", "entries have numbers"),
            ("pif://journal/7", "does not have this entry"),
        ] {
            let error = session.error("resources/read", json!({ "uri": uri }))?;
            // The later era knows no code of its own for it.
            let code = if session.1 == Era::Legacy { -32002 } else { -32602 };
            ensure!(error["code"] == code && error["data"]["uri"] == uri, "{uri}: {error}");
            let message = error["message"].as_str().context("a message")?;
            ensure!(message.contains(words), "{uri}: {message}");
        }
        let error = session.error("resources/read", json!({}))?;
        assert_eq!(error["code"], -32602, "{error}");
        let error = session.error("resources/list", json!({"cursor": "bad"}))?;
        assert_eq!(error["code"], -32602, "{error}");
    }
    Ok(())
}

#[test]
fn many_tools_come_in_pages() -> Result<()> {
    let [mut session, _] = Session::both()?;
    for index in 0..230 {
        session.evolve(&format!("tool{index:03}"), &json!(index))?;
    }
    let (mut uris, mut pages) = (Vec::new(), 1);
    let mut page = session.ask("resources/list", json!({}))?;
    loop {
        let listed = page["resources"].as_array().context("resources")?;
        uris.extend(listed.iter().filter_map(|it| it["uri"].as_str()).map(str::to_owned));
        let Some(cursor) = page.get("nextCursor").cloned() else { break };
        page = session.ask("resources/list", json!({ "cursor": cursor }))?;
        pages += 1;
    }
    let expected = (0..230).map(|index| format!("pif://tool/tool{index:03}"));
    let expected: Vec<String> = ["pif://language".to_owned()].into_iter().chain(expected).collect();
    assert_eq!((uris, pages), (expected, 3));
    Ok(())
}

fn complete(session: &mut Session, uri: &str, name: &str, value: &str) -> Result<Value> {
    let argument = json!({"name": name, "value": value});
    let params = json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": argument});
    Ok(session.ask("completion/complete", params)?["completion"].clone())
}

#[test]
fn templates_are_completed() -> Result<()> {
    for mut session in Session::both()? {
        let templates = session.ask("resources/templates/list", json!({}))?;
        let uris: Vec<&Value> = templates["resourceTemplates"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| &it["uriTemplate"])
            .collect();
        assert_eq!(
            uris,
            ["pif://tool/{name}", "pif://tool/{name}@{hash}", "pif://journal/{entry}"]
        );
        let (one, two) = (session.evolve("a_1", &json!(1))?, session.evolve("a_1", &json!(2))?);
        session.evolve("a_1", &json!(1))?;
        for index in 0..120 {
            session.evolve(&format!("b{index:03}"), &json!(index))?;
        }
        let found = complete(&mut session, "pif://tool/{name}", "name", "a")?;
        assert_eq!(found, json!({"values": ["a_1"], "total": 1, "hasMore": false}));
        let found = complete(&mut session, "pif://tool/{name}@{hash}", "name", "")?;
        assert_eq!(found["values"].as_array().map(Vec::len), Some(100));
        // And those of the library.
        let all = 121 + library().tools().count();
        assert_eq!((&found["total"], &found["hasMore"]), (&json!(all), &json!(true)));
        for none in ["B", "b2", "é", "\0", "%", "zz"] {
            let found = complete(&mut session, "pif://tool/{name}", "name", none)?;
            assert_eq!(found["total"], 0, "{none:?}: {found}");
        }
        let params = |name: &str, prefix: &str| {
            json!({
                "ref": {"type": "ref/resource", "uri": "pif://tool/{name}@{hash}"},
                "argument": {"name": "hash", "value": prefix},
                "context": {"arguments": {"name": name}},
            })
        };
        let found = session.ask("completion/complete", params("a_1", ""))?["completion"].clone();
        assert_eq!((&found["values"], &found["total"]), (&json!([one, two]), &json!(2)));
        let found = session.ask("completion/complete", params("a_1", &two[..9]))?;
        assert_eq!(found["completion"]["values"], json!([two]));
        let found = session.ask("completion/complete", params("unheard", ""))?;
        assert_eq!(found["completion"]["values"], json!([]));
        let found = complete(&mut session, "pif://journal/{entry}", "entry", "12")?;
        assert_eq!(found["values"], json!(["123", "122", "121", "120", "12"]));
        let found = complete(&mut session, "pif://journal/{entry}", "entry", "")?;
        assert_eq!((&found["values"][0], &found["total"]), (&json!("123"), &json!(123)));
        let named = |kind: &str, member: &str, name: &str| json!({"ref": {"type": kind, member: name}, "argument": {"name": "x", "value": ""}});
        for wrong in [
            named("ref/prompt", "name", "x"),
            named("ref/resource", "uri", "pif://tool/{name}"),
            named("ref/resource", "uri", "pif://nothing/{name}"),
            named("ref/nothing", "uri", "pif://tool/{name}"),
            json!({}),
        ] {
            let error = session.error("completion/complete", wrong.clone())?;
            assert_eq!(error["code"], -32602, "{wrong}: {error}");
        }
    }
    Ok(())
}

#[test]
fn the_older_protocol_hears_of_changed_resources() -> Result<()> {
    let [mut session, _] = Session::both()?;
    session.evolve("one", &json!(1))?;
    let told = session.0.notification(CHANGED)?;
    ensure!(told.get("id").is_none(), "{told}");
    session.0.notification("notifications/tools/list_changed")?;
    Ok(())
}

/// A subscriber hears of what it asked for and of nothing else.
#[test]
fn subscribers_hear_of_changed_resources() -> Result<()> {
    for (filter, tools, resources) in [
        (json!({"resourcesListChanged": true}), 0, 1),
        (json!({"toolsListChanged": true}), 1, 0),
        (json!({"toolsListChanged": true, "resourcesListChanged": true}), 1, 1),
        (json!({"resourceSubscriptions": ["pif://tool/one"]}), 0, 0),
    ] {
        let [_, mut session] = Session::both()?;
        let id = json!("listener");
        let params = json!({"notifications": filter});
        session.0.send(modern(&id, "subscriptions/listen", params)?)?;
        session.0.notification("notifications/subscriptions/acknowledged")?;
        session.evolve("one", &json!(1))?;
        // The end of the input ends subscriptions: what is due is waited for before.
        let mut all = Vec::new();
        for _ in 0..tools + resources {
            let told = session.0.find(|it| {
                it["method"].as_str().is_some_and(|method| method.ends_with("list_changed"))
            })?;
            let subscription = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            assert_eq!(*subscription, id, "{told}");
            all.push(told);
        }
        let rest = session.0.finish()?.rest;
        ensure!(rest.iter().all(|it| it.get("method").is_none()), "{rest:?}");
        let count = |method: &str| all.iter().filter(|it| it["method"] == method).count();
        assert_eq!(count("notifications/tools/list_changed"), tools, "{filter}");
        assert_eq!(count(CHANGED), resources, "{filter}");
    }
    Ok(())
}
