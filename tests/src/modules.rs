//! The modules of a crate and which of them name which others, read from its sources: for the tests
//! that keep layers apart and files out of circles.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of a crate, by their paths with slashes; the root is the empty path.
#[derive(Debug)]
pub struct Modules {
    names: BTreeMap<String, BTreeSet<String>>,
}

impl Modules {
    /// Reads the sources below a folder, which holds the root `lib.rs`.
    pub fn read(root: &Path) -> Result<Self> {
        let mut sources = BTreeMap::new();
        collect(root, "", &mut sources)?;
        let known: BTreeSet<String> = sources.keys().cloned().collect();
        let names = |(module, source): (&String, &String)| {
            let mut named: BTreeSet<String> = paths(&code(source))
                .iter()
                .filter_map(|path| resolve(&known, module, path))
                .collect();
            named.remove(module);
            (module.clone(), named)
        };
        Ok(Self { names: sources.iter().map(names).collect() })
    }

    /// Each module with one that it names.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names
            .iter()
            .flat_map(|(from, to)| to.iter().map(move |to| (from.as_str(), to.as_str())))
    }

    /// The modules that reach themselves, each with all others of its circle; none if there is no
    /// circle.
    #[must_use]
    pub fn circles(&self) -> Vec<Vec<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            self.names.keys().map(|from| (from.as_str(), self.reach(from))).collect();
        let mut circles: Vec<Vec<&str>> = Vec::new();
        for (from, reach) in &reached {
            let is_new = !circles.iter().any(|circle| circle.contains(from));
            if reach.contains(from) && is_new {
                let returns =
                    |to: &&&str| reached.get(**to).is_some_and(|back| back.contains(from));
                circles.push(reach.iter().filter(returns).copied().collect());
            }
        }
        circles
    }

    fn reach(&self, from: &str) -> BTreeSet<&str> {
        let (mut found, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            for next in self.names.get(module).into_iter().flatten() {
                if found.insert(next.as_str()) {
                    open.push(next);
                }
            }
        }
        found
    }
}

fn collect(folder: &Path, module: &str, sources: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).context("a name in UTF-8")?;
        let inner = if module.is_empty() { stem.to_owned() } else { format!("{module}/{stem}") };
        if path.is_dir() {
            collect(&path, &inner, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let is_folder = matches!(stem, "mod" | "lib");
            let name = if is_folder { module.to_owned() } else { inner };
            sources.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// The lines of code of a source, without those of its unit tests, which come last.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The paths of a source that begin with `crate`, `self`, `super` or, in imports, with any name.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let start = statement.rfind("use ").filter(|start| {
            let before = statement[..*start].rsplit('\n').next().unwrap_or_default().trim();
            before.is_empty() || before.starts_with("pub")
        });
        match start {
            Some(start) => {
                let tree: String = statement[start + "use ".len()..]
                    .trim_end_matches(';')
                    .split_whitespace()
                    .collect();
                expand("", &tree, &mut found);
                rest.push_str(&statement[..start]);
            }
            None => rest.push_str(statement),
        }
    }
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let inline = rest.split(|c: char| !is_path(c)).filter(|word| word.contains("::"));
    found.extend(inline.map(str::to_owned));
    found
}

/// The paths of an import, one for each name that it brings.
fn expand(before: &str, tree: &str, found: &mut Vec<String>) {
    let Some(start) = tree.find('{') else {
        found.push(format!("{before}{tree}"));
        return;
    };
    let before = format!("{before}{}", &tree[..start]);
    let group = tree[start + 1..].strip_suffix('}').unwrap_or_default();
    let (mut level, mut from) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => level += 1,
            '}' => level -= 1,
            ',' if level == 0 => {
                expand(&before, &group[from..at], found);
                from = at + 1;
            }
            _ => {}
        }
    }
    expand(&before, &group[from..], found);
}

/// The module that a path leads into, seen from another.
fn resolve(known: &BTreeSet<String>, module: &str, path: &str) -> Option<String> {
    let mut steps = path.split("::").peekable();
    let mut at: Vec<&str> = module.split('/').filter(|step| !step.is_empty()).collect();
    match *steps.peek()? {
        "crate" => at.clear(),
        "self" => {}
        "super" => {
            at.pop();
        }
        first => {
            at.push(first);
            if !known.contains(&at.join("/")) {
                return None;
            }
        }
    }
    steps.next();
    for step in steps {
        if step == "super" {
            at.pop();
            continue;
        }
        at.push(step);
        if !known.contains(&at.join("/")) {
            at.pop();
            break;
        }
    }
    Some(at.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_and_paths_are_found() {
        let names = paths("use a::{b, c::{d, e}};\nfn f() { crate::x::g(y::z) }\n");
        assert_eq!(names, ["a::b", "a::c::d", "a::c::e", "crate::x::g", "y::z"]);
    }

    #[test]
    fn circles_are_found() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let names = BTreeMap::from([
            ("a".to_owned(), set(&["b"])),
            ("b".to_owned(), set(&["c"])),
            ("c".to_owned(), set(&["b"])),
        ]);
        assert_eq!(Modules { names }.circles(), [["b", "c"]]);
    }

    #[test]
    fn paths_lead_to_modules() {
        let known = ["", "a", "a/b", "c"].map(str::to_owned).into_iter().collect();
        let at = |module: &str, path: &str| resolve(&known, module, path);
        assert_eq!(at("c", "crate::a::b::f").as_deref(), Some("a/b"));
        assert_eq!(at("a/b", "super::f").as_deref(), Some("a"));
        assert_eq!(at("a", "b::f").as_deref(), Some("a/b"));
        assert_eq!(at("a", "std::fmt"), None);
    }
}
