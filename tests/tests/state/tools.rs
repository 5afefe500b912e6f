//! Tools in a store.

use std::sync::Arc;

use anyhow::{Context, Result};
use pif_store::find::{Query, rank};
use pif_store::registry::{Error, Evolution, Fact, Registry};
use pif_store::{Change, Refusal, ToolImport};

use super::shelf::{Shelf, each, hash, status, tool, write};

fn registry(shelf: &Shelf) -> Result<Registry> {
    Ok(Registry::open(Arc::clone(&shelf.store))?)
}

fn back(name: &str, source: &str) -> Change {
    Change::RollBack { name: name.to_owned(), prefix: hash(source)[..8].to_owned() }
}

fn retire(name: &str) -> Change {
    Change::Retire { name: name.to_owned() }
}

fn names(tools: &[pif_store::registry::Definition]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
pub(super) fn history_is_kept() -> Result<()> {
    each(|shelf| {
        let registry = registry(shelf)?;
        let before = registry.snapshot()?;
        assert_eq!(shelf.evolve(tool("double", "1"))?, "new");
        assert_eq!(shelf.evolve(tool("double", "1"))?, "unchanged");
        let described = Evolution { description: "one".to_owned(), ..tool("double", "1") };
        assert_eq!(shelf.evolve(described)?, "described");
        assert_eq!(shelf.evolve(tool("double", "2"))?, "changed");
        let after = registry.snapshot()?;
        assert_eq!(before.find("double")?, None, "a snapshot changes");
        let double = after.find("double")?.context("`double`")?;
        assert_eq!((double.source.as_str(), after.history("double", 9)?.len()), ("2", 3));
        let pinned = after.find(&format!("double@{}", &hash("1")[..8]))?.context("its revision")?;
        assert_eq!((pinned.source.as_str(), pinned.description.as_str()), ("1", "one"));
        let entries: Vec<i64> = after.history("double", 9)?.iter().map(|it| it.entry).collect();
        assert_eq!(entries, [4, 3, 1], "each change names its entry");
        assert_eq!(after.source(&hash("1"))?.as_deref(), Some("1"));
        assert_eq!(after.source(&hash("3"))?, None);
        Ok(())
    })
}

#[test]
pub(super) fn properties_belong_to_their_revision() -> Result<()> {
    each(|shelf| {
        let registry = registry(shelf)?;
        let with = |source: &str, properties: Option<&str>| Evolution {
            properties: properties.map(str::to_owned),
            ..tool("double", source)
        };
        let (first, second) = (Some("[\"x => true\"]"), Some("[\"false\"]"));
        assert_eq!(shelf.evolve(with("1", None))?, "new");
        assert_eq!(shelf.evolve(with("1", first))?, "described");
        assert_eq!(shelf.evolve(with("1", first))?, "unchanged");
        assert_eq!(shelf.evolve(with("2", second))?, "changed");
        assert_eq!(status(&shelf.change(back("double", "1"))?), "changed");
        let current = registry.snapshot()?.find("double")?.context("`double`")?;
        assert_eq!(current.properties.as_deref(), first);
        shelf.change(retire("double"))?;
        let pinned = registry.snapshot()?.find(&format!("double@{}", &hash("2")[..8]))?;
        assert_eq!(pinned.context("its revision")?.properties.as_deref(), second);
        Ok(())
    })
}

#[test]
pub(super) fn facts_stand_beside_revisions() -> Result<()> {
    each(|shelf| {
        let known = |kind, of: &str| shelf.store.fact(kind, of);
        assert_eq!(known(Fact::Type, "a")?, None);
        shelf.store.transact(&mut |db| {
            db.put_fact(Fact::Type, "a", "{\"é\u{0}\": 1}")?;
            db.put_fact(Fact::Type, "b", "of another")?;
            db.put_fact(Fact::Certificate, "a", "of another kind")?;
            Ok(())
        })?;
        assert_eq!(known(Fact::Type, "a")?.as_deref(), Some("{\"é\u{0}\": 1}"));
        shelf.store.transact(&mut |db| Ok(db.put_fact(Fact::Type, "a", "later")?))?;
        assert_eq!(known(Fact::Type, "a")?.as_deref(), Some("later"));
        assert_eq!(known(Fact::Certificate, "a")?.as_deref(), Some("of another kind"));
        // An import brings its certificate in the transaction of the tool.
        let evolution = tool("it", "1");
        let of = format!("it@{}", evolution.hash);
        let taken = ToolImport {
            evolution,
            pinned: false,
            supplied: false,
            replace: false,
            certificate: Some("signed".to_owned()),
        };
        shelf.change(Change::Take(taken.clone()))?;
        assert_eq!(known(Fact::Certificate, &of)?.as_deref(), Some("signed"));
        let other = ToolImport { evolution: tool("it", "2"), ..taken };
        let of = format!("it@{}", other.evolution.hash);
        assert!(shelf.change(Change::Take(other)).is_err());
        assert_eq!(known(Fact::Certificate, &of)?, None);
        Ok(())
    })
}

#[test]
pub(super) fn a_change_of_something_else_is_refused() -> Result<()> {
    each(|shelf| {
        let expecting = |source: &str, expected: &str| {
            let expected = Some(expected.to_owned());
            shelf.evolve(Evolution { expected, ..tool("double", source) })
        };
        let refused = expecting("1", "00000000");
        assert!(matches!(refused, Err(Refusal::Registry(Error::Conflict { .. }))), "{refused:?}");
        assert_eq!(shelf.journal.head()?.id, 0, "what is refused has no entry");
        assert_eq!(shelf.evolve(tool("double", "1"))?, "new");
        assert!(matches!(expecting("1", "123"), Err(Refusal::Registry(Error::Prefix))));
        assert_eq!(expecting("2", &hash("1")[..8])?, "changed");
        for (name, is_refused) in [("DOUBLE", true), ("d0uble", true), ("l1st", true), ("x", false)]
        {
            assert_eq!(shelf.evolve(tool(name, "1")).is_err(), is_refused, "{name}");
        }
        assert_eq!(shelf.store.lookalike("doubl-3")?.as_deref(), Some("double"));
        Ok(())
    })
}

#[test]
pub(super) fn tools_go_and_come_back() -> Result<()> {
    each(|shelf| {
        let registry = registry(shelf)?;
        shelf.evolve(tool("double", "1"))?;
        shelf.evolve(tool("double", "2"))?;
        let done = shelf.change(retire("double"))?;
        assert_eq!((status(&done), done.entry), ("retired", 3));
        assert_eq!((registry.snapshot()?.find("double")?, shelf.store.count()?), (None, 0));
        assert_eq!(status(&shelf.change(back("double", "1"))?), "new");
        assert_eq!(registry.snapshot()?.find("double")?.context("it")?.source, "1");
        let gone = shelf.change(back("double", "3"));
        assert!(matches!(gone, Err(Refusal::Registry(Error::Revision { found: "no", .. }))));
        for change in [back("nothing", "1"), retire("nothing")] {
            let unknown = shelf.change(change);
            assert!(matches!(unknown, Err(Refusal::Registry(Error::Unknown(_)))), "{unknown:?}");
        }
        let told: Vec<_> = (1..=4).map(|id| shelf.journal.entry(id)).collect::<Result<_, _>>()?;
        let told: Vec<String> = told.into_iter().flatten().map(|it| it.ending).collect();
        assert_eq!(told, ["new", "changed", "retired", "new"]);
        Ok(())
    })
}

#[test]
pub(super) fn several_changes_are_made_together_or_not_at_all() -> Result<()> {
    each(|shelf| {
        let all = ["a", "b", "run"].map(|name| write(Change::Evolve(tool(name, "1"))));
        assert!(shelf.journal.commit(&all).is_err(), "`run` is the server's");
        assert_eq!((shelf.store.count()?, shelf.journal.head()?.id), (0, 0));
        assert_eq!((shelf.store.last_change()?, shelf.store.source(&hash("1"))?), (0, None));
        let done = shelf.journal.commit(&all[..2])?;
        assert_eq!(done.iter().map(|it| it.entry).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((shelf.store.count()?, shelf.store.last_change()?), (2, 2));
        Ok(())
    })
}

fn taken(source: &str, pinned: bool, replace: bool) -> Change {
    Change::Take(ToolImport {
        evolution: tool("it", source),
        pinned,
        supplied: false,
        replace,
        certificate: None,
    })
}

#[test]
pub(super) fn tools_of_a_file_are_taken() -> Result<()> {
    each(|shelf| {
        // A revision that others pin, and then the current one: neither is in the way of the other.
        let file = [taken("1", true, false), taken("2", false, false)].map(write);
        let done = shelf.journal.commit(&file)?;
        assert_eq!(done.iter().map(status).collect::<Vec<_>>(), ["new", "new"]);
        let again = shelf.journal.commit(&file)?;
        assert_eq!(again.iter().map(status).collect::<Vec<_>>(), ["unchanged", "unchanged"]);
        let other = shelf.change(taken("3", false, false));
        assert!(matches!(other, Err(Refusal::Registry(Error::Present { .. }))), "{other:?}");
        assert_eq!(status(&shelf.change(taken("3", false, true))?), "changed");
        // Its name goes on to stand for what it stood for.
        assert_eq!(status(&shelf.change(taken("4", true, false))?), "new");
        assert_eq!(shelf.store.find("it", i64::MAX)?.context("it")?.source, "3");
        let supplied = ToolImport {
            evolution: tool("other", "1"),
            pinned: false,
            supplied: true,
            replace: false,
            certificate: Some("known".to_owned()),
        };
        assert_eq!(status(&shelf.change(Change::Take(supplied))?), "unchanged");
        assert_eq!(shelf.store.find("other", i64::MAX)?, None);
        Ok(())
    })
}

/// The names that words find among the tools of a store.
fn found(shelf: &Shelf, words: &str) -> Result<Vec<String>> {
    let registry = Registry::open(Arc::clone(&shelf.store))?;
    let found = registry.snapshot()?.look(|sources| rank(&Query::new(words), sources))?;
    Ok(found.into_iter().map(|it| it.place).collect())
}

#[test]
pub(super) fn tools_are_found() -> Result<()> {
    each(|shelf| {
        for name in ["alpha", "beta", "gamma", "delta"] {
            shelf.evolve(tool(name, name))?;
        }
        let tools = vec!["alpha".to_owned(), format!("beta@{}", hash("beta"))];
        let output_schema = Some("{\"type\":\"integer\"}".to_owned());
        shelf.evolve(Evolution { tools, output_schema, ..tool("caller", "calls") })?;
        let store = &shelf.store;
        assert_eq!(names(&store.page("beta", 2)?), ["caller", "delta"]);
        assert_eq!(names(&store.latest(2)?), ["caller", "delta"]);
        assert_eq!((store.names("b", 9)?, store.count_names("")?), (vec!["beta".to_owned()], 5));
        assert_eq!(found(shelf, "TOOL")?.len(), 5);
        assert_eq!(found(shelf, "bta alpha")?, ["alpha"]);
        assert_eq!(found(shelf, "gamam")?, ["gamma"]);
        assert_eq!(found(shelf, "gam")?, ["gamma"]);
        assert_eq!(names(&store.callers("beta", 9)?), ["caller"]);
        assert_eq!(store.uses(&hash("calls"))?, ["alpha", "beta"]);
        assert_eq!(store.name_of(&hash("gamma"))?.as_deref(), Some("gamma"));
        let caller = store.find("caller", i64::MAX)?.context("it")?;
        assert_eq!(store.output_schema(caller.change)?, caller.output_schema);
        assert!(store.near("gama")?.contains(&"gamma".to_owned()));
        shelf.change(Change::Retire { name: "gamma".to_owned() })?;
        assert_eq!(found(shelf, "gamma")?, [""; 0]);
        Ok(())
    })
}

/// Whoever opens the same state sees what others write, at once.
#[test]
pub(super) fn others_see_changes() -> Result<()> {
    each(|shelf| {
        let Some(other) = shelf.again()? else { return Ok(()) };
        let registry = Registry::open(Arc::clone(&other))?;
        let mut changes = registry.changes();
        shelf.evolve(tool("double", "1"))?;
        assert_eq!(other.find("double", i64::MAX)?.context("it")?.source, "1");
        registry.refresh()?;
        assert!(changes.has_changed()? && *changes.borrow_and_update() == 1);
        Ok(())
    })
}
