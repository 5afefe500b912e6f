//! Settings from the environment and from flags, as those write them who start servers; and what is said
//! to people.

use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::{Ending, MISUSE, Shell};
use anyhow::{Result, ensure};

const SUM: &str = r#"{"add":[1,2]}"#;

/// What comes of a run with these variables.
fn run_with(shell: &Shell, variables: &[(&str, &str)], arguments: &[&str]) -> Result<Ending> {
    let mut command = shell.command(arguments)?;
    command.envs(variables.iter().copied());
    shell.finish(command)
}

/// The variables that `--help` tells of, and whether each takes a value.
fn variables(shell: &Shell) -> Result<Vec<(String, bool)>> {
    let help = shell.prints(&["--help"])?;
    let named = help.split("[env: ").skip(1).filter_map(|rest| rest.split_once('='));
    let mut found = Vec::new();
    for (name, _) in named {
        let before = help.split(&format!("[env: {name}=")).next().unwrap_or_default();
        let flag = before.lines().rev().find(|line| line.trim_start().starts_with("--"));
        found.push((name.to_owned(), flag.unwrap_or_default().contains('<')));
    }
    ensure!(found.len() > 20, "{found:?}");
    Ok(found)
}

#[test]
fn empty_variables_are_as_none() -> Result<()> {
    let shell = Shell::new()?;
    let variables = variables(&shell)?;
    for (name, _) in variables.iter().filter(|(name, _)| name != "MCP_PIF_CACHE") {
        let ending = run_with(&shell, &[(name, "")], &["run", SUM])?;
        assert_eq!((ending.code, ending.out.as_str()), (0, "3\n"), "{name}: {ending:?}");
        ensure!(ending.errors.is_empty(), "{name}: {ending:?}");
    }
    let all: Vec<_> = variables.iter().map(|(name, _)| (name.as_str(), "")).collect();
    assert_eq!(run_with(&shell, &all, &["--no-cache", "run", SUM])?.out, "3\n");
    Ok(())
}

#[test]
fn placeholders_are_refused_by_the_name_of_the_variable() -> Result<()> {
    let shell = Shell::new()?;
    for (name, _) in variables(&shell)?.iter().filter(|(name, _)| name != "RUST_LOG") {
        for value in ["${user_config.value}", "${workspaceFolder}/${x}"] {
            let ending = run_with(&shell, &[(name, value)], &["run", SUM])?;
            ensure!(ending.code == MISUSE && ending.out.is_empty(), "{name}: {ending:?}");
            ensure!(
                ending.errors.starts_with(&format!("error: {name} is `{value}`: ")),
                "{ending:?}"
            );
            ensure!(!ending.errors.contains("for '--"), "{ending:?}");
        }
    }
    for flag in ["--fuel", "--memory", "--wall-clock", "--data", "--cache", "--log", "--profile"] {
        let errors = shell.complains(MISUSE, &[flag, "${user_config.value}s", "run", SUM])?;
        ensure!(errors.contains(flag) && errors.contains("${user_config.value}"), "{errors}");
    }
    let errors = shell.complains(MISUSE, &["check", "1", "--data", "${HOME}/pif"])?;
    ensure!(errors.contains("--data") && errors.contains("nothing was put in place"), "{errors}");
    assert!(!shell.folder.path().join("${HOME}").exists());
    Ok(())
}

#[test]
#[ignore = "long"]
fn booleans_are_true_or_false_or_refused() -> Result<()> {
    let shell = Shell::new()?;
    let flags = variables(&shell)?;
    let flags: Vec<_> = flags.iter().filter(|(_, takes_value)| !takes_value).collect();
    ensure!(flags.len() >= 4, "{flags:?}");
    for (name, _) in flags {
        for value in ["x", "2", "tru", "enabled", "*"] {
            let ending = run_with(&shell, &[(name, value)], &["run", SUM])?;
            ensure!(ending.code == MISUSE, "{name}={value}: {ending:?}");
            ensure!(ending.errors.contains(name.as_str()), "{ending:?}");
            ensure!(ending.errors.contains("write true or false"), "{ending:?}");
        }
        for value in
            ["true", "TRUE", "1", "yes", "on", "false", "False", "0", "no", "off", " true "]
        {
            let ending = run_with(&shell, &[(name, value)], &["run", SUM])?;
            assert_eq!(
                (ending.code, ending.out.as_str()),
                (0, "3\n"),
                "{name}={value}: {ending:?}"
            );
        }
    }
    // True and false are not alike.
    for (value, is_there) in [("true", false), ("false", true), ("", true)] {
        let shell = Shell::new()?;
        let variables = [("MCP_PIF_EPHEMERAL", value), ("MCP_PIF_DATA", "kept")];
        let ending = run_with(&shell, &variables, &[])?;
        assert_eq!(ending.code, 0, "{ending:?}");
        assert_eq!(shell.folder.path().join("kept").exists(), is_there, "{value}");
    }
    Ok(())
}

/// Variables and flags; the exit code, words that the message has, and one that it lacks.
type Wrong =
    (Vec<(&'static str, &'static str)>, Vec<&'static str>, i32, Vec<&'static str>, &'static str);

fn wrong_settings() -> Vec<Wrong> {
    vec![
        (vec![("MCP_PIF_FUEL", "many")], vec![], MISUSE, vec!["MCP_PIF_FUEL is `many`"], "--fuel"),
        (vec![("MCP_PIF_FUEL", "0")], vec![], 1, vec!["MCP_PIF_FUEL: 0 is not"], "--fuel"),
        (
            vec![("MCP_PIF_FUEL", "20G")],
            vec![],
            1,
            vec!["MCP_PIF_FUEL: ", "--fuel-ceiling"],
            "--fuel:",
        ),
        (
            vec![("MCP_PIF_FUEL", "2G"), ("MCP_PIF_FUEL_CEILING", "1G")],
            vec![],
            1,
            vec!["MCP_PIF_FUEL: ", "more than MCP_PIF_FUEL_CEILING allows"],
            "--fuel",
        ),
        (
            vec![("MCP_PIF_FUEL_CEILING", "10")],
            vec!["--fuel", "20"],
            1,
            vec!["--fuel: ", "MCP_PIF_FUEL_CEILING"],
            "--fuel-ceiling",
        ),
        (
            vec![("MCP_PIF_PROFILE", "loud")],
            vec![],
            MISUSE,
            vec!["MCP_PIF_PROFILE is `loud`: write one of slim"],
            "--profile",
        ),
        (vec![("MCP_PIF_QUEUE", "0")], vec![], 1, vec!["MCP_PIF_QUEUE: "], "--queue"),
        (
            vec![("MCP_PIF_WALL_CLOCK", "0")],
            vec![],
            1,
            vec!["MCP_PIF_WALL_CLOCK: "],
            "--wall-clock",
        ),
        (
            vec![("MCP_PIF_JOURNAL_SIZE", "1")],
            vec![],
            1,
            vec!["MCP_PIF_JOURNAL_SIZE: "],
            "--journal-size",
        ),
        (
            vec![("MCP_PIF_MEMORY", "-5")],
            vec![],
            MISUSE,
            vec!["MCP_PIF_MEMORY is `-5`: write bytes"],
            "--memory",
        ),
    ]
}

#[test]
fn what_is_wrong_is_told_by_the_name_that_was_written() -> Result<()> {
    let shell = Shell::new()?;
    for (variables, arguments, code, parts, not) in wrong_settings() {
        let ending = run_with(&shell, &variables, &[&arguments[..], &["run", SUM]].concat())?;
        ensure!(ending.code == code && ending.out.is_empty(), "{variables:?}: {ending:?}");
        ensure!(parts.iter().all(|part| ending.errors.contains(part)), "{variables:?}: {ending:?}");
        ensure!(!ending.errors.contains(not), "{variables:?}: {ending:?}");
    }
    // What a flag says goes first, whatever the variable is.
    let ending = run_with(&shell, &[("MCP_PIF_FUEL", "many")], &["run", SUM, "--fuel", "5"])?;
    assert_eq!((ending.code, ending.out.as_str()), (0, "3\n"), "{ending:?}");
    Ok(())
}

#[test]
fn a_home_directory_is_found() -> Result<()> {
    for (variables, arguments, place) in [
        (vec![("MCP_PIF_DATA", "~/pif")], vec![], "home/pif"),
        (vec![("MCP_PIF_DATA", "$HOME/pif")], vec![], "home/pif"),
        (vec![], vec!["--data", "~/a/b"], "home/a/b"),
        (vec![], vec!["--data", "$HOME"], "home"),
        (vec![], vec!["--data=~/a"], "home/a"),
        (vec![], vec!["serve", "--data", "~/a"], "home/a"),
        (vec![], vec!["--data", "a/~"], "a/~"),
    ] {
        let shell = Shell::new()?;
        let home = shell.folder.path().join("home");
        let home = home.to_str().unwrap_or_default();
        let ending = run_with(&shell, &[&[("HOME", home)], &variables[..]].concat(), &arguments)?;
        assert_eq!((ending.code, ending.errors.as_str()), (0, ""), "{arguments:?}: {ending:?}");
        let kept = shell.folder.path().join(place).join("mcp-pif.db");
        ensure!(kept.exists(), "{variables:?} {arguments:?}: {}", kept.display());
    }
    Ok(())
}

#[test]
fn a_log_filter_for_others_is_passed_over() -> Result<()> {
    for value in ["*", "a=b", "[[[", "${level}"] {
        let ending = run_with(&Shell::new()?, &[("RUST_LOG", value)], &["run", SUM])?;
        assert_eq!((ending.code, ending.out.as_str()), (0, "3\n"), "{value}: {ending:?}");
        ensure!(ending.errors.contains(&format!("RUST_LOG is `{value}`")), "{ending:?}");
        ensure!(ending.errors.contains("WARN"), "{ending:?}");
    }
    Ok(())
}

#[test]
fn quantities_are_read_as_people_write_them() -> Result<()> {
    let shell = Shell::new()?;
    for (flag, value) in [
        ("--wall-clock", "2.5s"),
        ("--wall-clock", "1.5m"),
        ("--wall-clock", "90"),
        ("--wall-clock", "0.5"),
        ("--patience", "1m"),
        ("--memory", "64MB"),
        ("--memory", "1.5GB"),
        ("--memory", "0.25GiB"),
        ("--fuel", "1.5M"),
        ("--fuel", "10000000"),
    ] {
        let ceiling = ["--memory-ceiling", "512MiB"];
        let ending = shell.execute(&[&[flag, value, "run", SUM][..], &ceiling].concat())?;
        let expected = i32::from(value == "1.5GB");
        assert_eq!(ending.code, expected, "{flag} {value}: {ending:?}");
    }
    // A fraction is not rounded: 0.05 s are over before this is done.
    let forever =
        r#"{"fold":[{"lam":"p","body":{"add":[{"fst":{"var":"p"}},1]}},0,{"range":[0,5000000]}]}"#;
    let limits = ["--fuel", "1G", "--memory", "256M", "--wall-clock", "0.001", "run", forever];
    ensure!(shell.complains(1, &limits)?.starts_with("timeout: "), "a thousandth of a second");
    Ok(())
}

#[test]
fn words_of_other_servers_serve_too() -> Result<()> {
    const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    for arguments in
        [vec![], vec!["serve"], vec!["stdio"], vec!["--stdio"], vec!["serve", "--stdio"]]
    {
        let arguments = [&["--ephemeral"], &arguments[..]].concat();
        let ending = Shell::new()?.reading(PING).execute(&arguments)?;
        assert_eq!((ending.code, ending.errors.as_str()), (0, ""), "{arguments:?}: {ending:?}");
        ensure!(ending.out.contains("\"id\":1"), "{arguments:?}: {ending:?}");
    }
    Ok(())
}

/// On a terminal, and only there, a line says what the server waits for.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_told_what_is_waited_for() -> Result<()> {
    use std::io::Write as _;
    use std::process::Stdio;

    let shell = Shell::new()?;
    let server = format!("{} --ephemeral", crate::binary::path()?.display());
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &server, "/dev/null"]);
    command.envs([("MCP_PIF_CACHE", crate::cache())]).current_dir(shell.folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().into_iter();
    let end_of_input = thread::spawn(move || {
        // Whoever sits there is not so quick either.
        thread::sleep(Duration::from_secs(2));
        stdin.try_for_each(|mut stdin| stdin.write_all(b"\x04"))
    });
    let output = child.wait_with_output()?;
    let _ = end_of_input.join();
    let told = String::from_utf8_lossy(&output.stdout);
    for part in ["waits for an MCP client on standard input", "mcp-pif run ", "mcp-pif --help"] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(told.matches("waits for").count(), 1, "{told}");
    Ok(())
}
