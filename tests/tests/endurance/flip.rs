//! Something in the journal that is not as it was written, by a byte of the file or by a statement:
//! the store is refused, and the first entry that is wrong is named.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use pif_domain::FaultCode;
use pif_store::journal::{Entry, Filter};
use pif_tests::endure::load::{command, visit};
use rusqlite::Connection;

use super::pages::{Place, rows};
use super::store::{Closed, FILE, open};
use crate::binary;
use crate::folder::cache;

/// Where the rows of the journal are.
fn places(store: &Closed) -> Result<BTreeMap<i64, Place>> {
    let db = Connection::open(store.path())?;
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'entry'";
    let root: i64 = db.query_row(sql, [], |row| row.get(0))?;
    rows(&store.bytes, usize::try_from(root)?)
}

/// What a start says of a store that it must not open.
fn refusal<T>(opened: Result<T>) -> Result<String> {
    match opened {
        Ok(_) => bail!("it opens"),
        Err(error) => Ok(format!("{error:#}")),
    }
}

/// The bytes that say nothing of the entry: how its page points to it, of which SQLite ignores
/// some bits, and where its last page would go on. SQLite's own check knows what they must be.
fn is_of_the_tree(place: &Place, at: usize) -> bool {
    let last = place.rest.last().map(|rest| rest.start..rest.start + 4);
    place.pointer.contains(&at) || last.is_some_and(|last| last.contains(&at))
}

/// A byte that says nothing at all: the type of the first column, which is the row's number and
/// stands before the record already. SQLite does not read it.
fn is_ignored(place: &Place, at: usize) -> bool {
    at == place.record + 1
}

/// Flips bits of a row; how many flips were refused by the entry's number, by SQLite's own check,
/// and how many change nothing that can be read.
fn flip(store: &Closed, id: i64, entries: &[Entry], every: usize) -> Result<[usize; 3]> {
    let places = places(store)?;
    let place = places.get(&id).context("no such row")?;
    let mut counts = [0; 3];
    for (index, at) in place.positions().into_iter().enumerate().step_by(every) {
        // The first bytes say how the others are to be read.
        let is_header = (place.cell.start..place.record + 16).contains(&at);
        let one = [1 << (index % 8)];
        let masks: &[u8] = if is_header { &[1, 2, 4, 8, 16, 32, 64, 128, 255] } else { &one };
        for mask in masks {
            let mut bytes = store.bytes.clone();
            bytes[at] ^= mask;
            let case = format!("entry {id}, byte {at} ^ {mask}");
            match store.open_as(&bytes) {
                Err(error) => {
                    let told = format!("{error:#}");
                    ensure!(told.contains(FILE), "{case}: {told}");
                    let is_named = told.contains(&format!(" entry {id}: "));
                    let is_known = told.contains("(in the table `entry`)");
                    ensure!(is_named || (is_known && is_of_the_tree(place, at)), "{case}: {told}");
                    counts[usize::from(!is_named)] += 1;
                }
                Ok(shop) => {
                    let found = shop.journal.entries(&Filter::default(), false, 1_000)?;
                    ensure!(is_ignored(place, at) && found == entries, "{case}: it opens");
                    counts[2] += 1;
                }
            }
        }
    }
    Ok(counts)
}

#[test]
fn a_flipped_byte_is_found_and_its_entry_named() -> Result<()> {
    let store = Closed::make()?;
    let entries = {
        let shop = open(store.directory())?;
        shop.journal.entries(&Filter::default(), false, 1_000)?
    };
    // All bytes of a short entry, and some of one that goes on for pages.
    for (id, every) in [(store.small[1], 1), (store.large, 41)] {
        let [named, checked, ignored] = flip(&store, id, &entries, every)?;
        println!("entry {id}: {named} flips named, {checked} by SQLite's check, {ignored} ignored");
        ensure!(named > 300 && checked <= 16 && ignored <= 6, "{named} {checked} {ignored}");
    }
    store.open_as(&store.bytes)?;
    Ok(())
}

#[test]
fn a_change_by_statements_is_found_and_its_entry_named() -> Result<()> {
    let store = Closed::make()?;
    let [a, b] = [store.small[1], store.small[2]];
    for (sql, id) in [
        (format!("UPDATE entry SET id = -1 WHERE id = {a}; UPDATE entry SET id = {a} WHERE id = {b};
                  UPDATE entry SET id = {b} WHERE id = -1"), a),
        (format!("DELETE FROM entry WHERE id = {b}"), b),
        (format!("UPDATE entry SET ends = ends + 1 WHERE id = {b}"), b),
        (format!("UPDATE entry SET time = time + 1 WHERE id = {b}"), b),
        (format!("UPDATE entry SET fuel = fuel - 1 WHERE id = {b}"), b),
        (format!("UPDATE entry SET fuel = NULL WHERE id = {b}"), b),
        (format!("UPDATE entry SET kind = 'refusal' WHERE id = {b}"), b),
        (format!("UPDATE entry SET subject = NULL WHERE id = {b}"), b),
        (format!("UPDATE entry SET subject = 'second' WHERE id = {b}"), b),
        (format!("UPDATE entry SET ending = 'valu' WHERE id = {b}"), b),
        (format!("UPDATE entry SET body = body || ' ' WHERE id = {b}"), b),
        (format!("UPDATE entry SET hash = zeroblob(32) WHERE id = {b}"), b),
        (format!("UPDATE entry SET hash = zeroblob(31) WHERE id = {b}"), b),
        (format!("UPDATE entry SET component = NULL WHERE id = {b}"), b),
        (format!("UPDATE entry SET principal = 'ana' WHERE id = {b}"), b),
        (format!("INSERT INTO entry SELECT 1000, time, kind, subject, ending, fuel, component, body, ends, hash, principal, chain
                  FROM entry WHERE id = {b}"), store.small[5] + 1),
        // The first run is the first to be made by another evaluator.
        ("UPDATE component SET hash = substr(hash, 33) || substr(hash, 1, 32)".to_owned(), store.small[0]),
        ("UPDATE anchor SET hash = randomblob(32)".to_owned(), 1),
        ("UPDATE anchor SET id = 1".to_owned(), 2),
    ] {
        let told = refusal(store.open_changed(&sql))?;
        ensure!(told.contains(&format!(" entry {id}: ")) && told.contains(FILE), "{sql}: {told}");
    }
    Ok(())
}

#[test]
fn a_term_that_is_not_what_its_hash_names_is_not_run() -> Result<()> {
    let store = Closed::make()?;
    let shop = store.open_changed("UPDATE revision SET source = '1' WHERE id = 1")?;
    let fault = shop.tools().and_then(|tools| tools.find("first")).expect_err("altered");
    ensure!(fault.code == FaultCode::Storage && fault.message.contains("`first`"), "{fault:?}");
    Ok(())
}

#[test]
fn the_server_does_not_start_and_names_the_entry() -> Result<()> {
    let store = Closed::make()?;
    let id = store.large;
    let place = places(&store)?.remove(&id).context("no such row")?;
    let middle = place.rest.first().context("it is short")?.start + 1_000;
    let mut bytes = store.bytes.clone();
    bytes[middle] ^= 1;
    fs::write(store.path(), &bytes)?;
    let mut server = command(binary::path()?, &cache(), store.directory());
    let told = refusal(visit(&mut server))?;
    let path = store.path();
    let expected = format!("mcp-pif: {}: the journal is broken at entry {id}: ", path.display());
    ensure!(told.contains(&expected) && told.starts_with("exit status: 1"), "{told}");
    ensure!(fs::read(&path)? == bytes, "it was written to");
    Ok(())
}
