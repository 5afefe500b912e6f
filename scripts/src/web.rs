//! The browser playground in `guest/web`: built around the component that the server embeds, and
//! tested in Chromium with the corpus that the other evaluators run.

use anyhow::{Context, Result};
use pif::form::{FORMS, Row};
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use pif_tests::case::{self, Case, Expected, ExpectedFault, LIMITS};
use pif_tests::server::binary;
use serde_json::{Map, Value, json};
use std::env;
use std::path::PathBuf;
use xshell::{Shell, cmd};

const NEEDS: &str = "`cargo x web` needs Node.js 20 or later with npm; on Debian and Ubuntu type: \
    apt install npm";

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(clap::Subcommand)]
enum What {
    /// Test the page in Chromium too
    Test,
}

/// Builds the page around the component as the server embeds it; with `test`, tests it too.
pub(crate) fn run(options: &Options) -> Result<()> {
    // What is missing should show before minutes of building.
    let chromium = options.what.is_some().then(chromium).transpose()?;
    let out = crate::tasks::root().canonicalize()?.join("target/web");
    let component = crate::tasks::write_component()?;
    let analyst = crate::tasks::write_analyst()?;
    let sh = crate::tasks::shell()?;
    sh.change_dir("guest/web");
    install(&sh)?;
    cmd!(sh, "node build.mjs {component} {analyst} {out}").run()?;
    let dist = out.join("dist");
    let Some(chromium) = chromium else {
        println!("the page is in {}; any server of static files will do", dist.display());
        return Ok(());
    };
    let corpus = out.join("corpus.json");
    sh.write_file(&corpus, serde_json::to_string(&cases()?)?)?;
    // The server itself tells the hash of what it embeds.
    let server = binary::path()?;
    let test = cmd!(sh, "node test/main.mjs {dist} {corpus} {component} {server}");
    Ok(test.env("CHROMIUM", chromium).run()?)
}

/// Installs the packages of the lock file, unless these are the ones that are there.
fn install(sh: &Shell) -> Result<()> {
    let wanted = sh.read_file("package-lock.json")?;
    let installed = "node_modules/installed.json";
    if sh.read_file(installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    cmd!(sh, "npm ci --no-audit --no-fund --loglevel=error").run().context(NEEDS)?;
    sh.write_file(installed, wanted).context("npm has made no node_modules")
}

/// The browser that `CHROMIUM` names, or the first that is in the path.
fn chromium() -> Result<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let mut places = names.iter().flat_map(|name| folders.iter().map(move |it| it.join(name)));
    places.find(|place| place.is_file()).context(
        "`cargo x web test` needs Chromium; on Debian type: apt install chromium\n\
         or set CHROMIUM to the path of a Chromium or Chrome",
    )
}

/// The corpus as programs that are ready to run, and the examples of the form table.
fn cases() -> Result<Vec<Value>> {
    let mut found: Vec<Value> = FORMS.iter().map(example).collect();
    for file in case::corpus()? {
        let cases = file.cases.iter().filter(|case| case.is_for("component"));
        found.extend(cases.map(|case| written(&file.topic, case)));
    }
    Ok(found)
}

fn example(row: &Row) -> Value {
    let name = format!("example/{}", row.name);
    let program = program(&Program::term(row.example), &LIMITS);
    json!({ "name": name, "program": program, "value": row.result, "isExample": true })
}

fn written(topic: &str, case: &Case) -> Value {
    let Expected { result, fuel, kind, warnings, trace, term } = &case.expected;
    let mut members = json!({
        "name": format!("{topic}/{}", case.name),
        "program": program(&case.program, &case.limits),
        "fuel": fuel, "kind": kind, "warnings": warnings, "trace": trace,
    });
    match result {
        Ok(value) => members["value"] = json!(value),
        Err(fault) => members["fault"] = told(fault),
    }
    if let Some(term) = term {
        members["term"] = match term {
            Ok(term) => json!({ "tag": "ok", "val": term }),
            Err(fault) => json!({ "tag": "err", "val": { "code": fault.code, "at": fault.at } }),
        };
    }
    members
}

fn told(fault: &ExpectedFault) -> Value {
    let ExpectedFault { code, at, tool, hint, message, calls, excerpt, place } = fault;
    json!({
        "code": code, "at": at, "tool": tool,
        "hint": hint, "message": message, "calls": calls, "excerpt": excerpt, "place": place,
    })
}

/// A program as the page's worker takes it.
fn program(program: &Program, limits: &Limits) -> Value {
    let code = match &program.code {
        Source::Term(text) => json!({ "tag": "term", "text": text }),
        Source::Tool(name) => json!({ "tag": "tool", "text": name }),
    };
    let argument = match &program.argument {
        Argument::None => json!({ "tag": "none", "text": "" }),
        Argument::Unapplied => json!({ "tag": "unapplied", "text": "" }),
        Argument::Input(text) => json!({ "tag": "input", "text": text }),
        Argument::Data(text) => json!({ "tag": "data", "text": text }),
    };
    let tools = program.tools.iter().map(|(name, text)| (name.clone(), json!(text)));
    let tools: Map<String, Value> = tools.collect();
    let Limits { fuel, depth, memory, output } = *limits;
    let limits = json!({ "fuel": fuel, "depth": depth, "memory": memory, "output": output });
    let mut members = json!({
        "code": code, "argument": argument, "tools": tools, "step": program.step, "limits": limits,
    });
    if let Some(context) = &program.context {
        members["context"] = json!(context);
    }
    if !program.bindings.is_empty() {
        let bindings = program.bindings.iter().cloned();
        members["bindings"] = bindings.map(|(name, term)| (name, json!(term))).collect();
    }
    if program.keep {
        members["keep"] = json!(true);
    }
    members
}
