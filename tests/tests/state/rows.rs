//! What a store of maps holds, and changes of it.

use std::collections::{BTreeMap, BTreeSet};

use pif_domain::text::time;
use pif_store::journal::{Entry, Link, ONLY_CHAIN, Pending};
use pif_store::lease::ProcessLease;
use pif_store::memory::Memo;
use pif_store::registry::{Definition, Evolution, Fact, Past, name};
use pif_store::session::{self, Binding, Session, SessionKind, Turn};
use pif_store::staging::{self, Area};
use pif_store::{Error, Term, ToolChange, Transaction};

/// A change of a tool.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) past: Past,
    pub(super) name: String,
    pub(super) examples: String,
    pub(super) output_schema: Option<String>,
    pub(super) members: Option<String>,
    pub(super) properties: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Terms and what they name, by hash.
    pub(super) terms: BTreeMap<String, (String, Vec<String>)>,
    pub(super) changes: Vec<Change>,
    pub(super) entries: Vec<Entry>,
    pub(super) anchor: Link,
    pub(super) checkpoints: Vec<String>,
    pub(super) memos: BTreeMap<(String, String), Memo>,
    /// Texts by hash, each with the last entry that has it.
    pub(super) texts: BTreeMap<String, (String, i64)>,
    /// Runs that have not ended, and how many there ever were.
    pub(super) pending: (Vec<Pending>, i64),
    /// Sessions by their numbers, and how many there ever were.
    sessions: (BTreeMap<i64, Session>, i64),
    bindings: BTreeMap<(i64, String), Binding>,
    turns: BTreeMap<(i64, i64), String>,
    /// Staging areas by their numbers, and how many there ever were.
    areas: (BTreeMap<i64, Area>, i64),
    /// Who works on them.
    area_holders: BTreeMap<i64, String>,
    /// Leases by their names.
    pub(super) leases: BTreeMap<String, ProcessLease>,
    /// What is known of revisions.
    pub(super) facts: BTreeMap<(Fact, String), String>,
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            terms: BTreeMap::new(),
            changes: Vec::new(),
            entries: Vec::new(),
            anchor: Link::start(ONLY_CHAIN),
            checkpoints: Vec::new(),
            memos: BTreeMap::new(),
            texts: BTreeMap::new(),
            pending: (Vec::new(), 0),
            sessions: (BTreeMap::new(), 0),
            bindings: BTreeMap::new(),
            turns: BTreeMap::new(),
            areas: (BTreeMap::new(), 0),
            area_holders: BTreeMap::new(),
            leases: BTreeMap::new(),
            facts: BTreeMap::new(),
        }
    }
}

impl Rows {
    /// A lease that lasts.
    pub(super) fn lasting(&self, name: &str) -> Option<ProcessLease> {
        self.leases.get(name).filter(|lease| lease.until >= time::now()).cloned()
    }

    /// Keeps what is left of a run on which this holder works; whether it does.
    pub(super) fn end_run(&mut self, holder: &str, run: &Pending) -> bool {
        let is_own = |it: &&mut Pending| it.id == run.id && it.owner == holder;
        let found = self.pending.0.iter_mut().find(is_own);
        found.map(|it| *it = run.clone()).is_some()
    }

    /// The owners of sessions and memory, in order.
    pub(super) fn owners(&self) -> Vec<String> {
        let sessions = self.sessions.0.values().map(|session| session.owner.clone());
        let all: BTreeSet<String> =
            sessions.chain(self.memos.keys().map(|(owner, _)| owner.clone())).collect();
        all.into_iter().collect()
    }

    pub(super) fn tool(&self, change: &Change) -> Option<Definition> {
        let hash = change.past.hash.clone()?;
        Some(Definition {
            name: change.name.clone(),
            source: self.terms[&hash].0.clone(),
            hash,
            description: change.past.description.clone(),
            examples: change.examples.clone(),
            output_schema: change.output_schema.clone(),
            members: change.members.clone(),
            properties: change.properties.clone(),
            change: change.past.change,
        })
    }

    pub(super) fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Change> {
        self.changes.iter().rev().filter(move |change| change.name == name)
    }

    /// All tools there are now, by name.
    pub(super) fn tools(&self) -> Vec<Definition> {
        let latest: BTreeMap<&str, &Change> =
            self.changes.iter().map(|change| (change.name.as_str(), change)).collect();
        latest.into_values().filter_map(|change| self.tool(change)).collect()
    }

    pub(super) fn pinned(
        &self,
        name: &str,
        prefix: &str,
        as_of: i64,
    ) -> Option<(Definition, bool)> {
        let known = self.of(name).filter(|it| it.past.change <= as_of);
        let mut found =
            known.filter_map(|it| self.tool(it)).filter(|it| it.hash.starts_with(prefix));
        let latest = found.next()?;
        let is_ambiguous = found.any(|it| it.hash != latest.hash);
        Some((latest, is_ambiguous))
    }

    /// Another name that ever was with the same looks.
    pub(super) fn looks(&self, wanted: &str, alike: impl Fn(&str, &str) -> bool) -> Option<String> {
        let other = self.changes.iter().find(|it| it.name != wanted && alike(&it.name, wanted));
        other.map(|it| it.name.clone())
    }
}

impl Transaction for Rows {
    fn has_lease(&self, name: &str) -> Result<bool, Error> {
        Ok(self.leases.contains_key(name))
    }

    fn lasting_lease(&mut self, name: &str) -> Result<Option<ProcessLease>, Error> {
        let found = self.lasting(name);
        if found.is_none() {
            self.leases.remove(name);
        }
        Ok(found)
    }

    fn area_holder(&self, id: i64) -> Result<Option<String>, Error> {
        Ok(self.area_holders.get(&id).cloned())
    }

    fn hold_area(&mut self, id: i64, holder: Option<&str>) -> Result<(), Error> {
        match holder {
            Some(holder) => drop(self.area_holders.insert(id, holder.to_owned())),
            None => drop(self.area_holders.remove(&id)),
        }
        Ok(())
    }

    fn put_area(&mut self, area: &Area) -> Result<i64, Error> {
        let id = if area.id == 0 { self.areas.1 + 1 } else { area.id };
        self.areas.1 = self.areas.1.max(id);
        self.areas.0.insert(id, Area { id, ..area.clone() });
        Ok(id)
    }

    fn remove_area(&mut self, id: i64) -> Result<(), Error> {
        self.areas.0.remove(&id);
        Ok(())
    }

    fn keep_source(&mut self, term: &Evolution) -> Result<(), Error> {
        let kept = || (term.source.clone(), term.tools.clone());
        self.terms.entry(term.hash.clone()).or_insert_with(kept);
        Ok(())
    }

    fn last_change(&self) -> Result<i64, Error> {
        Ok(self.changes.last().map_or(0, |it| it.past.change))
    }

    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error> {
        let latest = self.of(name).find(|it| it.past.change <= as_of);
        Ok(latest.and_then(|it| self.tool(it)))
    }

    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<(Definition, bool)>, Error> {
        Ok(self.pinned(name, prefix, i64::MAX))
    }

    fn twin(&self, name: &str) -> Result<Option<String>, Error> {
        let alike =
            |a: &str, b: &str| name::twins(a).iter().zip(name::twins(b)).any(|(a, b)| *a == b);
        Ok(self.looks(name, alike))
    }

    fn has_history(&self, name: &str) -> Result<bool, Error> {
        Ok(self.of(name).next().is_some())
    }

    fn put_fact(&mut self, kind: Fact, of: &str, told: &str) -> Result<(), Error> {
        self.facts.insert((kind, of.to_owned()), told.to_owned());
        Ok(())
    }

    fn define(&mut self, defined: &ToolChange<'_>) -> Result<(), Error> {
        if let Some(Term { hash, source, tools }) = defined.term {
            let tools = tools.iter().map(|tool| name::split(tool).0.to_owned()).collect();
            self.terms.entry(hash.to_owned()).or_insert((source.to_owned(), tools));
        }
        let past = Past {
            change: self.last_change()? + 1,
            hash: defined.term.map(|term| term.hash.to_owned()),
            description: defined.description.to_owned(),
            entry: defined.entry,
            time: time::format(time::now()),
        };
        self.changes.push(Change {
            past,
            name: defined.name.to_owned(),
            examples: defined.examples.to_owned(),
            output_schema: defined.output_schema.map(str::to_owned),
            members: defined.members.map(str::to_owned),
            properties: defined.properties.map(str::to_owned),
        });
        Ok(())
    }

    fn head(&self) -> Result<Link, Error> {
        let last = self.entries.last();
        Ok(last.map_or(self.anchor, Link::after))
    }

    fn anchor(&self) -> Result<Link, Error> {
        Ok(self.anchor)
    }

    fn append(&mut self, entry: &Entry) -> Result<(), Error> {
        self.entries.push(entry.clone());
        Ok(())
    }

    fn settle(&mut self, run: i64) -> Result<bool, Error> {
        let before = self.pending.0.len();
        self.pending.0.retain(|it| it.id != Some(run));
        Ok(self.pending.0.len() < before)
    }

    fn end(&mut self, owner: &str, run: &Pending) -> Result<bool, Error> {
        Ok(self.end_run(owner, run))
    }

    fn keep_text(&mut self, sha256: &str, text: &str, entry: i64) -> Result<(), Error> {
        self.texts.insert(sha256.to_owned(), (text.to_owned(), entry));
        Ok(())
    }

    fn trim(&mut self, ends: i64) -> Result<(), Error> {
        // The last entry stays, whatever its size.
        let old = self.entries.iter().take_while(|it| it.ends <= ends).count();
        let old = old.min(self.entries.len().saturating_sub(1));
        for it in self.entries.drain(..old) {
            self.anchor = Link::after(&it);
        }
        let first = self.anchor.id;
        let bound = &self.bindings;
        self.texts.retain(|hash, (_, entry)| {
            *entry > first || bound.values().any(|binding| binding.hash == *hash)
        });
        Ok(())
    }

    fn put_session(&mut self, session: &Session) -> Result<i64, Error> {
        let id = if session.id == 0 { self.sessions.1 + 1 } else { session.id };
        self.sessions.1 = self.sessions.1.max(id);
        self.sessions.0.insert(id, Session { id, ..session.clone() });
        Ok(id)
    }

    fn remove_session(&mut self, session: i64) -> Result<(), Error> {
        self.sessions.0.remove(&session);
        Ok(())
    }

    fn bind(&mut self, session: i64, binding: &Binding) -> Result<(), Error> {
        self.bindings.insert((session, binding.name.clone()), binding.clone());
        Ok(())
    }

    fn unbind(&mut self, session: i64, name: &str) -> Result<(), Error> {
        self.bindings.remove(&(session, name.to_owned()));
        Ok(())
    }

    fn note(&mut self, session: i64, turn: &Turn) -> Result<(), Error> {
        self.turns.insert((session, turn.turn), turn.told.clone());
        Ok(())
    }

    fn unnote(&mut self, session: i64, last: i64) -> Result<(), Error> {
        self.turns.retain(|(of, turn), _| *of != session || *turn > last);
        Ok(())
    }

    fn keep_term(&mut self, sha256: &str, term: &str) -> Result<(), Error> {
        self.texts.entry(sha256.to_owned()).or_insert((term.to_owned(), 0));
        Ok(())
    }

    fn pin(&mut self, sha256: &str, entry: i64) -> Result<(), Error> {
        self.texts.get_mut(sha256).into_iter().for_each(|text| text.1 = entry);
        Ok(())
    }

    fn sweep(&mut self, sha256: &str) -> Result<(), Error> {
        if !self.bindings.values().any(|binding| binding.hash == sha256) {
            let first = self.anchor.id;
            self.texts.retain(|hash, (_, entry)| hash != sha256 || *entry > first);
        }
        Ok(())
    }

    fn memo(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        Ok(self.memos.get(&(owner.to_owned(), key.to_owned())).cloned())
    }

    fn sums(&self) -> Result<(u64, u64), Error> {
        let bytes = self.memos.values().filter_map(|it| it.value.as_ref()).map(String::len);
        Ok((self.memos.len() as u64, bytes.sum::<usize>() as u64))
    }

    fn last_update(&self) -> Result<i64, Error> {
        Ok(self.memos.values().map(|it| it.updated).max().unwrap_or_default())
    }

    fn keep(&mut self, owner: &str, memo: &Memo) -> Result<(), Error> {
        self.memos.insert((owner.to_owned(), memo.key.clone()), memo.clone());
        Ok(())
    }

    fn note_use(&mut self, owner: &str, key: &str, time: i64) -> Result<(), Error> {
        if let Some(memo) = self.memos.get_mut(&(owner.to_owned(), key.to_owned())) {
            memo.used = memo.used.max(time);
        }
        Ok(())
    }

    fn equal_memo(&self, owner: &str, context: &str, value: &str) -> Result<Option<String>, Error> {
        let is_equal = |memo: &Memo| {
            memo.context == context && !context.is_empty() && memo.value.as_deref() == Some(value)
        };
        let found = self.memos.iter().find(|((of, _), memo)| of == owner && is_equal(memo));
        Ok(found.map(|((_, key), _)| key.clone()))
    }

    fn forget(&mut self, owner: &str, key: &str) -> Result<(), Error> {
        self.memos.remove(&(owner.to_owned(), key.to_owned()));
        Ok(())
    }

    fn forget_all(&mut self, owner: &str) -> Result<u64, Error> {
        let before = self.memos.len();
        self.memos.retain(|(of, _), _| of != owner);
        Ok((before - self.memos.len()) as u64)
    }
}

impl staging::Rows for Rows {
    fn area(&self, id: i64) -> Result<Option<Area>, Error> {
        Ok(self.areas.0.get(&id).cloned())
    }

    fn areas(&self, owner: &str) -> Result<Vec<Area>, Error> {
        Ok(self.areas.0.values().filter(|it| it.owner == owner).cloned().collect())
    }

    fn changed_since(&self, change: i64) -> Result<Vec<String>, Error> {
        let later = self.changes.iter().filter(|it| it.past.change > change);
        let names: BTreeSet<String> = later.map(|it| it.name.clone()).collect();
        Ok(names.into_iter().collect())
    }

    fn uses(&self, hash: &str) -> Result<Vec<String>, Error> {
        let mut tools = self.terms.get(hash).map(|it| it.1.clone()).unwrap_or_default();
        tools.sort();
        tools.dedup();
        Ok(tools)
    }

    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        Ok(self.terms.get(hash).map(|it| it.0.clone()))
    }
}

impl session::Rows for Rows {
    fn session(&self, id: i64) -> Result<Option<Session>, Error> {
        Ok(self.sessions.0.get(&id).cloned())
    }

    fn sessions(&self, owner: &str) -> Result<Vec<Session>, Error> {
        Ok(self.sessions.0.values().filter(|it| it.owner == owner).cloned().collect())
    }

    fn bindings(&self, session: i64) -> Result<Vec<Binding>, Error> {
        let all = self.bindings.iter().filter(|((of, _), _)| *of == session);
        Ok(all.map(|(_, binding)| binding.clone()).collect())
    }

    fn turns(&self, session: i64) -> Result<Vec<Turn>, Error> {
        let all = self.turns.iter().rev().filter(|((of, _), _)| *of == session);
        Ok(all.map(|((_, turn), told)| Turn { turn: *turn, told: told.clone() }).collect())
    }

    fn labelled(
        &self,
        owner: &str,
        label: &str,
        standing: SessionKind,
    ) -> Result<Option<Session>, Error> {
        let mut all = self.sessions(owner)?.into_iter();
        Ok(all.find(|it| it.label.as_deref() == Some(label) && it.standing == standing))
    }
}
