//! The memory: what comes back, what is found and in which order, what is refused, and what is
//! still there after the server was started anew.

use super::client::{Client, text};
use super::folder::Folder;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;

fn server(folder: &Path) -> Result<Client> {
    Client::legacy_with(&["--data", folder.to_str().context("a path in UTF-8")?])
}

/// Stores a value that is given as text, and gives the status.
fn store(client: &mut Client, key: &str, value: &str) -> Result<String> {
    let arguments = format!("{{\"key\":{},\"value\":{value}}}", json!(key));
    let result = client.call_text("memory_store", &arguments)?;
    ensure!(result["isError"] == false, "{key}: {result}");
    Ok(result["structuredContent"]["status"].as_str().context("a status")?.to_owned())
}

fn keys(result: &Value) -> Vec<&str> {
    let entries = result["structuredContent"]["entries"].as_array();
    entries.into_iter().flatten().filter_map(|entry| entry["key"].as_str()).collect()
}

fn search(client: &mut Client, query: &str) -> Result<Vec<String>> {
    let result = client.call("memory_retrieve", &json!({"query": query}))?;
    ensure!(result["isError"] == false, "{query}: {result}");
    Ok(keys(&result).into_iter().map(str::to_owned).collect())
}

/// Values, as they are sent and as their text comes back.
const VALUES: [(&str, &str); 16] = [
    ("null", "null"),
    ("false", "false"),
    ("0", "0"),
    ("-0.0", "-0.0"),
    (r#""""#, ""),
    ("[]", "[]"),
    ("{}", "{}"),
    (r#""text""#, "text"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
    ("1.50", "1.50"),
    ("1e400", "1e400"),
    (r#"{"b":1,"a":[2,{"c":null}]}"#, r#"{"b":1,"a":[2,{"c":null}]}"#),
    ("{ \"a\" : [ 1,\t2 ] }", r#"{"a":[1,2]}"#),
    (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#),
    (r#""line\n\u202e\"""#, "line\n\u{202e}\""),
];

#[test]
fn values_come_back_as_they_were_written_also_after_a_restart() -> Result<()> {
    let folder = Folder::new()?;
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let values = || VALUES.iter().copied().chain([(deep.as_str(), deep.as_str())]);
    let mut client = server(folder.path())?;
    for (index, (value, _)) in values().enumerate() {
        assert_eq!(store(&mut client, &format!("key {index}"), value)?, "stored", "{value}");
        assert_eq!(store(&mut client, &format!("key {index}"), value)?, "unchanged", "{value}");
    }
    ensure!(client.finish()?.status.success());
    let mut client = server(folder.path())?;
    for (index, (value, shown)) in values().enumerate() {
        let result = client.call("memory_retrieve", &json!({"key": format!("key {index}")}))?;
        ensure!(result["isError"] == false && text(&result)? == shown, "{value}: {result}");
        let record = &result["structuredContent"];
        let parsed: Option<Value> = serde_json::from_str(value).ok();
        ensure!(record.get("value").is_some() || record.get("exact").is_some(), "{result}");
        if let Some(told) = record.get("value") {
            ensure!(Some(told) == parsed.as_ref(), "{value}: {result}");
        }
        // Whatever parsers round, shorten or refuse is there as text too.
        let is_hard = value.len() > 30 || value.contains("400") || value.contains(r#""a":2"#);
        if is_hard {
            ensure!(record["exact"] == shown, "{value}: {result}");
        }
    }
    let info = client.call("server_info", &json!({}))?;
    assert_eq!(info["structuredContent"]["memory"], values().count());
    Ok(())
}

#[test]
fn no_key_is_no_value() -> Result<()> {
    for profile in ["slim", "structured", "debug"] {
        let mut client = Client::legacy_with(&["--profile", profile])?;
        client.text("memory_store", &json!({"key": "units", "value": null}))?;
        let kept = client.call("memory_retrieve", &json!({"key": "units"}))?;
        ensure!(kept["isError"] == false && text(&kept)? == "null", "{kept}");
        let none = client.call("memory_retrieve", &json!({"key": "unit"}))?;
        ensure!(none["isError"] == true, "{none}");
        ensure!(text(&none)?.starts_with("unknown-key: the memory has no key `unit`"), "{none}");
        ensure!(text(&none)?.contains("did you mean `units`?"), "{none}");
    }
    Ok(())
}

#[test]
fn keys_change_and_are_forgotten() -> Result<()> {
    let mut client = Client::legacy()?;
    let tagged = json!({"key": "a", "value": 1, "tags": ["x", "y", "x"]});
    let first = client.call("memory_store", &tagged)?["structuredContent"].clone();
    assert_eq!((&first["status"], &first["tags"]), (&json!("stored"), &json!(["x", "y"])));
    // Without tags it keeps those it has; with an empty list it has none.
    let changed = client.call("memory_store", &json!({"key": "a", "value": 2}))?;
    assert_eq!(changed["structuredContent"]["status"], "changed");
    assert_eq!(changed["structuredContent"]["tags"], json!(["x", "y"]));
    let found = client.call("memory_retrieve", &json!({"key": "a"}))?["structuredContent"].clone();
    assert_eq!((&found["value"], &found["created"]), (&json!(2), &first["created"]));
    ensure!(found["updated"].as_i64() >= first["updated"].as_i64(), "{found}");
    client.text("memory_store", &json!({"key": "a", "value": 2, "tags": []}))?;
    let found = client.call("memory_retrieve", &json!({"tags": ["x"]}))?;
    assert_eq!(found["structuredContent"]["total"], 0);
    let forgot = json!({"key": "a", "forget": true});
    assert_eq!(client.text("memory_store", &forgot)?, "forgot `a`");
    assert_eq!(client.fault("memory_retrieve", &json!({"key": "a"}))?["code"], "unknown-key");
    let again = client.call("memory_store", &forgot)?;
    assert_eq!(again["structuredContent"]["status"], "unchanged");
    assert_eq!(search(&mut client, "a")?, [""; 0]);
    Ok(())
}

#[test]
fn searches_rank_what_fits_best_first() -> Result<()> {
    let mut client = Client::legacy()?;
    for index in 0..30 {
        store(&mut client, &format!("filler {index}"), "\"nothing to do with it at all\"")?;
    }
    for (key, value, tags) in [
        ("user/favourite-colour", json!("dark blue"), json!(["user"])),
        ("shopping", json!({"items": ["milk", "blue paint"], "colour": "any"}), json!(["list"])),
        ("Übung", json!("Die Größe der Fläche"), json!(["schule", "user"])),
        ("escaped", json!("x"), json!([])),
        ("数学", json!("数学の教師"), json!([])),
    ] {
        client.text("memory_store", &json!({"key": key, "value": value, "tags": tags}))?;
    }
    store(&mut client, "escaped", r#"{"na\u006de":"\u00fcber\nuns"}"#)?;
    for (query, found) in [
        ("blue colour", &["user/favourite-colour", "shopping"][..]),
        ("which colours does the user like?", &["user/favourite-colour", "Übung", "shopping"]),
        ("blue", &["user/favourite-colour", "shopping"]),
        ("MILK", &["shopping"]),
        ("grosse uber", &["escaped"]),
        ("übung", &["Übung"]),
        ("fläche", &["Übung"]),
        ("fav", &["user/favourite-colour"]),
        ("name", &["escaped"]),
        ("数学", &["数学"]),
        ("unheard", &[]),
    ] {
        let mut keys = search(&mut client, query)?;
        if query.starts_with("which") {
            assert_eq!(keys[0], found[0], "{keys:?}");
            keys.sort();
            assert_eq!(keys, ["shopping", "user/favourite-colour", "Übung"]);
        } else {
            assert_eq!(keys, found, "{query}");
        }
    }
    let tagged = |tags: Value| json!({"tags": tags});
    let both = json!({"query": "blue", "tags": ["list"]});
    for (arguments, found) in [
        (tagged(json!(["user"])), &["Übung", "user/favourite-colour"][..]),
        (tagged(json!(["user", "schule"])), &["Übung"]),
        (tagged(json!(["user", "list"])), &[]),
        (both, &["shopping"]),
    ] {
        let result = client.call("memory_retrieve", &arguments)?;
        assert_eq!(keys(&result), found, "{arguments}: {result}");
    }
    let all = client.call("memory_retrieve", &json!({"tags": []}))?;
    assert_eq!((keys(&all).len(), &all["structuredContent"]["total"]), (20, &json!(35)));
    assert_eq!(keys(&all)[..3], ["escaped", "数学", "Übung"], "the latest first");
    let few = client.call("memory_retrieve", &json!({"query": "nothing", "limit": 3}))?;
    assert_eq!((keys(&few).len(), &few["structuredContent"]["total"]), (3, &json!(30)));
    ensure!(text(&few)?.starts_with("3 of 30 entries:\n- \"filler "), "{few}");
    Ok(())
}

/// Nothing in a query is syntax, whatever the index would take it for.
#[test]
fn any_text_is_a_query() -> Result<()> {
    let mut client = Client::legacy()?;
    store(&mut client, "note", "\"alpha beta NEAR key:value\"")?;
    let many = (0..10_000).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    for (query, found) in [
        ("\"", 0),
        ("alpha\"", 1),
        ("\"alpha beta", 1),
        ("alpha AND", 1),
        ("NOT alpha", 1),
        ("NEAR(alpha beta, 2)", 1),
        ("alpha*", 1),
        ("^alpha", 1),
        ("key:alpha", 1),
        ("{key value}: alpha", 1),
        ("-alpha", 1),
        ("alpha + beta", 1),
        ("a\0l\0pha alpha\0", 1),
        ("'; DROP TABLE memory; --", 0),
        ("!!! ??? ((( ***", 0),
        ("🙂 ❤️", 0),
        ("\u{202e}\u{200b}", 0),
        (" \n\t ", 0),
        (&many, 0),
        (&format!("alpha {many}"), 1),
        (&"x".repeat(1_000_000), 0),
        (&"alpha-".repeat(100_000), 1),
        (&"\"*(".repeat(100_000), 0),
    ] {
        let told = || format!("{query:.60?}");
        let result = client.call("memory_retrieve", &json!({"query": query})).with_context(told)?;
        ensure!(result["structuredContent"]["total"] == found, "{}: {result}", told());
    }
    Ok(())
}

#[test]
fn arguments_that_contradict_each_other_are_told() -> Result<()> {
    let mut client = Client::legacy()?;
    for (tool, arguments, words) in [
        ("memory_retrieve", json!({}), "there is nothing to look for"),
        ("memory_retrieve", json!({"key": null}), "there is nothing to look for"),
        ("memory_retrieve", json!({"key": "a", "query": "b"}), "`key` is given with a query"),
        ("memory_retrieve", json!({"key": "a", "tags": []}), "`key` is given with a query"),
        ("memory_retrieve", json!({"key": 1}), "`key` must be a string"),
        ("memory_retrieve", json!({"query": ["a"]}), "`query` must be a string"),
        ("memory_retrieve", json!({"tags": "a"}), "`tags` must be a list of strings"),
        ("memory_retrieve", json!({"tags": [1]}), "`tags` must be a string"),
        ("memory_retrieve", json!({"tags": vec!["a"; 17]}), "there are 17 tags"),
        ("memory_retrieve", json!({"query": "a", "limit": 0}), "`limit` is out of range"),
        ("memory_retrieve", json!({"query": "a", "limit": 101}), "`limit` is out of range"),
        ("memory_retrieve", json!({"query": "a", "limit": "x"}), "`limit` must be a whole number"),
        ("memory_retrieve", json!({"keys": "a"}), "did you mean `key`?"),
        ("memory_retrieve", json!({"query": "a", "context": "b"}), "are both given"),
        ("memory_store", json!({"value": 1, "pattern": 1}), "are both given"),
        ("memory_store", json!({"value": 1, "confidence": 2}), "is not between 0 and 1"),
        ("memory_store", json!({"value": 1, "confidence": "x"}), "`confidence` must be a number"),
        ("memory_store", json!({"outcome": "helped"}), "`outcome` is not of a key alone"),
        ("memory_store", json!({"key": "a", "outcome": "x"}), "must be one of: helped, failed"),
        ("memory_store", json!({"key": "a"}), "the argument `value` is missing"),
        ("memory_store", json!({"key": 1, "value": 1}), "`key` must be a string"),
        ("memory_store", json!({"key": "a", "value": 1, "forget": true}), "`forget` is given with"),
        ("memory_store", json!({"key": "a", "tags": [], "forget": true}), "`forget` is given with"),
        ("memory_store", json!({"key": "a", "forget": 1}), "`forget` must be true or false"),
    ] {
        let result = client.call(tool, &arguments)?;
        ensure!(result["isError"] == true, "{tool} {arguments}: {result}");
        assert_eq!(result["structuredContent"]["code"], "malformed", "{tool} {arguments}");
        ensure!(text(&result)?.contains(words), "{tool} {arguments}: {result}");
    }
    assert_eq!(client.call("server_info", &json!({}))?["structuredContent"]["memory"], 0);
    Ok(())
}

#[test]
fn caps_hold_and_say_what_they_are() -> Result<()> {
    let mut client = Client::legacy_with(&["--max-data", "10000"])?;
    let long = |n: usize| json!("é".repeat(n));
    let many = |n: usize| -> Value { (0..n).map(|n| format!("tag {n}")).collect() };
    let text = |n: usize| json!("x".repeat(n));
    for (arguments, verdict) in [
        (json!({"key": long(256), "value": 1}), Ok(())),
        (
            json!({"key": long(257), "value": 1}),
            Err(("malformed", "257 characters, more than 256")),
        ),
        // An empty text is none: the key is made.
        (json!({"key": "", "value": 1}), Ok(())),
        (json!({"key": " \u{a0}", "value": 1}), Err(("malformed", "the key is blank"))),
        (json!({"key": "a\nb", "value": 1}), Err(("malformed", "U+000A at position 1"))),
        (json!({"key": "a\u{202e}b", "value": 1}), Err(("malformed", "U+202E at position 1"))),
        (json!({"key": "a", "value": text(9_998)}), Ok(())),
        (json!({"key": "a", "value": text(9_999)}), Err(("too-large", "10001 bytes"))),
        (json!({"key": "a", "value": 1, "tags": many(16)}), Ok(())),
        (json!({"key": "a", "value": 1, "tags": many(17)}), Err(("malformed", "17 tags"))),
        (json!({"key": "a", "value": 1, "tags": [long(64)]}), Ok(())),
        (json!({"key": "a", "value": 1, "tags": [long(65)]}), Err(("malformed", "65 characters"))),
        (json!({"key": "a", "value": 1, "tags": [""]}), Err(("malformed", "the tag is blank"))),
        (json!({"key": "a", "value": 1, "tags": ["\0"]}), Err(("malformed", "U+0000"))),
    ] {
        let result = client.call("memory_store", &arguments)?;
        let record = &result["structuredContent"];
        let told = format!("{arguments:.80}: {result:.400}");
        match verdict {
            Ok(()) => ensure!(result["isError"] == false, "{told}"),
            Err((code, words)) => {
                ensure!(record["code"] == code, "{told}");
                ensure!(record["message"].as_str().is_some_and(|it| it.contains(words)), "{told}");
            }
        }
    }
    Ok(())
}

/// A reply is never longer than results may be, and a value is never shown in part.
#[test]
fn long_values_are_told_by_their_size() -> Result<()> {
    let mut client = Client::legacy_with(&["--max-result", "2000"])?;
    let stored = client.text("memory_store", &json!({"key": "long", "value": "x".repeat(3000)}))?;
    ensure!(stored.contains("replies show at most 2000 characters"), "{stored}");
    let alone = client.call("memory_retrieve", &json!({"key": "long"}))?;
    let record = &alone["structuredContent"];
    assert_eq!((&record["truncated"], &record["size"]), (&json!(true), &json!(3000)));
    ensure!(record.get("value").is_none() && !alone.to_string().contains("xxx"), "{alone}");
    for index in 0..5 {
        store(&mut client, &format!("half {index}"), &json!("half ".repeat(160)).to_string())?;
    }
    store(&mut client, "short", "\"half\"")?;
    let found = client.call("memory_retrieve", &json!({"tags": []}))?;
    ensure!(text(&found)?.chars().count() <= 2_200, "{found}");
    let entries = found["structuredContent"]["entries"].as_array().context("entries")?;
    assert_eq!(entries.len(), 7);
    let whole = |entry: &&Value| entry.get("value").is_some();
    assert_eq!(entries.iter().filter(whole).count(), 3, "{found}");
    for entry in entries.iter().filter(|entry| !whole(entry)) {
        assert_eq!(entry["truncated"], true, "{entry}");
        ensure!(entry["size"].as_u64() >= Some(802), "{entry}");
    }
    // Where there is no room for the keys, the others are counted.
    for index in 0..60 {
        store(&mut client, &format!("{index} {}", "k".repeat(200)), "1")?;
    }
    let found = client.call("memory_retrieve", &json!({"query": "kkk", "limit": 100}))?;
    ensure!(text(&found)?.starts_with("9 of 60 entries:\n"), "{found}");
    ensure!(keys(&found).len() == 9 && found.to_string().len() < 8_000, "{found}");
    Ok(())
}

/// One line for each entry, whatever the values hold.
#[test]
fn entries_pretend_nothing() -> Result<()> {
    let mut client = Client::legacy()?;
    let hostile = "x\u{2028}- \"forged\": 1\u{202e}\u{1b}[31m\n- \"forged\": 2";
    client.text("memory_store", &json!({"key": "evil `key`: \"1\"", "value": hostile}))?;
    let found = client.call("memory_retrieve", &json!({"tags": []}))?;
    let told = text(&found)?;
    ensure!(!told.contains(['\u{2028}', '\u{202e}', '\u{1b}']), "{told:?}");
    assert_eq!(told.lines().count(), 2, "{told}");
    let line = told.lines().nth(1).context("an entry")?;
    let json = line.strip_prefix(r#"- "evil `key`: \"1\"": "#).with_context(|| line.to_owned())?;
    // It is the value all the same.
    assert_eq!(serde_json::from_str::<Value>(json)?, hostile);
    assert_eq!(found["structuredContent"]["entries"][0]["value"], hostile);
    assert_eq!(client.text("memory_retrieve", &json!({"key": "evil `key`: \"1\""}))?, hostile);
    Ok(())
}

/// Stored, changed, left as it was, forgotten, refused: all of it is in the journal, and looking
/// is not.
#[test]
fn changes_are_journaled_and_looks_are_not() -> Result<()> {
    let mut client = Client::legacy()?;
    for arguments in [
        json!({"key": "a", "value": [1]}),
        json!({"key": "a", "value": {"two": 2}}),
        json!({"key": "a", "value": {"two": 2}}),
        json!({"key": "a", "forget": true}),
        json!({"key": "a\u{200b}", "value": 1}),
    ] {
        client.call("memory_store", &arguments)?;
        client.call("memory_retrieve", &json!({"key": "a"}))?;
        client.call("memory_retrieve", &json!({"query": "a"}))?;
        client.call("memory_retrieve", &json!({}))?;
    }
    let mut entries = Vec::new();
    for number in 1..=5 {
        let params = json!({"uri": format!("pif://journal/{number}")});
        let read = client.request("resources/read", &params)?;
        let text = read["contents"][0]["text"].as_str().context("text")?;
        entries.push(serde_json::from_str::<Value>(text)?);
    }
    let told: Vec<[&str; 3]> = entries
        .iter()
        .map(|entry| ["kind", "subject", "ending"].map(|it| entry[it].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(
        told,
        [
            ["memory", "a", "stored"],
            ["memory", "a", "changed"],
            ["memory", "a", "unchanged"],
            ["memory", "a", "forgotten"],
            ["refusal", "memory_store", "malformed"],
        ]
    );
    assert_eq!(
        entries[1]["body"]["request"]["arguments"],
        json!({"key": "a", "value": {"two": 2}}).to_string()
    );
    assert_eq!(entries[1]["body"]["outcome"]["previous"]["bytes"], 3);
    let info = client.call("server_info", &json!({}))?;
    assert_eq!(info["structuredContent"]["journal"]["entries"], 5);
    Ok(())
}

/// What one process keeps the other one finds at once.
#[test]
fn processes_share_a_memory() -> Result<()> {
    let folder = Folder::new()?;
    let (mut one, mut other) = (server(folder.path())?, server(folder.path())?);
    for index in 0..20 {
        let (writer, reader) =
            if index % 2 == 0 { (&mut one, &mut other) } else { (&mut other, &mut one) };
        store(writer, "turn", &index.to_string())?;
        assert_eq!(reader.text("memory_retrieve", &json!({"key": "turn"}))?, index.to_string());
    }
    store(&mut one, "last", "\"zebra\"")?;
    assert_eq!(search(&mut other, "zebra")?, ["last"]);
    Ok(())
}

/// What was learned comes back by its context, the surest first, and outcomes change the order.
#[test]
fn outcomes_change_what_comes_first() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path())?;
    let context = "monthly report of invoices";
    let mut keys = Vec::new();
    for (name, value) in [("pattern", "sum them by month"), ("value", "convert currencies first")] {
        let stored = client.call("memory_store", &json!({name: value, "context": context}))?;
        let record = &stored["structuredContent"];
        ensure!(record["status"] == "stored" && record["confidence"] == 0.8, "{stored}");
        keys.push(record["key"].as_str().context("a key")?.to_owned());
    }
    ensure!(keys[0] != keys[1] && keys[0].starts_with("monthly-report-of-invoices/"), "{keys:?}");
    let again = json!({"value": "sum them by month", "context": context});
    let told = client.text("memory_store", &again)?;
    ensure!(told.ends_with("helped 1 of 1 times: confidence 0.87"), "{told}");
    let recalled = |client: &mut Client, tool: &str| -> Result<Vec<String>> {
        let found = client.call(tool, &json!({"context": "a report of the invoice"}))?;
        Ok(self::keys(&found).into_iter().map(str::to_owned).collect())
    };
    assert_eq!(recalled(&mut client, "memory_retrieve")?, keys);
    for _ in 0..2 {
        client.text("memory_store", &json!({"key": keys[0], "outcome": "failed"}))?;
    }
    ensure!(client.finish()?.status.success());
    let mut client = server(folder.path())?;
    keys.reverse();
    assert_eq!(recalled(&mut client, "memory_recall")?, keys);
    let missing = client.fault("memory_store", &json!({"key": "none", "outcome": "helped"}))?;
    assert_eq!(missing["code"], "unknown-key");
    Ok(())
}
