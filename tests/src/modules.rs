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
        let code = |(module, source): (&String, &String)| (module.clone(), code(source));
        let sources: BTreeMap<String, String> = sources.iter().map(code).collect();
        let known = Known::of(&sources);
        let names = |(module, code): (&String, &String)| {
            let named = paths(code);
            let mut named: BTreeSet<String> =
                named.iter().filter_map(|path| known.resolve(module, path)).collect();
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

/// The lines of code of a source, without those of its unit tests, which come last. Who may see a
/// name is no use of it, so the path in `pub(in path)` goes too.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut parts = code.split("pub(in ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let rest = part.split_once(')').map_or(part, |(_, rest)| rest);
        format!("{all}pub{rest}")
    })
}

/// An import: whether it is public, its path, and the name that it brings.
struct Import {
    is_public: bool,
    path: String,
    name: String,
}

/// The imports of a source, and its other code.
fn imports(code: &str) -> (Vec<Import>, String) {
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let start = statement.rfind("use ").and_then(|start| {
            let before = statement[..start].rsplit('\n').next().unwrap_or_default().trim();
            let is_public = before.starts_with("pub");
            (is_public || before.is_empty()).then_some((start, is_public))
        });
        let Some((start, is_public)) = start else {
            rest.push_str(statement);
            continue;
        };
        rest.push_str(&statement[..start]);
        let words = statement[start + "use ".len()..].trim_end_matches(';').split_whitespace();
        let mut leaves = Vec::new();
        expand("", &words.collect::<Vec<_>>().join(" "), &mut leaves);
        found.extend(leaves.into_iter().map(|leaf| {
            let (path, name) = match leaf.split_once(" as ") {
                Some((path, name)) => (path.to_owned(), name.to_owned()),
                None => (leaf.clone(), leaf.rsplit("::").next().unwrap_or_default().to_owned()),
            };
            Import { is_public, path, name }
        }));
    }
    (found, rest)
}

/// The paths of a source that begin with `crate`, `self`, `super` or, in imports, with any name.
fn paths(code: &str) -> Vec<String> {
    let (imports, rest) = imports(code);
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let inline = rest.split(|c: char| !is_path(c)).filter(|word| word.contains("::"));
    let imported = imports.into_iter().map(|import| import.path);
    imported.chain(inline.map(str::to_owned)).collect()
}

/// The paths of an import, one for each name that it brings.
fn expand(before: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(start) = tree.find('{') else {
        if !tree.is_empty() {
            found.push(format!("{before}{tree}"));
        }
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

/// All modules, and the names that each hands on from others by `pub use`.
struct Known {
    handed_on: BTreeMap<String, BTreeMap<String, String>>,
}

impl Known {
    fn of(sources: &BTreeMap<String, String>) -> Self {
        let handed_on = |(module, code): (&String, &String)| {
            let (imports, _) = imports(code);
            let public = imports.into_iter().filter(|import| import.is_public);
            (module.clone(), public.map(|import| (import.name, import.path)).collect())
        };
        Self { handed_on: sources.iter().map(handed_on).collect() }
    }

    /// The module that a path leads into, seen from another. A name that a module only hands on
    /// leads to the module that defines it.
    fn resolve(&self, module: &str, path: &str) -> Option<String> {
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
                if !self.handed_on.contains_key(&at.join("/")) {
                    return None;
                }
            }
        }
        steps.next();
        while let Some(step) = steps.next() {
            if step == "super" {
                at.pop();
                continue;
            }
            at.push(step);
            if !self.handed_on.contains_key(&at.join("/")) {
                at.pop();
                let here = at.join("/");
                let origin = self.handed_on.get(&here).and_then(|names| names.get(step));
                let origin = origin.filter(|origin| *origin != path).map(|origin| {
                    let rest: Vec<&str> = [origin.as_str()].into_iter().chain(steps).collect();
                    rest.join("::")
                });
                return origin.and_then(|path| self.resolve(&here, &path)).or(Some(here));
            }
        }
        Some(at.join("/"))
    }
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
    fn visibility_is_no_use() {
        assert_eq!(code("pub(in crate::a) fn f() {}\n// crate::b\n"), "pub fn f() {}\n");
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
        let sources = [("", ""), ("a", "pub use self::b::{f as g};"), ("a/b", ""), ("c", "")];
        let known =
            Known::of(&sources.map(|(name, code)| (name.to_owned(), code.to_owned())).into());
        let at = |module: &str, path: &str| known.resolve(module, path);
        assert_eq!(at("c", "crate::a::b::f").as_deref(), Some("a/b"));
        assert_eq!(at("a/b", "super::f").as_deref(), Some("a"));
        assert_eq!(at("a", "b::f").as_deref(), Some("a/b"));
        assert_eq!(at("a", "std::fmt"), None);
        assert_eq!(at("c", "crate::a::g").as_deref(), Some("a/b"));
        assert_eq!(at("c", "crate::a::f").as_deref(), Some("a"));
    }
}
