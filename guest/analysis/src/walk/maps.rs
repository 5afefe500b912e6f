//! Forms of maps and sets.

use super::{At, Core};
use crate::values::{ANY, Elements, Id, NEVER, Node};
use pif_language::kinds::{LIST, MAP, NULL, SET};

impl Core {
    pub(super) fn map_of(&mut self, at: At, id: Id) -> Option<Id> {
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

    pub(super) fn lookup(&mut self, at: At, id: Id, default: Option<Id>) -> Option<Id> {
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

    pub(super) fn insert(&mut self, at: At, values: &[Id]) -> Option<Id> {
        let id = self.expect(at, values.first().copied()?, MAP | SET, 0)?;
        let node = self.values.node(id);
        let more: Vec<Id> = values.iter().skip(1).map(|it| self.values.weaken(*it)).collect();
        let mut parts = Vec::new();
        if !node.refs.is_empty() {
            self.values.forget_all(more);
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
}
