//! The stores that versions wrote, one for each schema: what is in them, and how the one of this
//! version is made. `cargo x store` writes it to `tests/stores`, as long as its schema is not
//! released; after that it stays as it is, and the next schema gets a store of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pif_domain::{FaultCode, fault};
use pif_sandbox::{Code, Sandbox, Watch};
use pif_server::workshop::{Proposal, Remember};
use pif_store::memory::Note;
use pif_store::{self, Place};
use serde_json::{Value, json};

use super::shop::{evolve, evolve_with, open, proposal, propose, run};

/// The name of the file.
pub const FILE: &str = "mcp-pif.db";

/// Entries of the journal of such a store: kind, subject, ending.
pub const ENTRIES: [(&str, Option<&str>, &str); 11] = [
    ("evolve", Some("double"), "new"),
    ("evolve", Some("square"), "new"),
    ("run", Some("square"), "value"),
    ("run", Some("double"), "value"),
    ("run", None, "value"),
    ("run", None, "divide-by-zero"),
    ("refusal", Some("run"), "malformed"),
    ("evolve", Some("double"), "changed"),
    ("rollback", Some("double"), "changed"),
    ("run", Some("double"), "value"),
    ("memory", Some("greeting"), "stored"),
];

/// The output schema of `square`, from schema 2 of the store on.
pub const SCHEMA: &str = r#"{"type":"integer"}"#;

/// Where the stores are, each in a directory with the number of its schema.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("stores")
}

/// The term that doubles.
#[must_use]
pub fn double() -> Value {
    json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}})
}

/// Makes a store in an empty directory and puts it among the others.
///
/// # Errors
///
/// It cannot be made.
pub fn make(place: &Path) -> Result<PathBuf> {
    fill(place)?;
    let from = place.join(FILE);
    ensure!(!place.join(format!("{FILE}-wal")).exists(), "the store was not closed");
    // Bytes 60 to 63 of a database hold its version: the number of its schema.
    let version = fs::read(&from)?.get(63).copied().context("a header")?;
    let to = folder().join(version.to_string());
    fs::create_dir_all(&to)?;
    fs::copy(&from, to.join(FILE))?;
    Ok(to.join(FILE))
}

fn fill(place: &Path) -> Result<()> {
    let sandbox = Arc::new(Sandbox::open(None, 1)?);
    let shop = open(place, &sandbox, &[])?;
    let first = evolve_with(&shop, "double", &double(), Some((21, 42)))?;
    let call = json!({"app": {"func": {"tool": "double"}, "arg": {"var": "x"}}});
    let square = json!({"div": [{"mul": [call, {"var": "x"}]}, 2]});
    let square = json!({"lam": "x", "body": square});
    let output_schema = Some(SCHEMA.to_owned());
    propose(&shop, Proposal { output_schema, ..proposal("square", &square) }, &square)?;
    let tool = |name: &str| Code::Tool(name.to_owned());
    let term = |text: &str| Code::Term(text.to_owned());
    run(&shop, tool("square"), "12")?;
    run(&shop, tool("double"), "123456789012345678901234567890")?;
    // So long that its entry does not fit on a page.
    let text = Value::from("long ".repeat(1_500)).to_string();
    run(&shop, term(r#"{"lam":"x","body":{"length":{"var":"x"}}}"#), &text)?;
    run(&shop, term(r#"{"div":[1,0]}"#), "")?;
    shop.refuse(
        "run",
        r#"{"fuel":"much"}"#,
        &fault(FaultCode::Malformed, "`fuel` is no number".into(), None),
    );
    evolve(&shop, "double", &json!({"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}))?;
    let watch = Watch::new(Duration::from_secs(5));
    let back = shop.roll_back("double", &first.hash, r#"{"tool":"double"}"#, &watch);
    back.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    run(&shop, tool("double"), "21")?;
    let note =
        Note::new("greeting".to_owned(), r#"{"text":"hello"}"#, Some(vec!["words".to_owned()]))?;
    let kept = shop.remember(&Remember::Keep(note), r#"{"key":"greeting"}"#);
    kept.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    drop(shop);
    // Whatever opens it later, this version must.
    pif_store::open(&Place::Directory(place.to_owned()), Duration::from_secs(5))?.check()?;
    Ok(())
}
