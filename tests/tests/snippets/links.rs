//! Links of the pages lead somewhere, and from README.md to every page.

use crate::pages::{all, read, root};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// Links of all pages, at least.
const LEAST_LINKS: usize = 50;

/// The places that a page links to, without those on the web.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).collect()
}

/// The anchor that readers of Markdown give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(page: &str) -> Result<Vec<String>> {
    let text = read(page)?;
    let headings = text.lines().filter(|line| line.starts_with('#'));
    Ok(headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect())
}

/// Where a link of a page leads, from the root, and the heading there.
fn follow(page: &str, target: &str) -> Result<(String, String)> {
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let mut place: Vec<&str> = page.split('/').collect();
    if !path.is_empty() {
        place.pop();
    }
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if part == ".." {
            place.pop().with_context(|| format!("{page} links out of the project: {target}"))?;
        } else {
            place.push(part);
        }
    }
    Ok((place.join("/"), heading.to_owned()))
}

#[test]
fn links_lead_somewhere() -> Result<()> {
    let mut seen = 0;
    for page in all()? {
        for target in links(&read(&page)?) {
            let (path, heading) = follow(&page, target)?;
            ensure!(root().join(&path).exists(), "{page} links to {target}: nothing is there");
            let has = heading.is_empty() || anchors(&path)?.contains(&heading);
            ensure!(has, "{page} links to {target}: no such heading");
            seen += 1;
        }
    }
    ensure!(seen >= LEAST_LINKS, "only {seen} links");
    Ok(())
}

#[test]
fn the_readme_leads_to_every_page() -> Result<()> {
    let text = read("README.md")?;
    for page in all()?.iter().filter(|page| *page != "README.md") {
        ensure!(links(&text).iter().any(|link| link.starts_with(page.as_str())), "{page}");
    }
    Ok(())
}

/// Pages that say where something is in the source.
const MAPS: &[&str] = &[
    "README.md",
    "guest/README.md",
    "guest/DESIGN.md",
    "guest/FUEL.md",
    "host/ARCHITECTURE.md",
    "host/DESIGN.md",
    "tests/README.md",
];
/// Files that they name, at least.
const LEAST_FILES: usize = 100;

/// What a page has in backticks, without its fenced blocks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2).flat_map(str::lines);
    prose.flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// The paths of all files of the project's folders.
fn sources() -> Result<Vec<String>> {
    let mut open: Vec<_> =
        [".cargo", "guest", "host", "scripts", "tests", "wit"].map(|it| root().join(it)).into();
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if !path.is_dir() {
                files.push(path.to_string_lossy().into_owned());
            } else if !path.ends_with("target") && !path.ends_with("node_modules") {
                open.push(path);
            }
        }
    }
    Ok(files)
}

#[test]
fn files_that_the_maps_name_exist() -> Result<()> {
    let files = sources()?;
    let is_file = |name: &str| {
        let ending = Path::new(name).extension().and_then(|it| it.to_str()).unwrap_or_default();
        let is_path = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-./".contains(c);
        matches!(ending, "rs" | "wit" | "toml") && name.chars().all(is_path)
    };
    let mut seen = 0;
    for page in MAPS {
        let text = read(page)?;
        for name in quoted(&text).filter(|name| is_file(name)) {
            let ends = |file: &String| {
                file.strip_suffix(name)
                    .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
            };
            ensure!(files.iter().any(ends), "{page} names `{name}`: there is none");
            seen += 1;
        }
    }
    ensure!(seen >= LEAST_FILES, "only {seen} files");
    Ok(())
}
