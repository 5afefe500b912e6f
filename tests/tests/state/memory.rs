//! The memory in a store.

use std::sync::Arc;

use anyhow::{Context, Result};
use pif_domain::{EntryKind, Principal, Scope};
use pif_store::journal::{Draft, Filter};
use pif_store::memory::{Error, Memory, Note, Search};
use pif_store::{Change, Effect, Refusal, Write};

use super::shelf::{Shelf, each, status};

fn keep(shelf: &Shelf, key: &str, value: &str, tags: &[&str]) -> Result<&'static str> {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    let note = Note::new(key.to_owned(), value, Some(tags))?;
    Ok(status(&shelf.change(Change::Keep { note, replace: true })?))
}

fn forget(shelf: &Shelf, key: &str) -> Result<&'static str> {
    Ok(status(&shelf.change(Change::Forget { key: key.to_owned() })?))
}

#[test]
pub(super) fn values_are_kept_changed_and_forgotten() -> Result<()> {
    each(|shelf| {
        let memory = Memory::new(Arc::clone(&shelf.store));
        assert_eq!(keep(shelf, "a", "[1, 2]", &["t"])?, "stored");
        assert_eq!(keep(shelf, "a", "[1,2]", &["t"])?, "unchanged");
        let first = memory.get("a")?.context("a")?;
        assert_eq!((first.value.as_deref(), first.size), (Some("[1,2]"), 5));
        assert_eq!(keep(shelf, "a", "\"ü\"", &["t", "s"])?, "changed");
        let second = memory.get("a")?.context("a")?;
        assert!(second.created == first.created && second.updated > first.updated);
        assert_eq!((second.tags.len(), second.size), (2, 3));
        assert_eq!((memory.count()?, shelf.store.sums()?), (1, (1, 4)));
        assert_eq!((forget(shelf, "a")?, forget(shelf, "a")?), ("forgotten", "unchanged"));
        assert_eq!((memory.get("a")?, shelf.store.sums()?), (None, (0, 0)));
        let told: Vec<String> = (1..=5)
            .map(|id| Ok(shelf.journal.entry(id)?.context("an entry")?.ending))
            .collect::<Result<_>>()?;
        assert_eq!(told, ["stored", "unchanged", "changed", "forgotten", "unchanged"]);
        Ok(())
    })
}

#[test]
pub(super) fn what_may_not_be_replaced_stays() -> Result<()> {
    each(|shelf| {
        keep(shelf, "a", "1", &[])?;
        let other = |value| -> Result<_> {
            let note = Note::new("a".to_owned(), value, None)?;
            Ok(shelf.change(Change::Keep { note, replace: false }))
        };
        assert_eq!(status(&other("1")??), "unchanged");
        let refused = other("2")?;
        assert!(matches!(refused, Err(Refusal::Memory(Error::Present(_)))), "{refused:?}");
        assert_eq!(shelf.store.memo("", "a")?.context("a")?.value.as_deref(), Some("1"));
        Ok(())
    })
}

#[test]
pub(super) fn words_and_tags_are_found_as_long_as_they_are_there() -> Result<()> {
    each(|shelf| {
        let memory = Memory::new(Arc::clone(&shelf.store));
        let found = |words: Option<&str>, tags: &[&str]| -> Result<Vec<String>> {
            let words = words.map(str::to_owned);
            let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
            let (found, total) = memory.search(&Search { words, tags, most: 9, room: 99 })?;
            assert_eq!(u64::try_from(found.len())?, total);
            Ok(found.into_iter().map(|memo| memo.key).collect())
        };
        keep(shelf, "color", "\"blue\"", &["sky"])?;
        keep(shelf, "place", "\"north\"", &["sky", "map"])?;
        assert_eq!(found(Some("blue"), &[])?, ["color"]);
        assert_eq!(found(None, &["sky"])?, ["place", "color"], "the latest first");
        assert_eq!(found(Some("blue north"), &["map"])?, ["place"]);
        assert_eq!(found(Some("red"), &[])?, [""; 0]);
        keep(shelf, "color", "\"red\"", &["sky"])?;
        assert_eq!((found(Some("blue"), &[])?.len(), found(Some("red"), &[])?.len()), (0, 1));
        forget(shelf, "color")?;
        assert_eq!(found(Some("red color"), &[])?, [""; 0]);
        assert_eq!(memory.similar("plaec")?.as_deref(), Some("place"));
        let all: Vec<String> = memory.all()?.into_iter().map(|memo| memo.key).collect();
        assert_eq!(all, ["place"]);
        Ok(())
    })
}

/// Values are given as long as there is room for them.
#[test]
pub(super) fn a_search_gives_no_more_than_is_wanted() -> Result<()> {
    each(|shelf| {
        for (key, value) in [("a", "1"), ("b", "12345"), ("c", "12")] {
            keep(shelf, key, value, &["t"])?;
        }
        let (found, total) = shelf.store.tagged("", &["t".to_owned()], 2, 4)?;
        let given: Vec<_> = found.iter().map(|it| (it.key.as_str(), it.value.as_deref())).collect();
        assert_eq!((given, total), (vec![("c", Some("12")), ("b", None)], 3));
        Ok(())
    })
}

/// A value under a context: keeping it again and outcomes move its confidence, and nothing else does.
#[test]
pub(super) fn entries_learn_from_outcomes() -> Result<()> {
    each(|shelf| {
        let memory = Memory::new(Arc::clone(&shelf.store));
        let learn = |key: Option<&str>, value: &str, confidence: Option<f64>| -> Result<_> {
            let context = Some("orders of a shop".to_owned());
            let note = match key {
                Some(key) => Note::new(key.to_owned(), value, None)?,
                None => Note::keyless(value, None, context.as_deref())?,
            };
            let note = note.learned(context, confidence)?;
            match shelf.change(Change::Keep { note, replace: true })?.effect {
                Effect::Kept(kept) => {
                    let memo = kept.memo.context("an entry")?;
                    Ok((memo.key.clone(), kept.status.name(), kept.counted, memo.confidence()))
                }
                effect => anyhow::bail!("{effect:?}"),
            }
        };
        let is = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let (key, status, counted, confidence) = learn(None, "\"group first\"", Some(0.5))?;
        assert!(key.starts_with("orders-of-a-shop/") && status == "stored" && !counted, "{key}");
        assert!(is(confidence, 0.5));
        // Under whichever key: the value stands once.
        for (given, sure) in [(None, 2.0 / 3.0), (Some("mine"), 3.0 / 4.0)] {
            let (again, status, counted, confidence) = learn(given, "\"group first\"", None)?;
            assert_eq!((again, status, counted), (key.clone(), "changed", true));
            assert!(is(confidence, sure), "{confidence}");
        }
        assert_eq!((memory.count()?, memory.get("mine")?), (1, None));
        for (helped, sure) in [(false, 3.0 / 5.0), (true, 4.0 / 6.0)] {
            shelf.change(Change::Outcome { key: key.clone(), helped })?;
            let memo = memory.get(&key)?.context("the entry")?;
            assert!(is(memo.confidence(), sure), "{memo:?}");
        }
        // Another value under the key says nothing of what was tried.
        learn(Some(&key), "\"sort first\"", None)?;
        assert!(is(memory.get(&key)?.context("the entry")?.confidence(), 0.8));
        let unknown = shelf.change(Change::Outcome { key: "none".to_owned(), helped: true });
        assert!(matches!(unknown, Err(Refusal::Memory(Error::Unknown(_)))), "{unknown:?}");
        assert!(Note::new("a".to_owned(), "1", None)?.learned(None, Some(1.5)).is_err());
        Ok(())
    })
}

/// What fits equally comes in the order of confidence; what was not used for 90 days counts half.
#[test]
pub(super) fn what_helps_comes_first() -> Result<()> {
    each(|shelf| {
        let memory = Memory::new(Arc::clone(&shelf.store));
        for (key, confidence) in [("a", 0.4), ("b", 0.9), ("c", 0.7)] {
            let note = Note::new(key.to_owned(), &format!("\"hint {key}\""), None)?;
            let note = note.learned(Some("joins of tables".to_owned()), Some(confidence))?;
            shelf.change(Change::Keep { note, replace: true })?;
        }
        let search =
            Search { words: Some("table join".to_owned()), most: 9, room: 99, ..Search::default() };
        let keys = || -> Result<Vec<String>> {
            Ok(memory.search(&search)?.0.into_iter().map(|memo| memo.key).collect())
        };
        assert_eq!(keys()?, ["b", "c", "a"]);
        let mut old = shelf.store.memo("", "b")?.context("b")?;
        old.used -= 90 * 86_400_000;
        shelf.store.transact(&mut |db| Ok(db.keep("", &old)?))?;
        assert_eq!(keys()?, ["c", "b", "a"]);
        memory.note_use(&[old]);
        assert_eq!(keys()?, ["b", "c", "a"]);
        Ok(())
    })
}

#[test]
pub(super) fn each_owner_has_a_memory() -> Result<()> {
    each(|shelf| {
        let own = Memory::new(Arc::clone(&shelf.store));
        keep(shelf, "a", "1", &["t"])?;
        let ana = Principal::new("ana", Scope::Run);
        let (theirs, journal) = (own.of(ana.owner()), shelf.journal.of(&ana));
        assert_eq!(theirs.get("a")?, None);
        let note = Note::new("a".to_owned(), "\"words\"", Some(vec!["t".to_owned()]))?;
        let entry = Draft::of_change(EntryKind::Memory, "a");
        let write = Write { change: Change::Keep { note, replace: false }, entry };
        assert_eq!(status(&journal.commit_one(write)?), "stored");
        assert_eq!(own.get("a")?.context("a")?.value.as_deref(), Some("1"));
        assert_eq!(theirs.get("a")?.context("a")?.value.as_deref(), Some("\"words\""));
        for (memory, words, count) in [(&own, "words", 0), (&theirs, "words", 1), (&own, "a", 1)] {
            let words = Some(words.to_owned());
            let search = Search { words, most: 9, room: 99, ..Search::default() };
            assert_eq!(memory.search(&search)?.1, count);
        }
        let tagged = Search { tags: vec!["t".to_owned()], most: 9, room: 99, ..Search::default() };
        assert_eq!((own.search(&tagged)?.1, theirs.search(&tagged)?.1), (1, 1));
        assert_eq!((own.all()?.len(), theirs.all()?.len(), own.count()?), (1, 1, 2));
        // The entry is theirs, and they see no other.
        let last = shelf.journal.head()?.id;
        let entry = shelf.journal.entry(last)?.context("an entry")?;
        assert_eq!(entry.principal.as_deref(), Some("ana"));
        let seen = journal.entries(&Filter::default(), true, 9)?;
        assert_eq!(seen.iter().map(|entry| entry.id).collect::<Vec<_>>(), [last]);
        assert_eq!(journal.entry(last - 1)?, None);
        let boss = shelf.journal.of(&Principal::new("boss", Scope::Admin));
        assert_eq!(boss.entries(&Filter::default(), true, 9)?.len(), 2);
        assert_eq!(shelf.journal.verify()?.count(), 2);
        assert_eq!(forget(shelf, "a")?, "forgotten");
        assert!(theirs.get("a")?.is_some());
        Ok(())
    })
}
