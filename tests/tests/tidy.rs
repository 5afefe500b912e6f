//! What must not be in the sources. Each of these absences is part of the design: the host does
//! not know the language, one crate knows the sandbox, one the database, and so on.

use anyhow::{Context, Result, ensure};
use pif_tests::modules::Modules;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A source file: its path from the workspace, with slashes, and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// Lines of code with their numbers. Comments may name what code may not.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..).zip(self.text.lines());
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files below some folders of the workspace, but for this one, which quotes what it
/// looks for.
fn sources(folders: &[&str]) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    for folder in folders {
        collect(&root().join(folder), folder, &mut found)?;
    }
    found.retain(|source| source.path != "tests/tests/tidy.rs");
    ensure!(!found.is_empty(), "there are no sources in {folders:?}");
    Ok(found)
}

fn collect(folder: &Path, name: &str, found: &mut Vec<Source>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        let last = path.file_name().and_then(|name| name.to_str()).context("a name in UTF-8")?;
        let name = format!("{name}/{last}");
        if path.is_dir() {
            if !matches!(last, "target" | "node_modules") {
                collect(&path, &name, found)?;
            }
        } else if Path::new(last).extension().is_some_and(|extension| extension == "rs") {
            found.push(Source { path: name, text: fs::read_to_string(&path)? });
        }
    }
    Ok(())
}

/// The evaluator: its crates, each above those before it.
const GUEST: [&str; 6] = [
    "guest/core/src",
    "guest/language/src",
    "guest/proof/src",
    "guest/notation/src",
    "guest/analysis/src",
    "guest/src",
];

/// The server: its crates, each above those before it.
const HOST_CRATES: [&str; 10] = [
    "host/domain",
    "host/schema",
    "host/system",
    "host/database",
    "host/sandbox",
    "host/store",
    "host/postgres",
    "host/broker",
    "host/server",
    "host",
];

const HOST: &[&str] = &["host"];

const ALL: &[&str] = &["guest", "host", "tests", "scripts"];

/// No line of code below the folders holds one of the words, but in the files at home there.
fn ensure_absent(folders: &[&str], words: &[&str], homes: &[&str]) -> Result<()> {
    for source in sources(folders)? {
        if homes.iter().any(|home| source.path.starts_with(home)) {
            continue;
        }
        for (number, line) in source.code() {
            let word = words.iter().find(|word| contains_word(line, word));
            ensure!(word.is_none(), "{}:{number}: {}", source.path, line.trim());
        }
    }
    // A home that does not hold them any more is no longer one.
    for home in homes {
        let folder = home.split('/').next().context("a folder")?;
        let mut at_home = sources(&[folder])?;
        at_home.retain(|source| source.path.starts_with(home));
        let is_used = at_home.iter().any(|it| {
            it.code().any(|(_, line)| words.iter().any(|word| contains_word(line, word)))
        });
        ensure!(is_used, "{home} does not use any of {words:?}: take it off the list");
    }
    Ok(())
}

/// Whether a line holds a text that is not part of a longer name.
fn contains_word(line: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        let starts = word.starts_with(is_name) && before.is_some_and(is_name);
        let goes_on = word.ends_with(is_name) && after.is_some_and(is_name);
        !starts && !goes_on
    })
}

#[test]
fn words_are_told_from_parts_of_names() {
    assert!(contains_word("use rmcp::model;", "rmcp::"));
    assert!(contains_word("unsafe { f() }", "unsafe"));
    assert!(!contains_word("#[expect(unsafe_code)]", "unsafe"));
    assert!(!contains_word("let not_rmcp::x", "rmcp::"));
    assert!(!contains_word("eprintln!()", "println!"));
}

/// What each crate of the server may build on. A crate that is not named may build on nothing of this.
const HOMES: [(&str, &[&str]); 7] = [
    ("wasmtime", &["pif-sandbox"]),
    ("rusqlite", &["pif-store"]),
    ("tokio-postgres", &["pif-postgres"]),
    ("rmcp", &["mcp-pif", "pif-broker", "pif-server"]),
    ("landlock", &["pif-system"]),
    ("seccompiler", &["pif-system"]),
    ("libc", &["pif-system"]),
];

/// The crates of the evaluator. The server embeds the component and names none of them.
const EVALUATOR: [&str; 4] = ["pif", "pif-core", "pif-language", "pif-notation"];

#[test]
fn each_crate_builds_on_what_it_may() -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]);
    let output = cargo.current_dir(root()).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("packages")?;
    let mut used = 0;
    for package in packages {
        let manifest = package["manifest_path"].as_str().context("a path")?;
        let is_of_host =
            HOST_CRATES.iter().any(|it| manifest.ends_with(&format!("/{it}/Cargo.toml")));
        if !is_of_host {
            continue;
        }
        let name = package["name"].as_str().context("a name")?;
        let dependencies = package["dependencies"].as_array().context("dependencies")?;
        for dependency in dependencies.iter().filter(|it| it["kind"].is_null()) {
            let on = dependency["name"].as_str().context("a name")?;
            ensure!(!EVALUATOR.contains(&on), "{name} depends on {on}");
            if let Some((_, homes)) = HOMES.iter().find(|(it, _)| *it == on) {
                ensure!(homes.contains(&name), "{name} depends on {on}");
                used += 1;
            }
        }
    }
    ensure!(used == 9, "{used} of the homes are used");
    Ok(())
}

#[test]
fn only_the_settings_come_from_the_environment() -> Result<()> {
    let reading = ["env::var", "env::vars", "env::var_os", "option_env!", "env =", "ProjectDirs"];
    let homes =
        ["host/server/src/config/", "host/system/src/environment.rs", "host/sandbox/build.rs"];
    ensure_absent(HOST, &reading, &homes)
}

#[test]
fn only_transport_and_command_line_write_to_standard_output() -> Result<()> {
    let homes = [
        "host/server/src/transport/stdio.rs",
        "host/src/print.rs",
        "host/system/src/stdio/patient.rs",
        "host/system/src/stdio/streams.rs",
    ];
    ensure_absent(&[&GUEST, HOST].concat(), &["stdout()", "io::stdout"], &homes)?;
    let macros = ["print!", "println!", "eprint!", "eprintln!", "dbg!"];
    ensure_absent(&[&GUEST, HOST].concat(), &macros, &["host/sandbox/build.rs", "host/examples/"])
}

#[test]
fn all_code_is_safe_but_for_known_places() -> Result<()> {
    // The last makes the system calls that hardening is to refuse.
    let homes =
        ["host/sandbox/src/engine.rs", "guest/src/edge/allocator.rs", "tests/src/system.rs"];
    ensure_absent(ALL, &["unsafe"], &homes)?;
    // The bindings of the guest are generated: they only have leave to be so.
    let homes =
        [&homes[..], &["guest/src/edge/component.rs", "guest/analysis/src/component.rs"]].concat();
    ensure_absent(ALL, &["unsafe_code"], &homes)
}

#[test]
fn nothing_is_left_to_be_done() -> Result<()> {
    let words = ["todo!", "unimplemented!", "should_panic", "TODO", "FIXME", "XXX"];
    ensure_absent(ALL, &words, &[])?;
    // A test that is left out says why, and continuous integration runs it.
    for source in sources(ALL)? {
        for (number, line) in source.code().filter(|(_, line)| line.contains("#[ignore")) {
            let says = ["\"long\"", "\"needs "].iter().any(|why| line.contains(why));
            ensure!(says, "{}:{number}: {}", source.path, line.trim());
        }
    }
    for source in sources(ALL)? {
        for (number, line) in (1..).zip(source.text.lines()) {
            let left = ["TODO", "FIXME", "XXX"].iter().any(|word| contains_word(line, word));
            ensure!(!left, "{}:{number}: {}", source.path, line.trim());
        }
    }
    Ok(())
}

/// A program has no clock, no files, no network: the evaluator does not even name them.
#[test]
fn the_guest_knows_nothing_of_the_world() -> Result<()> {
    const WORLD: [&str; 7] = ["time", "fs", "env", "net", "thread", "process", "os"];
    // Tests of a module are no part of the component.
    let is_built = |source: &Source| !source.path.ends_with("/tests.rs");
    for source in sources(&GUEST)?.into_iter().filter(is_built) {
        let code: String = source.code().flat_map(|(_, line)| [line, "\n"]).collect();
        for (start, _) in code.match_indices("std::") {
            let rest = &code[start + "std::".len()..];
            let named = match rest.strip_prefix('{') {
                None => vec![rest],
                Some(group) => members(group),
            };
            for path in named {
                let module = path.trim_start().split(|c: char| !c.is_alphanumeric()).next();
                let is_world = module.is_some_and(|module| WORLD.contains(&module));
                ensure!(!is_world, "{} names std::{}", source.path, module.unwrap_or_default());
            }
        }
    }
    Ok(())
}

/// The paths in a group of imports, which begins after its brace.
fn members(group: &str) -> Vec<&str> {
    let (mut found, mut start, mut level) = (Vec::new(), 0, 1);
    for (index, c) in group.char_indices() {
        match c {
            '{' => level += 1,
            '}' => level -= 1,
            _ => {}
        }
        if level == 0 || (level == 1 && c == ',') {
            found.push(&group[start..index]);
            start = index + 1;
        }
        if level == 0 {
            break;
        }
    }
    found
}

#[test]
fn imports_in_groups_are_seen() {
    assert_eq!(members("a::{b, c}, d, e::f}; use x"), ["a::{b, c}", " d", " e::f"]);
}

#[test]
fn the_top_level_holds_only_what_belongs_there() -> Result<()> {
    const TOP: [&str; 10] = [
        "Cargo.toml",
        "Cargo.lock",
        "rust-toolchain.toml",
        "host",
        "guest",
        "wit",
        "tests",
        "scripts",
        "README.md",
        "LICENSE",
    ];
    for entry in fs::read_dir(root())? {
        let name = entry?.file_name();
        let name = name.to_str().context("a name in UTF-8")?;
        let is_known = TOP.contains(&name) || name.starts_with('.') || name == "target";
        ensure!(is_known, "{name} does not belong at the top");
    }
    Ok(())
}

/// The stages of the evaluator's own crate, each above those that it may name.
const STAGES: &[&str] = &[
    "request",
    "memory",
    "code",
    "algorithm",
    "data",
    "check",
    "compile",
    "run",
    "builtin",
    "machine",
    "edge",
    "",
];

/// The modules of a folder with sources, of which the top folders stand in this order.
fn ensure_downward(folder: &str, order: &[&str], least: usize) -> Result<()> {
    let modules = Modules::read(&root().join(folder))?;
    let level = |module: &str| {
        let top = module.split('/').next().unwrap_or_default();
        let found = order.iter().position(|it| *it == top);
        found.with_context(|| format!("`{top}` of {folder} has no place in the order: name it"))
    };
    let mut edges = 0;
    for (from, to) in modules.edges() {
        ensure!(level(from)? >= level(to)?, "{from} names {to}, which stands above it");
        edges += 1;
    }
    ensure!(edges > least, "{edges} imports were found in {folder}, which cannot be all");
    Ok(())
}

#[test]
fn the_stages_of_the_evaluator_point_down() -> Result<()> {
    ensure_downward("guest/src", STAGES, 500)
}

#[test]
fn no_modules_go_in_circles() -> Result<()> {
    let host = HOST_CRATES.map(|it| format!("{it}/src"));
    for folder in GUEST.into_iter().chain(host.iter().map(String::as_str)) {
        let modules = Modules::read(&root().join(folder))?;
        let circles = modules.circles();
        ensure!(circles.is_empty(), "these of {folder} name each other: {circles:#?}");
    }
    Ok(())
}
