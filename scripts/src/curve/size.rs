//! The measurements behind the curves.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use pif_sandbox::Sandbox;
use pif_tests::server::binary;
use pif_tests::server::folder::Folder;
use serde_json::json;

use super::Curve;
use super::chart::Panel;
use crate::bench::median;
use crate::counts::workload::{Extent, Spent, Workload};
use crate::state::fill;
use crate::state::server::Server;

/// Calls and starts that a median is taken of.
const CALLS: usize = 300;
const STARTS: usize = 5;

/// Numbers of nodes or items.
const SIZES: [u32; 7] = [100, 400, 1_600, 6_400, 25_600, 102_400, 409_600];
/// Numbers of tools.
const TOOLS: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];
/// Bodies of journals in MB; a server keeps at most 128 MiB of them.
const JOURNALS: [usize; 4] = [4, 12, 40, 120];

/// Measures one of the curves.
pub(super) fn measure(name: &str) -> Result<Curve> {
    match name {
        "term" => evaluated("nodes of a term", |size| {
            let levels = size.ilog2() as usize;
            let (code, nodes) = pairs(levels);
            (nodes, Workload::term("sum", &code, &(1_u64 << levels).to_string()))
        }),
        "nesting" => evaluated("levels of a term", |size| {
            let levels = size as usize;
            let code =
                [r#"{"add":[1,"#.repeat(levels), "1".to_owned(), "]}".repeat(levels)].concat();
            (f64::from(size), Workload::term("sum", &code, &(size + 1).to_string()))
        }),
        "list" => evaluated("items of a list", |size| {
            let code = r#"{"lam":"xs","body":{"map":[{"lam":"x","body":{"add":[{"var":"x"},1]}},{"var":"xs"}]}}"#;
            let list = |from: u32| {
                let items: Vec<String> = (from..from + size).map(|n| n.to_string()).collect();
                format!("[{}]", items.join(","))
            };
            (f64::from(size), Workload::data("increments", code, list(1_000), list(1_001)))
        }),
        "tools" => stored("tools", &TOOLS, |data, count| {
            fill::tools(data, count)?;
            Ok(count)
        }),
        "journal" => stored("entries of the journal", &JOURNALS, |data, megabytes| {
            fill::tools(data, 1)?;
            Ok(usize::try_from(fill::journal(data, megabytes << 20)?)?)
        }),
        _ => bail!("there is no curve {name}"),
    }
}

/// A term of 2^`levels` ones added in pairs, and its nodes.
fn pairs(levels: usize) -> (String, f64) {
    let code = (0..levels).fold("1".to_owned(), |half, _| format!(r#"{{"add":[{half},{half}]}}"#));
    let leaves = 2.0_f64.powi(i32::try_from(levels).unwrap_or(i32::MAX));
    (code, 2.0 * leaves - 1.0)
}

/// Whole runs in fresh instances: from text to text.
fn evaluated(size: &'static str, make: impl Fn(u32) -> (f64, Workload)) -> Result<Curve> {
    let sandbox = Sandbox::open(None, 1)?;
    let [mut time, mut memory, mut fuel] = [const { Vec::new() }; 3];
    for wanted in SIZES {
        let (size, workload) = make(wanted);
        let mut spent = Spent::default();
        let mut times = Vec::new();
        // As long for small sizes as for large ones, within reason.
        for _ in 0..(2_000_000 / wanted).clamp(5, 200) {
            let start = Instant::now();
            spent = workload.sandboxed(&sandbox, Extent::Whole)?;
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        time.push((size, median(times)));
        memory.push((size, float(spent.memory) / f64::from(1 << 20)));
        fuel.push((size, float(spent.fuel)));
    }
    let panels = vec![
        Panel { what: "time of a run, µs", points: time, exact: false },
        Panel { what: "memory, MiB", points: memory, exact: true },
        Panel { what: "fuel", points: fuel, exact: true },
    ];
    Ok(Curve { size, panels })
}

/// Servers on stores that `fill` makes; it tells their size.
fn stored(
    size: &'static str,
    sizes: &[usize],
    fill: impl Fn(&Path, usize) -> Result<usize>,
) -> Result<Curve> {
    let binary = binary::for_release()?;
    let [mut run, mut begin, mut memory] = [const { Vec::new() }; 3];
    for wanted in sizes {
        let place = Folder::new()?;
        let size = float(u64::try_from(fill(place.path(), *wanted)?)?);
        let data = place.path().to_str().context("a path in UTF-8")?;
        let start = || Server::start(&binary, &["--data", data]);
        let mut starts = Vec::new();
        for _ in 0..STARTS {
            let now = Instant::now();
            let server = start()?;
            starts.push(now.elapsed().as_secs_f64() * 1e3);
            server.finish()?;
        }
        let mut server = start()?;
        let mut times = Vec::new();
        for n in 0..CALLS {
            let time = server.value("run", &json!({"tool": "tool_0", "data": n}), &json!(n))?;
            times.push(time.as_secs_f64() * 1e6);
        }
        let peak = server.peak_memory()?;
        if peak > 0 {
            memory.push((size, float(peak) / f64::from(1 << 10)));
        }
        server.finish()?;
        run.push((size, median(times)));
        begin.push((size, median(starts)));
    }
    let mut panels = vec![
        Panel { what: "time of a run, µs", points: run, exact: false },
        Panel { what: "start, ms", points: begin, exact: false },
    ];
    // Only Linux tells the memory of another process in this way.
    if !memory.is_empty() {
        panels.push(Panel { what: "memory, MiB", points: memory, exact: false });
    }
    Ok(Curve { size, panels })
}

#[expect(clippy::cast_precision_loss, reason = "figures to draw")]
fn float(figure: u64) -> f64 {
    figure as f64
}
