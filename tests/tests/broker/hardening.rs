//! The sealed server, seen from outside: with other servers to call it has two pipes more than
//! without, and nothing else.

use super::shop::{Running, Shop, server_with};
use anyhow::{Context, Result, ensure};
use pif_tests::system::has_seccomp;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use std::process::{Command, Stdio};

const TOKEN: &str = "sk-proj-0123456789abcdef";

/// A shop with a server, or with none.
fn shop(with_servers: bool, with_secret: bool) -> Result<Shop> {
    let script = json!({"tools": [{"name": "echo", "does": {"echo": true}}]});
    let servers = if with_servers {
        let env = if with_secret { json!({"AUTH": "${TOKEN}"}) } else { json!({}) };
        json!({"s": server_with(&script, &json!({ "env": env }))})
    } else {
        json!({})
    };
    let secrets = if with_secret { json!({"TOKEN": {"env": "SOME_TOKEN"}}) } else { json!({}) };
    let mut shop = Shop::new(&json!({"mcpServers": servers, "secrets": secrets}))?;
    if !with_servers {
        fs::remove_file(shop.file("capabilities.json"))?;
        shop.unset("MCP_PIF_CAPABILITIES");
    }
    shop.set("SOME_TOKEN", TOKEN);
    Ok(shop)
}

/// A server that has worked.
fn worked(shop: &Shop, with_servers: bool) -> Result<Running> {
    let mut running = Running::start(shop, &["serve"])?;
    let code = if with_servers { "call(\"s.echo\", {n: 42}).n" } else { "40 + 2" };
    let told = running.call("run", &json!({ "code": code }))?;
    ensure!(told["value"] == 42, "{told}");
    Ok(running)
}

/// What the files of a process are, and how many there are of each kind.
fn files(id: u32) -> Result<BTreeMap<String, usize>> {
    let mut kinds = BTreeMap::new();
    for entry in fs::read_dir(format!("/proc/{id}/fd"))?.flatten() {
        let Ok(name) = fs::read_link(entry.path()) else { continue };
        let name = name.display().to_string();
        let kind = match name.split_once(':') {
            Some((kind @ ("pipe" | "socket" | "anon_inode"), _)) => kind.to_owned(),
            _ => name.rsplit('/').next().unwrap_or_default().to_owned(),
        };
        *kinds.entry(kind).or_default() += 1;
    }
    Ok(kinds)
}

/// A member of the status of each thread of a process.
fn of_threads(id: u32, member: &str) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for thread in fs::read_dir(format!("/proc/{id}/task"))?.flatten() {
        let status = fs::read_to_string(thread.path().join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(member));
        found.extend(line.map(|it| it.trim_start_matches(':').trim().to_owned()));
    }
    Ok(found)
}

#[test]
fn other_servers_cost_the_sealed_one_two_pipes() -> Result<()> {
    let mut all = Vec::new();
    for with_servers in [false, true] {
        let shop = shop(with_servers, false)?;
        let running = worked(&shop, with_servers)?;
        let id = running.child.id();
        if has_seccomp() {
            assert_eq!(of_threads(id, "Seccomp")?, BTreeSet::from(["2".to_owned()]));
        }
        assert_eq!(of_threads(id, "NoNewPrivs")?, BTreeSet::from(["1".to_owned()]));
        let Ok(files) = files(id) else {
            pif_tests::skip("only root sees the files of a sealed process")?;
            return Ok(());
        };
        all.push(files);
    }
    let [without, with] = all.as_slice() else { return Ok(()) };
    let count = |files: &BTreeMap<String, usize>, kind: &str| files.get(kind).copied().unwrap_or(0);
    assert_eq!(count(with, "pipe"), count(without, "pipe") + 2, "{without:?} {with:?}");
    // The runtime tells itself of signals through a pair of its own.
    assert_eq!(count(with, "socket"), count(without, "socket"), "{without:?} {with:?}");
    let known = |files: &BTreeMap<String, usize>| -> BTreeSet<String> {
        // A connection to the store is opened when it is needed.
        let kept = files.keys().filter(|it| !it.contains(".db"));
        // The lock of what it publishes for `mcp-pif top` has the name of the process.
        kept.map(|it| if it.ends_with(".lock") { "lock".to_owned() } else { it.clone() }).collect()
    };
    assert_eq!(known(without), known(with));
    Ok(())
}

#[test]
fn no_secret_is_in_the_sealed_process_from_its_start() -> Result<()> {
    let shop = shop(true, true)?;
    let running = worked(&shop, true)?;
    for file in ["environ", "cmdline"] {
        let path = format!("/proc/{}/{file}", running.child.id());
        let Ok(bytes) = fs::read(&path) else { continue };
        ensure!(!String::from_utf8_lossy(&bytes).contains(TOKEN), "{path}");
    }
    Ok(())
}

/// The calls that a process makes which is about to run others or to speak to them.
const CALLS: &str =
    "execve,execveat,socket,socketpair,connect,bind,fork,vfork,seccomp,clone,clone3";

/// Lines of a trace that are of the first process in it, or of a thread of it.
fn of_first(trace: &str) -> Vec<&str> {
    let id = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    let mut own: BTreeSet<String> = trace.lines().next().map(id).into_iter().collect();
    // Another thread may come between the beginning of a call and its result.
    let mut begun = BTreeSet::new();
    let mut lines = Vec::new();
    for line in trace.lines().filter(|line| !line.contains(" +++ ")) {
        let caller = id(line);
        if !own.contains(&caller) {
            continue;
        }
        lines.push(line);
        let made = line.rsplit(" = ").next().and_then(|it| it.split_whitespace().next());
        let made = made.filter(|it| it.parse::<u32>().is_ok());
        let is_thread = line.contains("CLONE_THREAD") || begun.remove(&caller);
        match made {
            Some(made) if is_thread => drop(own.insert(made.to_owned())),
            None if is_thread => drop(begun.insert(caller)),
            _ => {}
        }
    }
    lines
}

#[test]
fn after_it_is_sealed_it_runs_nobody_and_opens_no_socket() -> Result<()> {
    for with_servers in [false, true] {
        let shop = shop(with_servers, true)?;
        let file = shop.file("trace");
        let plain = shop.command(&["serve"])?;
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-e", &format!("trace={CALLS}"), "-o"]).arg(&file);
        strace.arg(plain.get_program()).args(plain.get_args()).env_clear();
        strace.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        strace.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(child) = strace.spawn() else {
            pif_tests::skip("there is no strace")?;
            return Ok(());
        };
        let Ok(mut running) = Running::of(child) else {
            pif_tests::skip("strace may not trace here")?;
            return Ok(());
        };
        let code = if with_servers { "call(\"s.echo\", {n: 42}).n" } else { "40 + 2" };
        let told = running.call("run", &json!({ "code": code }))?;
        ensure!(told["value"] == 42, "{told}");
        running.end()?;
        let trace = fs::read_to_string(&file)?;
        let lines = of_first(&trace);
        let is_seal = |line: &&str| {
            line.contains("seccomp(SECCOMP_SET_MODE_FILTER") || line.contains("seccomp(0x1,")
        };
        let sealed = lines.iter().rposition(is_seal).with_context(|| trace.clone())?;
        // The broker was started before.
        let started = |line: &str| line.contains("clone") && !line.contains("CLONE_THREAD");
        let (before, after) = lines.split_at(sealed);
        if with_servers {
            ensure!(before.iter().any(|line| started(line)), "{trace}");
        }
        for name in
            ["execve", "execveat", "socket", "socketpair", "connect", "bind", "fork", "vfork"]
        {
            let call = format!("{name}(");
            let made: Vec<_> = after.iter().filter(|it| it.contains(&call)).collect();
            ensure!(made.is_empty(), "{name} after the seal: {made:?}");
        }
    }
    Ok(())
}
