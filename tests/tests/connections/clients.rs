//! Each connection has its own ids, its own window and its own end; the tools are everybody's.

use super::shop::{Peer, Shop, omega};
use anyhow::{Result, ensure};
use serde_json::json;
use std::time::{Duration, Instant};

/// Settings under which a run ends only when it is stopped.
const FOREVER: [&str; 5] =
    ["--fuel=1000000G", "--fuel-ceiling=1000000G", "--wall-clock=1h", "--patience=1h", "--queue=2"];

const CHANGED: &str = "notifications/tools/list_changed";

fn evolve(peer: &mut Peer, id: u64, name: &str) -> Result<()> {
    let code = json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}});
    peer.call(id, "evolve", &json!({"name": name, "description": "Doubles", "code": code}))
}

#[test]
fn two_clients_use_one_server() -> Result<()> {
    let shop = Shop::open(&[])?;
    let ((mut first, _one), (mut second, _two)) = (shop.greet()?, shop.greet()?);
    evolve(&mut first, 1, "double")?;
    ensure!(first.answer(1)?["isError"] == false);
    // Both are told, whoever made the change.
    for peer in [&mut first, &mut second] {
        peer.find(|it| it["method"] == CHANGED)?;
    }
    // One id, two requests.
    for (peer, data) in [(&mut first, 4), (&mut second, 21)] {
        peer.call(1, "double", &json!({ "data": data }))?;
    }
    ensure!((first.value(1)?, second.value(1)?) == (json!(8), json!(42)));
    // And the other way round.
    evolve(&mut second, 2, "twice")?;
    ensure!(second.answer(2)?["isError"] == false);
    for peer in [&mut first, &mut second] {
        peer.find(|it| it["method"] == CHANGED)?;
        peer.request(3, "tools/list", &json!({}))?;
        let listed = peer.answer(3)?.to_string();
        ensure!(listed.contains("\"double\"") && listed.contains("\"twice\""), "{listed}");
    }
    Ok(())
}

/// Who has asked for as much as one may is not read any more. The other one is.
#[test]
fn each_client_has_its_own_window() -> Result<()> {
    let shop = Shop::open(&[&FOREVER[..], &["--concurrency=1"]].concat())?;
    let ((mut greedy, _one), (mut modest, two)) = (shop.greet()?, shop.greet()?);
    for id in 1..=3 {
        greedy.run(id, &omega())?;
    }
    greedy.request(4, "ping", &json!({}))?;
    for id in 1..=20 {
        modest.request(id, "ping", &json!({}))?;
        modest.answer(id)?;
    }
    // What it cancels makes room.
    greedy.cancel(1)?;
    greedy.answer(4)?;
    ensure!(!greedy.has_seen(1));
    drop(modest);
    ensure!(shop.ended(two)?, "the session of who went away");
    Ok(())
}

/// The runs of a client that is gone are stopped, and others have their place.
#[test]
fn who_goes_away_leaves_nothing_behind() -> Result<()> {
    let shop = Shop::open(&[&FOREVER[..], &["--concurrency=1"]].concat())?;
    let ((mut first, one), (mut second, two)) = (shop.greet()?, shop.greet()?);
    first.run(1, &omega())?;
    first.run(2, &omega())?;
    second.run(1, &json!({"add": [40, 2]}))?;
    first.vanish()?;
    ensure!(shop.ended(one)?);
    ensure!(second.value(1)? == 42);
    // A server that ends takes leave of everybody.
    second.run(2, &omega())?;
    second.request(3, "ping", &json!({}))?;
    second.answer(3)?;
    let start = Instant::now();
    shop.stop();
    ensure!(shop.ended(two)? && start.elapsed() < Duration::from_secs(10));
    while second.next()?.is_some() {}
    Ok(())
}

/// Input that has ended is answered as far as it goes.
#[test]
fn the_last_requests_are_answered() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, session) = shop.greet()?;
    for id in 1..=10 {
        peer.run(id, &json!({"add": [id, 1]}))?;
    }
    peer.end_input()?;
    for id in 1..=10 {
        ensure!(peer.value(id)? == id + 1);
    }
    ensure!(shop.ended(session)? && peer.next()?.is_none());
    Ok(())
}
