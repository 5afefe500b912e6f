//! The server restricts itself before it serves, says so, and works as before.

use super::client::{Client, call, text};
use super::text::{FOREVER, OMEGA};
use anyhow::{Context, Result, ensure};
use pif_tests::system::{has_seccomp, landlock_abi};
use serde_json::{Value, json};
use std::fs;
use std::time::Instant;

/// The state of hardening, and how it is told.
fn hardening(client: &mut Client) -> Result<(Value, String)> {
    let info = client.call("server_info", &json!({}))?;
    Ok((info["structuredContent"]["hardening"].clone(), text(&info)?.to_owned()))
}

/// What this kernel makes of it. Where it can do less, the test asserts that less is reported.
fn supported() -> Value {
    let abi = landlock_abi();
    let landlock = match abi {
        0 => "unsupported",
        6.. => "enforced",
        _ => "partial",
    };
    let seccomp = if has_seccomp() { "enforced" } else { "unsupported" };
    json!({"landlock": landlock, "abi": abi, "seccomp": seccomp})
}

#[test]
fn it_is_on_and_told() -> Result<()> {
    // Code from the cache, and code compiled in memory, whose first instance makes its image.
    for arguments in [&[][..], &["--no-cache"]] {
        let mut client = Client::legacy_with(arguments)?;
        let (state, told) = hardening(&mut client)?;
        assert_eq!(state, supported());
        assert!(told.contains(&format!("seccomp {}", state["seccomp"].as_str().unwrap_or("?"))));
        assert_eq!(client.text("run", &json!({"code": {"add": [40, 2]}}))?, "42");
        assert_eq!(hardening(&mut client)?.0, supported());
    }
    Ok(())
}

#[test]
fn it_can_be_switched_off() -> Result<()> {
    let mut client = Client::legacy_with(&["--no-harden"])?;
    let (state, told) = hardening(&mut client)?;
    assert_eq!(state, json!({"landlock": "off", "abi": 0, "seccomp": "off"}));
    assert!(told.contains("Landlock off, seccomp off"), "{told}");
    Ok(())
}

#[test]
fn it_is_logged() -> Result<()> {
    let mut client = Client::legacy_with(&["--log", "info"])?;
    client.ping()?;
    let errors = client.finish()?.errors;
    ensure!(errors.contains("hardened") && errors.contains("landlock="), "{errors}");
    Ok(())
}

/// What the kernel says of a thread whose system calls are filtered.
const FILTERED: Option<u64> = Some(2);

/// A member of `/proc/PID/status` or of a thread's, as a number.
fn number(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().parse().ok()
}

/// The seccomp mode and `no_new_privs` of all threads of a server that has worked.
fn threads(arguments: &[&str]) -> Result<Vec<(Option<u64>, Option<u64>)>> {
    let mut client = Client::legacy_with(arguments)?;
    for _ in 0..4 {
        client.text("run", &json!({"code": {"add": [40, 2]}}))?;
        // This has a thread of its own.
        client.text("check", &json!({"code": {"add": [40, 2]}}))?;
    }
    let tasks = fs::read_dir(format!("/proc/{}/task", client.process()))?;
    let statuses = tasks.map(|task| Ok(fs::read_to_string(task?.path().join("status"))?));
    let statuses: Vec<String> = statuses.collect::<Result<_>>()?;
    Ok(statuses.iter().map(|it| (number(it, "Seccomp"), number(it, "NoNewPrivs"))).collect())
}

#[test]
fn it_binds_every_thread() -> Result<()> {
    let own = fs::read_to_string("/proc/self/status")?;
    let own = (number(&own, "Seccomp"), number(&own, "NoNewPrivs"));
    let free = threads(&["--no-harden"])?;
    assert!(free.iter().all(|it| *it == own), "{free:?} under {own:?}");
    let bound = threads(&[])?;
    // At least main, which reads, standard output and a check.
    assert!(bound.len() >= 3, "{bound:?}");
    let seccomp = if has_seccomp() { FILTERED } else { own.0 };
    assert!(bound.iter().all(|it| *it == (seccomp, Some(1))), "{bound:?}");
    Ok(())
}

#[test]
fn the_memory_of_the_process_is_never_written_to_disk() -> Result<()> {
    let mut client = Client::legacy()?;
    client.ping()?;
    let limits = fs::read_to_string(format!("/proc/{}/limits", client.process()))?;
    let core = limits.lines().find(|line| line.starts_with("Max core file size"));
    let words: Vec<_> = core.context("no limit of core files")?.split_whitespace().collect();
    assert_eq!(words[4..6], ["0", "0"], "{words:?}");
    Ok(())
}

#[test]
fn a_thousand_runs_at_once_end_as_without_it() -> Result<()> {
    const RUNS: u64 = 1_000;
    for arguments in [&["--no-harden"][..], &[]] {
        let mut client = Client::legacy_with(arguments)?;
        client.text("run", &json!({"code": 1}))?;
        let start = Instant::now();
        for id in 0..RUNS {
            client.send(call(&json!(id), "run", &work(id)))?;
        }
        for id in 0..RUNS {
            let result = &client.answer(&json!(id))?["result"]["structuredContent"];
            match id % 4 {
                0 => assert_eq!(result["code"], "too-large", "{id}: {result}"),
                1 => assert_eq!(result["code"], "out-of-fuel", "{id}: {result}"),
                2 => assert_eq!(result["code"], "divide-by-zero", "{id}: {result}"),
                _ => assert_eq!(result["value"], id * 2, "{id}: {result}"),
            }
        }
        let took = start.elapsed() / u32::try_from(RUNS)?;
        note(&format!("{arguments:?}: {took:?} for each of {RUNS} runs"));
    }
    Ok(())
}

/// Tells a figure to those who ask for it with `--nocapture`.
#[expect(clippy::print_stderr, reason = "this is how a test shows a figure")]
fn note(figure: &str) {
    eprintln!("{figure}");
}

/// Runs of four kinds: three end in faults.
fn work(id: u64) -> String {
    let double = json!({"lam": "s", "body": {"concat": [{"var": "s"}, {"var": "s"}]}});
    let list: Vec<u64> = (0..40).collect();
    let twice =
        json!({"lam": "p", "body": {"app": {"func": double, "arg": {"fst": {"var": "p"}}}}});
    match id % 4 {
        0 => json!({"code": {"length": {"fold": [twice, "text", list]}}, "memory": 1 << 20}),
        1 => json!({"code": {"fold": [{"lam": "p", "body": 1}, 0, list]}, "fuel": 20}),
        2 => json!({"code": {"div": [id, 0]}}),
        _ => json!({"code": {"add": [{"var": "n"}, {"var": "n"}]}, "context": {"n": id}}),
    }
    .to_string()
}

#[test]
fn traps_and_cancellation_work_under_it() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    let id = json!("endless");
    client.send(call(&id, "run", &OMEGA))?;
    client.ping()?;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}});
    client.send(cancel.to_string())?;
    assert_eq!(client.text("run", &json!({"code": {"add": [40, 2]}}))?, "42");
    let mut client = Client::legacy_with(&[&FOREVER[..4], &["--wall-clock", "50ms"]].concat())?;
    for _ in 0..20 {
        let result = client.call_text("run", &OMEGA)?;
        assert_eq!(result["structuredContent"]["code"], "timeout", "{result}");
    }
    assert_eq!(client.text("run", &json!({"code": {"add": [40, 2]}}))?, "42");
    Ok(())
}
