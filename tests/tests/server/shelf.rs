//! Sessions as files: from one store to another with equal values, fuel and bytes; files that mean
//! harm, which are the corpus `tests/hostile/sessions.json`; the other commands on sessions.

use super::client::Client;
use super::kept::{Kept, double};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// What both stores are asked.
const ASKED: [&str; 6] =
    ["f(a)", "[a, g(5), h(21)]", "p(1)", "eval(q)", "deep(3)", "[r.k, pair_of, big]"];

fn turn(client: &mut Client, arguments: &Value) -> Result<Value> {
    let result = client.call("session_eval", arguments)?;
    ensure!(result["isError"] == false, "{arguments}: {result}");
    Ok(result["structuredContent"].clone())
}

/// A store whose session has data, functions over data, of tools and of one another.
fn filled() -> Result<Kept> {
    let kept = Kept::new()?;
    kept.session(|client| {
        client.evolve("double", "Doubles", &double())?;
        client.evolve("fact", "Factorial", &json!("n => n <= 1 ? 1 : n * self(n - 1)"))?;
        let all = json!([
            ["a", "[1, 2, 3]"],
            ["f", "xs => xs.map(x => @double(x) + a[0]).sum()"],
            ["g", "@fact"],
            ["h", "@double"],
            ["p", "const f = (x, y) => x + y + a[2]; f(40)"],
            ["q", "quote(1 + 2)"],
            ["deep", "n => n == 0 ? [] : [self(n - 1)]"],
            ["r", "({k: \"\\u202e\", f: x => x})"],
            ["pair_of", "pair(1, 2.5)"],
            ["big", "2 ** 200"]
        ]);
        turn(client, &json!({ "define": all, "code": "a" })).map(drop)
    })?;
    Ok(kept)
}

/// Values and fuel of what is asked.
fn answers(client: &mut Client, session: &str) -> Result<Vec<(Value, Value)>> {
    let ask = |code: &&str| {
        let told = turn(client, &json!({"session": session, "code": code}))?;
        Ok((told["value"].clone(), told["fuel"].clone()))
    };
    ASKED.iter().map(ask).collect()
}

#[test]
fn a_session_moves_to_another_store() -> Result<()> {
    let (from, to) = (filled()?, Kept::new()?);
    let exported = from.prints(&["session", "export", "--with-tools"])?;
    let file: Value = serde_json::from_str(&exported)?;
    assert_eq!((&file["format"], &file["version"]), (&json!("mcp-pif export"), &json!(1)));
    let mut expected = Vec::new();
    from.session(|client| {
        expected = answers(client, "default")?;
        Ok(())
    })?;
    let printed = to.execute(&["session", "import", "-", "--with-tools"], &exported)?;
    ensure!(printed.code == Some(0) && printed.errors.is_empty(), "{printed:?}");
    let name = printed.output.trim_end().rsplit(' ').next().context("a name")?.to_owned();
    for line in ["double: new", "fact@", "f: function", "pair_of: pair", "q: quoted"] {
        ensure!(printed.output.contains(line), "{line}: {printed:?}");
    }
    let again = to.prints(&["session", "export", "--with-tools", "--session", &name])?;
    assert_eq!(again, exported);
    to.session(|client| {
        assert_eq!(answers(client, &name)?, expected);
        client.call("session_save", &json!({"session": name, "name": "kept"})).map(drop)
    })?;
    assert_eq!(to.prints(&["session", "export", "--with-tools", "--saved", "kept"])?, exported);
    to.prints(&["journal", "verify"])?;
    to.prints(&["replay", "--all"]).map(drop)
}

/// It goes into a session that is there, or into a saved state, in place of what these had.
#[test]
fn an_import_goes_where_it_is_told() -> Result<()> {
    let (from, to) = (filled()?, Kept::new()?);
    let exported = from.prints(&["session", "export", "--with-tools"])?;
    let import = ["session", "import", "-", "--with-tools"];
    to.session(|client| turn(client, &json!({"define": "old", "data": 1})).map(drop))?;
    for place in [["--session", "default"], ["--saved", "kept"], ["--saved", "kept"]] {
        let printed = to.execute(&[&import[..], &place[..]].concat(), &exported)?;
        ensure!(printed.code == Some(0), "{printed:?}");
        let exported_again = [&["session", "export", "--with-tools"][..], &place[..]].concat();
        assert_eq!(to.prints(&exported_again)?, exported);
    }
    let unsaved = to.execute(&[&import[..], &["--saved", "../x"]].concat(), &exported)?;
    ensure!(unsaved.code == Some(2), "{unsaved:?}");
    let listed = to.prints(&["session", "list"])?;
    ensure!(listed.contains("default: ") && listed.contains("saved kept: 10 bindings"), "{listed}");
    to.session(|client| {
        client.call("session_restore", &json!({"name": "kept"}))?;
        assert_eq!(turn(client, &json!({"code": "f(a)"}))?["value"], 15);
        assert_eq!(client.fault("session_eval", &json!({"code": "old"}))?["code"], "unbound");
        Ok(())
    })
}

#[test]
fn tools_come_along_only_when_asked_for() -> Result<()> {
    let (from, to) = (filled()?, Kept::new()?);
    let (bare, full) = (
        from.prints(&["session", "export"])?,
        from.prints(&["session", "export", "--with-tools"])?,
    );
    ensure!(bare.contains("\"tools\": []"), "{bare}");
    for file in [&bare, &full] {
        let printed = to.execute(&["session", "import", "-"], file)?;
        ensure!(printed.code == Some(1) && printed.output.is_empty(), "{printed:?}");
        ensure!(
            printed.errors.contains("names the tool `double`, which is not here"),
            "{printed:?}"
        );
        ensure!(printed.errors.contains("--with-tools"), "{printed:?}");
    }
    // Tools that are there already are used, and another one of the name is not replaced unasked.
    to.session(|client| client.evolve("double", "Triples", &json!("x => x * 3")).map(drop))?;
    let import = ["session", "import", "-", "--with-tools"];
    let printed = to.execute(&import, &full)?;
    ensure!(printed.errors.contains("`double` is here already"), "{printed:?}");
    ensure!(printed.errors.contains("at /tools"), "{printed:?}");
    let printed = to.execute(&[&import[..], &["--replace"]].concat(), &full)?;
    ensure!(printed.code == Some(0) && printed.output.contains("double: changed"), "{printed:?}");
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    #[serde(rename = "note")]
    _note: String,
    files: Vec<Hostile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hostile {
    name: String,
    raw: Option<String>,
    #[serde(default)]
    put: Map<String, Value>,
    #[serde(default)]
    remove: Vec<String>,
    repeat: Option<(String, usize)>,
    /// Stands as often for CLOSE.
    #[serde(default)]
    close: String,
    /// A binding whose hash is made to fit.
    hash: Option<usize>,
    code: String,
    place: String,
    words: String,
}

impl Hostile {
    fn text(&self, exported: &str) -> Result<String> {
        let text = match &self.raw {
            Some(raw) => raw.clone(),
            None => self.altered(serde_json::from_str(exported)?)?.to_string(),
        };
        Ok(match &self.repeat {
            Some((part, count)) => {
                let text = text.replace("CLOSE", &self.close.repeat(*count));
                text.replace("REPEAT", &part.repeat(*count))
            }
            None => text,
        })
    }

    fn altered(&self, mut file: Value) -> Result<Value> {
        for (pointer, value) in &self.put {
            let (parent, name) = pointer.rsplit_once('/').context("a pointer")?;
            file.pointer_mut(parent).context("no such place")?[name] = value.clone();
        }
        for pointer in &self.remove {
            let (parent, name) = pointer.rsplit_once('/').context("a pointer")?;
            let parent = file.pointer_mut(parent).and_then(Value::as_object_mut);
            parent.and_then(|parent| parent.remove(name)).context("no such member")?;
        }
        if let Some(index) = self.hash {
            let term = file["session"]["bindings"][index]["term"].to_string();
            let digest = Sha256::digest(term.as_bytes());
            let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            file["session"]["bindings"][index]["sha256"] = hash.into();
        }
        Ok(file)
    }
}

/// A file that means harm gets a fault with its place, and nothing is changed.
#[test]
fn files_that_mean_harm_are_refused() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile/sessions.json");
    let corpus: Corpus = serde_json::from_str(&fs::read_to_string(path)?)?;
    let from = Kept::new()?;
    from.session(|client| {
        let all = json!([["a", "[1, 2, 3]"], ["f", "x => x + a[0]"]]);
        turn(client, &json!({ "define": all })).map(drop)
    })?;
    let exported = from.prints(&["session", "export"])?;
    let to = Kept::new()?;
    to.session(|client| turn(client, &json!({"define": "own", "data": 1})).map(drop))?;
    let before = to.prints(&["session", "export"])?;
    for hostile in &corpus.files {
        let text = hostile.text(&exported)?;
        let printed = to.execute(&["session", "import", "-", "--session", "default"], &text)?;
        let name = &hostile.name;
        ensure!(printed.code == Some(1) && printed.output.is_empty(), "{name}: {printed:?}");
        ensure!(printed.errors.starts_with(&format!("{}: ", hostile.code)), "{name}: {printed:?}");
        ensure!(printed.errors.contains(&hostile.words), "{name}: {printed:?}");
        let is_told = |line: &str| line.starts_with(&hostile.place);
        ensure!(printed.errors.lines().any(is_told), "{name}: {printed:?}");
        ensure!(printed.errors.ends_with("nothing was imported\n"), "{name}: {printed:?}");
        let is_plain = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
        ensure!(printed.errors.chars().all(is_plain), "{name}: {printed:?}");
    }
    assert_eq!(to.prints(&["session", "export"])?, before);
    assert_eq!(to.prints(&["session", "list"])?.lines().count(), 1);
    to.prints(&["journal", "verify"]).map(drop)
}

#[cfg(unix)]
#[test]
fn a_file_that_is_too_large_is_not_read() -> Result<()> {
    let errors = Kept::new()?.complains(&["session", "import", "/dev/zero"])?;
    ensure!(errors.contains("more than the 134217728 bytes"), "{errors}");
    Ok(())
}

#[test]
fn sessions_are_shown_and_removed() -> Result<()> {
    let kept = filled()?;
    let shown = kept.prints(&["session", "show"])?;
    ensure!(shown.contains("a: list, 7 bytes\n") && shown.contains("_1: list"), "{shown}");
    assert_eq!(kept.prints(&["session", "show", "a"])?, "[1, 2, 3]\n");
    assert_eq!(kept.prints(&["session", "show", "a", "--json"])?, "[1,2,3]\n");
    let errors = kept.complains(&["session", "show", "deap"])?;
    ensure!(errors.contains("did you mean `deep`?"), "{errors}");
    assert_eq!(kept.prints(&["session", "forget", "a", "big"])?, "forgotten in default\n");
    ensure!(kept.complains(&["session", "forget", "a"])?.starts_with("unbound: "));
    ensure!(kept.execute(&["session", "forget"], "")?.code == Some(2));
    let saved = kept.complains(&["session", "export", "--saved", "none"])?;
    ensure!(saved.starts_with("unknown-session: there is no saved state `none`"), "{saved}");
    assert_eq!(kept.prints(&["session", "close", "default"])?, "default is closed\n");
    let line = kept.prints(&["session", "list", "--json"])?;
    ensure!(line.is_empty(), "{line}");
    kept.prints(&["journal", "verify"]).map(drop)
}

/// A store that had a tool of such a name before the name was reserved.
#[test]
fn a_tool_whose_name_is_built_in_now_is_told_at_the_start() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        client.evolve("mine", "Mine", &double())?;
        client.evolve("own", "Mine, too", &double()).map(drop)
    })?;
    for (from, to) in [("mine", "session_eval"), ("own", "execute")] {
        for (table, column) in [("change", "name"), ("tool", "name"), ("entry", "subject")] {
            let sql = format!("UPDATE {table} SET {column} = '{to}' WHERE {column} = '{from}'");
            kept.tamper(&sql)?;
        }
    }
    kept.forge()?;
    let mut client = kept.server(&[])?;
    let list = client.request("tools/list", &json!({}))?;
    let tools = list["tools"].as_array().context("tools")?;
    let count = |name: &str| tools.iter().filter(|tool| tool["name"] == name).count();
    assert_eq!((count("session_eval"), count("execute")), (1, 0));
    for name in ["session_eval", "execute"] {
        assert_eq!(client.text("run", &json!({"tool": name, "input": 21}))?, "42");
        let told = client.call(name, &json!({"code": "6 * 7"}))?;
        assert_eq!(told["structuredContent"]["session"], "default", "{told}");
        let fault = client.fault("evolve", &json!({"name": name, "description": "", "code": 1}))?;
        ensure!(fault["message"].to_string().contains("built-in"), "{fault}");
    }
    let ending = client.finish()?;
    for name in ["session_eval", "execute"] {
        let warning = format!("the tool `{name}` has a name that the server itself has now");
        assert_eq!(ending.errors.matches(&warning).count(), 1, "{ending:?}");
    }
    Ok(())
}
