//! Forms of lists and pairs.

use super::members::Key;
use super::{At, Core};
use crate::values::{ANY, Elements, Id, NEVER};
use pif_language::form::Form;
use pif_language::kinds::{LIST, NULL, NUMBER, PAIR, STRING};
use pif_language::term::{TermId, Terms};

use super::records::GONE_THROUGH;

/// Greatest depth of a literal `flatten`.
const DEEPEST: u32 = 8;

impl Core {
    /// The value of a form of lists and pairs, or of another one; none if no run has one.
    pub(super) fn of_list(
        &mut self,
        terms: &Terms,
        form: Form,
        term: TermId,
        values: &[Id],
    ) -> Option<Id> {
        let of = |at: usize| values.get(at).copied().unwrap_or(ANY);
        let (at, first) = ((term, 0), of(0));
        match form {
            Form::Cons => self.expect((term, 1), of(1), LIST, 0).map(|id| self.cons(first, id)),
            Form::Head => self.expect(at, first, LIST, 0).map(|id| self.element(id, Some(0))),
            Form::Last => self.expect(at, first, LIST, 0).map(|id| self.element(id, None)),
            Form::Tail => self.expect(at, first, LIST, 0).map(|id| self.tail(id)),
            Form::Nth => {
                let id = self.expect(at, first, LIST | PAIR, 0)?;
                self.expect((term, 1), of(1), NUMBER, 0)?;
                let key = match self.key(terms, terms.operand(term, 1), of(1)) {
                    Key::Index(index) => Key::Index(index),
                    _ => Key::AnyIndex,
                };
                self.get(at, id, &key, None)
            }
            Form::Slice => self.slice(at, first),
            Form::Append => self.append(at, first, of(1)),
            Form::Flatten => {
                let id = self.expect(at, first, LIST, 0)?;
                let depth = match values.get(1) {
                    None => 1,
                    Some(_) => terms.literal::<u32>(terms.operand(term, 1)).unwrap_or(u32::MAX),
                };
                if depth > DEEPEST {
                    self.unknown(&[id]);
                    return Some(self.any_list());
                }
                let element = self.flatten(id, depth);
                Some(self.list(element))
            }
            Form::Fst | Form::Snd => self.half(at, first, u8::from(form == Form::Snd)),
            _ => Some(self.unknown(values)),
        }
    }

    pub(super) fn cons(&mut self, head: Id, tail: Id) -> Id {
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
    pub(super) fn element(&mut self, list: Id, index: Option<usize>) -> Id {
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

    pub(super) fn slice(&mut self, at: At, id: Id) -> Option<Id> {
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

    pub(super) fn append(&mut self, at: At, first: Id, second: Id) -> Option<Id> {
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

    pub(super) fn half(&mut self, at: At, id: Id, index: u8) -> Option<Id> {
        let id = self.expect(at, id, LIST | PAIR, 0)?;
        self.get(at, id, &Key::Index(index), None)
    }
}
