//! What the analyst proposes at the cursor of a program: every case natively and by the component, which
//! agree on all proposals.

use anyhow::{Context, Result, ensure};
use pif_analysis::completion::{Completion, Question, complete, shape_of_data};
use pif_analysis::{Request, Shape, analyze, text};
use pif_sandbox::{Bound, Draft, Evidence, KnownTool, Sandbox, Watch};
use pif_tests::component;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Where the cursor stands.
const CURSOR: char = '‸';

/// A program that is being written, and what is proposed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    text: String,
    #[serde(default)]
    bound: serde_json::Map<String, Value>,
    input: Option<Box<RawValue>>,
    #[serde(default)]
    tools: serde_json::Map<String, Value>,
    /// The first proposals: `label`, or `label: detail`.
    first: Vec<String>,
    /// Labels that are among the proposals, where the first are not all that counts.
    #[serde(default)]
    only: Vec<String>,
    /// The tools that the program names.
    #[serde(default)]
    named: Vec<String>,
    of_server: Option<String>,
    /// Nothing at all is proposed.
    #[serde(default)]
    nothing: bool,
}

impl Case {
    /// The program without the mark, and the byte where that stood.
    fn program(&self) -> Result<(String, usize)> {
        let cursor = self.text.find(CURSOR).context("a cursor")?;
        Ok((self.text.replace(CURSOR, ""), cursor))
    }

    fn tools(&self) -> Result<Vec<(String, String)>> {
        let tool = |(name, shape): (&String, &Value)| {
            Ok((name.clone(), shape.as_str().context("a type")?.to_owned()))
        };
        self.tools.iter().map(tool).collect()
    }

    fn natively(&self) -> Result<Completion> {
        let (code, cursor) = self.program()?;
        let shape = |written: &str| text::read(written).map_err(|_| anyhow::anyhow!("{written}"));
        let mut tools = Vec::new();
        for (name, written) in self.tools()? {
            tools.push((name, shape(&written)?));
        }
        let mut variables: Vec<(String, Shape)> = Vec::new();
        for (name, evidence) in &self.bound {
            let told = match (&evidence["shape"], &evidence["term"]) {
                (Value::String(written), _) => shape(written)?,
                (_, Value::String(code)) => {
                    let request =
                        Request { code, variables: variables.clone(), ..Request::default() };
                    let told = analyze(&request).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
                    told.shape_of_tool()
                }
                _ => shape_of_data(&evidence["data"].to_string()),
            };
            variables.push((name.clone(), told));
        }
        let input = self.input.as_ref().map(|it| shape_of_data(it.get()));
        Ok(complete(&Question { text: &code, cursor, variables, input, tools }))
    }

    fn by_the_component(&self, sandbox: &Sandbox) -> Result<pif_sandbox::Completed> {
        let (code, cursor) = self.program()?;
        let evidence = |it: &Value| match (&it["shape"], &it["term"]) {
            (Value::String(written), _) => Evidence::Shape(written.clone()),
            (_, Value::String(code)) => Evidence::Term(code.clone()),
            _ => Evidence::Data(it["data"].to_string()),
        };
        let bound =
            |(name, it): (&String, &Value)| Bound { name: name.clone(), evidence: evidence(it) };
        let tool = |(name, shape): (String, String)| KnownTool {
            name,
            shape: Some(shape),
            schemas: None,
            code: None,
        };
        let draft = Draft {
            code,
            cursor: u32::try_from(cursor)?,
            variables: self.bound.iter().map(bound).collect(),
            input: self.input.as_ref().map(|it| Evidence::Data(it.get().to_owned())),
            tools: self.tools()?.into_iter().map(tool).collect(),
        };
        let told = sandbox.complete(&draft, &Watch::new(Duration::from_mins(1)));
        told.map_err(|fault| anyhow::anyhow!("{fault:?}"))
    }
}

fn check(case: &Case, sandbox: &Sandbox) -> Result<()> {
    let told = case.natively()?;
    let labels: Vec<&str> = told.proposals.iter().map(|it| it.label.as_str()).collect();
    ensure!(!case.nothing || labels.is_empty(), "{labels:?}");
    if case.only.is_empty() {
        let given: Vec<String> = (0..case.first.len())
            .map(|at| {
                let Some(it) = told.proposals.get(at) else { return String::new() };
                let is_whole = case.first[at].contains(": ");
                if is_whole { format!("{}: {}", it.label, it.detail) } else { it.label.clone() }
            })
            .collect();
        ensure!(given == case.first, "{given:?} and not {:?}", case.first);
        ensure!(!case.first.is_empty() || labels.is_empty(), "{labels:?}");
    } else {
        for wanted in &case.only {
            ensure!(labels.contains(&wanted.as_str()), "{wanted} is not among {labels:?}");
        }
    }
    ensure!(told.tools == case.named || case.named.is_empty(), "it names {:?}", told.tools);
    ensure!(told.of_server == case.of_server, "tools of {:?}", told.of_server);
    let other = case.by_the_component(sandbox)?;
    ensure!(told.start == usize::try_from(other.start)?, "the component begins at {}", other.start);
    ensure!((&told.tools, &told.of_server) == (&other.tools, &other.of_server), "{other:?}");
    let native = told.proposals.iter().map(|it| (&it.label, &it.detail));
    let component = other.proposals.iter().map(|it| (&it.label, &it.detail));
    ensure!(native.eq(component), "the component proposes {:?}", other.proposals);
    Ok(())
}

#[test]
fn proposals_are_those_of_the_cases() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("completion.json");
    let cases: Vec<Case> = serde_json::from_str(&fs::read_to_string(path)?)?;
    let sandbox = component::open()?;
    let wrong =
        |case: &Case| check(case, &sandbox).err().map(|error| format!("{}: {error:#}", case.name));
    let wrong: Vec<String> = cases.iter().filter_map(wrong).collect();
    ensure!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    Ok(())
}

#[test]
fn the_component_survives_hostile_texts() -> Result<()> {
    let sandbox = component::open()?;
    sandbox.ready_analyst();
    let texts = [
        format!("{}x.", "(".repeat(10_000)),
        format!("{}o.", "x => { const y = ".repeat(10_000)),
        format!("{}o.", "a ? ".repeat(10_000)),
        format!("data{}.", ".a".repeat(500_000)),
        format!("const x = {{a: 1}};\n{}x.", "x.a + 1;\n".repeat(100_000)),
        format!("const x = [{}]; x.", "{a: 1},".repeat(140_000)),
        "\"".repeat(1 << 20),
        "@".repeat(1 << 20),
    ];
    for code in texts {
        let begin: String = code.chars().take(12).collect();
        let cursor = u32::try_from(code.len())?;
        let draft = Draft { code, cursor, variables: vec![], input: None, tools: vec![] };
        let start = Instant::now();
        let told = sandbox.complete(&draft, &Watch::new(Duration::from_mins(1)));
        pif_tests::tell(&format!("{begin}… {:?}", start.elapsed()));
        told.map_err(|fault| anyhow::anyhow!("{begin}: {fault:?}"))?;
    }
    Ok(())
}
