//! The process is sealed when it listens: it accepts, reads and writes, and makes no socket.

use super::web::Web;
use anyhow::{Context, Result, ensure};
use pif_tests::system::{has_seccomp, landlock_abi};
use serde_json::json;
use std::fs;
use std::process::Command;

/// A member of the state of a process or a thread.
fn member(status: &str, name: &str) -> Option<String> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

#[test]
fn every_thread_is_sealed() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    for _ in 0..4 {
        web.call("runner", "run", &json!({"code": {"add": [40, 2]}}))?;
    }
    if has_seccomp() {
        for task in fs::read_dir(format!("/proc/{}/task", web.process()))? {
            let status = fs::read_to_string(task?.path().join("status"))?;
            ensure!(member(&status, "Seccomp").as_deref() == Some("2"), "{status}");
            ensure!(member(&status, "NoNewPrivs").as_deref() == Some("1"), "{status}");
        }
    }
    let info = web.call("reader", "server_info", &json!({}))?;
    let state = &info["structuredContent"]["hardening"];
    let expected = if landlock_abi() >= 6 { "enforced" } else { "partial" };
    ensure!(landlock_abi() == 0 || state["landlock"] == expected, "{state}");
    ensure!(!web.log().contains("too early"), "{}", web.log());
    Ok(())
}

/// Calls that a sealed process does not make.
const FORBIDDEN: [&str; 8] =
    ["socket(", "connect(", "bind(", "listen(", "execve(", "fork(", "ptrace(", "socketpair("];

#[test]
#[ignore = "needs strace"]
fn it_makes_no_socket_while_it_serves() -> Result<()> {
    let Ok(version) = Command::new("strace").arg("--version").output() else {
        pif_tests::skip("there is no strace (apt-get install strace)")?;
        return Ok(());
    };
    ensure!(version.status.success());
    let web = Web::with_tokens(&[])?;
    let log = web.folder().path().join("strace");
    let mut tracer = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=network,process", "-o"])
        .arg(&log)
        .args(["-p", &web.process().to_string()])
        .spawn()?;
    let is_attached = || -> Result<bool> {
        let status = fs::read_to_string(format!("/proc/{}/status", web.process()))?;
        Ok(member(&status, "TracerPid").context("a state")? != "0")
    };
    let attached = web.wait_for("the tracer", is_attached);
    if attached.is_err() {
        tracer.kill()?;
        pif_tests::skip("strace may not trace here")?;
        return Ok(());
    }
    for _ in 0..3 {
        web.call("runner", "run", &json!({"code": {"add": [40, 2]}}))?;
        web.call("maker", "evolve", &json!({"name": "one", "description": "one", "code": 1}))?;
        web.call("runner", "memory_store", &json!({"key": "k", "value": 1}))?;
    }
    web.session("runner")?.call(1, "run", &json!({"code": 1}))?;
    web.signal("-HUP")?;
    web.call("runner", "run", &json!({"code": 2}))?;
    Command::new("kill").args(["-INT", &tracer.id().to_string()]).status()?;
    tracer.wait()?;
    let calls = fs::read_to_string(&log)?;
    ensure!(calls.contains("accept4("), "nothing was traced: {calls}");
    let wrong = calls.lines().find(|line| FORBIDDEN.iter().any(|call| line.contains(call)));
    ensure!(wrong.is_none(), "{wrong:?}");
    Ok(())
}
