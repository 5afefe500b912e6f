//! Forms of records, maps, sets, lists and pairs whose value depends on more than kinds.

use super::members::Key;
use super::{At, Core};
use crate::places::Step;
use crate::values::{ANY, EVERY, Id, NEVER, Node, Record, Ref};
use pif_language::form::Form;
use pif_language::kinds::{
    BOOLEAN, DATE, Kinds, LIST, MAP, NULL, NUMBER, PAIR, RECORD, SET, STRING,
};
use pif_language::term::{TermId, Terms};
use std::rc::Rc;

/// What has keys.
const KEYED: Kinds = RECORD | MAP | SET | LIST;
/// What has a text in place of a record without members.
const MEMBERLESS: Kinds = STRING | NUMBER | BOOLEAN | NULL;
/// What can be gone through.
pub(super) const GONE_THROUGH: Kinds = LIST | STRING | MAP | SET;
/// What can be a key.
const KEYS: Kinds = STRING | NUMBER | BOOLEAN;

impl Core {
    /// The value of a form of records, maps and sets, or of another one; none if no run has one.
    pub(super) fn of_record(
        &mut self,
        terms: &Terms,
        form: Form,
        term: TermId,
        values: &[Id],
    ) -> Option<Id> {
        let of = |at: usize| values.get(at).copied().unwrap_or(ANY);
        let (at, first) = ((term, 0), of(0));
        match form {
            Form::Get => {
                let null = if values.len() > 2 { NULL } else { 0 };
                self.expect((term, 1), of(1), KEYS | null, 0)?;
                let key = self.key(terms, terms.operand(term, 1), of(1));
                self.get(at, first, &key, values.get(2).copied())
            }
            Form::GetIn => self.get_path(terms, term, values),
            Form::Has => self.has(at, first),
            Form::Put => {
                self.expect((term, 1), of(1), KEYS, 0)?;
                let key = self.key(terms, terms.operand(term, 1), of(1));
                self.put(at, first, &key, of(2))
            }
            Form::PutIn => match self.path(terms, term, of(1), true) {
                Some(path) => self.put_path(at, first, &path, of(2)),
                None => Some(self.unknown(values)),
            },
            Form::Remove => self.remove(terms, term, first),
            Form::Merge => self.merge(at, first, of(1)),
            Form::Keys => self.expect(at, first, KEYED, 0).map(|id| self.keys(id)),
            Form::Values => self.expect(at, first, KEYED, 0).map(|id| {
                let element = self.members_of(id);
                self.list(element)
            }),
            Form::Entries => self.expect(at, first, KEYED, 0).map(|id| self.entries(id)),
            Form::FromEntries => self.record_of(at, first),
            Form::Pick | Form::Omit => self.chosen(terms, form == Form::Pick, term, first, of(1)),
            Form::ToMap => self.map_of(at, first),
            Form::ToSet => self.expect(at, first, GONE_THROUGH, NULL).map(|id| {
                let (element, _) = self.elements(id);
                let set = Some(self.values.weaken(element));
                self.values.make(Node { kinds: SET, set, ..Node::default() })
            }),
            Form::Lookup => self.lookup(at, first, values.get(2).copied()),
            Form::Insert => self.insert(at, values),
            Form::Record => {
                let names = terms.names(term).iter().zip(values);
                let member = |(name, id): (&u32, &Id)| (Rc::from(terms.name(*name)), (*id, false));
                let members = names.map(member).collect();
                Some(self.record(Record { members, ..Record::default() }))
            }
            _ => self.of_list(terms, form, term, values),
        }
    }

    fn get_path(&mut self, terms: &Terms, term: TermId, values: &[Id]) -> Option<Id> {
        let of = |at: usize| values.get(at).copied().unwrap_or(ANY);
        let Some(path) = self.path(terms, term, of(1), true) else {
            self.look_through(of(0));
            self.values.forget(of(0));
            self.values.forget(of(2));
            return Some(ANY);
        };
        let default = values.get(2).copied();
        let null = self.values.of(NULL);
        let mut at = of(0);
        for (index, key) in path.iter().enumerate() {
            // A way that ends in null leads to the default.
            let inner = if index + 1 == path.len() { default } else { default.map(|_| null) };
            at = self.get((term, 0), at, key, inner)?;
        }
        Some(at)
    }

    fn has(&mut self, at: At, id: Id) -> Option<Id> {
        self.expect(at, id, KEYED, 0)?;
        Some(self.values.of(BOOLEAN))
    }

    fn remove(&mut self, terms: &Terms, term: TermId, id: Id) -> Option<Id> {
        let id = self.expect((term, 0), id, RECORD | MAP | SET, 0)?;
        let node = self.values.node(id);
        if !node.refs.is_empty() || node.kinds & RECORD == 0 {
            return Some(if node.refs.is_empty() { id } else { self.any_record(id) });
        }
        let mut left = (*node).clone();
        if let Some(record) = &mut left.record {
            let key = terms.operand(term, 1);
            if terms.form(key) == Form::Text {
                let removed = record.members.remove(terms.text(key)).is_some();
                if (record.rest != NEVER || record.spread.is_some())
                    && (removed || record.spread.is_some())
                {
                    return Some(self.any_record(id));
                }
            } else {
                record.members.values_mut().for_each(|it| it.1 = true);
                if record.spread.is_some() {
                    return Some(self.any_record(id));
                }
            }
        }
        Some(self.values.make(left))
    }

    /// A record with some members of this one: nothing more is known.
    fn any_record(&mut self, id: Id) -> Id {
        let element = self.members_of(id);
        let element = self.values.weaken(element);
        let kinds = self.kinds(id);
        let record = Some(Record { rest: element, ..Record::default() });
        let others = kinds & (MAP | SET);
        if others != 0 {
            self.values.forget(id);
        }
        self.values.make(Node { kinds: RECORD | others, record, ..Node::default() })
    }

    /// All members of both. Those of the second win.
    fn merge(&mut self, at: At, first: Id, second: Id) -> Option<Id> {
        let first = self.expect(at, first, RECORD, MEMBERLESS)?;
        let second = self.expect((at.0, 1), second, RECORD, MEMBERLESS)?;
        let (a, b) = (self.as_record(first), self.as_record(second));
        let (Some(a), Some(b)) = (a, b) else {
            self.values.forget(first);
            self.values.forget(second);
            return Some(self.values.of(RECORD));
        };
        let mut merged = Record { spread: a.spread, rest: a.rest, members: a.members };
        if let Some(spread) = b.spread {
            // Any member of the second may stand in place of one of the first.
            let is_empty =
                merged.members.is_empty() && merged.rest == NEVER && merged.spread.is_none();
            if !is_empty {
                let part = self.part(spread, &Step::Key, EVERY, false);
                self.values.lost.insert(spread.place);
                let all: Vec<Id> = merged.members.values().map(|it| it.0).collect();
                self.values.forget(part);
                self.values.forget_all(all);
                self.values.forget(merged.rest);
                return Some(self.values.of(RECORD));
            }
            merged.spread = Some(spread);
        }
        if b.rest != NEVER {
            merged.rest = self.values.join(merged.rest, b.rest);
            for (name, (id, _)) in &mut merged.members {
                if !b.members.contains_key(name) {
                    *id = self.values.join(*id, b.rest);
                }
            }
        }
        for (name, (id, may_miss)) in b.members {
            let known = merged.members.get(&name).copied();
            let member = match (may_miss, known, merged.spread) {
                (false, ..) => (id, false),
                (true, Some((before, was_missing)), _) => {
                    (self.values.join(before, id), was_missing)
                }
                (true, None, None) => (self.values.join(id, merged.rest), true),
                (true, None, Some(spread)) => {
                    let part = self.part(spread, &Step::Member(Rc::clone(&name)), EVERY, false);
                    (self.values.join(part, id), true)
                }
            };
            merged.members.insert(name, member);
        }
        Some(self.record(merged))
    }

    /// The members of what `merge` takes, if they are known.
    fn as_record(&mut self, id: Id) -> Option<Record> {
        let node = self.values.node(id);
        if node.kinds & RECORD == 0 {
            return match node.refs[..] {
                [] => Some(Record::default()),
                [it] => {
                    let kinds = self.state.kinds(it);
                    // Where it has no members, `merge` has none to add.
                    let spread = Some(Ref { mask: it.mask & (RECORD | MEMBERLESS), ..it });
                    (kinds & RECORD != 0).then_some(Record { spread, ..Record::default() })
                }
                _ => None,
            };
        }
        if !node.refs.is_empty() {
            return None;
        }
        let mut record = node.record.clone()?;
        if node.kinds & !RECORD != 0 {
            if record.spread.is_some() {
                return None;
            }
            record.members.values_mut().for_each(|it| it.1 = true);
        }
        Some(record)
    }

    /// The type of all values of a record, and of what else has keys.
    pub(crate) fn members_of(&mut self, id: Id) -> Id {
        let node = self.values.node(id);
        let mut parts = Vec::new();
        for it in node.refs.iter().copied() {
            let kinds = self.state.kinds(it);
            if kinds & RECORD != 0 {
                parts.push(self.part(it, &Step::Key, EVERY, it.is_strong));
            }
            if kinds & LIST != 0 {
                parts.push(self.part(it, &Step::Element, EVERY, false));
            }
        }
        if node.kinds & RECORD != 0 {
            let record = node.record.clone();
            parts.push(match record {
                Some(record) => {
                    let members: Vec<Id> = record.members.values().map(|it| it.0).collect();
                    let mut joined = self.values.join_all(members);
                    joined = self.values.join(joined, record.rest);
                    if let Some(spread) = record.spread {
                        let part = self.part(spread, &Step::Key, EVERY, false);
                        joined = self.values.join(joined, part);
                    }
                    joined
                }
                None => ANY,
            });
        }
        if node.kinds & LIST != 0 {
            let lists = self.restrict(id, LIST);
            let own = self.values.node(lists);
            parts.push(match &own.list {
                Some(elements) => self.values.element_of(elements),
                None => ANY,
            });
        }
        if node.kinds & MAP != 0 {
            parts.push(node.map.map_or(ANY, |it| it[1]));
        }
        if node.kinds & SET != 0 {
            parts.push(node.set.unwrap_or(ANY));
        }
        match parts[..] {
            [only] => only,
            _ => self.values.join_all(parts),
        }
    }

    /// The type of the keys.
    fn key_of(&mut self, id: Id) -> Id {
        let node = self.values.node(id);
        let mut parts = Vec::new();
        let text = self.values.of(STRING);
        if node.kinds & (RECORD | LIST) != 0 || !node.refs.is_empty() {
            parts.push(text);
        }
        if node.kinds & MAP != 0 {
            parts.push(node.map.map_or(ANY, |it| it[0]));
        }
        if node.kinds & SET != 0 {
            parts.push(node.set.unwrap_or(ANY));
        }
        self.values.join_all(parts)
    }

    fn keys(&mut self, id: Id) -> Id {
        let key = self.key_of(id);
        self.list(key)
    }

    fn entries(&mut self, id: Id) -> Id {
        let (key, value) = (self.key_of(id), self.members_of(id));
        let entry = self.values.list_of(vec![key, value]);
        self.list(entry)
    }

    /// The type of the keys and the values of entries.
    pub(super) fn halves_of(&mut self, at: At, list: Id) -> [Id; 2] {
        let (entry, keep) = self.elements(list);
        let before = self.state.clone();
        self.doubts += 1;
        self.branches += 1;
        let half = |core: &mut Self, index: u8| {
            let null = core.values.of(NULL);
            let kinds = core.kinds(entry) & (LIST | PAIR);
            if kinds == 0 {
                return NEVER;
            }
            core.look(entry, LIST | PAIR, 0);
            let entry = core.restrict(entry, LIST | PAIR);
            let found = core.get(at, entry, &Key::Index(index), None).unwrap_or(null);
            core.state.is_dead = false;
            found
        };
        let halves = [half(self, 0), half(self, 1)];
        self.doubts -= 1;
        self.branches -= 1;
        self.meet(before, &keep);
        halves
    }

    fn record_of(&mut self, at: At, id: Id) -> Option<Id> {
        let list = self.expect(at, id, LIST | MAP, 0)?;
        let [key, value] = self.halves_of(at, list);
        self.look(key, STRING | NUMBER | BOOLEAN | NULL | DATE, 0);
        let rest = self.values.weaken(value);
        Some(self.record(Record { rest, ..Record::default() }))
    }

    /// `pick` and `omit` of literal keys.
    fn chosen(
        &mut self,
        terms: &Terms,
        is_pick: bool,
        term: TermId,
        id: Id,
        keys: Id,
    ) -> Option<Id> {
        let id = self.expect((term, 0), id, RECORD, 0)?;
        self.expect((term, 1), keys, LIST, 0)?;
        let operand = terms.operand(term, 1);
        let literals = terms.operands(operand);
        let is_literal = terms.form(operand) == Form::List
            && literals.iter().all(|it| terms.form(*it) == Form::Text);
        let node = self.values.node(id);
        let record = match (&node.record, &node.refs[..]) {
            (Some(record), []) => record.clone(),
            (None, [it]) if node.kinds == 0 => Record { spread: Some(*it), ..Record::default() },
            _ => return Some(self.any_record(id)),
        };
        if !is_literal {
            return Some(self.any_record(id));
        }
        let names: Vec<Rc<str>> = literals.iter().map(|it| Rc::from(terms.text(*it))).collect();
        if !is_pick {
            if record.spread.is_some() || record.rest != NEVER {
                return Some(self.any_record(id));
            }
            let mut left = record;
            left.members.retain(|name, _| !names.contains(name));
            return Some(self.record(left));
        }
        let mut members = std::collections::BTreeMap::new();
        for name in names {
            let member = match (record.members.get(&name), record.spread) {
                (Some(known), _) => *known,
                (None, Some(spread)) => {
                    (self.part(spread, &Step::Member(Rc::clone(&name)), EVERY, false), true)
                }
                (None, None) => (record.rest, true),
            };
            if member.0 != NEVER {
                members.insert(name, member);
            }
        }
        Some(self.record(Record { members, ..Record::default() }))
    }
}
