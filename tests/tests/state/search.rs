//! Searches among the tools of a made corpus: 300 tools as people write them, and queries with the tool that
//! a person would pick.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use pif_store::Change;
use pif_store::find::{Query, rank};
use pif_store::journal::Journal;
use pif_store::registry::{Evolution, Registry};
use serde::Deserialize;
use serde_json::Value;

use super::postgres::Database;
use super::shelf::{any, settings, tool, write};

#[derive(Deserialize)]
struct Written {
    name: String,
    description: String,
    code: String,
}

#[derive(Deserialize)]
struct Asked {
    query: String,
    answer: String,
}

/// A registry with all tools of the corpus.
fn registry() -> Result<(Registry, Option<Database>)> {
    let (store, database) = any()?;
    let journal = Journal::new(Arc::clone(&store), settings(64 << 20));
    let tools: Vec<Written> = serde_json::from_str(include_str!("../../search/tools.json"))?;
    ensure!(tools.len() >= 300, "{} tools", tools.len());
    let evolve = |it: Written| {
        let source = Value::from(it.code).to_string();
        write(Change::Evolve(Evolution { description: it.description, ..tool(&it.name, &source) }))
    };
    let writes: Vec<_> = tools.into_iter().map(evolve).collect();
    journal.commit(&writes)?;
    Ok((Registry::open(store)?, database))
}

/// The names that a query finds, the best first.
fn found(registry: &Registry, query: &str) -> Result<Vec<String>> {
    let found = registry.snapshot()?.look(|sources| rank(&Query::new(query), sources))?;
    Ok(found.into_iter().map(|it| it.place).collect())
}

#[test]
pub(super) fn the_tool_that_is_meant_comes_first() -> Result<()> {
    let (registry, _database) = registry()?;
    let queries: Vec<Asked> = serde_json::from_str(include_str!("../../search/queries.json"))?;
    ensure!(queries.len() == 40, "{} queries", queries.len());
    let (mut first, mut among, mut missed) = (0, 0, Vec::new());
    for Asked { query, answer } in &queries {
        let found = found(&registry, query)?;
        let place = found.iter().position(|name| name == answer);
        first += usize::from(place == Some(0));
        among += usize::from(place.is_some_and(|place| place < 5));
        if place != Some(0) {
            let best: Vec<&String> = found.iter().take(5).collect();
            missed.push(format!("{query}: {answer} is {place:?} of {best:?}"));
        }
    }
    let told = format!("{first} first, {among} among five; {missed:#?}");
    ensure!(first * 100 >= queries.len() * 80, "{told}");
    ensure!(among * 100 >= queries.len() * 95, "{told}");
    println!("{told}");
    Ok(())
}

#[test]
pub(super) fn one_typo_is_forgiven_in_words_of_five_letters() -> Result<()> {
    let (registry, _database) = registry()?;
    for (query, answer) in [
        ("haversne", "haversine"),
        ("detreminant", "determinant"),
        ("palindrme", "is_palindrome"),
        ("eastrr", "easter_sunday"),
        ("vigenre", "vigenere_encrypt"),
    ] {
        let found = found(&registry, query)?;
        ensure!(found.first().is_some_and(|it| it == answer), "{query}: {found:?}");
    }
    assert_eq!(found(&registry, "bmx")?, [""; 0], "three letters have no typo");
    assert_eq!(found(&registry, "detremnant")?, [""; 0], "two typos are two words");
    Ok(())
}

#[test]
pub(super) fn equal_scores_come_in_the_order_of_names_and_equal_questions_have_equal_answers()
-> Result<()> {
    let (registry, _database) = registry()?;
    let first = found(&registry, "month")?;
    assert_eq!(first, found(&registry, "months")?);
    for _ in 0..3 {
        assert_eq!(first, found(&registry, "month")?);
    }
    // Names that begin with what was written come first, in their order.
    let begun = found(&registry, "group_")?;
    assert_eq!(begun.get(..3).context("three")?, ["group_by_month", "group_count", "group_sum"]);
    Ok(())
}
