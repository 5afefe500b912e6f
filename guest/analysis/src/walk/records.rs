//! Forms of records, maps, sets, lists and pairs whose value depends on more than kinds.

use super::members::Key;
use super::{At, Core};
use crate::places::Step;
use crate::values::{ANY, EVERY, Elements, Id, NEVER, Node, Record, Ref};
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
const GONE_THROUGH: Kinds = LIST | STRING | MAP | SET;
/// What can be a key.
const KEYS: Kinds = STRING | NUMBER | BOOLEAN;
/// Greatest depth of a literal `flatten`.
const DEEPEST: u32 = 8;

impl Core {
    /// The value of a form, none if no run has one; or nothing if the form is not known here.
    pub(crate) fn members(
        &mut self,
        terms: &Terms,
        form: Form,
        term: TermId,
        values: &[Id],
    ) -> Option<Option<Id>> {
        let of = |at: usize| values.get(at).copied().unwrap_or(ANY);
        let at = (term, 0);
        let first = of(0);
        let key = |core: &mut Self| core.key(terms, terms.operand(term, 1), of(1));
        Some(match form {
            Form::Get => {
                let null = if values.len() > 2 { NULL } else { 0 };
                if self.expect((term, 1), of(1), KEYS | null, 0).is_none() {
                    return Some(None);
                }
                let key = key(self);
                self.get(at, first, &key, values.get(2).copied())
            }
            Form::GetIn => self.get_path(terms, term, values),
            Form::Has => self.has(at, first),
            Form::Put => {
                if self.expect((term, 1), of(1), KEYS, 0).is_none() {
                    return Some(None);
                }
                let key = key(self);
                self.put(at, first, &key, of(2))
            }
            Form::PutIn => match self.path(terms, term, of(1), true) {
                Some(path) => self.put_path(at, first, &path, of(2)),
                None => return None,
            },
            Form::Remove => self.remove(terms, term, first),
            Form::Merge => self.merge(at, first, of(1)),
            Form::Keys => self.expect(at, first, KEYED, 0).map(|id| self.keys(id)),
            Form::Values => self.expect(at, first, KEYED, 0).map(|id| {
                let element = self.members_of(id);
                self.list(element)
            }),
            Form::Entries => self.expect(at, first, KEYED, 0).map(|id| self.entries(id)),
            Form::FromEntries => self.from_entries(at, first),
            Form::Pick | Form::Omit => self.chosen(terms, form == Form::Pick, term, first, of(1)),
            Form::ToMap => self.to_map(at, first),
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
            Form::Cons => self.expect((term, 1), of(1), LIST, 0).map(|id| self.cons(first, id)),
            Form::Head => self.expect(at, first, LIST, 0).map(|id| self.element(id, Some(0))),
            Form::Last => self.expect(at, first, LIST, 0).map(|id| self.element(id, None)),
            Form::Tail => self.expect(at, first, LIST, 0).map(|id| self.tail(id)),
            Form::Nth => self.expect(at, first, LIST | PAIR, 0).and_then(|id| {
                self.expect((term, 1), of(1), NUMBER, 0)?;
                let key = match key(self) {
                    Key::Index(index) => Key::Index(index),
                    _ => Key::AnyIndex,
                };
                self.get(at, id, &key, None)
            }),
            Form::Slice => self.slice(at, first),
            Form::Append => self.append(at, first, of(1)),
            Form::Flatten => self.expect(at, first, LIST, 0).map(|id| {
                let depth = match values.get(1) {
                    None => 1,
                    Some(_) => terms.literal::<u32>(terms.operand(term, 1)).unwrap_or(u32::MAX),
                };
                let is_deep = depth > DEEPEST;
                let element = self.flatten(id, depth.min(DEEPEST));
                if is_deep {
                    self.look_through(id);
                    self.values.forget(element);
                    return self.any_list();
                }
                self.list(element)
            }),
            Form::Fst | Form::Snd => self.half(at, first, u8::from(form == Form::Snd)),
            _ => return None,
        })
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
                if record.rest != NEVER || record.spread.is_some() {
                    if removed || record.spread.is_some() {
                        return Some(self.any_record(id));
                    }
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
                let part = self.part(spread, Step::Key, EVERY, false);
                self.values.lost.insert(spread.place);
                let all: Vec<Id> = merged.members.values().map(|it| it.0).collect();
                self.values.forget(part);
                all.into_iter().for_each(|it| self.values.forget(it));
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
                    let part = self.part(spread, Step::Member(Rc::clone(&name)), EVERY, false);
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
                parts.push(self.part(it, Step::Key, EVERY, it.is_strong));
            }
            if kinds & LIST != 0 {
                parts.push(self.part(it, Step::Element, EVERY, false));
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
                        let part = self.part(spread, Step::Key, EVERY, false);
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
    fn halves_of(&mut self, at: At, list: Id) -> [Id; 2] {
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

    fn from_entries(&mut self, at: At, id: Id) -> Option<Id> {
        let list = self.expect(at, id, LIST | MAP, 0)?;
        let [key, value] = self.halves_of(at, list);
        self.look(key, STRING | NUMBER | BOOLEAN | NULL | DATE, 0);
        let rest = self.values.weaken(value);
        Some(self.record(Record { rest, ..Record::default() }))
    }

    fn to_map(&mut self, at: At, id: Id) -> Option<Id> {
        let id = self.expect(at, id, LIST | MAP | SET, NULL)?;
        let kinds = self.kinds(id);
        let mut known = [NEVER, NEVER];
        if kinds & (LIST | SET) != 0 {
            let lists = self.restrict(id, LIST | SET);
            // What an entry lacks is null.
            let null = self.values.of(NULL);
            let [key, value] = self.halves_of(at, lists);
            let is_short = self.may_be_short(lists);
            known = if is_short {
                [self.values.join(key, null), self.values.join(value, null)]
            } else {
                [key, value]
            };
        }
        if kinds & MAP != 0 {
            let maps = self.values.node(id).map.unwrap_or([ANY, ANY]);
            known = [self.values.join(known[0], maps[0]), self.values.join(known[1], maps[1])];
        }
        let map = Some(known.map(|it| self.values.weaken(it)));
        Some(self.values.make(Node { kinds: MAP, map, ..Node::default() }))
    }

    /// Whether an entry may have less than two elements.
    fn may_be_short(&mut self, lists: Id) -> bool {
        let (entry, _) = self.elements(lists);
        if entry == NEVER {
            return false;
        }
        let node = self.values.node(entry);
        let is_two = match &node.list {
            Some(Elements::Tuple(elements)) => elements.len() >= 2,
            Some(Elements::Of(_)) => false,
            None => node.kinds & LIST == 0,
        };
        !is_two || !node.refs.is_empty()
    }

    fn lookup(&mut self, at: At, id: Id, default: Option<Id>) -> Option<Id> {
        let id = self.expect(at, id, MAP | SET, 0)?;
        let node = self.values.node(id);
        let mut parts = Vec::new();
        if node.kinds & MAP != 0 {
            parts.push(node.map.map_or(ANY, |it| it[1]));
        }
        if node.kinds & SET != 0 || !node.refs.is_empty() {
            parts.push(ANY);
        }
        parts.extend(default);
        Some(self.values.join_all(parts))
    }

    fn insert(&mut self, at: At, values: &[Id]) -> Option<Id> {
        let id = self.expect(at, values.first().copied()?, MAP | SET, 0)?;
        let node = self.values.node(id);
        let more: Vec<Id> = values.iter().skip(1).map(|it| self.values.weaken(*it)).collect();
        let mut parts = Vec::new();
        if !node.refs.is_empty() {
            more.iter().for_each(|it| self.values.forget(*it));
            return Some(self.values.of(MAP | SET));
        }
        if let (true, [key, value]) = (node.kinds & MAP != 0, &more[..]) {
            let map = node.map.map(|known| {
                [self.values.join(known[0], *key), self.values.join(known[1], *value)]
            });
            if map.is_none() {
                self.values.forget(*key);
                self.values.forget(*value);
            }
            parts.push(self.values.make(Node { kinds: MAP, map, ..Node::default() }));
        }
        if let (true, Some(element)) = (node.kinds & SET != 0, more.first()) {
            let set = node.set.map(|known| self.values.join(known, *element));
            parts.push(self.values.make(Node { kinds: SET, set, ..Node::default() }));
        }
        Some(self.values.join_all(parts))
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
                    (self.part(spread, Step::Member(Rc::clone(&name)), EVERY, false), true)
                }
                (None, None) => (record.rest, true),
            };
            if member.0 != NEVER {
                members.insert(name, member);
            }
        }
        Some(self.record(Record { members, ..Record::default() }))
    }

    fn cons(&mut self, head: Id, tail: Id) -> Id {
        let node = self.values.node(tail);
        if let (true, Some(Elements::Tuple(elements))) = (node.refs.is_empty(), &node.list) {
            let elements = [&[head], &elements[..]].concat();
            return self.values.list_of(elements);
        }
        let (element, _) = self.elements(tail);
        let (element, head) = (self.values.weaken(element), self.values.weaken(head));
        let element = self.values.join(element, head);
        self.list(element)
    }

    /// The element at an index from the beginning, or the last one.
    fn element(&mut self, list: Id, index: Option<usize>) -> Id {
        let node = self.values.node(list);
        if let (true, Some(Elements::Tuple(elements))) = (node.refs.is_empty(), &node.list) {
            let known = match index {
                Some(index) => elements.get(index),
                None => elements.last(),
            };
            if let Some(known) = known {
                return *known;
            }
            self.state.is_dead = true;
            return NEVER;
        }
        let (element, _) = self.elements(list);
        self.values.weaken(element)
    }

    fn slice(&mut self, at: At, id: Id) -> Option<Id> {
        let id = self.expect(at, id, LIST | STRING, 0)?;
        let kinds = self.kinds(id);
        let mut parts = Vec::new();
        if kinds & LIST != 0 {
            let lists = self.restrict(id, LIST);
            let (element, _) = self.elements(lists);
            let element = self.values.weaken(element);
            parts.push(self.list(element));
        }
        if kinds & STRING != 0 {
            parts.push(self.values.of(STRING));
        }
        Some(self.values.join_all(parts))
    }

    fn append(&mut self, at: At, first: Id, second: Id) -> Option<Id> {
        let first = self.expect(at, first, GONE_THROUGH, NULL)?;
        let second = self.expect((at.0, 1), second, GONE_THROUGH, NULL)?;
        let (a, b) = (self.values.node(first), self.values.node(second));
        if let (Some(Elements::Tuple(x)), Some(Elements::Tuple(y))) = (&a.list, &b.list)
            && a.kinds | b.kinds == LIST
            && a.refs.is_empty()
            && b.refs.is_empty()
        {
            return Some(self.values.list_of([&x[..], &y[..]].concat()));
        }
        let ((x, _), (y, _)) = (self.elements(first), self.elements(second));
        let element = if x == NEVER || y == NEVER {
            self.values.union(x, y)
        } else {
            let (x, y) = (self.values.weaken(x), self.values.weaken(y));
            self.values.join(x, y)
        };
        Some(self.list(element))
    }

    fn half(&mut self, at: At, id: Id, index: u8) -> Option<Id> {
        let id = self.expect(at, id, LIST | PAIR, 0)?;
        self.get(at, id, &Key::Index(index), None)
    }
}
