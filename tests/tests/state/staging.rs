//! Staging areas in a store: changes that do not count before their commit.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use pif_store::find::{Query, rank};
use pif_store::registry::{Evolution, Registry};
use pif_store::staging::{Area, Change, Error, Kind, Operation, ToolState, Verification};
use pif_store::{Change as Changed, CommittedTool, Effect, Refusal};

use super::shelf::{Shelf, each, tool};

/// A tool that names others.
fn calling(name: &str, source: &str, tools: &[&str]) -> Evolution {
    let tools = tools.iter().map(|it| (*it).to_owned()).collect();
    Evolution { tools, ..tool(name, source) }
}

fn state(evolution: &Evolution) -> ToolState {
    ToolState {
        name: evolution.name.clone(),
        hash: Some(evolution.hash.clone()),
        description: evolution.description.clone(),
        examples: evolution.examples.clone(),
        output_schema: None,
        members: None,
        properties: evolution.properties.clone(),
    }
}

/// Stages tools in a new area.
fn stage(shelf: &Shelf, tools: &[Evolution]) -> Result<Area> {
    let operations = tools.iter().map(|it| Operation {
        kind: Kind::Evolve,
        request: "{}".to_owned(),
        tools: vec![state(it)],
        memos: Vec::new(),
    });
    let area = Area {
        id: 0,
        owner: String::new(),
        base: shelf.store.last_change()?,
        created: 1,
        changed: 1,
        version: 1,
        verification: None,
        operations: operations.collect(),
    };
    let change = Change::Put { area: Box::new(area), terms: tools.to_vec(), holder: None };
    match shelf.change(Changed::Stage(change))?.effect {
        Effect::Staged(area, _) => Ok(*area),
        effect => anyhow::bail!("{effect:?}"),
    }
}

fn commit(shelf: &Shelf, id: i64, force: bool) -> Result<Vec<CommittedTool>, Refusal> {
    match shelf.change(Changed::Stage(Change::Commit { id, force }))?.effect {
        Effect::Staged(_, committed) => Ok(committed),
        _ => Err(Refusal::CONFUSED),
    }
}

#[test]
pub(super) fn an_area_shows_its_tools_and_counts_with_its_commit() -> Result<()> {
    each(|shelf| {
        let registry = Registry::open(Arc::clone(&shelf.store))?;
        shelf.evolve(tool("double", "1"))?;
        shelf.evolve(calling("quad", "2", &["double"]))?;
        let area = stage(shelf, &[tool("double", "3"), calling("new", "4", &["quad"])])?;
        ensure!(area.id > 0, "{area:?}");
        let (view, now) = (registry.staged(&area)?, registry.snapshot()?);
        assert_eq!(view.find("double")?.context("`double`")?.source, "3");
        assert_eq!(now.find("double")?.context("`double`")?.source, "1");
        assert_eq!((view.count()?, now.count()?), (3, 2));
        assert_eq!(view.page("double", 9)?.len(), 2);
        assert_eq!(view.callers("quad", 9)?.first().map(|it| it.name.as_str()), Some("new"));
        let found = view.look(|sources| rank(&Query::new("new"), sources))?;
        assert_eq!(found.iter().map(|it| it.place.as_str()).collect::<Vec<_>>(), ["new"]);
        // Others go on: the view does not see it.
        shelf.evolve(tool("later", "5"))?;
        assert_eq!((registry.staged(&area)?.count()?, registry.snapshot()?.count()?), (3, 3));
        ensure!(commit(shelf, area.id, false).is_err(), "it was not verified");
        let verification = Verification { version: 1, passed: true, record: "{}".to_owned() };
        shelf.change(Changed::Stage(Change::Verify { id: area.id, verification, holder: None }))?;
        assert_eq!(shelf.store.area(area.id)?.context("the area")?.is_verified(), true);
        assert_eq!(commit(shelf, area.id, false)?.len(), 2);
        assert_eq!(registry.snapshot()?.find("double")?.context("`double`")?.source, "3");
        assert_eq!(shelf.store.area(area.id)?, None);
        Ok(())
    })
}

#[test]
pub(super) fn what_others_changed_is_a_conflict_if_it_matters() -> Result<()> {
    each(|shelf| {
        shelf.evolve(tool("base", "1"))?;
        shelf.evolve(calling("mid", "2", &["base"]))?;
        shelf.evolve(calling("top", "3", &["mid"]))?;
        for (changed, matters) in [
            (tool("mid", "10"), true),
            (tool("base", "11"), true),
            (calling("top", "12", &["mid"]), true),
            (calling("fresh", "13", &["top"]), true),
            (tool("apart", "14"), false),
        ] {
            let name = changed.name.clone();
            let area = stage(shelf, &[calling("mid", "20", &["base"])])?;
            shelf.evolve(changed)?;
            let committed = commit(shelf, area.id, true);
            let is_conflict = matches!(&committed, Err(Refusal::Staging(Error::Conflict { conflicts, .. })) if conflicts.len() == 1);
            ensure!(is_conflict == matters, "{name}: {committed:?}");
            ensure!(committed.is_ok() != matters, "{name}: {committed:?}");
            // The next round begins as this one did.
            shelf.evolve(tool("base", "1"))?;
            shelf.evolve(calling("mid", "2", &["base"]))?;
            shelf.evolve(calling("top", "3", &["mid"]))?;
        }
        Ok(())
    })
}

#[test]
pub(super) fn an_area_changes_in_one_place_at_a_time() -> Result<()> {
    each(|shelf| {
        let area = stage(shelf, &[tool("a", "1")])?;
        let next = Area { version: 2, ..area.clone() };
        let put = |area: &Area| {
            let area = Box::new(area.clone());
            Change::Put { area, terms: Vec::new(), holder: None }
        };
        shelf.change(Changed::Stage(put(&next)))?;
        let raced = shelf.change(Changed::Stage(put(&next)));
        ensure!(matches!(raced, Err(Refusal::Staging(Error::Raced(_)))), "{raced:?}");
        let verification = Verification { version: 1, passed: true, record: "{}".to_owned() };
        let late = Change::Verify { id: area.id, verification, holder: None };
        let late = shelf.change(Changed::Stage(late));
        ensure!(matches!(late, Err(Refusal::Staging(Error::Raced(_)))), "{late:?}");
        shelf.change(Changed::Stage(Change::Discard { id: area.id }))?;
        let gone = shelf.change(Changed::Stage(Change::Discard { id: area.id }));
        ensure!(matches!(gone, Err(Refusal::Staging(Error::Unknown(_)))), "{gone:?}");
        Ok(())
    })
}
