//! A store of maps. A transaction works on a copy of them, which takes their place at its end.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use pif_domain::EntryKind;
use pif_domain::text::time::now;
use pif_store::find::{self, Index};
use pif_store::journal::{
    self, ChainEnds, Entry, Filter, Link, Parked, Pending, Settings, Statistics, Walk,
};
use pif_store::lease::{Leases, ProcessLease, milliseconds};
use pif_store::memory::Memo;
use pif_store::registry::{Definition, Fact, Past, name};
use pif_store::session::{self, Binding, Session, SessionKind, Turn};
use pif_store::staging::{self, Area};
use pif_store::{
    Checkpoints, Done, Error, Head, Position, Refusal, Store, Transaction, Transient, Wait, Write,
    apply,
};

use super::rows::Rows;

#[derive(Debug, Default)]
pub(crate) struct Maps(Mutex<Rows>);

impl Maps {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index(&self) -> Result<Transient, Error> {
        let (index, rows) = (Transient::new()?, self.rows());
        let tools: Vec<_> = rows.tools().iter().map(Definition::document).collect();
        index.put(find::Collection { kind: find::Kind::Tool, owner: "" }, &tools)?;
        for ((owner, _), memo) in &rows.memos {
            index.put(find::Collection { kind: find::Kind::Memory, owner }, &[memo.document()])?;
        }
        Ok(index)
    }

    fn tools(&self, is_meant: impl Fn(&Definition) -> bool, most: usize) -> Vec<Definition> {
        self.rows().tools().into_iter().filter(is_meant).take(most).collect()
    }
}

/// The numbers of the only chain have no gaps.
fn end(Link { id, hash, chain, .. }: Link) -> Head {
    Head { chain, id, hash, entries: id }
}

impl Checkpoints for Maps {
    fn identity(&self) -> Result<String, Error> {
        Ok("maps".to_owned())
    }

    fn heads(&self) -> Result<Vec<Head>, Error> {
        let rows = self.rows();
        let head = rows.entries.last().map_or(rows.anchor, Link::after);
        Ok(if head.id == 0 { Vec::new() } else { vec![end(head)] })
    }

    fn position(&self, chain: i64, id: i64) -> Result<Position, Error> {
        let rows = self.rows();
        let mut links = rows.entries.iter().map(Link::after).chain([rows.anchor]);
        Ok(match links.find(|it| it.chain == chain && it.id == id && id > 0) {
            Some(link) => Position::Known(end(link)),
            None if chain == rows.anchor.chain && id < rows.anchor.id => {
                Position::Removed(rows.anchor.id)
            }
            None => Position::Missing,
        })
    }

    fn last_checkpoint(&self) -> Result<Option<String>, Error> {
        Ok(self.rows().checkpoints.last().cloned())
    }

    fn keep_checkpoint(
        &self,
        note: &str,
        before: Option<&str>,
        most: usize,
    ) -> Result<bool, Error> {
        let mut rows = self.rows();
        if rows.checkpoints.last().map(String::as_str) != before {
            return Ok(false);
        }
        rows.checkpoints.push(note.to_owned());
        let surplus = rows.checkpoints.len().saturating_sub(most);
        rows.checkpoints.drain(..surplus);
        Ok(true)
    }

    fn makes_checkpoints(&self) -> Result<bool, Error> {
        Ok(true)
    }
}

impl Leases for Maps {
    fn take_lease(&self, name: &str, place: &str, life: Duration) -> Result<(), Error> {
        let until = now().saturating_add(milliseconds(life));
        let lease = ProcessLease { name: name.to_owned(), place: place.to_owned(), until };
        self.rows().leases.insert(name.to_owned(), lease);
        Ok(())
    }

    fn renew_lease(&self, name: &str, life: Duration) -> Result<bool, Error> {
        let (mut rows, now) = (self.rows(), now());
        let found = rows.leases.get_mut(name);
        let renewed = found.map(|it| it.until = now.saturating_add(milliseconds(life)));
        rows.leases.retain(|_, lease| lease.until >= now);
        Ok(renewed.is_some())
    }

    fn end_lease(&self, name: &str) -> Result<(), Error> {
        self.rows().leases.remove(name);
        Ok(())
    }

    fn leases(&self) -> Result<Vec<ProcessLease>, Error> {
        Ok(self.rows().leases.values().cloned().collect())
    }
}

impl Store for Maps {
    fn commit(
        &self,
        writes: &[Write],
        settings: &Settings,
        wait: Wait,
    ) -> Result<Vec<Done>, Refusal> {
        let mut rows = match self.0.try_lock() {
            Ok(rows) => rows,
            Err(TryLockError::WouldBlock) if wait == Wait::Never => {
                return Err(Error::Locked.into());
            }
            Err(_) => self.rows(),
        };
        let mut next = rows.clone();
        let done = apply(&mut next, writes, settings)?;
        *rows = next;
        Ok(done)
    }

    fn transact(
        &self,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut rows = self.rows();
        let mut next = rows.clone();
        change(&mut next)?;
        *rows = next;
        Ok(())
    }

    fn path(&self) -> Option<&Path> {
        None
    }

    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    fn last_change(&self) -> Result<i64, Error> {
        self.rows().last_change()
    }

    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error> {
        Transaction::find(&*self.rows(), name, as_of)
    }

    fn find_pinned(
        &self,
        name: &str,
        prefix: &str,
        as_of: i64,
    ) -> Result<Option<(Definition, bool)>, Error> {
        Ok(self.rows().pinned(name, prefix, as_of))
    }

    fn twin(&self, name: &str) -> Result<Option<String>, Error> {
        self.rows().twin(name)
    }

    fn lookalike(&self, name: &str) -> Result<Option<String>, Error> {
        Ok(self.rows().looks(name, |a, b| name::sketch(a) == name::sketch(b)))
    }

    fn near(&self, name: &str) -> Result<Vec<String>, Error> {
        let _ = name;
        self.names("", usize::MAX)
    }

    fn count(&self) -> Result<u64, Error> {
        self.count_names("")
    }

    fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, Error> {
        Ok(self.tools(|tool| tool.name.as_str() > after, most))
    }

    fn latest(&self, most: usize) -> Result<Vec<Definition>, Error> {
        let mut tools = self.rows().tools();
        tools.sort_by_key(|tool| -tool.change);
        tools.truncate(most);
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tools)
    }

    fn capabilities(&self, most: usize) -> Result<Vec<Definition>, Error> {
        let mut tools = self.rows().tools();
        tools.retain(|tool| tool.members.is_some());
        tools.truncate(most);
        Ok(tools)
    }

    fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, Error> {
        let tools = self.tools(|tool| tool.name.starts_with(prefix), most);
        Ok(tools.into_iter().map(|tool| tool.name).collect())
    }

    fn count_names(&self, prefix: &str) -> Result<u64, Error> {
        Ok(self.names(prefix, usize::MAX)?.len() as u64)
    }

    fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, Error> {
        Ok(self.rows().of(name).take(most).map(|it| it.past.clone()).collect())
    }

    fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, Error> {
        let rows = self.rows();
        let calls = |it: &Definition| rows.terms[&it.hash].1.iter().any(|used| used == name);
        let callers = rows.tools().into_iter().filter(|it| it.name != name && calls(it));
        Ok(callers.take(most).collect())
    }

    fn output_schema(&self, change: i64) -> Result<Option<String>, Error> {
        let rows = self.rows();
        let found = rows.changes.iter().find(|it| it.past.change == change);
        Ok(found.and_then(|it| it.output_schema.clone()))
    }

    fn fact(&self, kind: Fact, of: &str) -> Result<Option<String>, Error> {
        Ok(self.rows().facts.get(&(kind, of.to_owned())).cloned())
    }

    fn name_of(&self, hash: &str) -> Result<Option<String>, Error> {
        let rows = self.rows();
        let mut changes = rows.changes.iter().rev();
        let found = changes.find(|it| it.past.hash.as_deref() == Some(hash));
        Ok(found.map(|it| it.name.clone()))
    }

    fn entry(&self, id: i64) -> Result<Option<Entry>, Error> {
        Ok(self.rows().entries.iter().find(|it| it.id == id).cloned())
    }

    fn before(&self, entry: &Entry) -> Result<Option<Link>, Error> {
        let rows = self.rows();
        let before = rows.entries.iter().rev().find(|it| it.id < entry.id);
        let before = before.map_or(rows.anchor, Link::after);
        Ok((before.id + 1 == entry.id).then_some(before))
    }

    fn pend(&self, run: &Pending, _is_lasting: bool) -> Result<Option<i64>, Error> {
        let mut rows = self.rows();
        if run.id.is_some() {
            let is_own = |it: &&mut Pending| it.id == run.id && it.owner == run.owner;
            if !rows.leases.contains_key(&run.owner) {
                return Ok(None);
            }
            let Some(kept) = rows.pending.0.iter_mut().find(is_own) else { return Ok(None) };
            kept.parts.extend(run.parts.iter().cloned());
            return Ok(run.id);
        }
        rows.pending.1 += 1;
        let id = rows.pending.1;
        rows.pending.0.push(Pending { id: Some(id), ..run.clone() });
        Ok(Some(id))
    }

    fn forget(&self, run: i64) -> Result<bool, Error> {
        let mut rows = self.rows();
        let before = rows.pending.0.len();
        rows.pending.0.retain(|it| it.id != Some(run));
        Ok(rows.pending.0.len() < before)
    }

    fn park(&self, run: &Pending, holder: &str, most: u64) -> Result<Parked, Error> {
        let mut rows = self.rows();
        let is_other =
            |it: &&Pending| it.owner == run.owner && (it.id != run.id || run.id.is_none());
        if rows.pending.0.iter().filter(is_other).count() as u64 >= most {
            return Ok(Parked::Full);
        }
        let Some(id) = run.id else {
            drop(rows);
            return Ok(self.pend(run, true)?.map_or(Parked::Lost, Parked::Kept));
        };
        let is_kept = rows.leases.contains_key(holder) && rows.end_run(holder, run);
        Ok(if is_kept { Parked::Kept(id) } else { Parked::Lost })
    }

    fn exchange(&self, kept: &Pending, next: &Pending) -> Result<bool, Error> {
        let mut rows = self.rows();
        let kept = Pending { lease: None, ..kept.clone() };
        let found = rows.pending.0.iter_mut().find(|it| **it == kept);
        Ok(found.map(|it| *it = Pending { lease: None, ..next.clone() }).is_some())
    }

    fn pending(&self) -> Result<Vec<Pending>, Error> {
        let rows = self.rows();
        let leased = |it: &Pending| Pending { lease: rows.lasting(&it.owner), ..it.clone() };
        Ok(rows.pending.0.iter().map(leased).collect())
    }

    fn text(&self, sha256: &str) -> Result<Option<String>, Error> {
        Ok(self.rows().texts.get(sha256).map(|(text, _)| text.clone()))
    }

    fn entries(
        &self,
        filter: &Filter,
        latest_first: bool,
        most: usize,
    ) -> Result<Vec<Entry>, Error> {
        let mut entries = self.rows().entries.clone();
        entries.retain(|it| {
            filter
                .principal
                .as_deref()
                .is_none_or(|name| it.principal.as_deref().unwrap_or_default() == name)
                && filter.kind.is_none_or(|kind| it.kind == kind.name())
                && (filter.subject.is_none() || filter.subject == it.subject)
                && filter.ending.as_ref().is_none_or(|ending| it.ending == *ending)
                && filter.since.is_none_or(|time| it.time >= time)
                && filter.before.is_none_or(|id| it.id < id)
                && filter.after.is_none_or(|id| it.id > id)
                && filter.chain.is_none_or(|chain| it.chain == chain)
        });
        if latest_first {
            entries.reverse();
        }
        entries.truncate(most);
        Ok(entries)
    }

    fn statistics(&self, tool: &str, most: usize) -> Result<Statistics, Error> {
        let filter = Filter {
            kind: Some(EntryKind::Run),
            subject: Some(tool.to_owned()),
            ..Filter::default()
        };
        let runs = self.entries(&filter, true, most)?;
        let is_fault = |it: &&Entry| !["value", "continuation"].contains(&it.ending.as_str());
        let faults = runs.iter().filter(is_fault).count();
        let mut fuel: Vec<i64> = runs.iter().map(|it| it.fuel.unwrap_or_default()).collect();
        fuel.sort_unstable();
        Ok(Statistics { fuel, faults })
    }

    fn head(&self) -> Result<Link, Error> {
        self.rows().head()
    }

    fn anchor(&self) -> Result<Link, Error> {
        self.rows().anchor()
    }

    fn verify(&self) -> Result<ChainEnds, journal::Error> {
        let rows = self.rows();
        let mut walk = Walk::new([rows.anchor]);
        rows.entries.iter().try_for_each(|entry| walk.step(entry))?;
        Ok(walk.verified())
    }

    fn verify_texts(&self) -> Result<(), journal::Error> {
        Ok(())
    }

    fn owners(&self) -> Result<Vec<String>, Error> {
        Ok(self.rows().owners())
    }

    fn memo(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        self.rows().memo(owner, key)
    }

    fn memos(&self, owner: &str) -> Result<Vec<Memo>, Error> {
        let rows = self.rows();
        let own = rows.memos.iter().filter(|((of, _), _)| of == owner);
        let mut memos: Vec<Memo> = own.map(|(_, memo)| memo.clone()).collect();
        memos.sort_by_key(|memo| memo.updated);
        Ok(memos)
    }

    fn memo_without_value(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        Ok(self.rows().memo(owner, key)?.map(|memo| Memo { value: None, ..memo }))
    }

    fn tagged(
        &self,
        owner: &str,
        tags: &[String],
        most: usize,
        room: usize,
    ) -> Result<(Vec<Memo>, u64), Error> {
        let mut found = self.memos(owner)?;
        found.reverse();
        found.retain(|it| tags.iter().all(|tag| it.tags.contains(tag)));
        let (total, mut room) = (found.len() as u64, room as u64);
        found.truncate(most);
        for memo in &mut found {
            match room.checked_sub(memo.size) {
                Some(left) => room = left,
                None => memo.value = None,
            }
        }
        Ok((found, total))
    }

    fn near_keys(&self, owner: &str, _: &str) -> Result<Vec<String>, Error> {
        let rows = self.rows();
        let own = rows.memos.keys().filter(|(of, _)| of == owner);
        Ok(own.map(|(_, key)| key.clone()).collect())
    }

    fn sums(&self) -> Result<(u64, u64), Error> {
        self.rows().sums()
    }
}

/// It has no search of its own: it fills an index each time.
impl Index for Maps {
    fn size(&self, shelf: find::Collection<'_>) -> Result<u64, Error> {
        self.index()?.size(shelf)
    }

    fn hits(&self, shelf: find::Collection<'_>, word: &str) -> Result<Vec<find::Hit>, Error> {
        self.index()?.hits(shelf, word)
    }

    fn beginning_with(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        self.index()?.beginning_with(word, most)
    }

    fn typos_of(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        self.index()?.typos_of(word, most)
    }
}

impl session::Rows for Maps {
    fn session(&self, id: i64) -> Result<Option<Session>, Error> {
        self.rows().session(id)
    }

    fn sessions(&self, owner: &str) -> Result<Vec<Session>, Error> {
        self.rows().sessions(owner)
    }

    fn bindings(&self, session: i64) -> Result<Vec<Binding>, Error> {
        self.rows().bindings(session)
    }

    fn turns(&self, session: i64) -> Result<Vec<Turn>, Error> {
        self.rows().turns(session)
    }

    fn labelled(
        &self,
        owner: &str,
        label: &str,
        standing: SessionKind,
    ) -> Result<Option<Session>, Error> {
        self.rows().labelled(owner, label, standing)
    }
}

impl staging::Rows for Maps {
    fn area(&self, id: i64) -> Result<Option<Area>, Error> {
        self.rows().area(id)
    }

    fn areas(&self, owner: &str) -> Result<Vec<Area>, Error> {
        self.rows().areas(owner)
    }

    fn changed_since(&self, change: i64) -> Result<Vec<String>, Error> {
        self.rows().changed_since(change)
    }

    fn uses(&self, hash: &str) -> Result<Vec<String>, Error> {
        self.rows().uses(hash)
    }

    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        self.rows().source(hash)
    }
}
