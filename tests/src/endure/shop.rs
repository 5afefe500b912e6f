//! The store as the library sees it, without a server.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use pif_sandbox::{Argument, Code, Completion, Request, Sandbox, Watch};
use pif_server::config::Config;
use pif_server::workshop::{ChangeRefusal, EvolveResult, Example, Proposal, Workshop};
use serde_json::Value;
use serde_json::value::RawValue;

/// Nothing that is done here takes that long.
const PATIENCE: Duration = Duration::from_mins(1);

/// Opens the store in a directory as a server would, which verifies its journal.
///
/// # Errors
///
/// What the server would say.
pub fn open(directory: &Path, sandbox: &Arc<Sandbox>, flags: &[&str]) -> Result<Workshop> {
    let config = config(directory, flags)?;
    Ok(Workshop::open(&config, Arc::clone(sandbox))?)
}

/// The settings of a server with a data directory.
///
/// # Errors
///
/// A flag that there is not.
pub fn config(directory: &Path, flags: &[&str]) -> Result<Config> {
    let directory = directory.to_str().context("a path in UTF-8")?;
    Config::from_flags(&[&["--data", directory], flags].concat())
}

/// Makes a tool.
///
/// # Errors
///
/// Why it is refused.
pub fn evolve(shop: &Workshop, name: &str, code: &Value) -> Result<EvolveResult> {
    evolve_with(shop, name, code, None)
}

/// Makes a tool with an example of its input and output.
///
/// # Errors
///
/// Why it is refused.
pub fn evolve_with(
    shop: &Workshop,
    name: &str,
    code: &Value,
    example: Option<(i64, i64)>,
) -> Result<EvolveResult> {
    let number = |n: i64| RawValue::from_string(n.to_string()).ok();
    let examples = example.map(|(input, output)| {
        vec![Example { input: number(input), output: number(output), ..Example::default() }]
    });
    let proposal = Proposal { examples, ..proposal(name, code) };
    propose(shop, proposal, code)
}

/// A tool of a name and a term, without anything else.
#[must_use]
pub fn proposal(name: &str, code: &Value) -> Proposal {
    Proposal {
        name: name.to_owned(),
        description: format!("The tool {name}"),
        code: code.to_string(),
        examples: None,
        properties: None,
        output_schema: None,
        capability: None,
        expected: None,
        verify_dependents: false,
    }
}

/// Makes a tool as it is proposed.
///
/// # Errors
///
/// It is refused.
pub fn propose(shop: &Workshop, proposal: Proposal, code: &Value) -> Result<EvolveResult> {
    let name = proposal.name.clone();
    let arguments = format!(r#"{{"name":"{name}","code":{code}}}"#);
    let evolved = shop.evolve(proposal, &arguments, &Watch::new(PATIENCE));
    evolved.map_err(|ChangeRefusal { faults, .. }| anyhow!("`{name}` is refused: {faults:?}"))
}

/// Runs a term, or a tool by its name; gives the number of its entry and the value or fault.
///
/// # Errors
///
/// There is no entry.
pub fn run(shop: &Workshop, code: Code, data: &str) -> Result<(i64, String)> {
    let limits = config(Path::new("unused"), &[])?.limits;
    let argument = match data {
        "" => Argument::None,
        data => Argument::Data(data.to_owned()),
    };
    let request = Request {
        code,
        argument,
        context: None,
        bindings: Vec::new(),
        keep: false,
        limits,
        step: 0,
        max_steps: 0,
        output_schema: None,
        debug: false,
        steps: 0,
    };
    let tools = shop.tools().map_err(|fault| anyhow!("{fault:?}"))?;
    let report = shop.run(&request, tools, &mut (), &Watch::new(PATIENCE));
    let told = match report.outcome.ending {
        Ok(Completion::Value(value)) => value.json,
        Ok(Completion::Continuation(it)) => it.json,
        Err(fault) => fault.code.to_string(),
    };
    Ok((report.entry.with_context(|| format!("no entry: {told}"))?, told))
}
