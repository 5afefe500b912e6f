//! What the probe must have found, given what the kernel can do.

use super::attempt::{ATTEMPTS, Attempt, FORBIDDEN};
use super::place::Place;
use anyhow::{Context, Result, ensure};
use libtest_mimic::{Arguments, Trial};
use pif_tests::system::{has_seccomp, landlock_abi};
use serde_json::Value;
use std::net::{Ipv4Addr, TcpListener};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Command, ExitCode, id};
use std::{env, fs};

/// The variable that makes this test a probe, and names the layers to put in force.
pub(crate) const MODE: &str = "PIF_PROBE";

/// The version of Landlock that can do everything we ask for.
const COMPLETE: u64 = 6;

pub(crate) fn main() -> ExitCode {
    let trials = [
        Trial::test("all_layers_refuse_what_each_refuses", || Ok(judge("all", true, true)?)),
        Trial::test("landlock_alone_closes_files", || Ok(judge("landlock", true, false)?)),
        Trial::test("seccomp_alone_closes_calls", || Ok(judge("seccomp", false, true)?)),
        Trial::test("nothing_is_refused_without_hardening", || Ok(judge("off", false, false)?)),
        Trial::test("a_kernel_that_refuses_is_no_obstacle", || Ok(survive_refusal()?)),
        Trial::test("threads_from_before_are_noticed", || Ok(notice_threads()?)),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

/// Starts a probe with these layers, and compares what it found with what it should have found.
fn judge(mode: &str, landlock: bool, seccomp: bool) -> Result<()> {
    let (abi, seccomp) = (if landlock { landlock_abi() } else { 0 }, seccomp && has_seccomp());
    let found = probe(mode)?;
    ensure!(found["landlock"] == landlock_state(landlock, abi), "abi {abi}: {found}");
    ensure!(found["abi"] == abi, "abi {abi}: {found}");
    let is_off = matches!(mode, "landlock" | "off");
    let state = if is_off { "off" } else { seccomp_state(seccomp) };
    ensure!(found["seccomp"] == state, "{found}");
    for attempt in ATTEMPTS {
        let name = attempt.name;
        ensure!(found["before"][name] == 0, "{name} fails without hardening: {found}");
        let expected = expected(attempt, abi, seccomp);
        for thread in ["early", "main", "late"] {
            let error = &found["after"][thread][name];
            ensure!(*error == expected, "{name}, {thread}: {error} instead of {expected}");
        }
    }
    for (name, _) in FORBIDDEN {
        let before = &found["before"][name];
        ensure!(*before != 0, "{name} succeeds with arguments that cannot be");
        // A kernel may be built without it: then there is nothing to refuse.
        let expected = if seccomp { libc::ENOSYS.into() } else { before.clone() };
        for thread in ["early", "main", "late"] {
            let after = &found["after"][thread][name];
            ensure!(*after == expected, "{name}, {thread}: {before} before, {after} after");
        }
    }
    let missing = |(name, _): &&(&str, _)| found["before"][name] == libc::ENOSYS;
    let missing = FORBIDDEN.iter().filter(missing).count();
    ensure!(missing < FORBIDDEN.len() / 4, "this kernel lacks {missing} of the calls to refuse");
    Ok(())
}

fn landlock_state(wanted: bool, abi: u64) -> &'static str {
    match abi {
        _ if !wanted => "off",
        0 => "unsupported",
        COMPLETE.. => "enforced",
        _ => "partial",
    }
}

fn seccomp_state(is_supported: bool) -> &'static str {
    if is_supported { "enforced" } else { "unsupported" }
}

fn expected(attempt: &Attempt, abi: u64, seccomp: bool) -> i32 {
    match attempt.landlock {
        _ if seccomp && attempt.seccomp => libc::ENOSYS,
        Some((since, error)) if abi >= since => error,
        _ => 0,
    }
}

/// Hardening that fails is told, and nothing else comes of it.
fn survive_refusal() -> Result<()> {
    let found = probe("refused")?;
    if has_seccomp() {
        ensure!(found["landlock"] == "unsupported" && found["abi"] == 0, "{found}");
        ensure!(found["seccomp"] == "unsupported", "{found}");
    }
    ensure!(found["after"]["late"]["keep files in the data directory"] == 0, "{found}");
    Ok(())
}

/// A thread that Landlock does not bind must not be passed over in silence.
fn notice_threads() -> Result<()> {
    let found = probe("late")?;
    let abi = landlock_abi();
    let state = if abi == 0 { "unsupported" } else { "partial" };
    ensure!(found["landlock"] == state, "abi {abi}: {found}");
    if abi > 0 {
        ensure!(found["after"]["early"]["read /etc/passwd"] == 0, "{found}");
        ensure!(found["after"]["main"]["read /etc/passwd"] == libc::EACCES, "{found}");
    }
    Ok(())
}

fn probe(mode: &str) -> Result<Value> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("probe-{mode}-{}", id()));
    let found = probe_in(&root, mode);
    fs::remove_dir_all(&root)?;
    found
}

fn probe_in(root: &Path, mode: &str) -> Result<Value> {
    let network = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let place = Place {
        data: root.join("data"),
        outside: root.join("outside"),
        port: network.local_addr()?.port(),
        socket: format!("mcp-pif-{mode}-{}", id()),
    };
    fs::create_dir_all(&place.data)?;
    fs::create_dir_all(&place.outside)?;
    fs::copy("/bin/true", place.program())?;
    place.kept().iter().try_for_each(|path| fs::write(path, "kept"))?;
    let _socket = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&place.socket)?)?;
    let mut command = Command::new(env::current_exe()?);
    place.tell(command.env(MODE, mode));
    let output = command.output()?;
    let (out, errors) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    ensure!(output.status.success(), "{mode}: {}: {out}{errors}", output.status);
    serde_json::from_str(&out).with_context(|| format!("{mode}: {out}{errors}"))
}
