//! What scripts rely on in the command line: exit codes, which stream says what, where terms come
//! from, and what is left behind. What each command does is in `server/command_line.rs`.

mod command_line {
    mod settings;
}

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use pif_tests::server::binary;
use pif_tests::server::folder::{Folder, cache};

/// The code for a command line that cannot be understood.
const MISUSE: i32 = 2;

/// How a command ended, and what it wrote.
#[derive(Debug)]
struct Ending {
    code: i32,
    out: String,
    errors: String,
}

/// The binary in a folder of its own, with an environment that holds nothing of ours.
#[derive(Debug)]
struct Shell {
    folder: Folder,
    input: String,
}

impl Shell {
    fn new() -> Result<Self> {
        let shell = Self { folder: Folder::new()?, input: String::new() };
        Ok(shell)
    }

    /// Has something to read on standard input.
    fn reading(mut self, text: &str) -> Self {
        text.clone_into(&mut self.input);
        self
    }

    /// Has a file to read.
    fn file(self, name: &str, text: &str) -> Result<Self> {
        fs::write(self.folder.path().join(name), text)?;
        Ok(self)
    }

    fn command(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = Command::new(binary::path()?);
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("MCP_PIF_CACHE", cache())
            .current_dir(self.folder.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
    }

    fn execute(&self, arguments: &[&str]) -> Result<Ending> {
        self.finish(self.command(arguments)?)
    }

    fn finish(&self, mut command: Command) -> Result<Ending> {
        let mut child = command.spawn()?;
        let mut stdin = child.stdin.take().context("no standard input")?;
        // A command that does not read may be gone already.
        let _ = stdin.write_all(self.input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output()?;
        Ok(Ending {
            code: output.status.code().context("ended by a signal")?,
            out: String::from_utf8(output.stdout)?,
            errors: String::from_utf8(output.stderr)?,
        })
    }

    /// What a command that succeeds without a word of complaint prints.
    fn prints(&self, arguments: &[&str]) -> Result<String> {
        let ending = self.execute(arguments)?;
        ensure!(ending.code == 0 && ending.errors.is_empty(), "{arguments:?}: {ending:?}");
        Ok(ending.out)
    }

    /// What a command that fails with this code, and prints no result, complains about.
    fn complains(&self, code: i32, arguments: &[&str]) -> Result<String> {
        let ending = self.execute(arguments)?;
        ensure!(ending.code == code && ending.out.is_empty(), "{arguments:?}: {ending:?}");
        Ok(ending.errors)
    }
}

const IDENTITY: &str = r#"{"lam":"x","body":{"var":"x"}}"#;

const DOUBLE: &str = r#"{"lam":"x","body":{"mul":[{"var":"x"},2]}}"#;

#[test]
fn run_prints_the_value() -> Result<()> {
    let rows: &[(&[&str], &str)] = &[
        (&[r#"{"add":[1,2]}"#], "3"),
        (&[DOUBLE, "21"], "42"),
        (&[DOUBLE, "\"21\""], "42"),
        (&[DOUBLE, "123456789012345678901234567890"], "246913578024691357802469135780"),
        (&[DOUBLE, "-5"], "-10"),
        (&[IDENTITY, "-1e5"], "-100000"),
        (&[IDENTITY, "--data", "-5"], "-5"),
        (&[IDENTITY, "--data=-0.5"], "-0.5"),
        (&[IDENTITY, "--data", "-2.5"], "-2.5"),
        (&["-7"], "-7"),
        (&["\"hello\""], "hello"),
        (&[IDENTITY, "hello"], "hello"),
        (&[IDENTITY, "{\"add\":[1,2]}"], "3"),
        (&[IDENTITY, "--data", "{\"add\":[1,2]}"], "{\"add\":[1,2]}"),
        (&[IDENTITY, "--data", "[1, 2.5, null, \"x\"]"], "[1,2.5,null,\"x\"]"),
        (&[r#"{"add":[{"var":"a"},1]}"#, "--context", "{\"a\":41}"], "42"),
        (&["[1, [true, {\"nil\":true}]]"], "[1,[true,[]]]"),
    ];
    let shell = Shell::new()?;
    for (arguments, value) in rows {
        let arguments = [&["run"], *arguments].concat();
        assert_eq!(shell.prints(&arguments)?, format!("{value}\n"), "{arguments:?}");
    }
    Ok(())
}

#[test]
fn run_reads_files_and_standard_input() -> Result<()> {
    let shell = Shell::new()?
        .file("double.json", DOUBLE)?
        .file("n.json", " 21\n")?
        .file("table.json", "{\"x\": 42}")?
        .reading("21");
    for (arguments, value) in [
        (vec!["run", "@double.json", "@n.json"], "42\n"),
        (vec!["run", "@double.json", "-"], "42\n"),
        (vec!["run", "@double.json", "--data", "-"], "42\n"),
        (vec!["run", IDENTITY, "--data", "@table.json"], "{\"x\":42}\n"),
        (vec!["run", r#"{"var":"x"}"#, "--context", "@table.json"], "42\n"),
    ] {
        assert_eq!(shell.prints(&arguments)?, value, "{arguments:?}");
    }
    assert_eq!(Shell::new()?.reading(DOUBLE).prints(&["run", "-", "4"])?, "8\n");
    assert!(shell.complains(1, &["run", "@none.json"])?.contains("none.json"));
    Ok(())
}

#[test]
fn run_fails_with_the_fault_its_place_and_a_hint() -> Result<()> {
    let rows: &[(&[&str], &[&str])] = &[
        (&["{\"add\":[1,"], &["unparsable: "]),
        (&["hello"], &["unbound: ", "`hello`", "const x = 1"]),
        (&[r#"{"add":[1,{"div":[1,0]}]}"#], &["divide-by-zero: ", "\nat /add/1: {\"div\":[1,0]}"]),
        (&[r#"{"var":"y"}"#], &["unbound", "`y`"]),
        (&[r#"{"tool":"square"}"#], &["unknown-tool: ", "`square`"]),
        (&[r#"{"lamb":[1]}"#], &["unknown-form: ", "`lamb`", "\nhint: "]),
        (&[r#"{"lam":1}"#], &["malformed: ", "\nat /lam: 1", "\nhint: "]),
        (&["[1,2,3]", "--fuel", "2"], &["out-of-fuel: ", "2 units"]),
        (&[r#"{"perform":{"capability":"net","args":null}}"#], &["capability-denied: "]),
    ];
    let shell = Shell::new()?;
    for (arguments, parts) in rows {
        let arguments = [&["run"], *arguments].concat();
        let errors = shell.complains(1, &arguments)?;
        for part in *parts {
            assert!(errors.contains(part), "{arguments:?}: `{part}` is not in: {errors}");
        }
    }
    Ok(())
}

/// One that fuel would not stop within the time a test has.
#[test]
fn run_stops_at_the_wall_clock() -> Result<()> {
    let twice = r#"{"lam":"x","body":{"app":{"func":{"var":"x"},"arg":{"var":"x"}}}}"#;
    let omega = format!(r#"{{"app":{{"func":{twice},"arg":{twice}}}}}"#);
    let limits = ["--fuel", "1000000G", "--fuel-ceiling", "1000000G", "--wall-clock", "200ms"];
    let arguments = [&["run", omega.as_str()], limits.as_slice()].concat();
    let errors = Shell::new()?.complains(1, &arguments)?;
    assert!(errors.starts_with("timeout: ") && errors.contains("200ms"), "{errors}");
    Ok(())
}

#[test]
fn check_describes_a_term() -> Result<()> {
    let term = r#"{"lam":"x","body":{"add":[{"var":"x"},{"app":{"func":{"tool":"t"},"arg":{"var":"y"}}}]}}"#;
    let shell = Shell::new()?.reading(term).file("term.json", term)?;
    let told = shell.prints(&["check", term])?;
    assert!(told.starts_with("ok: `lam`, revision "), "{told}");
    for part in ["canonical: {\"body\":{\"add\":", "free variables: `y`\n", "tools named: `t`\n"] {
        assert!(told.contains(part), "`{part}` is not in: {told}");
    }
    assert_eq!(shell.prints(&["check", "-"])?, told);
    assert_eq!(shell.prints(&["check", "@term.json"])?, told);
    Ok(())
}

#[test]
fn check_prints_what_it_calls_canonical_alike_for_any_spelling() -> Result<()> {
    let shell = Shell::new()?;
    let a = shell.prints(&["check", r#"{"lam":"x","body":{"var":"x"}}"#])?;
    let b = shell.prints(&["check", "{ \"body\": {\"var\":\"\\u0078\"}, \"lam\":\"x\" }"])?;
    assert_eq!(a, b);
    Ok(())
}

#[test]
fn check_fails_with_the_fault_its_place_and_a_hint() -> Result<()> {
    let errors = Shell::new()?.complains(1, &["check", r#"{"add":[1,{"lamb":1}]}"#])?;
    for part in ["unknown-form: ", "\nat /add/1: ", "did you mean `lam`?"] {
        assert!(errors.contains(part), "`{part}` is not in: {errors}");
    }
    Ok(())
}

#[test]
fn check_repairs_a_file_where_that_is_sure() -> Result<()> {
    let wrong = "total = 0\nfor x in [1, 2, 3]:\n    total += x\ntotal\n";
    let shell = Shell::new()?.file("program.js", wrong)?.file("other.js", "foo(1) +")?;
    let told = shell.prints(&["check", "--fix", "program.js"])?;
    assert!(told.starts_with("repaired program.js"), "{told}");
    assert_eq!(shell.prints(&["run", "@program.js"])?.trim(), "6");
    assert!(shell.prints(&["check", "--fix", "program.js"])?.starts_with("nothing to repair"));
    let errors = shell.complains(1, &["check", "--fix", "other.js"])?;
    assert!(errors.starts_with("unparsable: ") && !errors.contains("fixed: "), "{errors}");
    let errors = shell.complains(1, &["check", "data.map(x => x.qty and x.ok)"])?;
    for part in ["fix: write `&&` for `and`", "\nfixed: data.map(x => x.qty && x.ok)"] {
        assert!(errors.contains(part), "`{part}` is not in: {errors}");
    }
    Ok(())
}

#[test]
fn every_flag_of_the_help_has_its_variable() -> Result<()> {
    let help = Shell::new()?.prints(&["--help"])?;
    let (_, settings) = help.split_once("\nLimits of a run:").context("the limits")?;
    // What is said of a flag may be on the line below it.
    let settings: Vec<&str> = settings.split("  --").skip(1).collect();
    assert!(settings.len() >= 30, "{help}");
    for setting in settings {
        assert!(setting.contains("[env: "), "{setting}");
    }
    Ok(())
}

/// The data directory may be named before or after a command, and after the command's own.
#[test]
fn the_data_directory_may_be_named_anywhere() -> Result<()> {
    let shell = Shell::new()?;
    shell.prints(&["import", "-", "--data", "kept"]).err().context("nothing on standard input")?;
    for arguments in [
        &["journal"][..],
        &["journal", "verify"],
        &["journal", "export"],
        &["replay", "--all"],
        &["check", "1"],
    ] {
        let before = shell.execute(&[&["--data", "kept"], arguments].concat())?;
        let after = shell.execute(&[arguments, &["--data", "kept"]].concat())?;
        ensure!(before.code == 0 && before.errors.is_empty(), "{arguments:?}: {before:?}");
        assert_eq!((before.code, &before.out), (after.code, &after.out), "{arguments:?}");
    }
    let between = shell.prints(&["journal", "--data", "kept", "verify"])?;
    assert_eq!(between, shell.prints(&["journal", "verify", "--data", "kept"])?);
    let errors = shell.complains(1, &["--data", "empty", "journal"])?;
    ensure!(errors.contains("empty/mcp-pif.db: there is no store"), "{errors}");
    let errors = shell.complains(1, &["--ephemeral", "replay", "1"])?;
    ensure!(errors.contains("--ephemeral"), "{errors}");
    Ok(())
}

/// A reader that goes away is no error to complain about.
#[test]
fn a_closed_pipe_ends_quietly() -> Result<()> {
    let shell = Shell::new()?;
    shell.execute(&["import", "-", "--data", "kept"])?;
    for arguments in
        [&["journal"][..], &["journal", "export"], &["replay", "--all"], &["check", "1"]]
    {
        let mut command = shell.command(&[&["--data", "kept"], arguments].concat())?;
        let mut child = command.stdin(Stdio::null()).spawn()?;
        drop(child.stdout.take());
        let output = child.wait_with_output()?;
        ensure!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.code().is_some(), "{arguments:?} was killed");
    }
    Ok(())
}

#[test]
fn misuse_ends_with_its_own_code() -> Result<()> {
    let shell = Shell::new()?;
    for (arguments, part) in [
        (vec!["runn", "1"], "runn"),
        (vec!["run"], "<CODE>"),
        (vec!["run", "1", "2", "--data", "3"], "--data"),
        (vec!["--fule", "1"], "--fule"),
        (vec!["--fuel", "lots", "run", "1"], "--fuel"),
        (vec!["--wall-clock", "5 days", "run", "1"], "--wall-clock"),
        (vec!["--log", "[[[", "run", "1"], "--log"),
        (vec!["--log", "[[["], "--log"),
        (vec!["replay"], "<ENTRY>"),
        (vec!["replay", "1", "--all"], "--all"),
        (vec!["replay", "first"], "first"),
        (vec!["export"], "<NAME>"),
        (vec!["import"], "<FILE>"),
        (vec!["journal", "--kind", "runs"], "refusal"),
        (vec!["journal", "verify", "--expect", "17"], "ENTRY:HASH"),
        (vec!["journal", "verify", "--expect", "17:abc"], "its whole hash"),
    ] {
        let errors = shell.complains(MISUSE, &arguments)?;
        assert!(errors.contains(part), "{arguments:?}: {errors}");
    }
    Ok(())
}

#[test]
fn settings_that_cannot_be_stop_the_start() -> Result<()> {
    let shell = Shell::new()?;
    for (arguments, part) in [
        (vec!["--fuel", "0"], "--fuel"),
        (vec!["--fuel", "20G"], "--fuel-ceiling"),
        (vec!["--memory", "1k"], "--memory"),
    ] {
        for command in [&[][..], &["run", "1"]] {
            let arguments = [&arguments, command].concat();
            let errors = shell.complains(1, &arguments)?;
            assert!(errors.starts_with("mcp-pif: ") && errors.contains(part), "{errors}");
        }
    }
    Ok(())
}

const APPLIED: &str =
    r#"{"app":{"func":{"lam":"number","body":{"add":[{"var":"number"},1]}},"arg":2}}"#;

const SUM: &str =
    r#"{"fold":[{"lam":"p","body":{"add":[{"fst":{"var":"p"}},{"snd":{"var":"p"}}]}},0,[1,2,3]]}"#;

#[test]
fn debug_changes_neither_value_nor_fault() -> Result<()> {
    let shell = Shell::new()?;
    for code in [APPLIED, SUM] {
        let quiet = shell.prints(&["run", code])?;
        assert_eq!(shell.execute(&["run", "--debug", code])?.out, quiet);
    }
    let quiet = shell.complains(1, &["run", r#"{"div":[1,0]}"#])?;
    let loud = shell.complains(1, &["run", "--debug", r#"{"div":[1,0]}"#])?;
    assert!(loud.ends_with(&quiet) && loud.len() > quiet.len(), "{loud}");
    Ok(())
}

#[test]
fn nothing_is_kept_where_nothing_may_be() -> Result<()> {
    let shell = Shell::new()?;
    let files =
        |name: &str| fs::read_dir(shell.folder.path().join(name)).map_or(0, Iterator::count);
    shell.prints(&["run", "1", "--cache", "kept"])?;
    assert!(files("kept") > 0);
    fs::create_dir(shell.folder.path().join("unused"))?;
    shell.prints(&["run", "1", "--cache", "unused", "--no-cache"])?;
    assert_eq!(files("unused"), 0);
    Ok(())
}

/// Compiled code that is damaged is compiled anew, not run.
#[test]
fn a_damaged_cache_does_no_harm() -> Result<()> {
    let shell = Shell::new()?;
    shell.prints(&["run", "1", "--cache", "kept"])?;
    for entry in fs::read_dir(shell.folder.path().join("kept"))? {
        let path = entry?.path();
        if path.is_file() {
            fs::write(path, "not what was compiled")?;
        }
    }
    let ending = shell.execute(&["run", r#"{"add":[1,2]}"#, "--cache", "kept"])?;
    assert_eq!((ending.code, ending.out.as_str()), (0, "3\n"), "{ending:?}");
    Ok(())
}
