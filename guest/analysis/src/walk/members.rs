//! Members, elements and halves: reading them, and putting others in their place.

use super::{At, Core};
use crate::places::Step;
use crate::values::{ANY, EVERY, Elements, Id, MOST_ELEMENTS, NEVER, Node, Record, Ref};
use pif_core::fault::Code;
use pif_language::form::Form;
use pif_language::kinds::{
    BOOLEAN, CONTINUATION, DATE, FUNCTION, INTEGER, Kinds, LIST, MAP, NULL, NUMBER, ODD, PAIR,
    QUOTED, RECORD, REGEX, SET, STRING,
};
use pif_language::term::{TermId, Terms};
use std::rc::Rc;

/// Longest path that is followed.
const LONGEST_PATH: usize = 8;
/// Kinds in place of a record for which `get` has its default.
const WITHOUT_MEMBERS: Kinds = NULL | NUMBER | BOOLEAN | FUNCTION;
/// Kinds of which nothing is said here.
const UNKNOWN: Kinds = DATE | REGEX | CONTINUATION | QUOTED | ODD;

/// A key, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    /// This text, which spells no index.
    Text(Rc<str>),
    /// This index.
    Index(u8),
    /// Some index.
    AnyIndex,
    /// Any key.
    Any,
}

impl Core {
    /// The key that a term is, or its value may be.
    pub(crate) fn key(&mut self, terms: &Terms, term: TermId, value: Id) -> Key {
        match terms.form(term) {
            Form::Integer => terms.literal::<u8>(term).map_or(Key::AnyIndex, Key::Index),
            Form::Text => text_key(terms.text(term)),
            _ => {
                let node = self.values.node(value);
                match &node.texts[..] {
                    [only] if node.kinds == STRING && node.refs.is_empty() => text_key(only),
                    _ if self.kinds(value) & !(NUMBER | ODD) == 0 => Key::AnyIndex,
                    _ => Key::Any,
                }
            }
        }
    }

    /// The keys of a path: one, or the elements of a literal list.
    pub(crate) fn path(
        &mut self,
        terms: &Terms,
        term: TermId,
        key: Id,
        is_path: bool,
    ) -> Option<Vec<Key>> {
        let operand = terms.operand(term, 1);
        if !is_path {
            return Some(vec![self.key(terms, operand, key)]);
        }
        let node = self.values.node(key);
        let (Form::List, Some(Elements::Tuple(values))) = (terms.form(operand), &node.list) else {
            return None;
        };
        let steps = terms.operands(operand);
        if steps.len() > LONGEST_PATH || steps.len() != values.len() {
            return None;
        }
        Some(steps.iter().zip(values).map(|(step, id)| self.key(terms, *step, *id)).collect())
    }

    /// Reads a member. The default stands for what is missing.
    pub(crate) fn get(&mut self, at: At, id: Id, key: &Key, default: Option<Id>) -> Option<Id> {
        if self.is_hole(id, key) {
            return Some(ANY);
        }
        let found = self.kinds(id);
        let holders = holders(key);
        let forgiven = if default.is_some() { EVERY } else { 0 };
        if found & (holders | forgiven | UNKNOWN | LIST | STRING | MAP | SET | PAIR) == 0 {
            match found {
                0 => self.state.is_dead = true,
                _ => self.fault(at, Code::TypeMismatch),
            }
            return None;
        }
        self.look(id, holders, forgiven);
        let node = self.values.node(id);
        let mut parts = Vec::new();
        for it in node.refs.iter().copied() {
            self.get_part(it, key, default.is_some(), &mut parts);
        }
        let own = self.get_own(&node, key);
        let is_missing = own.as_ref().is_none_or(|it| it.1);
        let value = own.map_or(NEVER, |it| it.0);
        let strong = match parts[..] {
            [only] if value == NEVER => only,
            _ => {
                let parts = self.values.join_all(parts);
                let (parts, value) = (self.values.weaken(parts), self.values.weaken(value));
                self.values.union(parts, value)
            }
        };
        if let Some(default) = default {
            if node.refs.is_empty() && !is_missing && value != NEVER {
                return Some(strong);
            }
            let default = self.values.weaken(default);
            return Some(self.values.union(strong, default));
        }
        if strong == NEVER {
            let is_record = node.kinds == RECORD && node.refs.is_empty();
            if is_record && let Key::Text(_) = key {
                self.fault(at, Code::MissingKey);
            } else {
                self.state.is_dead = true;
                self.pass(at);
            }
            return None;
        }
        self.pass(at);
        Some(strong)
    }

    /// Whether the member is the one that is being written. Takes down what has it.
    fn is_hole(&mut self, id: Id, key: &Key) -> bool {
        let Key::Text(name) = key else { return false };
        let Some(hole) = self.hole.as_mut().filter(|it| it.name == *name) else { return false };
        hole.subject = Some(match hole.subject {
            Some(before) => self.values.union(before, id),
            None => id,
        });
        true
    }

    /// What a part of the input has under a key.
    fn get_part(&mut self, it: Ref, key: &Key, has_default: bool, parts: &mut Vec<Id>) {
        let kinds = self.state.kinds(it) & holders(key);
        if kinds & RECORD != 0 {
            let step = match key {
                Key::Text(name) => Step::Member(Rc::clone(name)),
                Key::Index(index) => Step::Member(Rc::from(index.to_string())),
                Key::AnyIndex | Key::Any => Step::Key,
            };
            let is_strong = it.is_strong && !matches!(step, Step::Key);
            let part = self.part(it, &step, EVERY, is_strong);
            let node = self.values.node(part);
            if let (false, [within]) = (has_default, &node.refs[..]) {
                let is_alone = is_strong && self.state.kinds(it) & !RECORD == 0;
                self.state.demand(within.place, is_alone);
            }
            parts.push(part);
        }
        if kinds & (LIST | PAIR) != 0 {
            match key {
                Key::Index(index) => {
                    parts.push(self.part(it, &Step::Index(*index), EVERY, it.is_strong));
                }
                Key::AnyIndex | Key::Any => parts.push(self.part(it, &Step::Element, EVERY, false)),
                Key::Text(_) => {}
            }
        }
        match key {
            Key::Text(name) if &**name == "length" && kinds & (LIST | STRING) != 0 => {
                parts.push(self.values.of(INTEGER));
            }
            Key::Any if kinds & (LIST | STRING) != 0 => {
                parts.push(self.values.of(INTEGER | STRING));
            }
            Key::Index(_) | Key::AnyIndex if kinds & STRING != 0 => {
                parts.push(self.values.of(STRING));
            }
            _ => {}
        }
    }

    /// What a value has under a key, and whether it may be missing.
    fn get_own(&mut self, node: &Node, key: &Key) -> Option<(Id, bool)> {
        let mut parts = Vec::new();
        let mut is_missing = false;
        if node.kinds & UNKNOWN & !ODD != 0 || node.kinds == EVERY {
            return Some((ANY, true));
        }
        if node.kinds & RECORD != 0 {
            let (id, may_miss) = match &node.record {
                Some(record) => self.record_member(record, key),
                None => (ANY, true),
            };
            parts.push(id);
            is_missing |= may_miss;
        }
        if node.kinds & LIST != 0 {
            let (id, may_miss) = self.list_member(node.list.as_ref(), key);
            parts.push(id);
            is_missing |= may_miss;
        }
        if node.kinds & PAIR != 0 {
            let [first, second] = node.pair.unwrap_or([ANY, ANY]);
            parts.push(match key {
                Key::Index(0) => first,
                Key::Index(1) => second,
                Key::Index(_) | Key::Text(_) => NEVER,
                Key::AnyIndex | Key::Any => self.values.join(first, second),
            });
            is_missing |= !matches!(key, Key::Index(0 | 1));
        }
        if node.kinds & STRING != 0 {
            parts.push(match key {
                Key::Index(_) | Key::AnyIndex => self.values.of(STRING),
                Key::Text(name) if &**name == "length" => self.values.of(INTEGER),
                Key::Text(_) => NEVER,
                Key::Any => self.values.of(STRING | INTEGER),
            });
            is_missing = true;
        }
        if node.kinds & (MAP | SET) != 0 {
            parts.push(self.values.of(INTEGER));
            is_missing = true;
        }
        is_missing |= node.kinds & (WITHOUT_MEMBERS | ODD) != 0;
        (!parts.is_empty()).then(|| (self.values.join_all(parts), is_missing))
    }

    fn record_member(&mut self, record: &Record, key: &Key) -> (Id, bool) {
        let name = match key {
            Key::Text(name) => Rc::clone(name),
            Key::Index(index) => Rc::from(index.to_string()),
            Key::AnyIndex | Key::Any => {
                let members: Vec<Id> = record.members.values().map(|it| it.0).collect();
                let mut joined = self.values.join_all(members);
                joined = self.values.join(joined, record.rest);
                if let Some(spread) = record.spread {
                    let part = self.part(spread, &Step::Key, EVERY, false);
                    joined = self.values.join(joined, part);
                }
                return (joined, true);
            }
        };
        if let Some(known) = record.members.get(&name) {
            return *known;
        }
        match record.spread {
            Some(spread) => {
                let part = self.part(spread, &Step::Member(name), EVERY, false);
                if let [within] = &self.values.node(part).refs[..] {
                    self.state.demand(within.place, false);
                }
                (self.values.join(part, record.rest), true)
            }
            None => (record.rest, true),
        }
    }

    fn list_member(&mut self, list: Option<&Elements>, key: &Key) -> (Id, bool) {
        match (key, list) {
            (Key::Text(name), _) => match &**name {
                "length" => (self.values.of(INTEGER), false),
                // A match of a regular expression has these.
                "index" | "input" | "groups" => (ANY, true),
                _ => (NEVER, true),
            },
            (_, None) => (ANY, true),
            (Key::Index(index), Some(Elements::Tuple(elements))) => {
                match elements.get(usize::from(*index)) {
                    Some(element) => (*element, false),
                    None => (NEVER, true),
                }
            }
            (_, Some(elements)) => {
                let element = self.values.element_of(elements);
                let element = self.values.weaken(element);
                let length = self.values.of(INTEGER);
                let is_index = matches!(key, Key::Index(_) | Key::AnyIndex);
                let element = if is_index { element } else { self.values.join(element, length) };
                (element, true)
            }
        }
    }

    /// Puts a value at a path.
    pub(crate) fn put_path(&mut self, at: At, id: Id, path: &[Key], value: Id) -> Option<Id> {
        let mut holders = vec![id];
        let inner = path.get(..path.len().saturating_sub(1)).unwrap_or_default();
        for key in inner {
            let holder = holders.last().copied().unwrap_or(ANY);
            let empty = self.record(Record::default());
            let kinds = self.kinds(holder);
            let next = if kinds & (RECORD | LIST) == 0 && kinds & UNKNOWN == 0 {
                empty
            } else {
                self.get(at, holder, key, Some(empty))?
            };
            holders.push(next);
        }
        let mut value = value;
        for (holder, key) in holders.into_iter().zip(path).rev() {
            let holder = self.or_empty(holder);
            value = self.put(at, holder, key, value)?;
        }
        Some(value)
    }

    /// The value, or a record without members in place of null.
    fn or_empty(&mut self, id: Id) -> Id {
        if self.kinds(id) & NULL == 0 {
            return id;
        }
        self.look(id, RECORD | LIST, NULL);
        let empty = self.record(Record::default());
        let present = self.restrict(id, RECORD | LIST);
        self.values.join(present, empty)
    }

    /// Puts a value under a key, or at an index.
    pub(crate) fn put(&mut self, at: At, id: Id, key: &Key, value: Id) -> Option<Id> {
        let holders = match key {
            Key::Text(_) => RECORD,
            Key::Index(_) | Key::AnyIndex | Key::Any => RECORD | LIST,
        };
        let id = self.expect(at, id, holders, 0)?;
        let node = self.values.node(id);
        let mut parts = Vec::new();
        let kinds = self.kinds(id);
        if kinds & LIST != 0 {
            let lists = self.restrict(id, LIST);
            parts.push(self.put_element(lists, key, value));
        }
        if node.kinds & RECORD != 0 {
            let record = node.record.clone();
            parts.push(if let Some(record) = record {
                self.put_member(record, key, value)
            } else {
                self.values.forget(value);
                self.values.of(RECORD)
            });
        }
        let refs = node.refs.iter().copied().filter(|it| self.state.kinds(*it) & RECORD != 0);
        let refs: Vec<Ref> = refs.collect();
        for it in refs {
            let spread = Some(Ref { mask: RECORD, ..it });
            let record = Record { spread, ..Record::default() };
            parts.push(self.put_member(record, key, value));
        }
        Some(self.values.join_all(parts))
    }

    fn put_member(&mut self, mut record: Record, key: &Key, value: Id) -> Id {
        match key {
            Key::Text(name) => {
                record.members.insert(Rc::clone(name), (value, false));
            }
            Key::Index(index) => {
                record.members.insert(Rc::from(index.to_string()), (value, false));
            }
            Key::AnyIndex | Key::Any => {
                record.rest = self.values.join(record.rest, value);
                for (id, _) in record.members.values_mut() {
                    *id = self.values.join(*id, value);
                }
                if let Some(spread) = record.spread.take() {
                    let part = self.part(spread, &Step::Key, EVERY, false);
                    self.values.lost.insert(spread.place);
                    let other = self.values.join(record.rest, part);
                    record.rest = self.values.join(other, ANY);
                }
            }
        }
        self.record(record)
    }

    fn put_element(&mut self, lists: Id, key: &Key, value: Id) -> Id {
        let node = self.values.node(lists);
        if let (Key::Index(index), true, Some(Elements::Tuple(elements))) =
            (key, node.refs.is_empty(), &node.list)
        {
            let mut elements = elements.clone();
            match elements.get_mut(usize::from(*index)) {
                Some(element) => *element = value,
                None => elements.push(value),
            }
            if elements.len() <= MOST_ELEMENTS {
                return self.values.list_of(elements);
            }
        }
        let (element, _) = self.elements(lists);
        let (element, value) = (self.values.weaken(element), self.values.weaken(value));
        let element = self.values.join(element, value);
        self.list(element)
    }
}

/// The kinds that can have something under a key.
fn holders(key: &Key) -> Kinds {
    match key {
        Key::Text(name) => match &**name {
            "length" => RECORD | LIST | STRING,
            "size" => RECORD | MAP | SET,
            _ => RECORD,
        },
        Key::Index(_) | Key::AnyIndex => RECORD | LIST | STRING | PAIR,
        Key::Any => RECORD | LIST | STRING | PAIR | MAP | SET,
    }
}

fn text_key(text: &str) -> Key {
    let is_index = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if is_index { Key::Any } else { Key::Text(Rc::from(text)) }
}
