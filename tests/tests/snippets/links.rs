//! Links of the pages lead somewhere, and from README.md to every page.

use crate::pages::{all, read, root};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Lines that README.md has at most.
const LINES: usize = 150;
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
    let lines = text.lines().count();
    ensure!(lines <= LINES, "README.md has {lines} lines");
    for page in all()?.iter().filter(|page| *page != "README.md") {
        ensure!(links(&text).iter().any(|link| link.starts_with(page.as_str())), "{page}");
    }
    Ok(())
}

#[test]
fn pictures_are_small() -> Result<()> {
    let picture = root().join(Path::new("host/docs/playground.png"));
    let bytes = picture.metadata()?.len();
    ensure!(bytes <= 150_000, "{bytes} bytes");
    Ok(())
}
