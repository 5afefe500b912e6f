//! Runs that wait for the world: they hold no thread and no place, cost no time of a processor, and
//! their own clock stands still.

use super::shop::{Peer, Shop, omega};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// One place for runs, and a clock that waiting would use up.
const SETTINGS: [&str; 4] =
    ["--concurrency=1", "--queue=30", "--wall-clock=400ms", "--fuel=1000000G"];

/// A term that waits for so many milliseconds and gives what it is answered.
fn sleep(time: u64) -> Value {
    json!({"perform": {"capability": "sleep", "args": time}})
}

fn open() -> Result<Shop> {
    Shop::open(&[&SETTINGS[..], &["--fuel-ceiling=1000000G", "--patience=1h"]].concat())
}

fn asked(shop: &Shop) -> usize {
    shop.clock.asked.load(Ordering::SeqCst)
}

/// Waits until the world was asked so often.
fn until_asked(shop: &Shop, times: usize) -> Result<()> {
    let start = Instant::now();
    while asked(shop) < times {
        ensure!(start.elapsed() < Duration::from_secs(20), "asked {} times", asked(shop));
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// The time of processors that this process has used.
fn processor_time() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(") ").context("no name in stat")?;
    let ticks = |index: usize| fields.split(' ').nth(index)?.parse::<u64>().ok();
    let used = ticks(11).zip(ticks(12)).context("no times in stat")?;
    // A tick is 10 ms wherever Linux runs.
    Ok(Duration::from_millis((used.0 + used.1) * 10))
}

/// The kind and ending of the latest run, and its number.
fn last_run(peer: &mut Peer, id: u64) -> Result<Value> {
    peer.call(id, "journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let told = peer.answer(id)?;
    Ok(told["structuredContent"]["entries"][0].clone())
}

#[test]
fn a_run_that_waits_is_in_nobodys_way() -> Result<()> {
    let shop = open()?;
    let ((mut patient, _one), (mut busy, _two)) = (shop.greet()?, shop.greet()?);
    let start = Instant::now();
    patient.run(1, &json!([sleep(1500), {"add": [1, 1]}]))?;
    until_asked(&shop, 1)?;
    // There is one place for runs and one thread, and another run gets both.
    for id in 1..=20 {
        busy.run(id, &json!({"sum": {"range": [0, 20_000]}}))?;
        busy.value(id)?;
    }
    ensure!(start.elapsed() < Duration::from_millis(1400), "{:?}", start.elapsed());
    ensure!(!patient.has_seen(1));
    // It waited longer than its wall clock allows it to run.
    let value = patient.value(1)?;
    ensure!(start.elapsed() >= Duration::from_millis(1500));
    ensure!(value[0]["value"] == 1 && value[1] == 2, "{value}");
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_waits_costs_no_processor() -> Result<()> {
    let shop = open()?;
    let (mut peer, _session) = shop.greet()?;
    peer.run(1, &sleep(1))?;
    peer.answer(1)?;
    peer.run(2, &sleep(2_000))?;
    until_asked(&shop, 2)?;
    let before = processor_time()?;
    peer.answer(2)?;
    let used = processor_time()?.saturating_sub(before);
    ensure!(used <= Duration::from_millis(100), "{used:?} of 2 s");
    Ok(())
}

/// The clock of a run goes on after it has waited.
#[test]
fn a_run_has_its_wall_clock_beside_its_waits() -> Result<()> {
    let shop = open()?;
    let (mut peer, _session) = shop.greet()?;
    let start = Instant::now();
    peer.run(1, &json!({"let": [["slept", sleep(600)]], "in": omega()}))?;
    let result = peer.answer(1)?;
    let fault = &result["structuredContent"];
    ensure!(fault["code"] == "timeout" && fault["limit"]["name"] == "wall_clock_ms", "{result}");
    let used = fault["limit"]["used"].as_u64().context("used")?;
    ensure!((400..600).contains(&used), "{result}");
    ensure!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn a_run_that_waits_can_be_cancelled() -> Result<()> {
    let shop = open()?;
    let (mut peer, session) = shop.greet()?;
    let start = Instant::now();
    peer.run(1, &sleep(50_000))?;
    until_asked(&shop, 1)?;
    peer.cancel(1)?;
    peer.run(2, &json!({"add": [40, 2]}))?;
    ensure!(peer.value(2)? == 42 && !peer.has_seen(1));
    let mut ending = Value::Null;
    while ending != "cancelled" && start.elapsed() < Duration::from_secs(20) {
        peer.call(3, "journal_recent", &json!({"kind": "run", "ending": "cancelled"}))?;
        ending = peer.answer(3)?["structuredContent"]["entries"][0]["ending"].clone();
    }
    ensure!(ending == "cancelled", "{ending}");
    // So can it by going away.
    peer.run(4, &sleep(50_000))?;
    until_asked(&shop, 2)?;
    peer.vanish()?;
    ensure!(shop.ended(session)? && start.elapsed() < Duration::from_secs(30));
    Ok(())
}

/// What the world answered is in the journal: it is not asked again.
#[test]
fn a_run_that_waited_is_replayed_at_once() -> Result<()> {
    let shop = open()?;
    let (mut peer, _session) = shop.greet()?;
    peer.run(1, &json!([sleep(700), sleep(20), sleep(20)]))?;
    let value = peer.value(1)?;
    ensure!(value[0]["value"] == 1 && value[2]["value"] == 3, "{value}");
    let entry = last_run(&mut peer, 2)?["entry"].clone();
    let start = Instant::now();
    peer.call(3, "replay", &json!({ "entry": entry }))?;
    let replayed = peer.answer(3)?;
    ensure!(replayed["structuredContent"]["verdict"] == "equal", "{replayed}");
    ensure!(asked(&shop) == 3 && start.elapsed() < Duration::from_millis(700));
    Ok(())
}

/// What is denied is a fault, and is no answer either.
#[test]
fn what_is_not_granted_is_denied() -> Result<()> {
    let shop = open()?;
    let (mut peer, _session) = shop.greet()?;
    peer.run(1, &json!({"perform": {"capability": "launch", "args": null}}))?;
    let result = peer.answer(1)?;
    ensure!(result["structuredContent"]["code"] == "capability-denied", "{result}");
    let entry = last_run(&mut peer, 2)?["entry"].clone();
    peer.call(3, "replay", &json!({ "entry": entry }))?;
    let replayed = peer.answer(3)?;
    ensure!(replayed["structuredContent"]["verdict"] == "equal", "{replayed}");
    ensure!(asked(&shop) == 0);
    Ok(())
}

/// More runs wait than there are machines beside those that run: some of them wait in their places,
/// and all come to an end.
#[test]
fn many_runs_wait() -> Result<()> {
    let shop = open()?;
    let (mut peer, _session) = shop.greet()?;
    for id in 1..=24 {
        peer.run(id, &sleep(50))?;
    }
    let mut values = (1..=24)
        .map(|id| peer.value(id)?["value"].as_u64().context("a number"))
        .collect::<Result<Vec<_>>>()?;
    values.sort_unstable();
    ensure!(values == (1..=24).collect::<Vec<_>>(), "{values:?}");
    Ok(())
}
