//! Hostile texts in every place where programs and models put texts: what the server says of them
//! hides nothing, and what is a value stays as it is. The corpus is `tests/hostile/text.json`.

use super::client::{Client, call, command, request, text};
use super::folder::Folder;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    #[serde(rename = "note")]
    _note: String,
    texts: Vec<Text>,
    places: Vec<Place>,
    kept: Vec<Kept>,
    names: Names,
    twins: Vec<Twins>,
    arguments: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    name: String,
    #[serde(rename = "text")]
    content: String,
    /// Characters that must not reach a reader.
    marks: String,
    /// How the text reaches one.
    shown: String,
    /// What becomes of it as a description; refused if nothing is said.
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    name: String,
    tool: Option<String>,
    #[serde(default)]
    arguments: Value,
    /// Arguments as text, where JSON values cannot say them.
    raw: Option<String>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    /// The code of the fault.
    fault: Option<String>,
    /// The code of the error.
    error: Option<i64>,
    /// Members that hold data as it is.
    #[serde(default)]
    exact: Vec<String>,
    /// The text need not be quoted at all.
    #[serde(default)]
    silent: bool,
    /// The text may be quoted without regard to backticks, or in a pointer.
    #[serde(default)]
    loose: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    name: String,
    arguments: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    refused: Vec<String>,
    kept: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Twins {
    first: String,
    second: String,
    expected: String,
}

fn corpus() -> Result<Corpus> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile/text.json");
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

impl Place {
    /// The request with a text in its place.
    fn request(&self, id: &Value, text: &str) -> String {
        let fill = |template: String| template.replace("\"TEXT\"", &json!(text).to_string());
        match (&self.tool, &self.method) {
            (Some(tool), _) => {
                let arguments = self.raw.clone().unwrap_or_else(|| self.arguments.to_string());
                let tool = if tool == "TEXT" { text } else { tool };
                call(id, tool, &fill(arguments))
            }
            (None, method) => {
                let method = method.as_deref().unwrap_or_default();
                let method = if method == "TEXT" { text } else { method };
                request(id, method, &json!({})).replace(
                    "\"params\":{}",
                    &format!("\"params\":{}", fill(self.params.to_string())),
                )
            }
        }
    }

    /// Everything in the answer that the server says, and not the program.
    fn said(&self, answer: &Value) -> Vec<String> {
        let mut said = Vec::new();
        let mut open = vec![answer];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => said.push(text.clone()),
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    said.extend(members.keys().cloned());
                    let is_said = |key: &str| !self.exact.iter().any(|exact| exact == key);
                    open.extend(members.iter().filter(|(key, _)| is_said(key)).map(|it| it.1));
                }
                _ => {}
            }
        }
        said
    }

    fn ensure_verdict(&self, answer: &Value) -> Result<()> {
        let result = &answer["result"];
        match (&self.fault, self.error) {
            (Some(code), _) => ensure!(result["structuredContent"]["code"] == *code, "{answer}"),
            (None, Some(code)) => ensure!(answer["error"]["code"] == code, "{answer}"),
            (None, None) => ensure!(result["isError"] == false, "{answer}"),
        }
        Ok(())
    }

    /// What is said shows the text without its marks.
    fn ensure_shown(&self, text: &Text, answer: &Value) -> Result<()> {
        let said = self.said(answer);
        let hidden = said.iter().find(|it| it.contains(|c| text.marks.contains(c)));
        ensure!(hidden.is_none(), "{:?} shows through in {hidden:?}", text.marks);
        let loose = text.shown.replace("\\u0060", "`");
        let pointer = loose.replace('/', "~1");
        let json = json!(text.content).to_string();
        let is_shown = |it: &String| {
            it.contains(&text.shown)
                || (self.loose && [&loose, &pointer, &json].iter().any(|form| it.contains(*form)))
        };
        ensure!(self.silent || said.iter().any(is_shown), "{} is not in {said:?}", text.shown);
        Ok(())
    }
}

#[test]
fn what_is_said_of_a_text_hides_nothing() -> Result<()> {
    let corpus = corpus()?;
    let mut client = Client::legacy_with(&["--debug"])?;
    for place in &corpus.places {
        for text in &corpus.texts {
            let told = || format!("{} in {}", text.name, place.name);
            let id = client.id();
            client.send(place.request(&id, &text.content))?;
            let answer = client.answer(&id).with_context(told)?;
            place.ensure_verdict(&answer).with_context(told)?;
            place.ensure_shown(text, &answer).with_context(told)?;
        }
    }
    let ending = client.finish()?;
    let is_mark = |c: char| corpus.texts.iter().any(|text| text.marks.contains(c));
    let line = ending.errors.lines().find(|line| line.contains(is_mark));
    ensure!(line.is_none(), "standard error shows {line:?}");
    ensure!(ending.errors.contains("look up tool"), "nothing was logged: {}", ending.errors);
    ensure!(!ending.errors.lines().any(|it| it.starts_with("ERROR forged")), "a forged line");
    Ok(())
}

#[test]
fn what_is_said_of_a_long_text_is_short() -> Result<()> {
    const MOST: usize = 30_000;
    let mut client = Client::legacy()?;
    for text in ["x".repeat(200_000), "\u{202e}".repeat(200_000), "`\\\u{1b}".repeat(70_000)] {
        for place in corpus()?.places.iter().filter(|place| place.exact.is_empty()) {
            let id = client.id();
            client.send(place.request(&id, &text))?;
            let answer = client.answer(&id).with_context(|| place.name.clone())?;
            let length: usize = place.said(&answer).iter().map(String::len).sum();
            ensure!(length <= MOST, "{}: {length} bytes about {:.3}", place.name, text);
            ensure!(!place.said(&answer).iter().any(|it| it.contains(['\u{202e}', '\u{1b}'])));
        }
    }
    Ok(())
}

#[test]
fn values_stay_as_they_are() -> Result<()> {
    let corpus = corpus()?;
    let mut client = Client::legacy()?;
    for place in &corpus.kept {
        for hostile in &corpus.texts {
            let told = || format!("{} in {}", hostile.name, place.name);
            let arguments = place.arguments.to_string();
            let arguments = arguments.replace("\"TEXT\"", &json!(hostile.content).to_string());
            let result = client.call_text("run", &arguments).with_context(told)?;
            ensure!(text(&result)? == hostile.content, "{}: {result}", told());
            ensure!(
                result["structuredContent"]["value"] == hostile.content,
                "{}: {result}",
                told()
            );
        }
    }
    for hostile in &corpus.texts {
        let id = json!(hostile.content);
        client.send(request(&id, "ping", &json!({})))?;
        client.answer(&id).with_context(|| format!("{} as an id", hostile.name))?;
    }
    Ok(())
}

#[test]
fn descriptions_hide_nothing() -> Result<()> {
    let corpus = corpus()?;
    let mut client = Client::legacy()?;
    for hostile in &corpus.texts {
        let arguments = json!({"name": "tool", "description": hostile.content, "code": 1});
        let result = client.call("evolve", &arguments)?;
        let is_kept = hostile.description.as_deref() == Some("kept");
        ensure!(result["isError"] != is_kept, "{}: {result}", hostile.name);
        let listed = client.request("tools/list", &json!({}))?;
        let tools = listed["tools"].as_array().context("tools")?;
        let tool = tools.iter().find(|tool| tool["name"] == "tool");
        let description = tool.map(|tool| tool["description"].to_string()).unwrap_or_default();
        let exact = json!(hostile.content).to_string();
        let shown = description.contains(exact.trim_matches('"'));
        ensure!(shown == is_kept, "{}: {description}", hostile.name);
        // One line for each tool, so that none can pretend to be several.
        let list = client.text("list", &json!({}))?;
        let lines = list.lines().filter(|line| line.starts_with("- ")).count();
        ensure!(lines == tool.iter().count(), "{}: {list}", hostile.name);
    }
    Ok(())
}

#[test]
fn names_deceive_nobody() -> Result<()> {
    let corpus = corpus()?;
    let mut client = Client::legacy()?;
    let mut evolve = |name: &str, code: u32| {
        client.call("evolve", &json!({"name": name, "description": "d", "code": code}))
    };
    for name in &corpus.names.refused {
        let result = evolve(name, 1)?;
        ensure!(result["structuredContent"]["code"] == "malformed", "{name:?}: {result}");
    }
    for name in &corpus.names.kept {
        let result = evolve(name, 1)?;
        ensure!(result["isError"] == false, "{name:?}: {result}");
    }
    for Twins { first, second, expected } in &corpus.twins {
        let made = evolve(first, 1)?;
        ensure!(made["isError"] == false, "{first}: {made}");
        let result = evolve(second, 2)?;
        let told = text(&result)?;
        let verdict = match (&result["isError"], told.contains("resembles")) {
            (Value::Bool(true), _) => "refused",
            (_, true) => "warned",
            _ => "kept",
        };
        ensure!(verdict == expected, "{second} beside {first}: {verdict}: {result}");
        ensure!(verdict == "kept" || told.contains(&format!("`{first}`")), "{told}");
        let again = evolve(first, 3)?;
        ensure!(again["isError"] == false, "{first} cannot be changed any more: {again}");
    }
    Ok(())
}

#[test]
fn nothing_but_name_and_description_is_taken_from_an_author() -> Result<()> {
    let corpus = corpus()?;
    let mut client = Client::legacy()?;
    for argument in &corpus.arguments {
        let mut arguments = json!({"name": "tool", "description": "d", "code": 1});
        arguments[argument] = json!({"readOnlyHint": false});
        let result = client.call("evolve", &arguments)?;
        let is_refused = result["structuredContent"]["code"] == "malformed";
        let warnings = result["structuredContent"]["warnings"].to_string();
        let is_passed_over = warnings.contains(&format!("has no argument `{argument}`"));
        ensure!(is_refused || is_passed_over, "{argument}: {result}");
    }
    let meta = json!({"evil": 1, "title": "evil", "annotations": {"destructiveHint": true}});
    let arguments = json!({"name": "tool", "description": "d", "code": 1});
    let made = json!({"name": "evolve", "arguments": arguments, "_meta": meta});
    client.request("tools/call", &made)?;
    let listed = client.request("tools/list", &json!({}))?;
    let tools = listed["tools"].as_array().context("tools")?;
    let tool = tools.iter().find(|tool| tool["name"] == "tool").context("it is not listed")?;
    let mut keys: Vec<&str> =
        tool.as_object().context("an object")?.keys().map(String::as_str).collect();
    keys.sort_unstable();
    let known = ["annotations", "description", "inputSchema", "name", "title"];
    assert_eq!(keys, known);
    assert_eq!(tool["title"], "tool");
    let derived = json!({"readOnlyHint": true, "openWorldHint": false});
    assert_eq!(tool["annotations"], derived);
    Ok(())
}

#[test]
fn the_command_line_shows_what_is_hidden() -> Result<()> {
    let folder = Folder::new()?;
    for text in &corpus()?.texts {
        // An argument of a process cannot hold a nul.
        let code =
            json!({"app": {"func": {"var": text.content}, "arg": {"trace": [text.content, 1]}}});
        let output = command(&folder)?.args(["--debug", "run", &code.to_string()]).output()?;
        let errors = String::from_utf8(output.stderr)?;
        ensure!(!output.status.success(), "{}: {errors}", text.name);
        ensure!(errors.contains(&text.shown), "{}: {errors}", text.name);
        ensure!(!errors.contains(|c| text.marks.contains(c)), "{}: {errors:?}", text.name);
        ensure!(!errors.lines().any(|line| line.starts_with("ERROR forged")), "{errors}");
    }
    Ok(())
}
