//! Neighbors of a result: callers and callees, tools used together in sessions, entries
//! of the memory with the same tags.

use std::collections::{BTreeMap, BTreeSet};

use pif_domain::{Fault, Scope};
use pif_store::find::Kind;
use pif_store::memory::Search;

use super::super::library::library;
use super::super::opening::Workshop;
use super::super::refusal::stored;

/// The most neighbors of one kind.
const MOST: usize = 5;

/// Something near, and how it is related.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbor {
    /// Its kind.
    pub kind: Kind,
    /// Its name among those of its kind.
    pub place: String,
    /// `calls it`, `called by it`, `used with it`, or `same tags`.
    pub relation: &'static str,
}

impl Workshop {
    /// The neighbors of what was found.
    pub(super) fn neighbors(&self, kind: Kind, place: &str) -> Result<Vec<Neighbor>, Fault> {
        match kind {
            Kind::Tool | Kind::Library => self.near_tool(place),
            Kind::Memory => self.near_key(place),
            Kind::Form | Kind::Journal | Kind::Upstream | Kind::Session => Ok(Vec::new()),
        }
    }

    fn near_tool(&self, name: &str) -> Result<Vec<Neighbor>, Fault> {
        let tools = self.tools()?;
        let mut near = Vec::new();
        let mut add = |names: Vec<String>, relation: &'static str| -> Result<(), Fault> {
            for place in names.into_iter().filter(|it| it != name).take(MOST) {
                let is_registered = tools.registered.find(&place).is_ok_and(|it| it.is_some());
                let is_shelved = library().find(&place).is_some();
                if is_registered || is_shelved {
                    let kind = if is_registered { Kind::Tool } else { Kind::Library };
                    near.push(Neighbor { kind, place, relation });
                }
            }
            Ok(())
        };
        let callers = tools.registered.callers(name, MOST + 1).map_err(stored)?;
        let shelved = library().callers(name).into_iter().map(str::to_owned);
        add(callers.into_iter().map(|it| it.name).chain(shelved).collect(), "calls it")?;
        let called = match tools.find(name)? {
            Some(tool) => {
                let named = tools.registered.uses(&tool.hash).map_err(stored)?;
                if named.is_empty() { of_library(&tool.source) } else { named }
            }
            None => Vec::new(),
        };
        add(called, "called by it")?;
        add(self.used_with(name)?, "used with it")?;
        Ok(near)
    }

    /// The tools that sessions of the principal name which name this one, too: those of most sessions first.
    fn used_with(&self, name: &str) -> Result<Vec<String>, Fault> {
        if !self.principal().may(Scope::Run) {
            return Ok(Vec::new());
        }
        let tools = self.tools()?;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for session in self.own_sessions()? {
            let codes = self.codes_of(&session)?.join(" ");
            let is_end = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-');
            let words: BTreeSet<&str> = codes.split(is_end).filter(|it| it.len() > 1).collect();
            if !words.contains(name) {
                continue;
            }
            for word in words.into_iter().filter(|word| *word != name) {
                if tools.find(word)?.is_some() {
                    *counts.entry(word.to_owned()).or_default() += 1;
                }
            }
        }
        let mut found: Vec<(String, usize)> = counts.into_iter().collect();
        found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(found.into_iter().map(|(name, _)| name).collect())
    }

    fn near_key(&self, key: &str) -> Result<Vec<Neighbor>, Fault> {
        let Some(memo) = self.memory.brief(key).map_err(stored)? else { return Ok(Vec::new()) };
        let mut near: Vec<Neighbor> = Vec::new();
        for tag in memo.tags {
            let search = Search { tags: vec![tag], most: MOST + 1, ..Search::default() };
            for other in self.memory.search(&search).map_err(stored)?.0 {
                let is_new = other.key != key && near.iter().all(|it| it.place != other.key);
                if is_new && near.len() < MOST {
                    let kind = Kind::Memory;
                    let relation = "same tags";
                    near.push(Neighbor { kind, place: other.key, relation });
                }
            }
        }
        Ok(near)
    }
}

/// The tools that a term of the library names.
fn of_library(source: &str) -> Vec<String> {
    let calls = source.split("{\"tool\":\"").skip(1);
    let named: BTreeSet<&str> = calls.filter_map(|it| it.split(['"', '@']).next()).collect();
    named.into_iter().map(str::to_owned).collect()
}
