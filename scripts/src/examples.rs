//! `cargo x examples`: every program in host/examples on one and the same component.

use anyhow::{Context, Result, ensure};
use pif_tests::embedding::{self, Example, NODE, PYTHON, RUST, SHELL};
use pif_tests::sdk::environment;
use pif_tests::server::binary::target;
use std::env;
use std::process::Command;
use xshell::cmd;

use crate::{npm, tasks};

/// Runs all of them; fails if one does not print what it must.
pub(crate) fn run() -> Result<()> {
    let component = tasks::write_component()?;
    let commands: [(Example, Result<Command>); 4] =
        [(RUST, Ok(rust())), (PYTHON, python()), (SHELL, shell()), (NODE, node())];
    let mut failed = 0;
    for (example, command) in &mut commands.into_iter() {
        println!("# {}", example.file);
        if let Err(error) = command.and_then(|mut it| show(example, it.arg(&component))) {
            println!("FAILED  {error:#}");
            failed += 1;
        }
    }
    println!("{} passed, {failed} failed", 4 - failed);
    ensure!(failed == 0, "not every example prints what it must");
    Ok(())
}

/// Runs an example, prints what it prints, and judges it.
fn show(example: Example, command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?} does not start"))?;
    let printed = String::from_utf8(output.stdout)?;
    print!("{printed}");
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {complaints}", output.status);
    embedding::judge(example, &printed)
}

fn rust() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--package", "mcp-pif", "--example", "embed", "--"]);
    cargo.current_dir(tasks::root());
    cargo
}

fn python() -> Result<Command> {
    let folder = embedding::folder();
    let requirements = folder.join("requirements.txt");
    let python = environment::python(&target()?, "python-examples", &requirements)?;
    let mut command = Command::new(python);
    command.arg(folder.join(PYTHON.file));
    Ok(command)
}

/// Tells where the package has put the program, which it does not make executable.
const UNPACKED: &str = "
import os, wasmtime_cli
path = os.path.join(os.path.dirname(wasmtime_cli.__file__), 'wasmtime')
os.chmod(path, 0o755)
print(path)
";

/// With the wasmtime of whoever runs this, or else one that the Python package index has.
fn shell() -> Result<Command> {
    let folder = embedding::folder();
    let mut command = Command::new("sh");
    command.arg(folder.join(SHELL.file));
    if env::var_os("WASMTIME").is_none() && !is_installed("wasmtime") {
        let requirements = folder.join("requirements-cli.txt");
        let python = environment::python(&target()?, "python-wasmtime", &requirements)?;
        let sh = tasks::shell()?;
        command.env("WASMTIME", cmd!(sh, "{python} -c {UNPACKED}").quiet().read()?);
    }
    Ok(command)
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// In a project that has our package installed from its archive, as anybody would.
fn node() -> Result<Command> {
    let sh = tasks::shell()?;
    let archive = npm::pack()?;
    let project = target()?.join("npm/example");
    sh.remove_path(&project)?;
    sh.create_dir(&project)?;
    for file in [NODE.file, "request.json", "endless.json"] {
        sh.copy_file(embedding::folder().join(file), &project)?;
    }
    let manifest = serde_json::json!({
        "private": true, "type": "module",
        "dependencies": {"pif-evaluator": format!("file:{}", archive.display())},
    });
    sh.write_file(project.join("package.json"), manifest.to_string())?;
    npm::install(&project)?;
    let mut command = Command::new("node");
    command.arg(NODE.file).current_dir(project);
    Ok(command)
}
