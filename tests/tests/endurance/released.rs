//! Stores that earlier versions wrote are opened by this one, with all that is in them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use pif_sandbox::Code;
use pif_server::workshop::Workshop;
use pif_store::find::{Query, rank};
use pif_store::journal::{Body, Filter};
use pif_store::memory::Search;
use pif_tests::endure::released::{ENTRIES, FILE, SCHEMA, double, folder};
use pif_tests::endure::shop::{evolve, run};
use rusqlite::Connection;

use super::store::open;
use crate::folder::Folder;

/// A copy of each, in a directory of its own.
fn stores() -> Result<Vec<(String, Folder)>> {
    let mut stores = Vec::new();
    for entry in fs::read_dir(folder())? {
        let entry = entry?;
        let names: Vec<_> = fs::read_dir(entry.path())?.collect::<Result<_, _>>()?;
        ensure!(names.len() == 1 && names[0].file_name() == FILE, "{names:?}");
        let copy = Folder::new()?;
        fs::copy(entry.path().join(FILE), copy.path().join(FILE))?;
        stores.push((entry.file_name().to_string_lossy().into_owned(), copy));
    }
    ensure!(!stores.is_empty(), "there are no stores: `cargo x store` makes one");
    Ok(stores)
}

fn ensure_complete(shop: &Workshop) -> Result<()> {
    let journal = shop.journal.entries(&Filter::default(), false, 1_000)?;
    let told: Vec<_> = journal
        .iter()
        .map(|it| (it.kind.as_str(), it.subject.as_deref(), it.ending.as_str()))
        .collect();
    ensure!(told == ENTRIES, "{told:?}");
    for entry in &journal {
        let body: Body = serde_json::from_str(&entry.body)?;
        ensure!(body.request.is_some() && body.outcome.is_some(), "{entry:?}");
    }
    let tools = shop.registry.snapshot()?;
    let found = tools.find("double")?.context("`double` is gone")?;
    ensure!(found.source == r#"{"body":{"mul":[{"var":"x"},2]},"lam":"x"}"#, "{found:?}");
    ensure!(found.examples.contains("42"), "{found:?}");
    ensure!(tools.history("double", 9)?.len() == 3, "{:?}", tools.history("double", 9)?);
    let callers = tools.callers("double", 9)?;
    ensure!(callers.len() == 1 && callers[0].name == "square", "{callers:?}");
    let found = tools.look(|sources| rank(&Query::new("square"), sources))?;
    ensure!(tools.count()? == 2 && found.len() == 1, "{found:?}");
    let search = Search { words: Some("hello".to_owned()), most: 9, ..Search::default() };
    ensure!(shop.memory.search(&search)?.1 == 1, "the memory is in the index");
    Ok(())
}

#[test]
fn stores_of_released_versions_open() -> Result<()> {
    for (version, copy) in stores()? {
        let shop = open(copy.path()).with_context(|| format!("the store of schema {version}"))?;
        ensure_complete(&shop).with_context(|| format!("the store of schema {version}"))?;
        let square = shop.registry.snapshot()?.find("square")?.context("`square` is gone")?;
        let schema = (version != "1").then_some(SCHEMA);
        assert_eq!(square.output_schema.as_deref(), schema, "the store of schema {version}");
        // It goes on from there.
        assert_eq!(run(&shop, Code::Tool("square".to_owned()), "9")?.1, "81");
        assert_eq!(evolve(&shop, "double", &double())?.status.name(), "unchanged");
        assert_eq!(evolve(&shop, "triple", &double())?.status.name(), "new");
        let verified = shop.journal.verify()?;
        assert_eq!(verified.count(), i64::try_from(ENTRIES.len())? + 3);
    }
    Ok(())
}

fn schema(directory: &Path) -> Result<Vec<(String, String)>> {
    let db = Connection::open(directory.join(FILE))?;
    let mut statement =
        db.prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whichever schema a store began with, it ends with that of a new one.
#[test]
fn stores_of_released_versions_become_like_a_new_one() -> Result<()> {
    let new = Folder::new()?;
    drop(open(new.path())?);
    for (version, copy) in stores()? {
        drop(open(copy.path())?);
        let (found, expected) = (schema(copy.path())?, schema(new.path())?);
        let differs =
            found.iter().chain(&expected).find(|it| !(found.contains(it) && expected.contains(it)));
        ensure!(
            differs.is_none(),
            "schema {version} leads elsewhere than to that of a new store, see {differs:?}: a step \
             that was released must not change (before it is, `cargo x store` makes its store anew)"
        );
    }
    Ok(())
}
