//! The browser playground in `guest/web`: built around the component that the server embeds, and
//! tested in Chromium with the corpus that the other evaluators run.

use anyhow::{Context, Result, bail, ensure};
use pif_guest::form::{FORMS, Row};
use pif_guest::limits::Limits;
use pif_guest::request::{Argument, Program, Source};
use pif_tests::case::{self, Case, Expected, ExpectedFault, LIMITS};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Builds the page; with `test`, tests it too.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_test = match arguments.as_slice() {
        [] => false,
        ["test" | "--test"] => true,
        _ => bail!("`cargo x web` builds the page, `cargo x web test` tests it too"),
    };
    // What is missing should show before minutes of building.
    let chromium = if is_test { Some(chromium()?) } else { None };
    let web = Web::locate();
    web.install()?;
    web.build()?;
    if let Some(chromium) = chromium {
        return web.test(&chromium);
    }
    println!(
        "the page is in {}; any server of static files will do",
        web.out.join("dist").display()
    );
    Ok(())
}

/// Where the playground is and where it is built.
struct Web {
    sources: PathBuf,
    out: PathBuf,
}

impl Web {
    fn locate() -> Self {
        let root = crate::tasks::root();
        Self { sources: root.join("guest/web"), out: root.join("target/web") }
    }

    /// Installs the packages of the lock file, unless these are the ones that are there.
    fn install(&self) -> Result<()> {
        let wanted = fs::read_to_string(self.sources.join("package-lock.json"))?;
        let installed = self.sources.join("node_modules/installed.json");
        if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
            return Ok(());
        }
        self.start("npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"], &[])?;
        fs::write(installed, wanted).context("npm has made no node_modules")
    }

    /// Builds it around the component as the server embeds it.
    fn build(&self) -> Result<()> {
        crate::tasks::component()?;
        self.start("node", &["build.mjs", path(&component())?, path(&self.out)?], &[])
    }

    fn test(&self, chromium: &Path) -> Result<()> {
        let corpus = self.out.join("corpus.json");
        fs::write(&corpus, serde_json::to_string(&cases()?)?)?;
        // The server itself tells the hash of what it embeds.
        let (_, server) = crate::clients::server()?;
        let (dist, component) = (self.out.join("dist"), component());
        let arguments =
            ["test/main.mjs", path(&dist)?, path(&corpus)?, path(&component)?, path(&server)?];
        self.start("node", &arguments, &[("CHROMIUM", path(chromium)?)])
    }

    fn start(&self, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
        eprintln!("$ {program} {}", arguments.join(" "));
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().copied()).current_dir(&self.sources);
        match command.status() {
            Ok(status) => ensure!(status.success(), "`{program} {}` failed", arguments.join(" ")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
                "`cargo x web` needs Node.js 20 or later with npm; \
                 on Debian and Ubuntu type: apt install npm"
            ),
            Err(error) => return Err(error).with_context(|| format!("`{program}` does not start")),
        }
        Ok(())
    }
}

/// Where `cargo x component` leaves the component.
fn component() -> PathBuf {
    crate::tasks::root().join("target/pif-guest.wasm")
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
    let Expected { result, fuel, kind, warnings, trace } = &case.expected;
    let mut members = json!({
        "name": format!("{topic}/{}", case.name),
        "program": program(&case.program, &case.limits),
        "fuel": fuel, "kind": kind, "warnings": warnings, "trace": trace,
    });
    match result {
        Ok(value) => members["value"] = json!(value),
        Err(ExpectedFault { code, at, tool, hint, message, calls, excerpt }) => {
            members["fault"] = json!({
                "code": code, "at": at, "tool": tool,
                "hint": hint, "message": message, "calls": calls, "excerpt": excerpt,
            });
        }
    }
    members
}

/// A program as the page's worker takes it.
fn program(program: &Program, limits: &Limits) -> Value {
    let code = match &program.code {
        Source::Term(text) => json!({ "tag": "term", "text": text }),
        Source::Tool(name) => json!({ "tag": "tool", "text": name }),
    };
    let argument = match &program.argument {
        Argument::None => json!({ "tag": "none", "text": "" }),
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
    members
}

/// A path as an argument among texts.
fn path(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}
