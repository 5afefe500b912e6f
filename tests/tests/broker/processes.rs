//! Processes: what is left of them when one dies, and what a sealed server can reach.

use super::shop::{Running, Shop, server, until};
use anyhow::{Context, Result, ensure};
use pif_tests::processes::{is_alive, mentioning};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// A shop whose server leaves a process behind in a session of its own.
fn shop() -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let script = json!({"grandchild": shop.file("grandchild"), "tools": [{"name": "echo", "does": {"echo": true}}]});
    shop.write(&json!({"mcpServers": {"s": server(&script)}}))?;
    Ok(shop)
}

/// The processes of a shop: whatever has its folder in its command line or environment.
fn all(shop: &Shop) -> Vec<u32> {
    mentioning(&shop.folder.path().display().to_string())
}

fn grandchild(shop: &Shop) -> Result<u32> {
    Ok(fs::read_to_string(shop.file("grandchild"))?.lines().last().context("none")?.parse()?)
}

pub(super) fn parts(shop: &Shop, part: &str) -> Vec<u32> {
    let is_part = |id: &u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&format!("broker\0{part}\0"))
    };
    all(shop).into_iter().filter(is_part).collect()
}

pub(super) fn kill(id: u32) -> Result<()> {
    ensure!(Command::new("kill").args(["-KILL", &id.to_string()]).status()?.success());
    Ok(())
}

#[test]
fn nothing_is_left_of_a_command() -> Result<()> {
    let shop = shop()?;
    assert_eq!(shop.value("s.echo", "{}")?, "{}");
    let left = grandchild(&shop)?;
    until("all processes have ended", || !is_alive(left) && all(&shop).is_empty())
}

#[test]
fn nothing_is_left_whoever_is_killed() -> Result<()> {
    for victim in ["server", "supervise", "work", "supervise and server"] {
        let shop = shop()?;
        let mut running = Running::start(&shop, &["serve"])?;
        let told = running.call("capabilities", &json!({}))?;
        ensure!(told.to_string().contains("s.echo"), "{victim}: {told}");
        let left = grandchild(&shop)?;
        ensure!(is_alive(left), "{victim}");
        match victim {
            "server" => running.child.kill()?,
            "supervise" => kill(*parts(&shop, "supervise").first().context("none")?)?,
            "work" => kill(*parts(&shop, "work").first().context("none")?)?,
            _ => {
                kill(*parts(&shop, "supervise").first().context("none")?)?;
                running.child.kill()?;
            }
        }
        until(&format!("{victim}: the servers have ended"), || !is_alive(left))?;
        if victim == "work" {
            // Another worker has come in its place.
            until("it works again", || {
                let told = running.call("inspect", &json!({"tool": "s.echo"}));
                told.is_ok_and(|it| it.to_string().contains("s.echo"))
            })?;
        }
        drop(running);
        until(&format!("{victim}: all processes have ended"), || all(&shop).is_empty())?;
    }
    Ok(())
}

#[test]
fn a_sealed_server_has_pipes_and_no_sockets() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = running.call("capabilities", &json!({}))?;
    ensure!(told.to_string().contains("s.echo"), "{told}");
    let info = running.call("server_info", &json!({}))?;
    let folder = format!("/proc/{}/fd", running.child.id());
    let Ok(open) = fs::read_dir(folder) else { return Ok(()) };
    let names = open.flatten().filter_map(|it| fs::read_link(it.path()).ok());
    let names: Vec<String> = names.map(|it| it.display().to_string()).collect();
    // The runtime tells itself of signals through a pair of its own, an end of which it opens twice.
    let sockets: BTreeSet<_> = names.iter().filter(|it| it.starts_with("socket:")).collect();
    ensure!(sockets.len() <= 2, "{names:?}");
    ensure!(info["hardening"]["seccomp"] != "off", "{info}");
    Ok(())
}
