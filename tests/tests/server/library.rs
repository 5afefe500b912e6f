//! The standard library on a real server: its tools are found, run, pinned, inspected, journaled
//! and replayed as evolved ones are, and none of them gets into a store by that.

use super::client::{Client, text};
use super::kept::{Kept, double};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

fn call(tool: &str, argument: &Value) -> Value {
    json!({"app": {"func": {"tool": tool}, "arg": argument}})
}

fn inspect(client: &mut Client, tool: &str) -> Result<Value> {
    let result = client.call("inspect", &json!({"tool": tool}))?;
    ensure!(result["isError"] == false, "{result}");
    Ok(result["structuredContent"].clone())
}

fn list(client: &mut Client, query: &str) -> Result<Value> {
    Ok(client.call("list", &json!({"query": query}))?["structuredContent"].clone())
}

fn names(found: &Value) -> Vec<&str> {
    found["tools"].as_array().into_iter().flatten().filter_map(|it| it["name"].as_str()).collect()
}

#[test]
fn its_tools_are_found_when_asked_for() -> Result<()> {
    let mut client = Client::legacy()?;
    let plain = client.call("list", &json!({}))?;
    let count = plain["structuredContent"]["library"].as_u64().context("a count")?;
    ensure!(
        text(&plain)?
            .ends_with(&format!("{count} tools of the library: list {{\"query\": \"std_\"}}"))
    );
    assert_eq!(plain["structuredContent"]["total"], 0);
    assert_eq!(plain["structuredContent"]["tools"], json!([]));
    let all = list(&mut client, "std_")?;
    assert_eq!((names(&all).len() as u64, all["total"].as_u64()), (count, Some(count)));
    ensure!(all["tools"].as_array().is_some_and(|all| all.iter().all(|it| it["library"] == true)));
    client.evolve("zz_average", "A moving average of my own", &double())?;
    let found = list(&mut client, "moving average")?;
    let mut first = names(&found)[..2].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["std_moving_average", "zz_average"]);
    let listed = client.request("tools/list", &json!({}))?.to_string();
    ensure!(
        listed.contains("zz_average") && !listed.contains("\"std_moving_average\""),
        "{listed}"
    );
    let help = client.text("help", &json!({}))?;
    ensure!(help.contains("list {\"query\": \"std_\"}") && help.len() < 6_000, "{help}");
    let help = client.text("help", &json!({"query": "histogram"}))?;
    ensure!(help.contains("in the library: std_histogram"), "{help}");
    Ok(())
}

#[test]
fn its_tools_run_by_every_way_that_there_is() -> Result<()> {
    let mut client = Client::legacy()?;
    let by_name = json!({"tool": "std_gcd", "data": [12, 18]});
    assert_eq!(client.text("run", &by_name)?, "6");
    assert_eq!(client.text("run", &json!({"code": "std_gcd", "input": [12, 18]}))?, "6");
    assert_eq!(client.text("std_gcd", &json!({"input": [12, 18]}))?, "6");
    assert_eq!(client.text("run", &json!({"code": call("std_lcm", &json!([4, 6]))}))?, "12");
    let evaluated = json!({"app": {"func": {"eval": {"code_of": "std_gcd"}}, "arg": [12, 18]}});
    assert_eq!(client.text("run", &json!({"code": evaluated}))?, "6");
    let revision =
        inspect(&mut client, "std_gcd")?["revision"].as_str().context("hash")?.to_owned();
    let pinned = format!("std_gcd@{}", &revision[..10]);
    assert_eq!(client.text("run", &json!({"tool": pinned, "data": [9, 6]}))?, "3");
    let wrong = client.fault("run", &json!({"tool": "std_gcd@00000000", "data": []}))?;
    assert_eq!(wrong["code"], "unknown-tool");
    let fault = client.fault("run", &json!({"code": call("moving_avrage", &json!(1))}))?;
    assert_eq!(fault["hint"], "did you mean `std_moving_average`?");
    let fault = client.fault("run", &json!({"tool": "std_gcd", "data": ["a", 2]}))?;
    assert_eq!((&fault["code"], &fault["calls"][0]), (&json!("fail"), &json!("std_gcd")));
    assert_eq!(fault["message"], "each number must be an integer, not \"a\"");
    Ok(())
}

#[test]
fn its_tools_can_be_looked_at() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve(
        "uses_span",
        "Uses it",
        &json!({"lam": "x", "body": call("std_span", &json!({"var": "x"}))}),
    )?;
    let found = inspect(&mut client, "std_span")?;
    assert_eq!(found["library"], true);
    assert_eq!(found["called_by"][0], "uses_span");
    ensure!(found["called_by"].to_string().contains("std_take_while"), "{found}");
    ensure!(
        found["source"].to_string().contains("enumerate") && found["forms"]["take"] == 1,
        "{found}"
    );
    assert_eq!(inspect(&mut client, "std_take_while")?["calls"], json!(["std_span"]));
    let fault = client.fault("inspect", &json!({"tool": "std_span", "revision": "00000000"}))?;
    assert_eq!(fault["code"], "malformed");
    let revision = found["revision"].as_str().context("a revision")?;
    for uri in ["pif://tool/std_span".to_owned(), format!("pif://tool/std_span@{revision}")] {
        let read = client.request("resources/read", &json!({"uri": uri}))?;
        let text = read["contents"][0]["text"].as_str().context("text")?;
        assert_eq!(serde_json::from_str::<Value>(text)?["revision"], revision);
    }
    let complete = |client: &mut Client, uri: &str, name: &str, value: &str| {
        let params = json!({"ref": {"type": "ref/resource", "uri": uri},
            "argument": {"name": name, "value": value}, "context": {"arguments": {"name": "std_span"}}});
        let completed = client.request("completion/complete", &params)?;
        Ok::<_, anyhow::Error>(completed["completion"]["values"].clone())
    };
    let names = complete(&mut client, "pif://tool/{name}", "name", "std_sp")?;
    assert_eq!(names, json!(["std_span"]));
    let hashes = complete(&mut client, "pif://tool/{name}@{hash}", "hash", "")?;
    assert_eq!(hashes, json!([revision]));
    let checked = client.call("check", &json!({"code": call("std_gcd", &json!([1]))}))?;
    assert_eq!(checked["structuredContent"]["tools"], json!(["std_gcd"]));
    Ok(())
}

/// What ran is written down by its revision, and comes out again; the store keeps no tool of it.
#[test]
fn a_run_of_it_is_journaled_and_replayed() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        let code = call("std_lcm", &json!([4, 6, 10]));
        assert_eq!(client.text("run", &json!({"code": code}))?, "60");
        let recent = client.call("journal_recent", &json!({"limit": 1}))?;
        let entry = recent["structuredContent"]["entries"][0]["entry"].as_i64().context("entry")?;
        let told = client.text("replay", &json!({"entry": entry}))?;
        ensure!(told.contains("equal"), "{told}");
        client.fault("run", &json!({"code": call("std_gdc", &json!([4]))})).map(drop)
    })?;
    let entries = kept.export()?;
    let answers = entries[0]["body"]["answers"].to_string() + &entries[0].to_string();
    let revision = hash(&kept, "std_lcm")?;
    ensure!(answers.contains("std_lcm") && answers.contains(&revision), "{answers}");
    ensure!(kept.prints(&["replay", "--all"])?.ends_with("2 equal, 0 different, 0 skipped\n"));
    let tools: i64 =
        kept.database()?.query_row("SELECT count(*) FROM revision", [], |it| it.get(0))?;
    assert_eq!(tools, 0);
    let printed = kept.execute_behind(&["run", "std_roman", "1994"])?;
    assert_eq!(printed.output, "MCMXCIV\n");
    Ok(())
}

/// A run that an earlier version journaled comes out again: by the revision of then.
#[test]
fn a_run_of_an_earlier_revision_is_replayed() -> Result<()> {
    let early = "eb54dcc08e68bf4648726567a0391461e50ceb174313f7965478cc13159a84c9";
    let kept = Kept::new()?;
    kept.session(|client| {
        let pinned = json!({"tool": format!("std_gcd@{early}"), "data": [12, 18]});
        assert_eq!(client.text("run", &pinned)?, "6");
        let now = inspect(client, "std_gcd")?;
        ensure!(now["revision"] != early, "{now}");
        let then = inspect(client, &format!("std_gcd@{early}"))?;
        assert_eq!(then["revision"], early);
        assert_eq!(client.text("run", &json!({"tool": "std_gcd", "data": [12, 18]}))?, "6");
        Ok(())
    })?;
    let replayed = kept.prints(&["replay", "--all"])?;
    ensure!(replayed.ends_with("2 equal, 0 different, 0 skipped\n"), "{replayed}");
    Ok(())
}

fn hash(kept: &Kept, tool: &str) -> Result<String> {
    let exported: Value = serde_json::from_str(&kept.prints(&["export", tool])?)?;
    let tools = exported["tools"].as_array().context("tools")?;
    let found = tools.iter().find(|it| it["name"] == tool).context("the tool")?;
    Ok(found["sha256"].as_str().context("a hash")?.to_owned())
}

#[test]
fn its_names_are_reserved() -> Result<()> {
    let mut client = Client::legacy()?;
    for name in ["std_gcd", "std_mine", "STD_gcd", "std-gcd"] {
        let arguments = json!({"name": name, "description": "d", "code": double()});
        let fault = client.fault("evolve", &arguments)?;
        assert_eq!(fault["code"], "malformed", "{name}");
        ensure!(fault["message"].to_string().contains("standard library"), "{fault}");
        ensure!(fault["hint"].to_string().contains("choose a name without"), "{fault}");
    }
    for arguments in [
        json!({"tool": "std_gcd", "retire": true}),
        json!({"tool": "std_gcd", "revision": "00000000"}),
    ] {
        let fault = client.fault("rollback", &arguments)?;
        ensure!(
            fault["message"].to_string().contains("belongs to the standard library"),
            "{fault}"
        );
    }
    // A copy under another name is anybody's.
    let source = inspect(&mut client, "std_gcd")?["source"].as_str().context("source")?.to_owned();
    client.evolve("my_gcd", "A copy", &json!(source))?;
    assert_eq!(client.text("run", &json!({"tool": "my_gcd", "data": [12, 18]}))?, "6");
    Ok(())
}

/// A store that had such a name before it was reserved goes on as it was.
#[test]
fn a_store_with_such_a_name_keeps_it() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| client.evolve("its_gcd", "Mine", &double()).map(drop))?;
    kept.tamper("UPDATE change SET name = 'std_gcd'")?;
    kept.tamper("UPDATE tool SET name = 'std_gcd'")?;
    kept.tamper("UPDATE entry SET subject = 'std_gcd'")?;
    kept.forge()?;
    kept.session(|client| {
        assert_eq!(client.text("run", &json!({"tool": "std_gcd", "input": 21}))?, "42");
        let found = inspect(client, "std_gcd")?;
        ensure!(found.get("library").is_none() && found["description"] == "Mine", "{found}");
        let listed = client.call("list", &json!({}))?;
        assert_eq!(names(&listed["structuredContent"]), ["std_gcd"]);
        let triple = json!({"lam": "x", "body": {"mul": [{"var": "x"}, 3]}});
        client.evolve("std_gcd", "Mine still", &triple)?;
        assert_eq!(client.text("run", &json!({"tool": "std_gcd", "input": 21}))?, "63");
        Ok(())
    })
}

/// A tool travels with what it needs; what the library there has is not put into the store.
#[test]
fn tools_that_use_it_travel() -> Result<()> {
    let (from, to) = (Kept::new()?, Kept::new()?);
    from.session(|client| {
        let code = json!({"lam": "x", "body": call("std_lcm", &json!({"var": "x"}))});
        client.evolve("beat", "When all meet again", &code).map(drop)
    })?;
    let exported = from.prints(&["export", "beat"])?;
    let file: Value = serde_json::from_str(&exported)?;
    assert_eq!(names(&file), ["beat", "std_ensure_integer", "std_gcd", "std_lcm"]);
    let imported = to.execute(&["import", "-"], &exported)?;
    ensure!(
        imported.code == Some(0) && imported.output.contains("std_lcm: unchanged"),
        "{imported:?}"
    );
    to.session(|client| {
        assert_eq!(client.text("beat", &json!({"input": [4, 6]}))?, "12");
        assert_eq!(names(&client.call("list", &json!({}))?["structuredContent"]), ["beat"]);
        Ok(())
    })?;
    // One that is not the library's is taken only if that is wanted, and then goes before it.
    let altered = exported.replace("The least common multiple", "Some multiple");
    let refused = to.execute(&["import", "-"], &altered)?;
    ensure!(refused.errors.contains("`std_lcm` is here already"), "{refused:?}");
    let replaced = to.execute(&["import", "--replace", "-"], &altered)?;
    ensure!(replaced.output.contains("std_lcm: new"), "{replaced:?}");
    to.session(|client| {
        let description = inspect(client, "std_lcm")?["description"].to_string();
        ensure!(description.starts_with("\"Some multiple"), "{description}");
        assert_eq!(client.text("beat", &json!({"input": [4, 6]}))?, "12");
        Ok(())
    })
}
