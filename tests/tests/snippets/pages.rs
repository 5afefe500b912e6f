//! The pages that people read, and the blocks in them.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders with pages.
const FOLDERS: [&str; 5] = ["", "host", "host/docs", "guest", "guest/web"];

/// A fenced block with the line that introduces it.
#[derive(Clone)]
pub(crate) struct Block {
    pub(crate) label: String,
    pub(crate) language: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn read(page: &str) -> Result<String> {
    fs::read_to_string(root().join(page)).with_context(|| page.to_owned())
}

/// All pages, by their paths from the root.
pub(crate) fn all() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(root().join(folder))? {
            let name = entry?.file_name();
            let name = name.to_str().context("a name in UTF-8")?;
            if Path::new(name).extension().is_some_and(|extension| extension == "md") {
                found.push(format!("{folder}/{name}").trim_start_matches('/').to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The fenced blocks of a page.
pub(crate) fn blocks(page: &str) -> Result<Vec<Block>> {
    let (text, mut found, mut label) = (read(page)?, Vec::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let (language, text) = (language.to_owned(), text.join("\n"));
            found.push(Block { label: label.clone(), language, text });
        } else if !line.is_empty() {
            line.clone_into(&mut label);
        }
    }
    Ok(found)
}
