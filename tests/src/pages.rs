//! The files that are made from the tables of the server: pages of its documentation, and the tools
//! in the manifest of its bundle.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pif_domain as domain;
use pif_server::{config, mcp};

/// Each file and what it holds.
pub fn made() -> Result<Vec<(PathBuf, String)>> {
    let host = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host");
    let manifest = host.join("package/manifest.json");
    let text = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
    Ok(vec![
        (host.join("docs/faults.md"), domain::faults_page()),
        (host.join("docs/limits.md"), config::limits_page()),
        (host.join("docs/tools.md"), mcp::tools_page()),
        (manifest, with_tools(&text)?),
    ])
}

/// A manifest with the tools of the table.
fn with_tools(manifest: &str) -> Result<String> {
    let (before, rest) = manifest.split_once("  \"tools\": [\n").context("no tools")?;
    let (_, after) = rest.split_once("\n  ],\n").context("the tools have no end")?;
    let tools: Vec<String> = mcp::packaged_tools()
        .iter()
        .map(|(name, title)| format!("    {{\"name\": \"{name}\", \"description\": \"{title}\"}}"))
        .collect();
    Ok(format!("{before}  \"tools\": [\n{}\n  ],\n{after}", tools.join(",\n")))
}
