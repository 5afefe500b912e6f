//! The picture of `mcp-pif top`, from the real binary on figures that are always the same.

use std::fs::{self, File};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pif_domain::text::time;
use pif_server::observe::{LastFault, OfTool, OfUpstream, Rollup, Slots, Snapshot, Times};
use pif_tests::server::folder::Folder;

use crate::binary;
use crate::commands::ensure_recorded;

const PICTURE: &str = "host/docs/top.svg";

const MINUTE: i64 = 60_000;

fn tool(tool: &str, [calls, errors, fuel]: [u64; 3], [p50, p95, max]: [u64; 3]) -> OfTool {
    let times = Times { p50, p95, max };
    OfTool { tool: tool.to_owned(), calls, errors, times, fuel, memory: 16_384 }
}

fn upstream(tool: &str, [ok, failed]: [u64; 2], [p50, p95, max]: [u64; 3]) -> OfUpstream {
    let outcomes = [("ok".to_owned(), ok), ("timeout".to_owned(), failed)];
    let times = Times { p50, p95, max };
    OfUpstream { tool: tool.to_owned(), calls: ok + failed, outcomes: outcomes.into(), times }
}

fn fault(time: i64, tool: &str, code: &str) -> LastFault {
    LastFault { time, tool: tool.to_owned(), code: code.to_owned() }
}

/// Two servers. Their moment lies ahead, so that their figures do not age while they are drawn, and
/// half a minute keeps ages from changing.
fn servers() -> [Snapshot; 2] {
    let now = time::now();
    let ago = |minutes: i64| now - minutes * MINUTE - MINUTE / 2;
    let wave = |at: u32, period: u32| (at % period).min(period - at % period);
    let busy = Snapshot {
        version: "0.1.0".to_owned(),
        process: 4711,
        started: ago(134),
        now: now + MINUTE,
        calls: 48_213,
        errors: 37,
        sessions: 1,
        slots: Slots { taken: 2, places: 2, waiting: 1 },
        works: Vec::new(),
        rate: (0..60).map(|at| 12 + 3 * wave(at, 14)).collect(),
        last: Rollup {
            tools: vec![
                tool("orders_by_customer", [612, 0, 1_284_000], [340, 1_210, 4_800]),
                tool("run", [201, 3, 402_000], [290, 980, 5_100]),
                tool("evolve", [12, 1, 0], [2_300, 6_400, 6_900]),
            ],
            upstream: vec![
                upstream("github.search_issues", [88, 0], [212_000, 430_000, 912_000]),
                upstream("sales.orders", [41, 2], [35_000, 1_200_000, 5_000_000]),
            ],
            queue: Times { p50: 4, p95: 180, max: 2_400 },
            answered: 1_812_000,
            received: 42_000,
            ..Rollup::default()
        },
        faults: vec![fault(ago(63), "run", "out-of-fuel"), fault(ago(65), "evolve", "unbound")],
    };
    let quiet = Snapshot {
        process: 4798,
        started: ago(75),
        calls: 19,
        errors: 0,
        slots: Slots { taken: 0, places: 2, waiting: 0 },
        rate: vec![0; 60],
        last: Rollup {
            tools: vec![tool("session_eval", [19, 0, 2_090], [410, 1_900, 2_200])],
            queue: Times { p50: 3, p95: 5, max: 6 },
            ..Rollup::default()
        },
        faults: Vec::new(),
        ..busy.clone()
    };
    [busy, quiet]
}

/// The recorded frame is what the command prints now; `BLESS=1` records it anew.
#[test]
fn the_view_looks_so() -> Result<()> {
    let data = Folder::new()?;
    let folder = data.path().join("servers");
    fs::create_dir(&folder)?;
    let mut locks = Vec::new();
    for server in servers() {
        let path = folder.join(format!("{}.json", server.process));
        fs::write(&path, serde_json::to_vec(&server)?)?;
        let lock = File::create(path.with_extension("lock"))?;
        lock.lock()?;
        locks.push(lock);
    }
    let mut command = Command::new(binary::path()?);
    command.env_clear().arg("--data").arg(data.path()).args(["top", "--once"]);
    let printed = String::from_utf8(command.output()?.stdout)?;
    let (title, rest) = printed.split_once('\n').context("no frame")?;
    let (_, servers) = title.split_once(" UTC").context("no moment")?;
    ensure!(servers == ": 2 servers", "{title}");
    let frame = format!("mcp-pif top, 2026-11-27 09:41:07 UTC{servers}\n{rest}");
    ensure_recorded(PICTURE, "$", &[("mcp-pif top", frame.trim_end().to_owned())])
}
